#!/usr/bin/env python3
"""Measures the launches of tests/timing/launches.txt on a GPU: cold L2, medians of CUDA events.

usage: measure_launches.py GPULAB OUT.csv [--only WORD]

Writes a row for each result: lab, variant, parameters, block, milliseconds (median, first and third quartile), samples.
Rungs that cannot run there, or that launch nothing, are left out.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

LAUNCHES = pathlib.Path(__file__).parents[1] / "tests" / "timing" / "launches.txt"


def lines(only, path=LAUNCHES):
    for line in pathlib.Path(path).read_text().splitlines():
        if line and not line.startswith("#") and only in line:
            yield line.split()


def key_of(document, result):
    params = ",".join(f"{k}={v}" for k, v in result["params"].items() if k != "seed")
    return document["lab"], result["variant"], params, "x".join(map(str, result["launch"]["block"]))


def row(document, result):
    timing = result["timing"]
    return [*key_of(document, result), timing["median_ms"], timing["q1_ms"], timing["q3_ms"], timing["samples"]]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("gpulab")
    parser.add_argument("out")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with open(options.out, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow("lab variant params block median_ms q1_ms q3_ms samples".split())
        for words in lines(options.only):
            command = [options.gpulab, *words, "--variant", "all", "--device", "gpu", "--no-counters", "--format", "json"]
            text = subprocess.run(command, capture_output=True, text=True).stdout
            try:
                document = json.loads(text)
            except json.JSONDecodeError:
                print("no document:", *command, file=sys.stderr)
                continue
            if "results" not in document:
                print("refused:", *command, document.get("error", {}).get("what"), file=sys.stderr)
                continue
            for result in document["results"]:
                if not result.get("launch"):
                    continue
                if result["status"] == "ok" and result.get("timing", {}).get("source") == "cuda_events":
                    out.writerow(row(document, result))
            file.flush()


if __name__ == "__main__":
    sys.exit(main())
