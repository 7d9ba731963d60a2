// What goes wrong at which steps, so that one can go from one to the next: looked up in what the simulator counted of each step.
"use strict";
(() => {
  const NONE = 4294967295;
  const SECTOR = 32, GLOBAL = 0, SHARED = 1, ATOMIC = 2;  // spaces and kinds as trace_data.js names them
  const bits = (mask) => {
    let count = 0;
    for (let rest = mask; rest; rest = (rest & (rest - 1)) >>> 0) count++;
    return count;
  };
  // Of an access: how much it costs beyond what its bytes need, in wavefronts (a wavefront moves four sectors).
  const costs = {
    conflict: (a, k) => a.space[k] === SHARED && a.kind[k] !== ATOMIC ? a.wavefronts[k] - a.ideal_wavefronts[k] : 0,
    uncoalesced: (a, k) => {
      if (a.space[k] !== GLOBAL || a.kind[k] === ATOMIC) return 0;
      const fewest = Math.ceil(a.distinct_bytes[k] / SECTOR);
      return a.sectors[k] >= 2 * fewest && a.sectors[k] > fewest + 1 ? (a.sectors[k] - fewest) / 4 : 0;  // one more: misaligned
    },
    atomic: (a, k) => a.kind[k] === ATOMIC ? bits(a.mask[k]) - a.distinct_bytes[k] / a.width[k] : 0,
  };
  const KINDS = [["conflict", "bank conflict", "c"], ["divergence", "divergence", "d"], ["uncoalesced", "uncoalesced access", "u"],
    ["atomic", "atomics that meet", "a"]];

  // [{name, words, key, steps, cost}] of the kinds that are here; steps: in their order.
  Trace.findTroubles = () => {
    const { steps, doc, accesses, count } = Trace;
    const diverges = doc.texts.map((text) => text.startsWith("diverges: "));
    const found = KINDS.map(([name, words, key]) => ({ name, words, key, steps: [], cost: 0 }));
    for (let i = 0; i < count; i++) {
      if (steps.site[i] === NONE) continue;
      const k = steps.access[i];
      for (const one of found) {
        const cost = one.name === "divergence" ? 2 * diverges[steps.text[i]] : k === NONE ? 0 : costs[one.name](accesses, k);
        if (cost <= 0) continue;
        one.steps.push(i);
        one.cost += cost;
      }
    }
    Trace.troubles = found.filter((one) => one.steps.length);
  };

  // Where a page opens on which no tool has found anything: the first step of what costs the most. -1: nothing goes wrong.
  Trace.firstTrouble = () => {
    const dearest = Trace.troubles.reduce((best, one) => best === null || one.cost > best.cost ? one : best, null);
    return dearest === null ? -1 : dearest.steps[0];
  };

  // The next step of a kind, of one warp alone or of all; behind the last one the first again. -1: it has none.
  Trace.nextTrouble = (trouble, at, warp) => {
    const own = warp === null ? trouble.steps : trouble.steps.filter((i) => Trace.steps.warp[i] === warp);
    return own.find((i) => i > at) ?? own[0] ?? -1;
  };

  // "bank conflict 3 of 120" for each kind that the step is of.
  Trace.troublesAt = (at) => Trace.troubles.map((one) => [one, Trace.lastUpTo(one.steps, at)])
    .filter(([one, place]) => one.steps[place] === at).map(([one, place]) => `${one.words} ${place + 1} of ${one.steps.length}`);
})();
