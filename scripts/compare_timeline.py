#!/usr/bin/env python3
"""Compares the device's timeline of programs (kernels, copies, fills, and the gaps that launches and waits make) as `gpulab exec` has it with
one that was measured by CUPTI.

usage: compare_timeline.py measure OUT.json [--nvcc NVCC] [--cupti FOLDER] [--only WORD]        on a machine with a GPU
       compare_timeline.py compare MEASURED.json GPULAB [--profile NAME|FILE] [--only WORD] [--within 1.3]

Programs are those of tests/timing/timeline.cu. `measure` builds them and scripts/timeline_cupti.cpp, and runs each three times (the one in
the middle counts). A timeline is as long as from the start of the first activity to the end of the last, less the host's own time: the
parts of gaps in which nothing ran on the device and the host was in no call of CUDA's. gpulab's has no such time. `compare` exits with 1
where one is off by more than --within.
"""
import argparse
import glob
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import piped

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = ROOT / "tests" / "timing" / "timeline.cu"
KINDS = ("kernel", "copy", "fill")


def merged(intervals):
    """Where at least one of them is, in order."""
    all_ = []
    for start, end in sorted(intervals):
        if all_ and start <= all_[-1][1]:
            all_[-1][1] = max(all_[-1][1], end)
        else:
            all_.append([start, end])
    return all_


def length(intervals):
    return sum(end - start for start, end in intervals)


def overlap(some, others):
    """Of two lists of intervals, each merged: how long both are there."""
    found = i = k = 0
    while i < len(some) and k < len(others):
        start, end = max(some[i][0], others[k][0]), min(some[i][1], others[k][1])
        found += max(0, end - start)
        if some[i][1] < others[k][1]:
            i += 1
        else:
            k += 1
    return found


def summary(rows):
    """Of [kind, start, end] in one unit of time: {total, own, kernel, copy, fill, gaps, activities}; `own`: the host's own time."""
    device = merged([start, end] for kind, start, end in rows if kind in KINDS)
    if not device:
        return None
    gaps = [[a[1], b[0]] for a, b in zip(device, device[1:])]
    calls = merged([start, end] for kind, start, end in rows if kind == "call")
    own = length(gaps) - overlap(gaps, calls) if calls else 0
    found = {kind: sum(end - start for k, start, end in rows if k == kind) for kind in KINDS}
    return {"total": device[-1][1] - device[0][0] - own, "own": own, **found, "gaps": length(gaps) - own, "activities": sum(kind in KINDS for kind, *_ in rows)}


def read_rows(path):
    rows = []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        kind, _, start, end, _, _ = line.split("\t")
        rows.append([kind, int(start) / 1000, int(end) / 1000])
    return rows


def cupti_of(folder):
    """(folder with cupti.h, folder with libcupti.so*), of --cupti, of CUDA, of Python's packages."""
    roots = [folder] if folder else ["/usr/local/cuda", "/usr/local/cuda/extras/CUPTI", *glob.glob("/usr/local/cuda-*"),
                                     *glob.glob(f"{sys.prefix}/lib/python3*/site-packages/nvidia/*"), *glob.glob("/opt/*/lib/python3*/site-packages/nvidia/*")]
    for root in roots:
        header = [p for p in (f"{root}/include", f"{root}/extras/CUPTI/include") if os.path.exists(f"{p}/cupti.h")]
        libraries = [p for q in ("lib64", "lib", "extras/CUPTI/lib64") for p in [f"{root}/{q}"] if glob.glob(f"{p}/libcupti.so*")]
        if header and libraries:
            return header[0], libraries[0]
    sys.exit("compare_timeline.py: no CUPTI (cupti.h, libcupti.so): name its folder by --cupti")


def measure(options):
    include, libraries = cupti_of(options.cupti)
    with tempfile.TemporaryDirectory() as folder:
        library = glob.glob(f"{libraries}/libcupti.so*")[0]
        subprocess.run(["g++", "-O1", "-shared", "-fPIC", ROOT / "scripts" / "timeline_cupti.cpp", f"-I{include}", f"-I{pathlib.Path(options.nvcc).parent.parent}/include",
                        library, f"-Wl,-rpath,{libraries}", "-o", f"{folder}/timeline_cupti.so"], check=True)
        subprocess.run([options.nvcc, "-O3", "-std=c++17", "-arch=native", SOURCE, "-o", f"{folder}/timeline"], check=True)
        gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.splitlines()[0]
        names = subprocess.run([f"{folder}/timeline", "--list"], capture_output=True, text=True, check=True).stdout.split()
        document = {"gpu": gpu.split(", ")[0], "driver": gpu.split(", ")[1], "unit": "us", "programs": {}}
        for name in names:
            if options.only not in name:
                continue
            runs = []
            for _ in range(3):
                environment = {**os.environ, "CUDA_INJECTION64_PATH": f"{folder}/timeline_cupti.so", "GPULAB_TIMELINE": f"{folder}/rows"}
                pathlib.Path(f"{folder}/rows").unlink(missing_ok=True)
                if subprocess.run([f"{folder}/timeline", name], env=environment).returncode == 0 and os.path.exists(f"{folder}/rows"):
                    found = summary(read_rows(f"{folder}/rows"))
                    runs += [found] if found else []
            if not runs:
                print(f"{name}: nothing was recorded", file=sys.stderr)
                continue
            middle = sorted(runs, key=lambda run: run["total"])[len(runs) // 2]
            document["programs"][name] = {key: round(value, 3) for key, value in middle.items()}
            print(f"{name:26} {middle['total']:10.1f} us, {middle['activities']} activities, the host's own {middle['own']:.1f} us", flush=True)
    pathlib.Path(options.file).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def kind_of(activity):
    if "launch" in activity:
        return "kernel"
    return "fill" if "memset" in activity["name"] else "copy"


def modelled(gpulab, program, name, profile):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        ran = subprocess.run([gpulab, "exec", program, "--profile", profile, "--format", "json", "--output", file.name, "--", name], capture_output=True, text=True)
        try:
            document = json.loads(pathlib.Path(file.name).read_text(encoding="utf-8"))
        except json.JSONDecodeError:
            sys.exit(f"{name}: {ran.stderr}")
    return summary([[kind_of(a), 1000 * a["start_ms"], 1000 * (a["start_ms"] + a["time_ms"])] for a in document["launches"]])


def compare(options):
    measured = json.loads(pathlib.Path(options.file).read_text(encoding="utf-8"))
    profile = options.profile or ("h200" if "H200" in measured["gpu"] else "h100")
    logs, beyond = [], []
    print(f"{'':26} {'measured us':>12} {'modelled':>10} {'ratio':>6}   kernels, copies, fills, gaps: modelled / measured")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.gpulab, "nvcc", "-O3", "-std=c++17", SOURCE, "-o", f"{folder}/timeline"], check=True)
        for name, there in measured["programs"].items():
            if options.only not in name:
                continue
            here = modelled(options.gpulab, f"{folder}/timeline", name, profile)
            ratio = here["total"] / there["total"]
            logs.append(abs(math.log(ratio)))
            if logs[-1] > math.log(options.within):
                beyond.append(name)
            parts = ", ".join(f"{here[key]:.1f} / {there[key]:.1f}" for key in (*KINDS, "gaps"))
            count = "" if here["activities"] == there["activities"] else f"  ({here['activities']} activities, {there['activities']} measured)"
            print(f"{name:26} {there['total']:12.1f} {here['total']:10.1f} {ratio:6.2f}   {parts}{count}", flush=True)
    if not logs:
        print("no program is in both")
        return 1
    print(f"{len(logs)} programs on {measured['gpu']}: error {math.exp(sum(logs) / len(logs)):.2f}, {len(logs) - len(beyond)} within {options.within:g}"
          + (f"; not {', '.join(beyond)}" if beyond else ""))
    return 1 if beyond else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    what = parser.add_subparsers(dest="what", required=True)
    one = what.add_parser("measure")
    one.add_argument("--nvcc", default="/usr/local/cuda/bin/nvcc")
    one.add_argument("--cupti")
    other = what.add_parser("compare")
    for each in (one, other):
        each.add_argument("file")
        each.add_argument("--only", default="")
    other.add_argument("gpulab")
    other.add_argument("--profile")
    other.add_argument("--within", type=float, default=1.3)
    options = parser.parse_args()
    return measure(options) if options.what == "measure" else compare(options)


if __name__ == "__main__":
    piped.end(main)
