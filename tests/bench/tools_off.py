#!/usr/bin/env python3
"""What the sanitizer's tools cost when nobody asks for them: the simulator beside its twin built without any.

usage: tools_off.py BUILD [PART ...] [--rounds N] [--instructions]

BUILD is the build folder, with the targets bench_simulator_off and bench_simulator_bare. The two run in turns, each
round in the other order, so that what else the machine does meets both; told are the quickest launch of each, as CPU
time, and the ratio. --instructions counts the instructions of one launch instead (valgrind's callgrind, within run_grid):
exact on any machine, however busy; the build needs the CPU level v3 or v2, for valgrind knows no AVX-512.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile


def milliseconds(program, part):
    """CPU time of the quickest of three launches."""
    text = subprocess.run([program, part, "3"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"([0-9.]+) ms$", text, re.M).group(1))


def instructions(program, part):
    """Instructions of one launch, from run_grid on."""
    with tempfile.NamedTemporaryFile() as out:
        command = ["valgrind", "--tool=callgrind", "--toggle-collect=*run_grid*", f"--callgrind-out-file={out.name}"]
        text = subprocess.run(command + [program, part, "1"], check=True, capture_output=True, text=True).stderr
    return int(re.search(r"Collected : ([0-9]+)", text).group(1))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("build")
    parser.add_argument("parts", nargs="*", default=["copy", "shared_sequential"])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    programs = [os.path.join(options.build, "tests", name) for name in ("bench_simulator_off", "bench_simulator_bare")]
    for part in options.parts:
        if options.instructions:
            with_tools, without = (instructions(program, part) for program in programs)
            print(f"{part:24} {with_tools / 1e6:10.2f} M instructions with the tools, off; without any {without / 1e6:10.2f} M;"
                  f" {with_tools / without:.4f} x")
            continue
        taken = [[], []]
        for turn in range(options.rounds):
            for which in (0, 1) if turn % 2 else (1, 0):
                taken[which].append(milliseconds(programs[which], part))
        best, median = [min(t) for t in taken], [statistics.median(t) for t in taken]
        print(f"{part:24} {best[0]:8.2f} ms with the tools, off; without any {best[1]:8.2f} ms; {best[0] / best[1]:.3f} x"
              f" (medians {median[0] / median[1]:.3f} x)")


if __name__ == "__main__":
    sys.exit(main())
