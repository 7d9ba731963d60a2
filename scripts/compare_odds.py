#!/usr/bin/env python3
"""How sure `gpulab compare` may be of two modelled times: writes configs/odds.json.

usage: compare_odds.py GPULAB [--write] [--check]     what follows from tests/data; the rungs are modelled by GPULAB
       compare_odds.py --foreign [--check]            foreign kernels alone, without a binary

Two kinds of pairs, kept apart, for kernels that resemble each other are wrong in the same way:
  foreign   two kernels of one program that nobody here wrote (tests/data/programs_*.json, measured by Nsight Compute on an H100 and an H200)
  rungs     two rungs of one lab, of one size and block (tests/data/timing_launches_h200.csv and timing_launches_other_h200.csv)

The error of a pair is ln(measured ratio) - ln(modelled ratio). It is described by three normal distributions around 0: one of most
pairs, one of wide errors, and one of blunders. Kernels that are modelled alike mostly are alike: up to where the modelled times are
1.16 times apart (APART) the first one's width grows from `core` to `core` + `growth`, and the share of wide errors from `near_share`
to `wide_share`. All are fitted by expectation maximisation, from few pairs towards a guess that stands below (PRIOR). A program (a group) of k
kernels has k (k - 1) / 2 pairs and k - 1 independent ones: each pair weighs 2 / k. What follows, and is printed: of the pairs of each
program, judged by what the other programs teach, how many verdicts are right. --check compares with configs/odds.json, --write
writes it.
"""
import argparse
import csv
import json
import math
import pathlib
import sys
from collections import defaultdict

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import compare_model  # noqa: E402 (the path comes first)
import validate_programs  # noqa: E402

TABLE = ROOT / "configs" / "odds.json"
SAME = math.log(1.05)
SURE = 0.86  # as in runner/compare/odds.h
APART = 0.15  # |ln(modelled ratio)|, as in runner/compare/odds.cpp
PRIOR = {"core": 0.03, "growth": 0.1, "pairs": 2}


def normal(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def density(x, width):
    return math.exp(-x * x / (2 * width * width)) / width


def apart(modelled):
    return min(abs(modelled) / APART, 1)


def core_width(model, modelled):
    return model["core"] + model["growth"] * apart(modelled)


def wide_share(model, modelled):
    return model["near_share"] + (model["wide_share"] - model["near_share"]) * apart(modelled)


def below(model, modelled, x):
    """How likely an error is below x."""
    wide = wide_share(model, modelled)
    return ((1 - wide - model["blunder_share"]) * normal(x / core_width(model, modelled))
            + wide * normal(x / model["wide"]) + model["blunder_share"] * normal(x / model["blunder"]))


def odds(model, modelled, same=SAME):
    """(faster, same, slower): how likely the second is, as measured, for a modelled ln(time of the second / time of the first)."""
    faster, slower = below(model, modelled, -same - modelled), 1 - below(model, modelled, same - modelled)
    return faster, 1 - faster - slower, slower


def core_likelihood(pairs, shares, core, growth):
    """Of the core alone, with shares of pairs as they are; and of the guess that few pairs lean on."""
    total = 0
    for (_, modelled, measured, weight), share in zip(pairs, shares):
        width = core + growth * apart(modelled)
        total += weight * share * (-math.log(width) - (measured - modelled) ** 2 / (2 * width * width))
    for value, guess in ((core, PRIOR["core"]), (growth, PRIOR["growth"])):
        total -= PRIOR["pairs"] * math.log(value / guess) ** 2 / 2
    return total


def fit(pairs, rounds=60):
    model = {"core": PRIOR["core"], "growth": PRIOR["growth"], "near_share": 0.1, "wide_share": 0.3, "wide": 0.4, "blunder_share": 0.03,
             "blunder": 2.0}
    step = 0.25
    for _ in range(rounds):
        # Of each pair: how likely its error is of the core, a wide one, a blunder; and a wide one, or any, by the share of what is near.
        parts, near, far = [], [0.15, 1.5], [0.45, 1.5]  # what is wide, and all, by weight; the guess counts as one and a half pairs
        for _, modelled, measured, weight in pairs:
            error, t, wide = measured - modelled, apart(modelled), wide_share(model, modelled)
            core, wider = density(error, core_width(model, modelled)), density(error, model["wide"])
            blunder = model["blunder_share"] * density(error, model["blunder"])
            whole = (1 - wide - model["blunder_share"]) * core + wide * wider + blunder
            parts.append(((1 - wide - model["blunder_share"]) * core / whole, wide * wider / whole, blunder / whole))
            for share, of, part in (("near_share", near, 1 - t), ("wide_share", far, t)):
                of[0] += weight * part * model[share] * wider / whole
                of[1] += weight * part * ((1 - model[share] - model["blunder_share"]) * core + model[share] * wider + blunder) / whole
        model["near_share"], model["wide_share"] = near[0] / near[1], far[0] / far[1]
        for index, name, least, square in ((1, "wide", 2, 0.16), (2, "blunder", 1, 4)):
            share = sum(weight * part[index] for (*_, weight), part in zip(pairs, parts))
            squares = sum(weight * part[index] * (measured - modelled) ** 2 for (_, modelled, measured, weight), part in zip(pairs, parts))
            model[name] = math.sqrt((squares + least * square) / (share + least))
        model["blunder_share"] = (share + 0.5) / (sum(weight for *_, weight in pairs) + 2)
        shares, moved = [part[0] for part in parts], False
        for name in ("core", "growth"):
            for factor in (1 + step, 1 / (1 + step)):
                trial = dict(model)
                trial[name] = min(1, max(0.01, model[name] * factor))
                if core_likelihood(pairs, shares, trial["core"], trial["growth"]) > core_likelihood(pairs, shares, model["core"], model["growth"]):
                    model, moved = trial, True
                    break
        if not moved:
            step = max(0.001, step / 2)
    return {name: float(f"{value:.3g}") for name, value in model.items()}


def weighed(groups):
    """[(group, modelled, measured, weight)] of {group: [(modelled, measured)]}."""
    found = []
    for name, times in groups.items():
        for i, (modelled, measured) in enumerate(times):
            for other_modelled, other_measured in times[i + 1:]:
                found.append((name, math.log(other_modelled / modelled), math.log(other_measured / measured), 2 / len(times)))
    return found


def foreign_pairs():
    """Launches that the model says it has no ground for are left out, as `gpulab compare` leaves them undecided."""
    pairs = []
    for file in sorted((ROOT / "tests/data").glob("programs_*.json")):  # a pair is of one draw, of one GPU
        rows, _ = validate_programs.compared_rows([file], "")
        groups = defaultdict(list)
        for row in rows:
            if row["modelled_us"] and not row["model"]["no_ground"]:
                groups[row["program"]].append((row["modelled_us"], row["measured_us"]))
        pairs += weighed(groups)
    return pairs


def rung_pairs(gpulab):
    groups = defaultdict(list)
    for measured_file, launches in (("timing_launches_h200.csv", "launches.txt"), ("timing_launches_other_h200.csv", "launches_other.txt")):
        with open(ROOT / "tests/data" / measured_file, encoding="utf-8") as file:
            measured = {(r["lab"], r["variant"], r["params"], r["block"]): float(r["median_ms"]) for r in csv.DictReader(file)}
        model = compare_model.matched(measured, compare_model.modelled(gpulab, "", "h200", ROOT / "tests/timing" / launches, ""))
        for key, ms in measured.items():
            if key in model and ms >= compare_model.SHORT_MS and not model[key].get("no_ground"):
                groups[(key[0], key[2], key[3])].append((model[key]["time_ms"], ms))
    return weighed(groups)


def judged(pairs, teach=lambda pairs, group: [p for p in pairs if p[0] != group]):
    """What becomes of each pair, by what the others teach."""
    count, right, undecided, same, far, far_undecided = 0, 0, 0, 0, 0, 0
    called, called_rightly = 0, 0  # by weight, so that a program of many kernels counts as often as it has independent pairs
    models = {group: fit(teach(pairs, group)) for group in {p[0] for p in pairs}}
    for group, modelled, measured, weight in pairs:
        faster, equal, slower = odds(models[group], modelled)
        far += abs(measured) > math.log(1.5)
        if max(faster, slower) >= SURE:
            count += 1
            holds = measured < -SAME if faster > slower else measured > SAME
            right += holds
            called += weight
            called_rightly += weight * holds
        elif equal >= 0.5:
            same += 1
        else:
            undecided += 1
            far_undecided += abs(measured) > math.log(1.5)
    return (f"{count} faster or slower, {right} right ({right / max(1, count):.1%}, "
            f"by weight {called_rightly / max(1, called):.1%}), {same} the same, {undecided} undecided "
            f"({undecided / len(pairs):.0%}; of the {far} beyond 1.5 times as measured {far_undecided})")


def described(name, pairs, gpu):
    model = fit(pairs)
    print(f"{name}: {len(pairs)} pairs of {len({p[0] for p in pairs})} groups: {model}")
    for apart in (1, 1.05, 1.1, 1.2, 1.3, 1.5, 2, 3):
        near = [p for p in pairs if abs(abs(p[1]) - math.log(apart)) < 0.05]
        order = sum((p[2] > 0) == (p[1] > 0) for p in near)
        _, equal, slower = odds(model, math.log(apart))
        print(f"  modelled {apart:g} times as long: {slower:.0%} slower by more than 5 %, {equal:.0%} the same; "
              f"near by: {order} of {len(near)} pairs in order, {sum(abs(p[2]) <= SAME for p in near)} within 5 %")
    return {"measured_on": gpu, "pairs": len(pairs), "groups": len({p[0] for p in pairs}), **model}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpulab", nargs="?")
    parser.add_argument("--foreign", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not arguments.gpulab and not arguments.foreign:
        parser.error("GPULAB, or --foreign")
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    new = {"about": "Errors of modelled ratios of two times, as normal distributions of their logarithms: scripts/compare_odds.py writes this."}
    foreign = foreign_pairs()
    new["foreign"] = described("foreign", foreign, "an H100 and an H200")
    if not arguments.check:
        print("  each program by the others:", judged(foreign))
    if arguments.gpulab:
        rungs = rung_pairs(arguments.gpulab)
        new["rungs"] = described("rungs", rungs, "NVIDIA H200")
        by_lab = [(p[0][0], *p[1:]) for p in rungs]
        print("  each lab by the others:", judged(by_lab))
    if arguments.write:
        TABLE.write_text(json.dumps({**table, **new}, indent=2) + "\n")
    changed = [name for name in new if name != "about" and new[name] != table.get(name)]
    if arguments.check and changed:
        print(f"configs/odds.json is of other data: {', '.join(changed)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
