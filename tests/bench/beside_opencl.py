#!/usr/bin/env python3
"""How long the simulator takes beside the same work in OpenCL on the same CPUs (README.md here).

usage: beside_opencl.py GPULAB [WORK ...] [--rounds N] [--cpus N] [--all]

Both take turns on the same two CPUs (--cpus); told is the median of nine rounds (--rounds) of kernel time alone: OpenCL's by
its profiling events, after a round that compiles; ours as gpulab's JSON has it (simulation.wall_ms), counters and model
on. Results are verified on both sides. --all shows every round. Where there is no OpenCL for CPUs, it says what to
install and exits 0. Works: shared_sequential, neighbored, matmul; default: all.
"""
import argparse
import array
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "opencl"))
from opencl import Local, Missing, OpenCL  # noqa: E402 (the path comes first)

GROUP = 256


class Sum:
    """2^24 random ints to one, in as many launches as the lab makes."""

    def __init__(self, variant):
        self.variant, self.n = variant, 1 << 24
        self.command = ["reduce", "--variant", variant, "--type", "int", "--n", str(self.n), "--block", str(GROUP)]

    def prepare(self, cl):
        self.values = array.array("i")
        self.values.frombytes(random.Random(42).randbytes(4 * self.n))
        self.kernel = cl.kernel({"shared_sequential": "sum_sequential", "neighbored": "sum_neighbored"}[self.variant])
        self.buffers = [cl.buffer(self.n), cl.buffer(self.n // GROUP), cl.buffer(self.n // GROUP)]

    def run(self, cl):
        cl.write(self.buffers[0], self.values)  # neighbored adds in place
        source, target, other = self.buffers
        left, taken = self.n, 0
        while left > 1:
            groups = -(-left // GROUP)
            arguments = [source, target, left] + ([Local(4 * GROUP)] if self.variant == "shared_sequential" else [])
            taken += cl.milliseconds(self.kernel, [groups * GROUP], [GROUP], *arguments)
            source, target, other = target, other, target
            left = groups
        result = array.array("i", [0])
        cl.read(source, result)
        return taken, (result[0] - sum(self.values)) % (1 << 32) == 0


class Matmul:
    """512^3 floats by tiles of 16."""

    def __init__(self):
        self.n = 512
        size = str(self.n)
        self.command = ["matmul", "--variant", "tiled", "--tile", "16", "--m", size, "--n", size, "--k", size]

    def prepare(self, cl):
        # Small whole numbers: their products and sums are exact, in any order.
        count, numbers = self.n * self.n, random.Random(42)
        self.a, self.b = (array.array("f", (numbers.randrange(-8, 9) for _ in range(count))) for _ in "ab")
        self.kernel = cl.kernel("matmul_tiled")
        self.buffers = [cl.buffer(count) for _ in "abc"]
        cl.write(self.buffers[0], self.a)
        cl.write(self.buffers[1], self.b)
        columns = [self.b[j :: self.n] for j in range(self.n)]
        self.expected = {}
        for i in random.Random(1).sample(range(self.n), 32):  # of so many rows
            row = self.a[i * self.n : (i + 1) * self.n]
            self.expected[i] = [sum(x * y for x, y in zip(row, column)) for column in columns]

    def run(self, cl):
        taken = cl.milliseconds(self.kernel, [self.n, self.n], [16, 16], *self.buffers, self.n)
        result = array.array("f", bytes(4 * self.n * self.n))
        cl.read(self.buffers[2], result)
        rows = {i: list(result[i * self.n : (i + 1) * self.n]) for i in self.expected}
        return taken, rows == self.expected


WORKS = {"shared_sequential": Sum("shared_sequential"), "neighbored": Sum("neighbored"), "matmul": Matmul()}


def simulated(gpulab, command, cpus):
    """Milliseconds of a run on the simulator, and whether its result was right."""
    text = subprocess.run([gpulab, *command, "--device", "sim", "--counters", "--model", "--threads", str(cpus), "--format", "json"],
                          check=True, capture_output=True, text=True).stdout
    result = json.loads(text)["results"][0]
    return result["simulation"]["wall_ms"], result["verification"]["status"] == "passed" and result["counters"] is not None


def compared(name, cl, options):
    work = WORKS[name]
    work.prepare(cl)
    sides = {"OpenCL": lambda: work.run(cl), "gpulab": lambda: simulated(options.gpulab, work.command, options.cpus)}
    times = {side: [] for side in sides}
    for turn in range(options.rounds + 1):
        for side, run in sides.items():
            taken, right = run()
            if not right:
                sys.exit(f"{name}: the result of {side} is wrong")
            if turn > 0:  # the first one compiles
                times[side].append(taken)
    if options.all:
        for side, taken in times.items():
            print(f"  {side}: " + " ".join(f"{ms:.1f}" for ms in taken))
    ours, theirs = (statistics.median(times[side]) for side in ("gpulab", "OpenCL"))
    least = min(times["gpulab"]) / min(times["OpenCL"])
    print(f"{name:18} OpenCL {theirs:7.1f} ms, gpulab {ours:7.1f} ms: {ours / theirs:.2f} x (quickest runs {least:.2f} x)", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("gpulab", type=os.path.abspath)
    parser.add_argument("works", nargs="*", default=list(WORKS), metavar="WORK")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    unknown = [name for name in options.works if name not in WORKS]
    if unknown:
        parser.error(f"no such work: {', '.join(unknown)}; there are {', '.join(WORKS)}")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cpus])
    os.environ["POCL_MAX_PTHREAD_COUNT"] = str(options.cpus)
    try:
        cl = OpenCL(pathlib.Path(__file__).with_name("opencl").joinpath("kernels.cl").read_text())
    except Missing as missing:
        print(f"skipped: this needs {missing}")
        return
    print(f"{cl.name}; {len(os.sched_getaffinity(0))} CPUs")
    for name in options.works:
        compared(name, cl, options)


if __name__ == "__main__":
    main()
