// The page's controls: keys, buttons, the slider, and what is said of each step.
"use strict";
(async () => {
  const root = document.getElementById("trace");
  const { el } = Trace;
  try {
    await Trace.load();
  } catch (error) {
    root.replaceChildren(el("p", { class: "bad" }, `The steps cannot be read (${error.message}): a browser of 2023 or later is needed.`));
    return;
  }
  const { doc, steps } = Trace;
  const notes = el("ul", {}, ...doc.notes.map((note) => el("li", {}, note)),
    el("li", {}, "The order of warps is one of those that are right; --schedule SEED takes another."));
  if (Trace.count === 0) {
    root.replaceChildren(el("p", {}, "No step of these warps lies in the window."), notes);
    return;
  }
  Trace.index();
  Trace.findTroubles();

  let at = -1, warp = 0, lane = 0, alone = false, predicting = false, hidden = false;

  const sentence = el("p", { class: "sentence", "aria-live": "polite", "aria-atomic": "true" });
  const place = el("p", { class: "place" });
  const slider = el("input", { type: "range", min: "0", max: String(Trace.count - 1), value: "0", class: "slider",
    "aria-label": "Step", oninput: () => go(Number(slider.value)) });

  const placeOf = (a) => `${Trace.warpName(steps.warp[a.step])}, lane ${a.lane}, step ${doc.window.from + a.step}`;
  const othersOf = (accused) => {
    const others = doc.accused.filter((a) => a.finding === accused.finding && a !== accused);
    return others.length ? `named above; the other access is ${others.map(placeOf).join("; ")}.` : "named above.";
  };

  const describe = () => {
    const done = steps.site[at] === Trace.NONE;
    const who = done ? `block ${doc.window.warps[steps.warp[at]].block}` : Trace.warpName(steps.warp[at]);
    place.textContent = [`Step ${doc.window.from + at}, of ${doc.window.from} to ${doc.window.from + Trace.count - 1}`, ...Trace.troublesAt(at)].join(" · ");
    const what = hidden ? `is about to execute ${doc.sites[steps.site[at]].ptx.replace(/;$/, "")}` : Trace.textOf(at);
    sentence.textContent = `${who[0].toUpperCase()}${who.slice(1)}${done ? ":" : ""} ${what}.`;
    for (const accused of doc.accused.filter((a) => a.step === at))
      sentence.append(el("span", { class: "accused" }, ` ${accused.what}: ${othersOf(accused)}`));
  };

  const draw = () => {
    const began = performance.now();
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `step ${doc.window.from + at}`);
    describe();
    Trace.drawWarps(at, warp, lane);
    Trace.drawCode(at);
    Trace.drawMemory(at, hidden);
    Trace.drawRegisters(at, warp, lane, hidden);
    Trace.drawTime(at, warp);
    Trace.lastDraw = performance.now() - began;
  };

  let noted = 0;
  const noteAddress = () => {  // not at every step of a key that is held: browsers refuse more than some in a second
    clearTimeout(noted);
    noted = setTimeout(() => {
      try { history.replaceState(null, "", `#${doc.window.from + at}`); } catch (e) { /* pages of files may have no history */ }
    }, 250);
  };

  const go = (to, ask = false) => {
    if (to < 0 || to >= Trace.count) return;
    at = to;
    if (steps.site[at] !== Trace.NONE) warp = steps.warp[at];
    Trace.hideQuestion();
    hidden = predicting && ask && Trace.ask(at, () => { hidden = false; draw(); });
    draw();
    noteAddress();
  };
  const move = (way, by) => {
    const to = Trace.next(at, way, by, alone ? warp : null);
    if (to >= 0) go(to, way > 0);
  };
  const nextTrouble = (trouble) => go(Trace.nextTrouble(trouble, at, alone ? warp : null));
  // Of a picture's file: "reduce-warp-step-446-banks".
  const pictureName = (step, what) => [doc.lab || doc.file.split("/").pop(), doc.variant, "step", doc.window.from + step, what].filter((part) => part !== "" && part !== null)
    .join("-").replace(/[^\w.-]+/g, "_");
  Object.assign(Trace, { go, move, pictureName, where: () => at });

  const keys = [["→ j space", "forward by an instruction"], ["← k", "back by an instruction"],
    ["↓ l", "forward to another source line, or to where lanes part or run together again"], ["↑ L", "back to another source line"], ["b", "forward to a barrier"],
    ["B", "back to a barrier"], ["Home End", "first step, last step"], ...Trace.troubles.map((one) => [one.key, `forward to the next ${one.words}`]), ["w", "steps of this warp alone, or of all"],
    ["p", "predict first, or not"], ["?", "this list"]];
  const list = el("dl", { class: "facts" });
  for (const [key, words] of keys) list.append(el("dt", {}, el("kbd", {}, key)), el("dd", {}, words));
  const help = el("dialog", { class: "help", "aria-labelledby": "help-title" }, el("h2", { id: "help-title" }, "Keys"), list,
    el("p", { class: "note" }, "A click on a cell chooses its warp and lane, whose registers are then shown."));
  help.append(el("button", { type: "button", onclick: () => help.close() }, "Close"));

  const button = (words, label, key, action, extra = {}) =>
    el("button", { type: "button", title: `${label} (${key})`, "aria-label": label, onclick: action, ...extra }, words);
  const aloneButton = button("This warp alone", "Steps of the chosen warp alone", "w", () => setAlone(!alone), { "aria-pressed": "false" });
  const predictButton = button("Predict first", "Predict first: ask before it is shown", "p", () => setPredicting(!predicting), { "aria-pressed": "false" });
  const setAlone = (yes) => {
    alone = yes;
    aloneButton.setAttribute("aria-pressed", String(yes));
  };
  const setPredicting = (yes) => {
    predicting = yes;
    predictButton.setAttribute("aria-pressed", String(yes));
    if (yes || !hidden) return;
    hidden = false;
    Trace.hideQuestion();
    draw();
  };
  const group = (...buttons) => el("span", { class: "group" }, ...buttons);
  const troubles = Trace.troubles.map((one) => button(`next ${one.words} ▸`, `Forward to the next ${one.words}, of ${one.steps.length}`, one.key, () => nextTrouble(one)));
  const keep = Trace.keepButtons("this step", () => pictureName(at, ""), () => Trace.pictureOfStep(at, warp, document.querySelector("h1").textContent, `${place.textContent}. ${sentence.textContent}`));
  const bar = el("div", { class: "controls", role: "group", "aria-label": "Steps" },
    group(button("|◂", "First step", "Home", () => go(0)), button("◂ barrier", "Back to a barrier", "B", () => move(-1, "barrier")),
      button("◂ line", "Back to another source line", "L", () => move(-1, "line")), button("◂ back", "Back", "←", () => move(-1, "instruction"))),
    group(button("forward ▸", "Forward", "→", () => move(1, "instruction")), button("line ▸", "Forward to another source line", "l", () => move(1, "line")),
      button("barrier ▸", "Forward to a barrier", "b", () => move(1, "barrier")), button("▸|", "Last step", "End", () => go(Trace.count - 1))),
    ...(troubles.length ? [group(...troubles)] : []), group(aloneButton, predictButton, button("? keys", "Keys", "?", () => help.showModal())),
    el("span", { class: "group keep" }, "Keep this step: ", ...keep));

  const pick = (number, chosenLane) => {
    warp = number;
    lane = chosenLane;
    const own = Trace.ofWarp[number], last = own[Math.max(0, Trace.lastUpTo(own, at))];
    if (alone && last !== undefined && last !== at) go(last);
    else draw();
  };

  const findings = el("div");
  const ordinals = ["First access", "Second access", "Third access"];
  doc.findings.forEach((finding, k) => {
    const accused = doc.accused.filter((a) => a.finding === k).sort((a, b) => a.step - b.step);
    const jumps = accused.map((a, n) => el("button", { type: "button", onclick: () => { lane = a.lane; go(a.step); } },
      `${ordinals[n] || "Next access"}: ${placeOf(a)}`));
    const oneWarp = accused.every((a) => steps.warp[a.step] === steps.warp[accused[0].step]);
    findings.append(el("div", { class: `card finding ${finding.severity}` }, el("p", {}, el("b", {}, `${finding.tool}: `), finding.message),
      jumps.length > 1 && finding.tool === "racecheck" ? el("p", { class: "note" }, oneWarp
        ? "Both are of one warp, whose lanes go together here. Nothing in the kernel promises that: no __syncwarp() stands between them."
        : "Here one of them happens to come first. Nothing in the kernel makes it so: no barrier stands between them, and on a GPU the other may.") : null,
      jumps.length ? el("p", { class: "choices" }, ...jumps) : el("p", { class: "note" }, "Its accesses are none of the steps that are here.")));
  });
  if (doc.ended)
    findings.append(el("div", { class: "card finding error" }, el("p", {}, el("b", {}, "The launch failed: "), doc.ended),
      el("p", {}, el("button", { type: "button", onclick: () => go(Trace.count - 1) }, "Its last step"))));

  root.replaceChildren(findings, el("div", { class: "stage" }, bar, slider, place, sentence, ...Trace.buildPredict()),
    el("div", { class: "columns" }, el("div", {}, Trace.buildWarps(pick), Trace.buildTime()), el("div", {}, Trace.buildCode()),
      el("div", {}, Trace.buildMemory(), Trace.buildRegisters())),
    help, el("section", { class: "panel" }, el("h2", {}, "What is shown"), notes));

  const forward = () => move(1, "instruction"), back = () => move(-1, "instruction");
  const line = () => move(1, "line"), lineBack = () => move(-1, "line");
  const actions = { ArrowRight: forward, j: forward, " ": forward, ArrowLeft: back, k: back, ArrowDown: line, l: line,
    ArrowUp: lineBack, L: lineBack, b: () => move(1, "barrier"), B: () => move(-1, "barrier"), Home: () => go(0),
    End: () => go(Trace.count - 1), w: () => setAlone(!alone), p: () => setPredicting(!predicting), "?": () => help.showModal() };
  for (const one of Trace.troubles) actions[one.key] = () => nextTrouble(one);
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || !actions[event.key]) return;
    if (event.key === " " && /^(BUTTON|SUMMARY|A)$/.test(target.tagName)) return;  // they are pressed by it
    if (target === slider && /^(Arrow|Home|End)/.test(event.key)) return;
    if (/^Arrow(Up|Down)$/.test(event.key) && target.closest && target.closest(".code-lines")) return;
    event.preventDefault();
    actions[event.key]();
  });

  const wanted = location.hash ? Number(location.hash.slice(1)) - doc.window.from : -1;
  if (doc.accused.length) lane = doc.accused[0].lane;
  go(wanted >= 0 && wanted < Trace.count ? wanted : doc.opens_at);
})();
