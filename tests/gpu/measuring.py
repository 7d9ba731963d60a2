#!/usr/bin/env python3
"""What measuring on a GPU has to hold, in two minutes: samples with their clocks, runs that repeat, two kernels taken in
turn, ceilings under which nothing lies above.

usage: measuring.py GPULAB FOLDER [PART | PAIRS [OPTIONS…]]   documents go to FOLDER; a line for each thing that was tried, exit code 1
where one failed. PART: that function of this file alone. PAIRS: two kernels in turn alone, of so many pairs of equal ones and as many
of which one is slower, half of them bound by arithmetic and half by memory; each takes a second. OPTIONS: of compare, as --reps 101.
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


def pairs(name, kernel, slower, count, more):
    """What each of `count` comparisons of two kernels said; sizes differ by less than a block, so that all take as long."""
    file, compared = str(FILES / f"{kernel}.ptx"), []
    sizes = [2 ** 18 - i for i in range(count)]
    for first in range(0, len(sizes), 50):
        compared += document(f"measuring_{kernel}_{name}_{first}.json", "compare", file, file, "--kernel", kernel, "--kernel",
                             slower, "--arg", "out:u32[{n}]=none", *EXTRA[kernel], "--arg", "n:u32={n}", "--block", "256", *more, "--n",
                             ",".join(map(str, sizes[first:first + 50])), codes=(0, 1))["pairs"]
    return [(one["verdict"], one["ratio"], one["low"], one["high"], one["a"]["measured"]) for one in compared]


EXTRA = {"spin": [], "stream": ["--arg", f"in:u32[{70 * 2 ** 18}]=none"]}  # 64 or 70 words a thread


def in_turn(count=20, *more):
    equal = {kernel: pairs("equal", kernel, kernel, count // 2, more) for kernel in EXTRA}
    slower = {kernel: pairs("slower", kernel, f"{kernel}_slower", count // 2, more) for kernel in EXTRA}
    every = [one for by_kernel in (equal, slower) for compared in by_kernel.values() for one in compared]
    check("samples are taken in turn", all(one[4] and one[4].get("in_turn") and len(one[4]["samples_ms"]) >= 31 for one in every),
          f"{min(len(one[4]['samples_ms']) for one in every)} or more of each")
    for kernel in EXTRA:
        us = [1000 * one[4]["median_ms"] for one in equal[kernel]]
        check(f"{kernel} takes 20 us or more", min(us) >= 20, f"{min(us):.1f} to {max(us):.1f} us")
    called = sum(one[0] in ("faster", "slower") for compared in equal.values() for one in compared)
    check("equal kernels are not told apart", called <= 0.02 * count, f"{called} of {count} called; " + ratios(equal))
    found = sum(one[0] == "slower" for compared in slower.values() for one in compared)
    check("3 % more time is found", found >= 0.95 * count, f"{found} of {count}; {ratios(slower)}")
    rungs = document("measuring_rungs.json", "compare", "reduce", "--variant", "warp,grid_stride_vec4", "--n", "2^20,2^24",
                     codes=(0, 1))["pairs"]
    check("two rungs of a lab are taken in turn", all(one["a"]["measured"].get("in_turn") for one in rungs),
          ", ".join(f"{one['verdict']} {one['ratio']:.3f}" for one in rungs))


def ratios(by_kernel):
    return "; ".join(f"{kernel}: {min(one[1] for one in compared):.4f} to {max(one[1] for one in compared):.4f}, widest interval "
                     f"{100 * max(one[3] / one[2] - 1 for one in compared):.2f} %" for kernel, compared in by_kernel.items())


def memory():
    ran = gpulab("run", str(FILES / "spin.ptx"), "--kernel", "spin", "--arg", "out:u32[2^36]=none", "--arg", "n:u32=1",
                 "--block", "256", "--grid", "1", "--device", "gpu", codes=(2, 4))
    check("too little memory is an error before any allocation", "memory" in ran.stdout + ran.stderr,
          (ran.stderr or ran.stdout).strip().splitlines()[-2:][0][:150])


# Measured on one H200 by other means (medians by events, driver 580): GB/s and GFLOP/s. An empty kernel took 5.4 us there with
# what the host takes between the two events; ours is queued behind other work, as samples are.
H200 = {"memory": 4497, "memory copy": 4130, "shared": 32000, "fp32": 64600}


def by_other_means():
    """What this very GPU reaches without gpulab; none where the driver cannot be called."""
    ran = subprocess.run([sys.executable, FILES.parent / "other_means.py"], capture_output=True, text=True)
    (OUT / "measuring_other_means.json").write_text(ran.stdout)
    check("this GPU is measured without gpulab", ran.returncode == 0, (ran.stderr or ran.stdout).strip()[-400:])
    return json.loads(ran.stdout) if ran.returncode == 0 else {}


def least_launch(first):
    """Of five processes, `first` one of them: what a launch takes differs between processes (other_means.py)."""
    ran = [subprocess.run([sys.executable, FILES.parent / "other_means.py", "launch"], capture_output=True, text=True) for _ in range(4)]
    return min([first, *(json.loads(one.stdout)["launch"] for one in ran if one.returncode == 0)])


def off_by(found, wanted):
    off = {name: found[name]["value"] / value - 1 for name, value in wanted.items() if name in found and name != "launch"}
    return all(abs(one) <= 0.05 for one in off.values()), ", ".join(f"{name} {100 * one:+.1f} %" for name, one in off.items())


# Rungs near a ceiling: of memory, of shared memory, of arithmetic.
LABS = (("reduce", ["--variant", "neighbored,warp,grid_stride_vec4,eight_loads", "--n", "2^26"]),
        ("transpose", ["--variant", "copy,tiled,tiled_swizzled", "--rows", "8192", "--cols", "8192"]),
        ("matmul", ["--variant", "tiled,warp_tiled", "--m", "1024", "--n", "1024", "--k", "1024", "--type", "half"]),
        ("matmul", ["--variant", "tiled,warp_tiled,tensor", "--m", "1024", "--n", "1024", "--k", "1024"]))


def ceilings():
    here = by_other_means()
    launches = []
    for number, (lab, extra) in enumerate(LABS):
        drawn = document(f"measuring_roofline_{number}_{lab}.json", "roofline", lab, *extra, "--image", str(OUT / f"roofline_{number}_{lab}.png"),
                         codes=(0, 1))
        found = {one["name"]: one for one in drawn["ceilings"]}
        launches += [found["launch"]["value"]] if "launch" in found else []
        wanted = {"memory", "memory copy", "L2", "shared", "fp32", "fp64", "fp16", "tensor bf16", "launch", "issue"}
        check(f"{lab}: every ceiling is measured", drawn["source"] == "measured" and wanted <= found.keys(),
              f"missing: {', '.join(sorted(wanted - found.keys())) or 'none'}; notes {drawn.get('notes', 'none')}")
        for name, one in found.items():
            if number == 0:
                print(f"        {name:<12}{one['value']:10.1f} {one['unit']}")
        check(f"{lab}: ceilings within 5 % of what was measured here by other means", *off_by(found, here))
        if "H200" in drawn["gpu"]:
            check(f"{lab}: ceilings within 5 % of an H200's published ones", *off_by(found, H200))
        rows = [row for row in drawn["rows"] if "missing" not in row]
        above = [f"{row['name']} {one['ceiling']} {100 * one['share']:.0f} %: {one['why_above']}" for row in rows
                 for one in row["shares"] if one["share"] > 1]
        check(f"{lab}: no share is above 100 %", rows and not above, f"{len(rows)} rows; {'; '.join(above) or 'none above'}"[:900])
    if here and launches:
        least = least_launch(here["launch"])
        check("the least launch of these processes is within 5 % of the least of five by other means", abs(min(launches) / least - 1) <= 0.05,
              f"{', '.join(f'{us:.3f}' for us in launches)} us, by other means {least:.3f} us")


PARTS = {part.__name__: part for part in (samples, repeated, in_turn, memory, ceilings)}
only, more = sys.argv[3:4], sys.argv[4:]
if only and only[0] not in PARTS:
    only, more = ["in_turn"], [int(only[0]), *more]
for name in only or PARTS:
    start = time.monotonic()
    try:
        PARTS[name](*more)
    except Exception as error:  # the other parts go on
        check(name, False, f"{type(error).__name__}: {error}")
    print(f"        {name}: {time.monotonic() - start:.1f} s", flush=True)
sys.exit(failed > 0)
