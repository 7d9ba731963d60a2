#!/usr/bin/env python3
"""What the timing model says of the very probes that its numbers come from (scripts/calibrate.py): cold runs, beside the GPU's.

usage: compare_probes.py GPULAB PROBES.csv [--only WORD] [--profile NAME] [--timing FILE]
"""
import argparse
import csv
import functools
import json
import math
import subprocess
import sys
import tempfile

from calibrate import HEAD, probes
import piped


@functools.cache
def texts():
    return {name: text for name, text, _, _ in probes()}


def modelled(gpulab, row, profile, timing=None):
    """The result's `model` for a row of PROBES.csv; None: there is no such probe now, or the model says nothing of it."""
    name = row["probe"]
    if name not in texts():
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", encoding="ascii") as file:
        file.write(HEAD + texts()[name])
        file.flush()
        command = [gpulab, "run", file.name, "--kernel", name, "--grid", row["grid"], "--block", row["block"], "--arg", "out:u32[64]=zeros",
                   "--arg", f"data:u32[{row['elements']}]=zeros", "--arg", f"n:u32={row['n']}", "--arg", f"stride:u32={row['stride']}",
                   "--device", "sim", "--profile", profile, "--model", "--format", "json"]
        command += ["--timing", timing] if timing else []
        return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["results"][0].get("model")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("gpulab")
    parser.add_argument("probes")
    parser.add_argument("--only", default="")
    parser.add_argument("--profile", default="h200")
    parser.add_argument("--timing", help="another file of configs/timing")
    options = parser.parse_args()
    with open(options.probes, encoding="utf-8") as file:
        measured = [r for r in csv.DictReader(file) if r["warm"] == "0" and r["probe"].startswith(options.only)]
    logs = []
    for row in measured:
        name = row["probe"]
        if int(row["grid"]) * int(row["block"]) * int(row["n"]) > 1 << 24:
            continue
        model = modelled(options.gpulab, row, options.profile, options.timing)
        if not model:
            continue
        ratio = model["time_ms"] / float(row["median_ms"])
        logs.append(abs(math.log(ratio)))
        busy = " ".join(f"{k}={v:.2f}" for k, v in model["busy"].items() if v >= 0.1)
        print(f"{ratio:5.2f} {name:12} {row['grid']:>7} x {row['block']:>4} n {row['n']:>4} stride {row['stride']:>7}"
              f" {float(row['median_ms']) * 1e3:9.2f} us, modelled {model['time_ms'] * 1e3:9.2f} us {model['bound']} {busy}", flush=True)
    if logs:
        print(f"{len(logs)} probes: geometric mean {math.exp(sum(logs) / len(logs)):.3f}")


if __name__ == "__main__":
    piped.end(main)
