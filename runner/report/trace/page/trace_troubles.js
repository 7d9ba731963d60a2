// What goes wrong at which steps, so that one can go from one to the next: looked up in what the simulator counted of each step.
"use strict";
(() => {
  const NONE = 4294967295;
  const SHARED = 1, ATOMIC = 2;  // spaces and kinds as trace_data.js names them
  const KINDS = [["conflict", "bank conflict", "c"], ["divergence", "divergence", "d"], ["uncoalesced", "uncoalesced access", "u"],
    ["atomic", "atomics that meet", "a"]];

  // Of an access that costs more than its bytes need (`excess`, troubles.h), what goes wrong there.
  const kindOf = (a, k) => !a.excess[k] ? "" : a.kind[k] === ATOMIC ? "atomic" : a.space[k] === SHARED ? "conflict" : "uncoalesced";

  // [{name, words, key, steps}] of the kinds that are here; steps: in their order.
  Trace.findTroubles = () => {
    const { steps, doc, accesses, count } = Trace;
    const diverges = doc.texts.map((text) => text.startsWith("diverges: "));
    const ofAccess = Array.from({ length: accesses.rows }, (_, k) => kindOf(accesses, k));
    const found = KINDS.map(([name, words, key]) => ({ name, words, key, steps: [] }));
    for (let i = 0; i < count; i++) {
      if (steps.site[i] === NONE) continue;
      const k = steps.access[i], kind = k !== NONE ? ofAccess[k] : diverges[steps.text[i]] ? "divergence" : "";
      if (kind) found.find((one) => one.name === kind).steps.push(i);
    }
    Trace.troubles = found.filter((one) => one.steps.length);
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
