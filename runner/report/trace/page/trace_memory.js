// What an access touches: shared memory as 32 banks, global memory as sectors of 32 bytes. How many wavefronts and sectors
// it takes is what the simulator counted; here stands only which lane wants what.
"use strict";
(() => {
  const { el } = Trace;
  let box = null, title = null, open = false;

  Trace.buildMemory = () => {
    title = el("h2", { id: "memory-title" }, "Memory");
    box = el("div", { class: "memory" });
    return el("section", { class: "panel of-memory", "aria-labelledby": "memory-title" }, title, box);
  };

  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const few = (lanes) => lanes.length > 1 ? `×${lanes.length}` : String(lanes[0]);
  const lanesOf = (list) => Trace.lanesText(list.reduce((mask, lane) => (mask | 1 << lane) >>> 0, 0));

  // word -> lanes, of what lies in 4-byte words; `where` says in which map a word belongs.
  const wordsOf = (access, where) => {
    for (const lane of Trace.lanesOf(access.mask)) {
      const from = access.base + access.relative[lane];
      for (let word = Math.floor(from / 4); word <= Math.floor((from + access.width - 1) / 4); word++) {
        const map = where(word);
        if (!map.has(word)) map.set(word, []);
        map.get(word).push(lane);
      }
    }
  };

  const drawBanks = (access, hidden) => {
    const banks = Array.from({ length: 32 }, () => new Map());
    wordsOf(access, (word) => banks[word % 32]);
    const inWords = banks.map((bank, b) => bank.size === 0 ? ""
      : `bank ${b}: ${[...bank].map(([word, lanes]) => `word ${word} for ${lanesOf(lanes)}`).join(", ")}`);
    const grid = el("div", { class: "banks", role: "img", "aria-label": inWords.filter(Boolean).join("; ") });
    banks.forEach((bank, b) => {
      const column = el("div", { class: "bank" }, el("b", {}, String(b)));
      const words = [...bank];
      words.slice(0, 8).forEach(([word, lanes], k) => column.append(el("i",
        { class: `word w${k}`, title: `word ${word} (byte ${word * 4}): ${lanesOf(lanes)}` }, few(lanes))));
      if (words.length > 8) column.append(el("i", { class: "more" }, `+${words.length - 8}`));
      grid.append(column);
    });
    const cost = hidden ? "How many wavefronts?" : `${plural(access.wavefronts, "wavefront")}, as the simulator counted; ` +
      `${access.ideal} ${access.ideal === 1 ? "is" : "are"} the fewest for so many bytes.`;
    return [el("p", { class: "cost" }, cost), el("div", { class: "wide" }, grid),
      el("p", { class: "note" }, "A column is a bank of 4-byte words. In it stand the different words that are wanted, each " +
        "with the lanes that want it: lanes that want the same word (×2, ×32) get it together, different words come one after another.")];
  };

  const sectorCost = (access, hidden) => {
    if (hidden) return "How many sectors?";
    if (access.kind === "atomic") return "An atomic: lanes that meet at one address take turns.";
    const counted = `${plural(access.sectors, "sector")} of 32 bytes, as the simulator counted`;
    return access.space === "local" ? `${counted} (local memory interleaves the lanes’ words).`
      : `${counted}: ${access.sectors * 32} bytes move, ${access.bytes} are asked for.`;
  };

  const drawSectors = (access, hidden) => {
    const lines = new Map();
    wordsOf(access, (word) => {
      const line = Math.floor(word / 32);
      if (!lines.has(line)) lines.set(line, new Map());
      return lines.get(line);
    });
    const sorted = [...lines].sort((a, b) => a[0] - b[0]);
    const name = (line) => Trace.elementName(access, line * 128);
    const inWords = sorted.slice(0, 32).map(([line, words]) =>
      `line of ${name(line)}: sectors ${[...new Set([...words.keys()].map((word) => Math.floor(word % 32 / 8)))].join(", ")}`);
    const grid = el("div", { class: "lines", role: "img", "aria-label": inWords.join("; ") });
    for (const [line, words] of sorted.slice(0, 32)) {
      const row = el("div", { class: "line-row" }, el("span", { class: "line-name" }, name(line)));
      for (let sector = 0; sector < 4; sector++) {
        const cell = el("span", { class: "sector" });
        for (let k = 0; k < 8; k++) {
          const lanes = words.get(line * 32 + sector * 8 + k);
          if (lanes) cell.classList.add("used");
          cell.append(el("i", { class: lanes ? "hit" : "", title: lanes ? lanesOf(lanes) : "" },
            lanes ? String(lanes[0]) + (lanes.length > 1 ? "+" : "") : ""));
        }
        row.append(cell);
      }
      grid.append(row);
    }
    const more = sorted.length > 32 ? ` ${sorted.length - 32} more lines are not drawn.` : "";
    return [el("p", { class: "cost" }, sectorCost(access, hidden)), el("div", { class: "wide" }, grid),
      el("p", { class: "note" }, "A row is a line of 128 bytes: four sectors of eight 4-byte words; framed ones move, numbers " +
        `are lanes.${more}`)];
  };

  const laneTable = (access, i) => {
    const values = Trace.valuesOf(i).filter((v) => access.kind === "store" ? v.stored : !v.stored && v.type !== "pred");
    const table = el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "lane"), el("th", {}, "element"),
      el("th", {}, access.space === "shared" ? "bank" : "byte of its line"), el("th", {}, access.kind === "store" ? "stores" : "gets"))));
    const body = el("tbody");
    for (const lane of Trace.lanesOf(access.mask)) {
      const at = access.base + access.relative[lane];
      const value = values.map((v) => v.lanes ? Trace.valueText(v.type, v.lanes[lane]) : "").join(", ");
      body.append(el("tr", {}, el("td", { class: "num" }, String(lane)), el("td", {}, Trace.elementName(access, at)),
        el("td", { class: "num" }, String(access.space === "shared" ? Math.floor(at / 4) % 32 : at % 128)),
        el("td", { class: "num" }, value)));
    }
    table.append(body);
    return table;
  };

  Trace.drawMemory = (i, hidden) => {
    const access = Trace.accessOf(i);
    box.textContent = "";
    if (!access) {
      title.textContent = "Memory";
      box.append(el("p", { class: "note" }, "This step accesses no memory that threads share."));
      return;
    }
    title.textContent = `${access.space[0].toUpperCase()}${access.space.slice(1)} memory: ${access.kind}`;
    box.append(...(access.space === "shared" ? drawBanks(access, hidden) : drawSectors(access, hidden)));
    const details = el("details", { class: "by-lane" }, el("summary", {}, "Lane by lane"));
    details.open = open;
    if (open) details.append(laneTable(access, i));
    details.addEventListener("toggle", () => {
      open = details.open;
      if (open && !details.querySelector("table")) details.append(laneTable(access, i));
    });
    box.append(details);
  };
})();
