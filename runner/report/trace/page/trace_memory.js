// What an access touches: shared memory as 32 banks, global memory as sectors of 32 bytes. How many wavefronts and sectors
// it takes is what the simulator counted; here stands only which lane wants what.
"use strict";
(() => {
  const { el } = Trace;
  const MOST_WORDS = 8, MOST_LINES = 32;  // drawn of a bank, and of an access
  const WORD_COLOURS = ["s0", "s1", "s2", "s1", "s3", "s1", "s2", "s1"];
  const HIT = "light-dark(#fff, #10141a)";
  const BANK_NOTE = "A column is a bank of 4-byte words. In it stand the different words that are wanted, each with the lanes " +
    "that want it: lanes that want the same word (×2, ×32) get it together, different words come one after another.";
  let title = null, nothing = null, cost = null, wide = null, drawing = null, note = null, details = null, table = null, keep = null;
  let shown = -1;

  Trace.buildMemory = () => {
    title = el("h2", { id: "memory-title" }, "Memory");
    nothing = el("p", { class: "note" }, "This step accesses no memory that threads share.");
    cost = el("p", { class: "cost" });
    drawing = Trace.drawing("drawing wide-one");
    wide = el("div", { class: "wide" }, drawing.canvas);
    note = el("p", { class: "note" });
    table = laneRows();
    details = el("details", { class: "by-lane" }, el("summary", {}, "Lane by lane"), table.element);
    details.addEventListener("toggle", () => { if (details.open && shown >= 0) table.fill(Trace.accessOf(shown), shown); });
    keep = el("p", { class: "keep" }, "Keep this picture: ", ...Trace.keepButtons("the picture of this access",
      () => Trace.pictureName(shown, Trace.accessOf(shown).space === "shared" ? "banks" : "sectors"), () => drawing.picture()));
    const box = el("div", { class: "memory" }, nothing, cost, wide, note, keep, details);
    return el("section", { class: "panel of-memory", "aria-labelledby": "memory-title" }, title, box);
  };

  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const round = (c, x, y, w, h) => {
    c.beginPath();
    c.roundRect(x, y, w, h, Math.min(3, w / 3));
    c.fill();
  };
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
    const most = Math.max(...banks.map((bank) => bank.size)), top = 20, tall = 19;
    Trace.say(cost, hidden ? "How many wavefronts?" : `${plural(access.wavefronts, "wavefront")}, as the simulator counted; ` +
      `${access.ideal} ${access.ideal === 1 ? "is" : "are"} the fewest for so many bytes.`);
    Trace.say(note, BANK_NOTE);
    drawing.show(top + Math.min(most, MOST_WORDS + 1) * tall, inWords.filter(Boolean).join("; "), (c, width, tip) => {
      const across = (width - 31) / 32;
      c.font = "11px system-ui, sans-serif";
      c.textAlign = "center";
      banks.forEach((bank, b) => {
        const x = b * (across + 1);
        c.fillStyle = Trace.colour("var(--soft)");
        c.fillText(String(b), x + across / 2, 12);
        c.fillStyle = Trace.colour("var(--rule)");
        c.fillRect(x, 16, across, 1);
        let y = top;
        for (const [word, lanes] of [...bank].slice(0, MOST_WORDS)) {
          c.fillStyle = Trace.colour(`var(--${WORD_COLOURS[(y - top) / tall]})`);
          round(c, x, y, across, tall - 2);
          c.fillStyle = Trace.colour(HIT);
          c.fillText(few(lanes), x + across / 2, y + 12.5, across);
          tip(x, y, across, tall - 2, `word ${word} (byte ${word * 4}): ${lanesOf(lanes)}`);
          y += tall;
        }
        if (bank.size <= MOST_WORDS) return;
        c.fillStyle = Trace.colour("var(--soft)");
        c.fillText(`+${bank.size - MOST_WORDS}`, x + across / 2, y + 12.5, across);
      });
    });
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
    const drawn = sorted.slice(0, MOST_LINES), tall = 20;
    const inWords = drawn.map(([line, words]) =>
      `line of ${name(line)}: sectors ${[...new Set([...words.keys()].map((word) => Math.floor(word % 32 / 8)))].join(", ")}`);
    const more = sorted.length > MOST_LINES ? ` ${sorted.length - MOST_LINES} more lines are not drawn.` : "";
    Trace.say(cost, sectorCost(access, hidden));
    Trace.say(note, "A row is a line of 128 bytes: four sectors of eight 4-byte words; framed ones move, numbers are lanes." + more);
    drawing.show(drawn.length * tall, inWords.join("; "), (c, width, tip) => {
      const left = 86, apart = 5, across = (width - left - 3 * apart) / 4, cell = (across - 4) / 8;
      drawn.forEach(([line, words], row) => {
        const y = row * tall;
        c.font = "11px ui-monospace, \"DejaVu Sans Mono\", monospace";
        c.textAlign = "left";
        c.fillStyle = Trace.colour("var(--soft)");
        c.fillText(name(line), 0, y + 13, left - 6);
        c.font = "11px system-ui, sans-serif";
        c.textAlign = "center";
        for (let sector = 0; sector < 4; sector++) {
          const x = left + sector * (across + apart);
          const used = [0, 1, 2, 3, 4, 5, 6, 7].some((k) => words.has(line * 32 + sector * 8 + k));
          c.strokeStyle = Trace.colour(used ? "var(--s0)" : "var(--rule)");
          c.lineWidth = used ? 2 : 1;
          c.strokeRect(x + 1, y + 1, across - 2, tall - 4);
          for (let k = 0; k < 8; k++) {
            const lanes = words.get(line * 32 + sector * 8 + k), at = x + 2 + k * cell;
            c.fillStyle = Trace.colour(lanes ? "var(--s0)" : "var(--sunk)");
            c.fillRect(at + .5, y + 2.5, cell - 1, tall - 7);
            if (!lanes) continue;
            c.fillStyle = Trace.colour(HIT);
            c.fillText(String(lanes[0]) + (lanes.length > 1 ? "+" : ""), at + cell / 2, y + 13, cell - 1);
            tip(at, y, cell, tall, lanesOf(lanes));
          }
        }
      });
    });
  };

  // A row for each lane, made once.
  const laneRows = () => {
    const place = el("th"), got = el("th"), body = el("tbody"), rows = [];
    for (let lane = 0; lane < 32; lane++) {
      const cells = [el("td", { class: "num" }, String(lane)), el("td"), el("td", { class: "num" }), el("td", { class: "num" })];
      rows.push({ row: el("tr", {}, ...cells), cells });
      body.append(rows[lane].row);
    }
    const element = el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "lane"), el("th", {}, "element"), place, got)), body);
    const fill = (access, i) => {
      const values = Trace.valuesOf(i).filter((v) => access.kind === "store" ? v.stored : !v.stored && v.type !== "pred");
      const shared = access.space === "shared";
      Trace.say(place, shared ? "bank" : "byte of its line");
      Trace.say(got, access.kind === "store" ? "stores" : "gets");
      rows.forEach(({ row, cells }, lane) => {
        row.hidden = !(access.mask >>> lane & 1);
        if (row.hidden) return;
        const at = access.base + access.relative[lane];
        Trace.say(cells[1], Trace.elementName(access, at));
        Trace.say(cells[2], String(shared ? Math.floor(at / 4) % 32 : at % 128));
        Trace.say(cells[3], values.map((v) => v.lanes ? Trace.valueText(v.type, v.lanes[lane]) : "").join(", "));
      });
    };
    return { element, fill };
  };

  Trace.memoryDrawing = () => shown >= 0 ? drawing : null;

  Trace.drawMemory = (i, hidden) => {
    const access = Trace.accessOf(i);
    shown = access ? i : -1;
    nothing.hidden = access !== null;
    for (const part of [cost, wide, note, keep, details]) part.hidden = access === null;
    Trace.say(title, access ? `${access.space[0].toUpperCase()}${access.space.slice(1)} memory: ${access.kind}` : "Memory");
    if (!access) return;
    if (access.space === "shared") drawBanks(access, hidden); else drawSectors(access, hidden);
    if (details.open) table.fill(access, i);
  };
})();
