// Predict first: what an access costs, or which lanes take a branch, is asked before it is shown. The answers are the recorded ones.
"use strict";
(() => {
  const { el } = Trace;
  const asked = new Set(), last = new Map();  // questions, and the answer to the last one of each warp's instruction
  let right = 0, total = 0, box = null, score = null;

  Trace.buildPredict = () => {
    box = el("div", { class: "predict card", role: "group", tabindex: "-1", "aria-label": "Question", hidden: true });
    score = el("p", { class: "score", role: "status" });
    return [box, score];
  };

  // Powers of two and four others, whatever the answer: one odd number alone would give itself away. The others are what
  // one could take for the answer: of the lanes that there are, of parts of them, or one more or less.
  const numbers = (answer, key, mask) => {
    const powers = [1, 2, 4, 8, 16, 32], lanes = Trace.countOf(mask);
    let seed = answer;
    for (const letter of key) seed = (seed * 31 + letter.charCodeAt(0)) % 9973;
    const near = [lanes, lanes - 1, lanes + 1, Math.ceil(lanes / 2), Math.ceil(lanes / 2) + 1, Math.ceil(lanes / 4) + 1, answer - 1,
      answer + 1, 32 - answer, 3, 5, 6, 12, 24, 31];
    const others = new Set(powers.includes(answer) ? [] : [answer]);
    for (let k = 0; others.size < 4; k++) {
      const other = near[(seed + 7 * k) % near.length];  // 7 and the 15 of them share no divisor: it comes to each
      if (other > 0 && !powers.includes(other)) others.add(other);
    }
    return [...powers, ...others].sort((a, b) => a - b).map(String);
  };

  // How many lanes, at most, come to one address.
  const meeting = (access) => {
    const at = new Map();
    for (const place of access.relative) if (place !== null) at.set(place, (at.get(place) || 0) + 1);
    return Math.max(...at.values());
  };

  const costAt = (i, access) => {
    const key = `a${Trace.steps.site[i]}/${access.number}`;
    if (access.mask === 0) return null;
    if (access.kind === "atomic") {
      const most = meeting(access);
      return { question: "How many lanes, at most, will this atomic bring to one address?", choices: numbers(most, key, access.mask), answer: String(most), key };
    }
    if (access.space === "shared" && access.wavefronts > 0)
      return { question: "How many passes over the banks (wavefronts) will this access take?", choices: numbers(access.wavefronts, key, access.mask), answer: String(access.wavefronts), key };
    if (access.space === "global" && access.sectors > 0)
      return { question: "How many sectors of 32 bytes will this access move?", choices: numbers(access.sectors, key, access.mask), answer: String(access.sectors), key };
    return null;
  };

  const branchAt = (i) => {
    const s = Trace.steps, [, not, name] = Trace.doc.sites[s.site[i]].ptx.match(/^@(!?)(%\w+)/) || [];
    const guard = name && Trace.registersAt(s.warp[i], i - 1, Infinity).find((reg) => reg.name === name);
    const lanes = Trace.lanesOf(s.active[i]);
    if (!guard || lanes.some((lane) => guard.lanes[lane] === null)) return null;
    const take = lanes.reduce((mask, lane) => !guard.lanes[lane] === !!not ? (mask | 1 << lane) >>> 0 : mask, 0);
    const stay = (s.active[i] & ~take) >>> 0;
    if (take === 0 || stay === 0) return null;
    const waits = (mask) => (mask & ~s.then_waiting[i]) === 0;
    return { question: `The lanes of ${Trace.warpName(s.warp[i])} do not agree. Which of them take the branch?`,
      choices: [...new Set([take, stay, s.active[i]].map(Trace.lanesText))].sort(), answer: Trace.lanesText(take),
      why: waits(take) ? "They jump to where the ways meet and wait there for the others, which go on alone."
        : waits(stay) ? "The others are where the ways meet, and wait there for them."
          : "The warp takes both ways, one after the other.",
      key: `b${s.site[i]}/${s.active[i]}/${take}` };
  };

  // {question, choices, answer, key, why}; null: nothing is asked here.
  const questionAt = (i) => {
    const site = Trace.steps.site[i];
    if (site === Trace.NONE) return null;
    const access = Trace.accessOf(i);
    return access ? costAt(i, access) : Trace.isBranch(Trace.doc.sites[site]) ? branchAt(i) : null;
  };

  const placeAt = (i) => `${Trace.steps.warp[i]}/${Trace.steps.site[i]}`;

  const answered = (i, found, choice) => {
    asked.add(found.key);
    last.set(placeAt(i), found.answer);
    total++;
    const good = choice === found.answer;
    if (good) right++;
    score.textContent = `${right} of ${total} predicted rightly`;
    box.textContent = "";
    box.append(el("p", { class: good ? "good" : "bad" }, 
      (good ? `Right: ${found.answer}.` : `Not ${choice}, but ${found.answer}.`) + ` ${found.why || "Why stands above; the drawing shows it."}`));
  };

  // Asks what it has not asked of these lanes, and nothing whose answer the warp's last round in a loop has given; calls `then` when it is answered. False: there is nothing to ask.
  Trace.ask = (i, then) => {
    const found = questionAt(i);
    if (!found || asked.has(found.key) || last.get(placeAt(i)) === found.answer) return false;
    box.textContent = "";
    box.hidden = false;
    const row = el("div", { class: "choices" });
    for (const choice of found.choices)
      row.append(el("button", { type: "button", onclick: () => { answered(i, found, choice); then(); } }, choice));
    box.append(el("p", { id: "question" }, el("b", {}, found.question)), row);
    box.setAttribute("aria-labelledby", "question");
    setTimeout(() => box.focus({ preventScroll: true }), 0);  // no choice has it: Enter would answer by chance
    return true;
  };
  Trace.hideQuestion = () => { box.hidden = true; };
})();
