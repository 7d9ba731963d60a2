#!/usr/bin/env python3
"""Compares modelled times with measured ones, launch by launch.

usage: compare_model.py GPULAB MEASURED.csv [--only WORD] [--profile NAME] [--worst N] [--launches FILE] [--timing FILE] [--marks NAME] [--write]

MEASURED.csv is what scripts/measure_launches.py wrote on a GPU; FILE, of the form of tests/timing/launches.txt, says which of
them to compare, and --timing what the model is to know of the GPU, in place of the build's own. Told are, for launches that take
three times as long as an empty one and more: the geometric mean of the error (the larger of modelled / measured and its inverse),
how many lie within 1.5 and beyond 2.5 times, how many measured times lie from low_ms to high_ms, and how many pairs of rungs of
one lab and size, whose measured times differ by more than 15 %, the model has in the right order.

--marks NAME compares these with the marks of that name in tests/timing/marks.json, and exits with 1 where one is missed; --write
makes what is reached, and a little room, these marks.
"""
import argparse
import csv
import itertools
import json
import math
import pathlib
import subprocess
import sys
from collections import defaultdict

sys.path.insert(0, __file__.rsplit("/", 1)[0])
from measure_launches import LAUNCHES, key_of, lines  # noqa: E402 (the path comes first)
import piped  # noqa: E402

SHORT_MS = 3 * 0.0027  # three times an empty launch
MARKS = pathlib.Path(__file__).parents[1] / "tests" / "timing" / "marks.json"
# What a mark is of: its name there, in words, whether more is better, and the room that --write leaves: less than what
# halved latencies or a missing cache change.
KINDS = [("geometric_mean_error", "geometric mean of the error", False, 0.03),
         ("within_1.5", "within 1.5 times", True, 0.02),
         ("beyond_2.5", "beyond 2.5 times", False, 0.01),
         ("pairs_in_order", "pairs in the right order", True, 0.01),
         ("from_low_to_high", "measured from low_ms to high_ms", True, 0.03)]
LAB_ROOM = 0.06  # of a lab's own error: one that gets worse hides behind no others


def modelled(gpulab, only, profile, path, timing):
    """{launch: the result's `model`}"""
    found = {}
    for words in lines(only, path):
        words += [] if "--variant" in words else ["--variant", "all"]
        command = [gpulab, *words, "--device", "sim", "--profile", profile, "--model", "--format", "json"]
        command += ["--timing", timing] if timing else []
        ran = subprocess.run(command, capture_output=True, text=True)
        try:
            document = json.loads(ran.stdout)
        except json.JSONDecodeError:
            sys.exit(f"no document from {' '.join(map(str, command))}\n{ran.stderr}")
        if "results" not in document:
            sys.exit(f"{' '.join(map(str, command))}\n{ran.stderr}")
        for result in document["results"]:
            if result.get("model"):
                found[key_of(document, result)] = result["model"]
    return found


def matched(measured, model):
    """The model's results by the keys of the measured ones, which may know fewer parameters: labs get new ones."""
    by_rung = defaultdict(list)
    for (lab, variant, params, block), result in model.items():
        by_rung[(lab, variant, block)].append((set(params.split(",")), result))
    found = {}
    for key in measured:
        lab, variant, params, block = key
        for given, result in by_rung[(lab, variant, block)]:
            if set(params.split(",")) <= given:
                found[key] = result
    return found


def errors_by_lab(rows):
    table = defaultdict(list)
    for key, ratio in rows:
        table[key[0]].append(abs(math.log(ratio)))
    return {lab: math.exp(sum(v) / len(v)) for lab, v in sorted(table.items())}


def all_pairs(measured, model):
    """Pairs of rungs of one lab, size and block: (lab, factor between the modelled times, that between the measured ones; below
    1 where the model has them the other way round)."""
    groups = defaultdict(list)
    for key in measured:
        if key in model:
            groups[(key[0], key[2])].append(key)
    for (lab, _), keys in groups.items():
        for a, b in itertools.combinations(keys, 2):
            slow, fast = (a, b) if model[a]["time_ms"] >= model[b]["time_ms"] else (b, a)
            yield lab, model[slow]["time_ms"] / model[fast]["time_ms"], measured[slow] / measured[fast]


def pairs(measured, model):
    """(right, of) of those that differ by more than 15 %, as measured."""
    right = defaultdict(int)
    of = defaultdict(int)
    for lab, _, factor in all_pairs(measured, model):
        if max(factor, 1 / factor) <= 1.15:
            continue
        of[lab] += 1
        right[lab] += factor > 1
    return right, of


def odds(measured, model):
    """Lines: of pairs that the model has so far apart, how many are in order, and how many as measured within 1.15 times. What a
    ladder says of near times (runner/report/ladder/rung_time.h) follows from them."""
    for low, high in [(1, 1.05), (1.05, 1.15), (1.15, math.inf)]:
        found = [factor for _, apart, factor in all_pairs(measured, model) if low <= apart < high]
        if found:
            near = sum(max(f, 1 / f) <= 1.15 for f in found)
            yield (f"modelled {low:g} to {high:g} times apart: {len(found)} pairs, {sum(f > 1 for f in found) / len(found):.1%} in order, "
                   f"{near / len(found):.1%} within 1.15 times as measured")


def reached(measured, model, long):
    """{name of a mark: what this comparison reaches}"""
    log = [abs(math.log(ratio)) for _, ratio in long]
    right, of = pairs(measured, model)
    inside = sum(model[k]["low_ms"] <= measured[k] <= model[k]["high_ms"] for k, _ in long)
    return {"geometric_mean_error": math.exp(sum(log) / len(log)),
            "within_1.5": sum(x < math.log(1.5) for x in log) / len(log),
            "beyond_2.5": sum(x > math.log(2.5) for x in log) / len(log),
            "pairs_in_order": sum(right.values()) / max(1, sum(of.values())),
            "from_low_to_high": inside / len(long),
            "errors_by_lab": errors_by_lab(long)}


def judge(got, marks, aim, say=print):
    """Says each beside its mark and the aim; the names of those that miss theirs."""
    missed = []
    for name, words, more, _ in KINDS:
        good = got[name] >= marks[name] if more else got[name] <= marks[name]
        missed += [] if good else [name]
        text = (lambda x: f"{x:.3f}") if name == "geometric_mean_error" else (lambda x: f"{x:.1%}")
        sign = "at least" if more else "at most"
        say(f"{'pass' if good else 'FAIL'}  {words}: {text(got[name])}, the mark is {sign} {text(marks[name])} (the aim: {text(aim[name])})")
    for lab, most in marks["errors_by_lab"].items():
        error = got["errors_by_lab"].get(lab, math.inf)
        if error <= most:
            continue
        missed.append(lab)
        say(f"FAIL  {lab} alone: {error:.3f}, the mark is at most {most:.3f}")
    return missed


def with_room(got):
    """The marks that `got` reaches with a little room, rounded to the worse side."""
    marks = {}
    for name, _, more, room in KINDS:
        value = got[name] * (1 + room) if name == "geometric_mean_error" else got[name] + (-room if more else room)
        marks[name] = max(0.0, (math.floor(value * 1000) if more else math.ceil(value * 1000)) / 1000)
    marks["errors_by_lab"] = {lab: math.ceil(error * (1 + LAB_ROOM) * 1000) / 1000 for lab, error in got["errors_by_lab"].items()}
    return marks


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("gpulab")
    parser.add_argument("measured")
    parser.add_argument("--only", default="")
    parser.add_argument("--profile", default="h200")
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--launches", default=LAUNCHES)
    parser.add_argument("--timing")
    parser.add_argument("--marks")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with open(options.measured, encoding="utf-8") as file:
        measured = {(r["lab"], r["variant"], r["params"], r["block"]): float(r["median_ms"]) for r in csv.DictReader(file)}
    model = matched(measured, modelled(options.gpulab, options.only, options.profile, options.launches, options.timing))
    long = [(k, model[k]["time_ms"] / measured[k]) for k in measured if k in model and measured[k] >= SHORT_MS]
    if not long:
        print("no launch is in both")
        return 1
    right, of = pairs(measured, model)
    got = reached(measured, model, long)
    print(f"{len(long)} launches: geometric mean {got['geometric_mean_error']:.3f}, within 1.5: {got['within_1.5']:.1%}, "
          f"beyond 2.5: {got['beyond_2.5']:.1%}, from low to high: {got['from_low_to_high']:.1%}")
    print(f"pairs in order: {sum(right.values())} of {sum(of.values())}")
    for line in odds({k: measured[k] for k, _ in long}, model):
        print(line)
    for lab, error in errors_by_lab(long).items():
        print(f"  {lab:12} {error:.3f}  pairs {right[lab]}/{of[lab]}")
    for key, ratio in sorted(long, key=lambda row: -abs(math.log(row[1])))[:options.worst]:
        m = model[key]
        busy = " ".join(f"{k}={v:.2f}" for k, v in m["busy"].items() if v >= 0.1)
        print(f"{ratio:6.2f}  {' '.join(key):70} measured {measured[key] * 1e3:9.1f} us, modelled {m['time_ms'] * 1e3:9.1f} us, {m['bound']}: {busy}")
    if not options.marks:
        return 0
    document = json.loads(MARKS.read_text(encoding="utf-8"))
    if options.write:
        document["marks"][options.marks] = {"launches": len(long), **with_room(got)}
        MARKS.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    marks = document["marks"].get(options.marks)
    if marks is None:
        print(f"{MARKS.name} has no marks '{options.marks}': --write makes them")
        return 1
    missed = judge(got, marks, document["aim"])
    if len(long) < marks["launches"]:
        missed.append("launches")
        print(f"FAIL  {len(long)} launches compared, {marks['launches']} before")
    return 1 if missed else 0


if __name__ == "__main__":
    piped.end(main)
