#!/usr/bin/env python3
"""What measuring on a GPU has to hold, in two minutes: samples with their clocks, runs that repeat, two kernels taken in
turn, ceilings under which nothing lies above.

usage: measuring.py GPULAB FOLDER [PAIRS]   documents go to FOLDER; a line for each thing that was tried, exit code 1 where one
failed. PAIRS: two kernels in turn alone, of so many pairs of equal ones and as many of which one is slower; each takes half a second.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import time

GPULAB, OUT = sys.argv[1], pathlib.Path(sys.argv[2])
FILES = pathlib.Path(__file__).resolve().parent / "files"
failed = 0


def check(name, holds, said):
    global failed
    failed += not holds
    print(f"{'ok    ' if holds else 'FAILED'}  {name}: {said}", flush=True)


def gpulab(*arguments, codes=(0,)):
    ran = subprocess.run([GPULAB, *arguments], capture_output=True, text=True)
    if ran.returncode not in codes:
        print(f"{' '.join(arguments)}: exit code {ran.returncode}\n{ran.stdout[-500:]}{ran.stderr[-1500:]}", flush=True)
    return ran


def document(name, *arguments, codes=(0,)):
    ran = gpulab(*arguments, "--device", "gpu", "--format", "json", codes=codes)
    (OUT / name).write_text(ran.stdout)
    return json.loads(ran.stdout)


def samples():
    timing = document("measuring_samples.json", "reduce", "--n", "2^24", "--reps", "101")["results"][0]["timing"]
    raw, mhz = timing["samples_ms"], timing.get("sm_mhz", [])
    check("every sample is in the JSON", len(raw) == timing["samples"] == 101 and
          abs(statistics.median(raw) - timing["median_ms"]) < 1e-9, f"{len(raw)} of {timing['samples']}")
    check("the clock stands beside each", len(mhz) == len(raw) and all(300 < one < 4000 for one in mhz),
          f"{len(mhz)}: {min(mhz, default=0):.0f} to {max(mhz, default=0):.0f} MHz")
    print(f"        stopped by {timing['stopped_by']}, discarded {timing.get('discarded', 'none')}, throttled "
          f"{timing.get('throttled', 'no')}, throttling unseen: {timing.get('throttling_unseen', 'no, NVML was asked')}")
    for stop in ("noise", "entropy"):
        timing = document(f"measuring_{stop}.json", "reduce", "--n", "2^22", "--stop", stop)["results"][0]["timing"]
        check(f"sampling stops by {stop}", timing["stopped_by"] in (stop, "patience"),
              f"{timing['stopped_by']} after {timing['samples']} samples")


def repeated():
    medians = [document("measuring_repeated.json", "reduce", "--variant", "warp", "--n", "2^26")["results"][0]["timing"]["median_ms"]
               for _ in range(10)]
    spread = max(medians) / min(medians) - 1
    check("ten runs of reduce, 2^26, are within 0.3 %", spread <= 0.003,
          f"{100 * spread:.2f} % ({1000 * min(medians):.2f} to {1000 * max(medians):.2f} us)")


def pairs(name, kernel, sizes):
    """(verdict, ratio, low, high) of spin beside `kernel`; sizes differ by less than a block, so that all take as long."""
    file = str(FILES / "spin.ptx")
    compared = []
    for first in range(0, len(sizes), 50):
        compared += document(f"measuring_{name}_{first}.json", "compare", file, file, "--kernel", "spin", "--kernel", kernel,
                             "--arg", "out:u32[{n}]=none", "--arg", "n:u32={n}", "--block", "256", "--n",
                             ",".join(map(str, sizes[first:first + 50])), codes=(0, 1))["pairs"]
    return [(one["verdict"], one["ratio"], one["low"], one["high"], one["a"]["measured"]) for one in compared]


def in_turn(count=20):
    sizes = [2 ** 18 - i for i in range(count)]
    equal, slower = pairs("equal", "spin", sizes), pairs("slower", "spin_slower", sizes)
    check("samples are taken in turn", all(one[4] and one[4].get("in_turn") and len(one[4]["samples_ms"]) >= 31
                                           for one in equal + slower), f"{len(equal[0][4]['samples_ms'])} of each")
    print(f"        one takes {1000 * equal[0][4]['median_ms']:.1f} us")
    called = [one for one in equal if one[0] in ("faster", "slower")]
    check("equal kernels are not told apart", len(called) <= 0.02 * count, f"{len(called)} of {len(equal)} called; ratios "
          f"{min(one[1] for one in equal):.4f} to {max(one[1] for one in equal):.4f}")
    found = [one for one in slower if one[0] == "slower"]
    check("3 % more time is found", len(found) >= 0.95 * len(slower), f"{len(found)} of {len(slower)}; ratios "
          f"{min(one[1] for one in slower):.4f} to {max(one[1] for one in slower):.4f}, widest interval "
          f"{100 * max(one[3] / one[2] - 1 for one in slower):.2f} %")
    rungs = document("measuring_rungs.json", "compare", "reduce", "--variant", "warp,grid_stride_vec4", "--n", "2^20,2^24",
                     codes=(0, 1))["pairs"]
    check("two rungs of a lab are taken in turn", all(one["a"]["measured"].get("in_turn") for one in rungs),
          ", ".join(f"{one['verdict']} {one['ratio']:.3f}" for one in rungs))


def memory():
    ran = gpulab("run", str(FILES / "spin.ptx"), "--kernel", "spin", "--arg", "out:u32[2^36]=none", "--arg", "n:u32=1",
                 "--block", "256", "--grid", "1", "--device", "gpu", codes=(2, 4))
    check("too little memory is an error before any allocation", "memory" in ran.stdout + ran.stderr,
          (ran.stderr or ran.stdout).strip().splitlines()[-2:][0][:150])


# Measured on one H200 by other means (medians by events, driver 580): GB/s, GFLOP/s, microseconds.
H200 = {"memory": 4497, "memory copy": 4130, "shared": 32000, "fp32": 64600, "launch": 5.4}


def ceilings():
    for lab, extra in (("reduce", ["--variant", "neighbored,warp,grid_stride_vec4,eight_loads", "--n", "2^26"]),
                       ("matmul", ["--variant", "tiled,warp_tiled,tensor", "--m", "1024", "--n", "1024", "--k", "1024"])):
        drawn = document(f"measuring_roofline_{lab}.json", "roofline", lab, *extra, "--image", str(OUT / f"roofline_{lab}.png"),
                         codes=(0, 1))
        found = {one["name"]: one for one in drawn["ceilings"]}
        wanted = {"memory", "memory copy", "L2", "shared", "fp32", "fp64", "fp16", "tensor bf16", "launch", "issue"}
        check(f"{lab}: every ceiling is measured", drawn["source"] == "measured" and wanted <= found.keys(),
              f"missing: {', '.join(sorted(wanted - found.keys())) or 'none'}; notes {drawn.get('notes', 'none')}")
        for name, one in found.items():
            print(f"        {name:<12}{one['value']:10.1f} {one['unit']}")
        if "H200" in drawn["gpu"]:
            off = {name: found[name]["value"] / value - 1 for name, value in H200.items() if name in found}
            check(f"{lab}: ceilings within 5 % of what was measured by other means", all(abs(one) <= 0.05 for one in off.values()),
                  ", ".join(f"{name} {100 * one:+.1f} %" for name, one in off.items()))
        rows = [row for row in drawn["rows"] if "missing" not in row]
        above = [f"{row['name']} {one['ceiling']} {100 * one['share']:.0f} %: {one['why_above']}" for row in rows
                 for one in row["shares"] if one["share"] > 1]
        check(f"{lab}: no share above 100 % is unexplained", rows and not [one for one in above if "not explained" in one],
              f"{len(rows)} rows; {'; '.join(above) or 'none above'}"[:900])


PARTS = [(part, []) for part in (samples, repeated, in_turn, memory, ceilings)]
for part, arguments in [(in_turn, [int(sys.argv[3])])] if len(sys.argv) > 3 else PARTS:
    start = time.monotonic()
    try:
        part(*arguments)
    except Exception as error:  # the other parts go on
        check(part.__name__, False, f"{type(error).__name__}: {error}")
    print(f"        {part.__name__}: {time.monotonic() - start:.1f} s", flush=True)
sys.exit(failed > 0)
