#!/usr/bin/env python3
"""How far off is a GPU that nobody has measured? Leaves one out: an H100 from an H200's measured numbers and both data sheets, and the
other way round (`gpulab calibrate --estimate`), and compares modelled times with the ones that were measured on it.

usage: leave_one_out.py GPULAB [--only WORD] [--launches FILE] [--check]

Told of each: the same as scripts/compare_model.py tells, by its own numbers and by the other's. --check: exits with 1 where an estimate
is worse than the mark in tests/timing/marks.json (leave_one_out).
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import compare_model  # noqa: E402
from measure_launches import LAUNCHES  # noqa: E402
import piped  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAIRS = [("h100", "h200"), ("h200", "h100")]  # the GPU, and whose numbers stand for its own


def compared(gpulab, gpu, profile, options):
    with open(ROOT / "tests" / "data" / f"timing_launches_{gpu}.csv", encoding="utf-8") as file:
        measured = {(r["lab"], r["variant"], r["params"], r["block"]): float(r["median_ms"]) for r in csv.DictReader(file)}
    model = compare_model.matched(measured, compare_model.modelled(gpulab, options.only, profile, options.launches, None))
    long = [(k, model[k]["time_ms"] / measured[k]) for k in measured if k in model and measured[k] >= compare_model.SHORT_MS]
    if not long:
        sys.exit("no launch is in both")
    return compare_model.reached(measured, model, long), long


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("gpulab")
    parser.add_argument("--only", default="")
    parser.add_argument("--launches", default=LAUNCHES)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    marks = json.loads(compare_model.MARKS.read_text(encoding="utf-8"))["leave_one_out"]
    bad = False
    for gpu, other in PAIRS:
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/{gpu}_of_{other}.json"
            subprocess.run([options.gpulab, "calibrate", "--estimate", gpu, "--from", other, "--output", file], check=True, stdout=subprocess.DEVNULL)
            for words, profile in (("its own numbers", gpu), (f"an {other}'s", file)):
                got, long = compared(options.gpulab, gpu, profile, options)
                print(f"{gpu} by {words}: {len(long)} launches, error {got['geometric_mean_error']:.3f}, within 1.5: {got['within_1.5']:.1%}, "
                      f"beyond 2.5: {got['beyond_2.5']:.1%}, pairs in order {got['pairs_in_order']:.1%}, from low to high {got['from_low_to_high']:.1%}", flush=True)
        mark = marks[gpu]
        if options.check and (got["geometric_mean_error"] > mark["geometric_mean_error"] or got["within_1.5"] < mark["within_1.5"]):
            print(f"FAIL  {gpu}: the marks are an error of {mark['geometric_mean_error']:.3f} and {mark['within_1.5']:.1%} within 1.5")
            bad = True
    return bad


if __name__ == "__main__":
    piped.end(main)
