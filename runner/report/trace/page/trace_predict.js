// Predict first: what an access costs, or who runs next, is asked before it is shown. The answers are the recorded ones.
"use strict";
(() => {
  const { el } = Trace;
  const asked = new Set();
  let right = 0, total = 0, box = null, score = null;

  Trace.buildPredict = () => {
    box = el("div", { class: "predict card", role: "group", "aria-label": "Question", hidden: true });
    score = el("p", { class: "score", role: "status" });
    return [box, score];
  };

  // Powers of two and others, eight numbers whatever the answer: one odd number alone would give itself away.
  const numbers = (answer, key) => {
    const offered = new Set([1, 2, 4, 8, 16, 32, answer]);
    let seed = answer;
    for (const letter of key) seed = (seed * 31 + letter.charCodeAt(0)) % 9973;
    offered.add(answer + (seed % 2 || answer === 1 ? 1 : -1));
    for (let other = 3 + seed % 29; offered.size < 8; other = other % 31 + 1) offered.add(other);
    return [...offered].sort((a, b) => a - b).map(String);
  };

  const costAt = (i, access) => {
    const key = `a${Trace.steps.site[i]}/${access.number}`;
    if (access.kind === "atomic" || access.mask === 0) return null;
    if (access.space === "shared" && access.wavefronts > 0)
      return { question: "How many passes over the banks (wavefronts) will this access take?", choices: numbers(access.wavefronts, key), answer: String(access.wavefronts), key };
    if (access.space === "global" && access.sectors > 0)
      return { question: "How many sectors of 32 bytes will this access move?", choices: numbers(access.sectors, key), answer: String(access.sectors), key };
    return null;
  };

  const branchAt = (i) => {
    const s = Trace.steps, warp = s.warp[i], list = Trace.ofWarp[warp], place = Trace.lastUpTo(list, i);
    const next = place + 1 < list.length ? s.active[list[place + 1]] : s.active[i];
    if (next === s.active[i] || (next & ~s.active[i]) !== 0) return null;
    const others = (s.active[i] & ~next) >>> 0;
    return { question: `The lanes do not agree. Which lanes of ${Trace.warpName(warp)} run next?`,
      choices: [next, others, s.active[i]].map(Trace.lanesText).sort(), answer: Trace.lanesText(next),
      why: "The warp takes both ways, one after the other; which comes first is the simulator’s choice here, and a GPU’s may be the other.", key: `b${s.site[i]}/${s.active[i]}/${next}` };
  };

  // {question, choices, answer, key, why}; null: nothing is asked here.
  const questionAt = (i) => {
    const site = Trace.steps.site[i];
    if (site === Trace.NONE) return null;
    const access = Trace.accessOf(i);
    return access ? costAt(i, access) : Trace.isBranch(Trace.doc.sites[site]) ? branchAt(i) : null;
  };

  const answered = (found, choice) => {
    asked.add(found.key);
    total++;
    const good = choice === found.answer;
    if (good) right++;
    score.textContent = `${right} of ${total} predicted rightly`;
    box.textContent = "";
    box.append(el("p", { class: good ? "good" : "bad" }, 
      (good ? `Right: ${found.answer}.` : `Not ${choice}, but ${found.answer}.`) + ` ${found.why || "Why stands above; the drawing shows it."}`));
  };

  // Asks; calls `then` when it is answered. False: there is nothing to ask.
  Trace.ask = (i, then) => {
    const found = questionAt(i);
    if (!found || asked.has(found.key)) return false;
    box.textContent = "";
    box.hidden = false;
    const row = el("div", { class: "choices" });
    for (const choice of found.choices)
      row.append(el("button", { type: "button", onclick: () => { answered(found, choice); then(); } }, choice));
    box.append(el("p", { id: "question" }, el("b", {}, found.question)), row);
    box.setAttribute("aria-labelledby", "question");
    setTimeout(() => row.firstChild && row.firstChild.focus({ preventScroll: true }), 0);
    return true;
  };
  Trace.hideQuestion = () => { box.hidden = true; };
})();
