// Where each warp stands at a step: looked up in the list of its steps, so that any step is as near as the next one.
"use strict";
(() => {
  const NONE = Trace.NONE;

  // The last of sorted numbers that is at most `i`, as its place; -1: none.
  const lastUpTo = (list, i) => {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] <= i) low = middle + 1; else high = middle;
    }
    return low - 1;
  };

  Trace.index = () => {
    const { doc, steps, count } = Trace;
    const ofWarp = doc.window.warps.map(() => []);
    const releases = new Map();
    const writers = doc.window.warps.map(() => new Map());
    const barriers = [];
    // Steps at which lanes of a warp part, or run together again: a line's only steps that are not to be jumped over.
    const turns = new Uint8Array(count), ran = new Uint32Array(doc.window.warps.length);
    for (let i = 0; i < count; i++) {
      const warp = steps.warp[i];
      if (steps.site[i] === NONE) {
        const block = doc.window.warps[warp].block;
        if (!releases.has(block)) releases.set(block, []);
        releases.get(block).push(i);
        barriers.push(i);
        continue;
      }
      ofWarp[warp].push(i);
      const site = doc.sites[steps.site[i]];
      if (Trace.isBarrier(site)) barriers.push(i);
      const together = steps.active[i], before = ran[warp];
      const parts = doc.texts[steps.text[i]].startsWith("diverges: ");
      if (parts || (before & together) && (together & ~before)) turns[i] = 1;
      ran[warp] = together;
      if (steps.values[i] !== NONE)
        for (const [name] of site.results || []) {
          const map = writers[warp];
          if (!map.has(name)) map.set(name, []);
          map.get(name).push(i);
        }
    }
    Object.assign(Trace, { ofWarp, releases, writers, barriers, turns });
  };

  const opcode = (site) => site.ptx.replace(/^@!?%\w+\s+/, "").split(" ")[0];
  Trace.opcode = opcode;
  Trace.isBarrier = (site) => /^(bar|barrier)\./.test(opcode(site)) && !/^(bar\.warp|barrier\.cluster)/.test(opcode(site));
  Trace.isBranch = (site) => /^(bra|brx)\b/.test(opcode(site));

  // {step, running, active, off, waiting, diverged, exited, text}: masks of the warp's lanes.
  Trace.stateOf = (warp, i) => {
    const { steps, doc } = Trace;
    const has = doc.window.warps[warp].lanes;
    const place = lastUpTo(Trace.ofWarp[warp], i);
    if (place < 0)
      return { step: -1, running: false, active: has, off: 0, waiting: 0, diverged: 0, exited: 0, text: doc.window.from ? "before" : "has not begun" };
    const step = Trace.ofWarp[warp][place];
    const running = step === i;
    const live = running ? steps.live[step] : steps.then_live[step];
    let waiting = running ? steps.waiting[step] : steps.then_waiting[step];
    const atBarrier = Trace.isBarrier(doc.sites[steps.site[step]]);
    if (!running && atBarrier && waiting) {
      const list = Trace.releases.get(doc.window.warps[warp].block) || [];
      const last = lastUpTo(list, i);
      if (last >= 0 && list[last] > step) waiting = 0;
    }
    const active = (steps.active[step] & live & ~waiting) >>> 0;
    const state = {
      step, running, active, off: running ? steps.off[step] : 0, waiting,
      diverged: (live & ~active & ~waiting) >>> 0, exited: (has & ~live) >>> 0,
    };
    state.text = running ? "runs" : live === 0 ? "has ended"
      : active === 0 && state.diverged === 0 ? (atBarrier ? "waits at the barrier" : "waits") : "can go on";
    return state;
  };

  // valuesOf, kept for the steps that were asked for last: of two steps in a row nearly all registers are the same.
  let kept = new Map();
  const valuesOf = (step) => {
    let values = kept.get(step);
    if (values === undefined) {
      if (kept.size > 4096) kept = new Map();
      values = Trace.valuesOf(step);
      kept.set(step, values);
    }
    return values;
  };

  // The variable that the step's register holds, if one is known.
  const variableOf = (step, name) => (Trace.doc.sites[Trace.steps.site[step]].results.find((result) => result[0] === name) || [])[2];

  // Values of a warp's registers behind step `i`, at most so many: [{name, type, variable, lanes, last}], those that hold a variable
  // first, and of both the last written.
  Trace.registersAt = (warp, i, most) => {
    const written = [];
    for (const [name, list] of Trace.writers[warp]) {
      const place = lastUpTo(list, i);
      if (place >= 0) written.push({ name, list, place, last: list[place], variable: variableOf(list[place], name) });
    }
    written.sort((a, b) => !!b.variable - !!a.variable || b.last - a.last);
    const found = [];
    for (const { name, list, last, variable, place: latest } of written) {
      if (found.length === most) break;
      const lanes = new Array(32).fill(null);
      let left = Trace.doc.window.warps[warp].lanes, type = "u32", any = false;
      for (let place = latest, tries = 0; place >= 0 && left && tries < 40; place--, tries++) {
        const step = list[place];
        const mask = (Trace.steps.active[step] & ~Trace.steps.off[step] & left) >>> 0;
        if (!mask) continue;
        const value = valuesOf(step).find((v) => !v.stored && v.name === name);
        if (!value) continue;
        if (step === last) type = value.type;
        if (value.lanes) for (const lane of Trace.lanesOf(mask)) {
          lanes[lane] = value.lanes[lane];
          any = true;
        }
        left = (left & ~mask) >>> 0;
      }
      if (any) found.push({ name, type, variable, lanes, last });
    }
    return found;
  };

  Trace.warpName = (warp) => {
    const w = Trace.doc.window.warps[warp];
    return `block ${w.block}, warp ${w.warp}`;
  };
  Trace.lanesText = (mask) => {
    const lanes = Trace.lanesOf(mask);
    if (lanes.length === 0) return "no lane";
    if (lanes.length === 32) return "all 32 lanes";
    const runs = [];
    for (const lane of lanes) {
      const run = runs[runs.length - 1];
      if (run && run[1] === lane - 1) run[1] = lane; else runs.push([lane, lane]);
    }
    const words = runs.slice(0, 5).map(([a, b]) => a === b ? `${a}` : `${a}–${b}`).join(", ");
    return (lanes.length === 1 ? "lane " : "lanes ") + words + (runs.length > 5 ? ` … (${lanes.length} lanes)` : "");
  };
  Trace.lineOf = (i) => Trace.steps.site[i] === NONE ? null : Trace.doc.sites[Trace.steps.site[i]].line;
  Trace.lastUpTo = lastUpTo;

  // Where going on leads: by = "instruction", "line" or "barrier"; of one warp alone, or of all. -1: nowhere.
  Trace.next = (i, way, by, warp) => {
    const list = warp === null ? null : Trace.ofWarp[warp];
    const line = Trace.lineOf(i), from = Trace.steps.warp[i];
    const accepts = (k) => by === "instruction" || (by === "line" && (Trace.turns[k] ||
      Trace.lineOf(k) !== null && (Trace.lineOf(k) !== line || Trace.steps.warp[k] !== from)));
    if (by === "barrier") {
      const own = (k) => warp === null || Trace.steps.warp[k] === warp || (Trace.steps.site[k] === NONE && Trace.doc.window.warps[Trace.steps.warp[k]].block === Trace.doc.window.warps[warp].block);
      let place = lastUpTo(Trace.barriers, i) + (way > 0 ? 1 : Trace.barriers.includes(i) ? -1 : 0);
      for (; place >= 0 && place < Trace.barriers.length; place += way)
        if (own(Trace.barriers[place])) return Trace.barriers[place];
      return -1;
    }
    if (!list) {
      for (let k = i + way; k >= 0 && k < Trace.count; k += way) if (accepts(k)) return k;
      return -1;
    }
    let place = lastUpTo(list, i) + (way > 0 ? 1 : list[lastUpTo(list, i)] === i ? -1 : 0);
    for (; place >= 0 && place < list.length; place += way) if (accepts(list[place])) return list[place];
    return -1;
  };
})();
