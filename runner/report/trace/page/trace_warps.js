// Warps as rows, lanes as cells: who runs, waits, is on another way, has left. Only what has changed is drawn anew.
"use strict";
(() => {
  Trace.el = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "class") element.className = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null) element.setAttribute(name, value);
    }
    element.append(...children.filter((c) => c !== null));
    return element;
  };
  const { el } = Trace;

  // An element's text, an element's name: touched only where they change, for whatever is touched is styled and laid out anew.
  Trace.say = (element, text) => {
    if (element.said === text) return;
    element.said = text;
    if (element.firstChild && element.firstChild === element.lastChild && element.firstChild.nodeType === 3) element.firstChild.data = text;
    else element.textContent = text;
  };
  Trace.name = (element, text) => {
    if (element.named === text) return;
    element.named = text;
    element.setAttribute("aria-label", text);
  };

  // Scrolls a box so that one of its rows is in sight: later, all at once, for asking where things are makes the browser lay
  // out all that has just changed.
  const wanted = new Map();
  let asked = false;
  Trace.inSight = (box, row, part) => {
    const before = wanted.get(box);
    if (before && before.row === row) return;
    wanted.set(box, { row, part, done: false });
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      const moves = [];
      for (const [one, wish] of wanted) {
        if (wish.done) continue;
        wish.done = true;
        const top = wish.row.offsetTop;
        if (top < one.scrollTop + 20 || top + wish.row.offsetHeight > one.scrollTop + one.clientHeight - 20)
          moves.push([one, top - one.clientHeight / wish.part]);
      }
      for (const [one, top] of moves) one.scrollTop = top;
    });
  };

  const KINDS = [["run", "active"], ["off", "guard false"], ["wait", "waiting"], ["part", "on another way"],
    ["ready", "can go on"], ["gone", "exited, or none"]];

  const kindOf = (state, lane) => {
    const bit = (mask) => mask >>> lane & 1;
    if (bit(state.off)) return "off";
    if (bit(state.active)) return state.running ? "run" : "ready";
    if (bit(state.waiting)) return "wait";
    return bit(state.diverged) ? "part" : "gone";
  };

  Trace.kindOf = kindOf;

  const rows = [];
  let lane = 0;

  const ruler = () => {
    const marks = el("span", { class: "cells" });
    for (let k = 0; k < 32; k++) marks.append(el("i", {}, k % 4 ? "" : String(k)));
    return el("div", { class: "warp ruler", "aria-hidden": "true" }, el("span", { class: "warp-name" }, "lane"), marks,
      el("span", { class: "warp-text" }));
  };

  Trace.buildWarps = (pick) => {
    const body = el("div", { class: "warps", role: "group", "aria-label": "Warps: one row each, lanes 0 to 31" }, ruler());
    Trace.doc.window.warps.forEach((w, number) => {
      const cells = [];
      const strip = el("span", { class: "cells", "aria-hidden": "true" });
      for (let k = 0; k < 32; k++) {
        const cell = el("i", { class: "gone" });
        cell.dataset.lane = k;
        cells.push(cell);
        strip.append(cell);
      }
      const text = el("span", { class: "warp-text" });
      const row = el("button", { type: "button", class: "warp", onclick: (event) => {
        if (event.target.dataset.lane !== undefined) lane = Number(event.target.dataset.lane);
        pick(number, lane);
      } }, el("span", { class: "warp-name" }, `b${w.block} w${w.warp}`), strip, text);
      rows.push({ row, cells, text, shown: "", kinds: new Array(32).fill("gone") });
      body.append(row);
    });
    const legend = el("ul", { class: "legend", "aria-label": "Colours of lanes" });
    for (const [kind, words] of KINDS) legend.append(el("li", {}, el("i", { class: `swatch ${kind}` }), words));
    return el("section", { class: "panel of-warps", "aria-labelledby": "warps-title" },
      el("h2", { id: "warps-title" }, "Warps and lanes"), body, legend);
  };

  const inWords = (state) => {
    const parts = [];
    const add = (mask, words) => { if (mask) parts.push(`${Trace.lanesText(mask)} ${words}`); };
    if (state.running) add((state.active & ~state.off) >>> 0, "active");
    add(state.off, "with a false guard");
    add(state.waiting, "waiting");
    add(state.diverged, "on another way");
    add(state.exited, "exited");
    return parts.length ? ": " + parts.join("; ") : "";
  };

  Trace.drawWarps = (i, selected, selectedLane) => {
    lane = selectedLane;
    rows.forEach((r, number) => {
      const state = Trace.stateOf(number, i);
      const chosen = number === selected;
      const key = [state.running, state.active, state.off, state.waiting, state.diverged, state.exited, state.text,
        chosen, selectedLane].join();
      if (key === r.shown) return;
      r.shown = key;
      for (let k = 0; k < 32; k++) {
        const kind = kindOf(state, k) + (chosen && k === selectedLane ? " chosen" : "");
        if (r.kinds[k] === kind) continue;
        r.kinds[k] = kind;
        r.cells[k].className = kind;
      }
      r.text.textContent = state.text;
      r.row.classList.toggle("running", state.running);
      r.row.setAttribute("aria-pressed", String(chosen));
      r.row.setAttribute("aria-label", `${Trace.warpName(number)} ${state.text}${inWords(state)}`);
    });
    if (rows[selected]) Trace.inSight(rows[selected].row.parentElement, rows[selected].row, 2);
  };
})();
