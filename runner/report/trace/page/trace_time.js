// Modelled cycles: when each warp issues, and what it waits for. Where the model does not know, it says so.
"use strict";
(() => {
  const { el } = Trace;
  const SPAN = 400, ROW = 14, LEFT = 56, WIDTH = 560;  // cycles across, and pixels of the drawing
  const WORDS = { issue: "a pipe or slot is taken", memory: "global or local memory", shared: "shared memory",
    barrier: "others at the barrier", result: "a result" };
  let box = null, known = false, timed = [];  // of each warp that the model follows, its steps in the order of issue

  const svg = (tag, attributes, text = "") => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  };

  Trace.buildTime = () => {
    known = Trace.doc.model !== null;
    box = el("div", { class: "time wide" });
    const section = el("section", { class: "panel of-time", "aria-labelledby": "time-title" },
      el("h2", { id: "time-title" }, "Modelled cycles"), box);
    timed = Trace.ofWarp.map((list, warp) => ({ warp, list: list.filter((i) => Trace.steps.issued[i] !== Trace.NONE)
      .sort((a, b) => Trace.steps.issued[a] - Trace.steps.issued[b]) })).filter((one) => one.list.length).slice(0, 32);
    if (!known) {
      box.append(el("p", { class: "note" }, `Not modelled: ${Trace.doc.model_unavailable}.`));
      return section;
    }
    const legend = el("ul", { class: "legend", "aria-label": "What a warp waits for" }, el("li", {}, el("i", { class: "swatch issue-now" }), "issues"));
    for (const [kind, words] of Object.entries(WORDS)) legend.append(el("li", {}, el("i", { class: `swatch stall-${kind}` }), words));
    section.append(legend, el("p", { class: "note" }, `As ${Trace.doc.model.gpu} would issue, by the model; not measured. The ` +
      "order of this page’s steps is the simulator’s, another one of the orders that are right."));
    return section;
  };

  const drawWarp = (drawing, list, y, i, from, x) => {
    const s = Trace.steps;
    let low = 0, high = list.length;  // the first that issues at `from` or later
    while (low < high) {
      const middle = (low + high) >> 1;
      if (s.issued[list[middle]] < from) low = middle + 1; else high = middle;
    }
    for (; low < list.length; low++) {
      const step = list[low], issued = s.issued[step], waited = s.waited[step];
      if (issued - waited > from + SPAN) break;
      if (waited > 0) {
        const begin = x(issued - waited);
        drawing.append(svg("rect", { x: begin, y: y + 3, width: Math.max(0, x(issued) - begin), height: ROW - 5,
          class: `stall-${Trace.doc.stalls[s.stall[step]]}` }));
      }
      if (issued <= from + SPAN)
        drawing.append(svg("rect", { x: x(issued), y: y + 1, width: step === i ? 3 : 1.4, height: ROW - 2, class: step === i ? "issue-here" : "issue-now" }));
    }
  };

  Trace.drawTime = (i, warp) => {
    if (!known) return;
    const s = Trace.steps, at = s.issued[i];
    box.textContent = "";
    if (at === Trace.NONE) {
      box.append(el("p", { class: "note" }, s.site[i] === Trace.NONE ? "A barrier’s end is no instruction."
        : "Not modelled by itself: the GPU’s compiler makes no instruction of its own of it, or the model does not follow this warp."));
      return;
    }
    const stall = Trace.doc.stalls[s.stall[i]];
    box.append(el("p", { class: "cost" }, `Issues in cycle ${at}` +
      (s.waited[i] > 0 && WORDS[stall] ? `, after ${s.waited[i]} cycles of waiting: ${WORDS[stall]}.` : ".")));
    const from = Math.max(0, at - SPAN * 0.6);
    const bottom = timed.length * ROW;
    const drawing = svg("svg", { viewBox: `0 0 ${LEFT + WIDTH + 12} ${bottom + 18}`, class: "chart time-chart", role: "img",
      "aria-label": `Cycles ${Math.round(from)} to ${Math.round(from + SPAN)}, a row for each warp` });
    const x = (cycle) => LEFT + (Math.min(Math.max(cycle, from), from + SPAN) - from) * WIDTH / SPAN;
    for (let tick = Math.ceil(from / 100) * 100; tick <= from + SPAN; tick += 100)
      drawing.append(svg("line", { x1: x(tick), x2: x(tick), y1: 0, y2: bottom, class: "grid" }),
        svg("text", { x: x(tick), y: bottom + 14, "text-anchor": "middle" }, String(tick)));
    timed.forEach((one, k) => {
      const shown = Trace.doc.window.warps[one.warp];
      drawing.append(svg("text", { x: 0, y: k * ROW + 11, class: one.warp === warp ? "ink" : "" }, `b${shown.block} w${shown.warp}`));
      drawWarp(drawing, one.list, k * ROW, i, from, x);
    });
    box.append(drawing);
  };
})();
