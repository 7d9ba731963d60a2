// Modelled cycles: when each warp issues, and what it waits for. Where the model does not know, it says so.
"use strict";
(() => {
  const { el } = Trace;
  const SPAN = 400, ROW = 14, LEFT = 56, RIGHT = 14, FOOT = 18;  // cycles across, and pixels of the drawing
  const WORDS = { issue: "a pipe or slot is taken", memory: "global or local memory", shared: "shared memory",
    barrier: "others at the barrier", result: "a result" };
  const COLOURS = { issue: ["var(--s6)", .55], memory: ["var(--s1)", .7], shared: ["var(--s3)", .7], barrier: ["var(--s5)", .7],
    result: ["var(--s2)", .55] };
  let said = null, box = null, drawing = null, known = false, timed = [];  // of each warp that the model follows, its steps in the order of issue

  Trace.buildTime = () => {
    known = Trace.doc.model !== null;
    drawing = Trace.drawing("drawing");
    said = el("p");
    box = el("div", { class: "wide" }, drawing.canvas);
    const section = el("section", { class: "panel of-time", "aria-labelledby": "time-title" },
      el("h2", { id: "time-title" }, "Modelled cycles"), el("div", { class: "time" }, said, box));
    timed = Trace.ofWarp.map((list, warp) => ({ warp, list: list.filter((i) => Trace.steps.issued[i] !== Trace.NONE)
      .sort((a, b) => Trace.steps.issued[a] - Trace.steps.issued[b]) })).filter((one) => one.list.length).slice(0, 32);
    if (!known) {
      said.className = "note";
      said.textContent = `Not modelled: ${Trace.doc.model_unavailable}.`;
      box.hidden = true;
      return section;
    }
    const legend = el("ul", { class: "legend", "aria-label": "What a warp waits for" }, el("li", {}, el("i", { class: "swatch issue-now" }), "issues"));
    for (const [kind, words] of Object.entries(WORDS)) legend.append(el("li", {}, el("i", { class: `swatch stall-${kind}` }), words));
    section.append(el("p", { class: "keep" }, "Keep this picture: ", ...Trace.keepButtons("the picture of these cycles",
      () => Trace.pictureName(Trace.where(), "cycles"), () => drawing.picture())), legend, el("p", { class: "note" }, `As ${Trace.doc.model.gpu} would issue, by the model; not measured. The ` +
      "order of this page’s steps is the simulator’s, another one of the orders that are right. Not modelled by itself is what the GPU’s " +
      "compiler makes no instruction of its own of, and warps that the model does not follow."));
    return section;
  };

  const drawWarp = (c, list, y, i, from, x) => {
    const s = Trace.steps;
    let low = 0, high = list.length;  // the first that issues at `from` or later
    while (low < high) {
      const middle = (low + high) >> 1;
      if (s.issued[list[middle]] < from) low = middle + 1; else high = middle;
    }
    for (; low < list.length; low++) {
      const step = list[low], issued = s.issued[step], waited = s.waited[step];
      if (issued - waited > from + SPAN) break;
      const colour = waited > 0 && COLOURS[Trace.doc.stalls[s.stall[step]]];
      if (colour) {
        c.fillStyle = Trace.colour(colour[0]);
        c.globalAlpha = colour[1];
        const begin = x(issued - waited);
        c.fillRect(begin, y + 3, Math.max(0, x(issued) - begin), ROW - 5);
        c.globalAlpha = 1;
      }
      if (issued > from + SPAN) continue;
      c.fillStyle = Trace.colour(step === i ? "var(--ink)" : "var(--s0)");
      c.fillRect(x(issued), y + 1, step === i ? 3 : 1.4, ROW - 2);
    }
  };

  const paintTime = (c, width, i, warp, from) => {
    const bottom = timed.length * ROW, across = width - LEFT - RIGHT;
    const x = (cycle) => LEFT + (Math.min(Math.max(cycle, from), from + SPAN) - from) * across / SPAN;
    c.font = "12px system-ui, sans-serif";
    c.textAlign = "center";
    const every = across < 330 ? 200 : 100;
    for (let tick = Math.ceil(from / every) * every; tick <= from + SPAN; tick += every) {
      c.fillStyle = Trace.colour("var(--rule)");
      c.fillRect(x(tick) - .5, 0, 1, bottom);
      c.fillStyle = Trace.colour("var(--soft)");
      c.fillText(String(tick), x(tick), bottom + 14);
    }
    c.textAlign = "left";
    timed.forEach((one, k) => {
      const shown = Trace.doc.window.warps[one.warp];
      c.fillStyle = Trace.colour(one.warp === warp ? "var(--ink)" : "var(--soft)");
      c.fillText(`b${shown.block} w${shown.warp}`, 0, k * ROW + 11);
      drawWarp(c, one.list, k * ROW, i, from, x);
    });
  };

  Trace.timeDrawing = () => known && !box.hidden ? drawing : null;

  Trace.drawTime = (i, warp) => {
    if (!known) return;
    const s = Trace.steps, at = s.issued[i];
    box.hidden = at === Trace.NONE;
    said.className = box.hidden ? "note" : "cost";
    if (box.hidden) {
      Trace.say(said, s.site[i] === Trace.NONE ? "A barrier’s end is no instruction."
        : "Not modelled by itself.");
      return;
    }
    const stall = Trace.doc.stalls[s.stall[i]];
    Trace.say(said, `Issues in cycle ${at}` +
      (s.waited[i] > 0 && WORDS[stall] ? `, after ${s.waited[i]} cycles of waiting: ${WORDS[stall]}.` : "."));
    const from = Math.max(0, at - SPAN * 0.6);
    drawing.show(timed.length * ROW + FOOT, `Cycles ${Math.round(from)} to ${Math.round(from + SPAN)}, a row for each warp`,
      (c, width) => paintTime(c, width, i, warp, from));
  };
})();
