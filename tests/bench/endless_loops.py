#!/usr/bin/env python3
"""What --sanitize all adds to the time that an endless loop takes until its budget is used up: 3 times are allowed.

usage: endless_loops.py GPULAB [LOOP ...] [--rounds N] [--budget N]

The loops are those of tests/hostile/cases/budgets.py. Plain and watched runs take turns on one CPU thread; told are the
CPU seconds of the quicker ones, and their ratio. Exits 1 where a loop takes more than 3 times as long.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "hostile"), str(pathlib.Path(__file__).parents[1] / "hostile/cases")]
from budgets import LOOPS, forever  # noqa: E402 (the path comes first)
from run import ARRAY  # noqa: E402

MOST = 3


def seconds(command):
    """CPU time of a command and of all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("gpulab", type=os.path.abspath)
    parser.add_argument("loops", nargs="*", default=list(LOOPS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", default="40000000")
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in options.loops:
            file = pathlib.Path(folder, "f.ptx")
            file.write_text(forever(LOOPS[name]))
            command = [options.gpulab, "run", str(file), "--kernel", "k", "--device", "sim", "--grid", "4", "--block", "256",
                       *ARRAY, "--threads", "1", "--budget", options.budget, "--sanitize"]
            taken = {tools: [] for tools in ("none", "all")}
            for _ in range(options.rounds):
                for tools, times in taken.items():
                    times.append(seconds([*command, tools]))
            plain, watched = min(taken["none"]), min(taken["all"])
            bad += watched > MOST * plain
            print(f"{name:34} {plain:6.2f} s, watched {watched:6.2f} s: {watched / plain:.2f} x", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
