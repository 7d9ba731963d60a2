// The line that runs, its PTX, and the registers of the warp.
"use strict";
(() => {
  const { el } = Trace;
  const lines = new Map();
  const AROUND = 4, MOST_REGISTERS = 14;
  let source = null, ptxNote = null, registers = null, nothingYet = null, laneHeading = null, warpHeading = null, lineShown = null;
  const ptxRows = [], registerRows = [];  // made once: a step changes their words

  const KEYWORDS = new Set(("auto bool break case char class const constexpr continue do double else extern false float for " +
    "if inline int long namespace return short signed sizeof static struct switch template true typename unsigned using void " +
    "volatile while __global__ __device__ __shared__ __restrict__").split(" "));
  const OURS = new Set(["threadIdx", "blockIdx", "blockDim", "gridDim"]);

  // Colours of C++, word by word: enough to read by.
  const coloured = (text) => {
    const parts = [];
    for (const [all, comment, string, number, word] of text.matchAll(/(\/\/.*$)|("[^"]*")|(\b\d[\w.]*)|([A-Za-z_]\w*)|[^]/g)) {
      const kind = comment ? "c" : string ? "q" : number ? "n" : KEYWORDS.has(word) ? "k" : OURS.has(word) ? "b" : "";
      if (kind) parts.push(el("span", { class: kind }, all));
      else if (typeof parts[parts.length - 1] === "string") parts[parts.length - 1] += all;
      else parts.push(all);
    }
    return parts;
  };

  Trace.buildCode = () => {
    source = el("div", { class: "code-lines", tabindex: "0", role: "region", "aria-label": "Source" });
    let before = 0;
    for (const [number, text] of Trace.doc.source.lines) {
      if (before && number !== before + 1) source.append(el("div", { class: "gap" }, "⋯"));
      before = number;
      const row = el("div", { class: "code-line" }, el("b", {}, String(number)), el("code", {}, ...coloured(text)));
      lines.set(number, row);
      source.append(row);
    }
    if (!before) source.append(el("p", { class: "note" }, "The source is not at hand: the PTX below is what runs."));
    const ptx = el("div", { class: "code-lines ptx", role: "region", "aria-label": "PTX" });
    for (let k = -AROUND; k <= AROUND; k++) {
      const number = el("b"), code = el("code");
      const row = el("div", { class: k === 0 ? "code-line now" : "code-line", "aria-current": k === 0 ? "step" : null }, number, code);
      ptxRows.push({ row, number, code });
      ptx.append(row);
    }
    ptxNote = el("p", { class: "note", hidden: true }, "No instruction: a barrier is complete.");
    ptx.append(ptxNote);
    return el("section", { class: "panel of-code", "aria-labelledby": "code-title" },
      el("h2", { id: "code-title" }, Trace.doc.source.name || "Source"), source, el("h3", {}, "PTX"), ptx);
  };

  Trace.buildRegisters = () => {
    laneHeading = el("th", { class: "num" });
    warpHeading = el("th");
    const body = el("tbody");
    for (let k = 0; k < MOST_REGISTERS; k++) {
      const cells = [el("th", { scope: "row" }), el("td", { class: "soft" }), el("td", { class: "num" }), el("td")];
      registerRows.push({ row: el("tr", {}, ...cells), cells });
      body.append(registerRows[k].row);
    }
    registers = el("div", { class: "registers wide" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "register"),
      el("th", {}, "type"), laneHeading, warpHeading)), body));
    nothingYet = el("p", { class: "note" }, "Nothing has been written yet.");
    const names = Trace.doc.debug ? "Built with -G: registers that hold a variable have its name and stand first."
      : "Names are the PTX’s: the compiler optimised the source’s variables away. A build with -G keeps them, with their names.";
    return el("section", { class: "panel of-registers", "aria-labelledby": "registers-title" },
      el("h2", { id: "registers-title" }, "Registers"), nothingYet, registers, el("p", { class: "note" }, names));
  };

  const drawLine = (site) => {
    if (lineShown) {
      lineShown.classList.remove("now");
      lineShown.removeAttribute("aria-current");
    }
    lineShown = site && site.line ? lines.get(site.line) || null : null;
    if (!lineShown) return;
    lineShown.classList.add("now");
    lineShown.setAttribute("aria-current", "step");
    Trace.inSight(source, lineShown, 3);
  };

  Trace.drawCode = (i) => {
    const at = Trace.steps.site[i];
    const site = at === Trace.NONE ? null : Trace.doc.sites[at];
    drawLine(site);
    ptxNote.hidden = site !== null;
    ptxRows.forEach(({ row, number, code }, k) => {
      const other = site ? Trace.doc.sites[at + k - AROUND] : null;
      row.hidden = !other;
      if (!other) return;
      if (k !== AROUND) row.classList.toggle("same", other.line === site.line);
      Trace.say(number, String(other.ptx_line));
      Trace.say(code, other.label ? `${other.label}: ${other.ptx}` : other.ptx);
    });
  };

  const summary = (reg, mask) => {
    const lanes = Trace.lanesOf(mask).filter((lane) => reg.lanes[lane] !== null);
    if (lanes.length === 0) return "";
    const text = (lane) => Trace.valueText(reg.type, reg.lanes[lane]);
    if (reg.type === "pred") {
      const holds = lanes.filter((lane) => reg.lanes[lane]).reduce((m, lane) => (m | 1 << lane) >>> 0, 0);
      return holds === 0 ? "false in all" : Trace.countOf(holds) === lanes.length ? "true in all" : `true in ${Trace.lanesText(holds)}`;
    }
    if (lanes.every((lane) => reg.lanes[lane] === reg.lanes[lanes[0]])) return text(lanes[0]) + (lanes.length > 1 ? " in all" : "");
    return lanes.length > 4 ? `${lanes.slice(0, 3).map(text).join(", ")} … ${text(lanes[lanes.length - 1])}` : lanes.map(text).join(", ");
  };

  // Values before the step where its outcome is still to be guessed.
  Trace.drawRegisters = (i, warp, lane, hidden) => {
    const list = Trace.registersAt(warp, hidden ? i - 1 : i, MOST_REGISTERS);
    nothingYet.hidden = list.length > 0;
    registers.hidden = list.length === 0;
    const s = Trace.steps, here = s.warp[i] === warp && s.site[i] !== Trace.NONE;
    const idle = here && !((s.active[i] & ~s.off[i]) >>> lane & 1);  // its values are those of an earlier step
    registers.classList.toggle("idle", idle);
    Trace.say(laneHeading, idle ? `lane ${lane}, does not run now` : `lane ${lane}`);
    Trace.say(warpHeading, `${Trace.warpName(warp)}: its lanes`);
    registerRows.forEach(({ row, cells }, k) => {
      const reg = list[k];
      row.hidden = !reg;
      if (!reg) return;
      row.classList.toggle("changed", reg.last === i);
      Trace.say(cells[0], reg.variable ? `${reg.variable} (${reg.name})` : reg.name);
      Trace.say(cells[1], reg.type);
      Trace.say(cells[2], reg.lanes[lane] === null ? "–" : Trace.valueText(reg.type, reg.lanes[lane]));
      Trace.say(cells[3], summary(reg, Trace.doc.window.warps[warp].lanes));
    });
  };
})();
