#!/usr/bin/env python3
"""Where the simulator's time goes in ten kernels (where_cycles_go.md here).

usage: ten_kernels.py GPULAB [KERNEL ...] [--rounds N] [--perf]

Told are warp instructions, and nanoseconds for each on one CPU thread: with counters and model, and with neither; the
quickest of seven runs each (--rounds), in turns. --perf samples them instead (Linux's perf): which part of the
simulator's samples are rows of the instruction tables, splits, warps and blocks, patterns that are worked out, the
model; and the five rows that take most.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILE = str(pathlib.Path(__file__).with_name("kernels.cu"))


def vector(kernel, n, kind="i32"):
    """A kernel of kernels.cu over n values."""
    return ["run", FILE, "--kernel", kernel, "--arg", f"in:{kind}[{n}]=random", "--arg", f"out:{kind}[{n}]=zeros", "--arg", f"n:i32={n}",
            "--block", "256", "--grid", str(n // 256)]


KERNELS = {
    "shared_sequential": ["reduce", "--variant", "shared_sequential", "--type", "int", "--n", "2^22"],
    "neighbored": ["reduce", "--variant", "neighbored", "--type", "int", "--n", "2^21"],
    "matmul_16": ["matmul", "--variant", "tiled", "--tile", "16"],
    "warp": ["reduce", "--variant", "warp", "--type", "int", "--n", "2^22"],
    "look_back": ["scan", "--variant", "look_back", "--type", "int", "--n", "2^21"],
    "collatz": vector("collatz", 1 << 17),
    "merge_sort": vector("merge_sort_shared", 1 << 17)[:-1] + ["256"],
    "stencil": vector("stencil_of_nine", 1 << 20, "f32"),
    "mma_bf16": ["matmul", "--variant", "tensor", "--type", "bf16", "--m", "256", "--n", "256", "--k", "256"],
    "double_local": vector("solve_double", 1 << 14, "f32"),
}

PARTS = {  # of the simulator, by what its functions are called
    "model": r"timing|StreamingMultiprocessor|TimingModel|Tracer|observe_|SmMemory|SectorSet|WhatIf",
    "patterns": r"\blearn<|count_pattern|count_lanes|count_far|analyse_far|next_way|set_shape|mark_far|PatternTable",
    "rows": r"simt::(v\d|generic)::",
    "warps": r"run_split|run_warp|start_warp|BlockContext|Grid::|diverge|reconver|remove_running|arrive_at|point_of|splits|release|retire",
}


def simulated(gpulab, name, *options):
    command = [gpulab, *KERNELS[name], "--device", "sim", "--threads", "1", "--format", "json", *options]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["results"][0]
    return result["simulation"]["wall_ms"], result.get("counters")


def shortened(symbol):
    """A row's handler without namespaces and signatures."""
    symbol = re.sub(r"gpulab::simt::|v\d::|\(anonymous namespace\)::|unsigned (?=int|long|char|short)", "", symbol)
    if found := re.match(r"LaneOp<(\w+)", symbol) or re.match(r"CompareOp<(\w+)", symbol):
        return found.group(1)
    if found := re.match(r"Transfer<(?:Any)?Values<(.*?)>?, (?:true|false)>::(\w+)", symbol):
        return f"{found.group(2)} {found.group(1).replace('(Access)0', 'load').replace('(Access)1', 'store')}"
    return re.sub(r"[<(].*", "", symbol)


def sampled(gpulab, name):
    with tempfile.NamedTemporaryFile() as data:
        command = [gpulab, *KERNELS[name], "--device", "sim", "--threads", "1", "--format", "json"]
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "10000", "-o", data.name, *command], check=True, capture_output=True)
        text = subprocess.run(["perf", "report", "-i", data.name, "--no-children", "--stdio", "--percent-limit", "0", "-F", "sample,symbol"],
                              check=True, capture_output=True, text=True).stdout
    samples = [(int(count), symbol) for count, symbol in re.findall(r"^ +(\d+) +\[\.\] (.*?) *$", text, re.M)]
    parts, rows = collections.Counter(), collections.Counter()
    for count, symbol in samples:
        part = next((part for part, pattern in PARTS.items() if re.search(pattern, symbol)), None)
        if part is None or "gpulab" not in symbol:
            continue
        parts[part] += count
        if part == "rows":
            rows[shortened(symbol)] += count
    return parts, rows


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("gpulab", type=os.path.abspath)
    parser.add_argument("kernels", nargs="*", default=list(KERNELS), metavar="KERNEL")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--perf", action="store_true")
    options = parser.parse_args()
    unknown = [name for name in options.kernels if name not in KERNELS]
    if unknown:
        parser.error(f"no such kernel: {', '.join(unknown)}; there are {', '.join(KERNELS)}")
    for name in options.kernels:
        if options.perf:
            parts, rows = sampled(options.gpulab, name)
            whole = sum(parts.values())
            print(f"{name:18} " + ", ".join(f"{part} {100 * parts[part] / whole:.0f} %" for part in PARTS)
                  + "; " + ", ".join(f"{row} {100 * count / whole:.0f} %" for row, count in rows.most_common(5)), flush=True)
            continue
        full, bare = [], []
        for _ in range(options.rounds):
            taken, counters = simulated(options.gpulab, name)
            full.append(taken)
            bare.append(simulated(options.gpulab, name, "--no-counters")[0])
        count = counters["warp_instructions"]
        print(f"{name:18} {count:>9} warp instructions, counted and modelled {1e6 * min(full) / count:6.2f} ns each, "
              f"neither {1e6 * min(bare) / count:6.2f} ns", flush=True)


if __name__ == "__main__":
    sys.exit(main())
