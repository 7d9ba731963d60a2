#!/usr/bin/env python3
"""Compares modelled times with measured ones, launch by launch.

usage: compare_model.py GPULAB MEASURED.csv [--only WORD] [--profile NAME] [--worst N] [--launches FILE]

MEASURED.csv is what scripts/measure_launches.py wrote on a GPU; FILE, of the form of tests/timing/launches.txt, says which of them to compare. Told are, for launches that take three times as long as an
empty one and more: the geometric mean of the error (the larger of modelled / measured and its inverse), how many lie
within 1.5 and beyond 2.5 times, and how many pairs of rungs of one lab and size, whose measured times differ by more than
15 %, the model has in the right order.
"""
import argparse
import csv
import itertools
import json
import math
import subprocess
import sys
from collections import defaultdict

sys.path.insert(0, __file__.rsplit("/", 1)[0])
from measure_launches import LAUNCHES, key_of, lines  # noqa: E402 (the path comes first)

SHORT_MS = 3 * 0.0027  # three times an empty launch


def modelled(gpulab, only, profile, path):
    """{launch: the result's `model`}"""
    found = {}
    for words in lines(only, path):
        command = [gpulab, *words, "--variant", "all", "--device", "sim", "--profile", profile, "--model", "--format", "json"]
        document = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
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


def pairs(measured, model):
    """(right, of) of the pairs of rungs of one lab, size and block that differ by more than 15 %."""
    groups = defaultdict(list)
    for key in measured:
        if key in model:
            groups[(key[0], key[2])].append(key)
    right = defaultdict(int)
    of = defaultdict(int)
    for (lab, _), keys in groups.items():
        for a, b in itertools.combinations(keys, 2):
            if max(measured[a], measured[b]) <= 1.15 * min(measured[a], measured[b]):
                continue
            of[lab] += 1
            right[lab] += (measured[a] < measured[b]) == (model[a]["time_ms"] < model[b]["time_ms"])
    return right, of


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("gpulab")
    parser.add_argument("measured")
    parser.add_argument("--only", default="")
    parser.add_argument("--profile", default="h200")
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--launches", default=LAUNCHES)
    options = parser.parse_args()
    with open(options.measured, encoding="utf-8") as file:
        measured = {(r["lab"], r["variant"], r["params"], r["block"]): float(r["median_ms"]) for r in csv.DictReader(file)}
    model = matched(measured, modelled(options.gpulab, options.only, options.profile, options.launches))
    long = [(k, model[k]["time_ms"] / measured[k]) for k in measured if k in model and measured[k] >= SHORT_MS]
    if not long:
        return 1
    log = [abs(math.log(ratio)) for _, ratio in long]
    print(f"{len(long)} launches: geometric mean {math.exp(sum(log) / len(log)):.3f}, within 1.5: "
          f"{sum(x < math.log(1.5) for x in log) / len(log):.1%}, beyond 2.5: {sum(x > math.log(2.5) for x in log) / len(log):.1%}")
    right, of = pairs(measured, model)
    print(f"pairs in order: {sum(right.values())} of {sum(of.values())}")
    for lab, error in errors_by_lab(long).items():
        print(f"  {lab:12} {error:.3f}  pairs {right[lab]}/{of[lab]}")
    for key, ratio in sorted(long, key=lambda row: -abs(math.log(row[1])))[:options.worst]:
        m = model[key]
        busy = " ".join(f"{k}={v:.2f}" for k, v in m["busy"].items() if v >= 0.1)
        print(f"{ratio:6.2f}  {' '.join(key):70} measured {measured[key] * 1e3:9.1f} us, modelled {m['time_ms'] * 1e3:9.1f} us, {m['bound']}: {busy}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
