#!/usr/bin/env python3
"""`gpulab grade --device gpu` on a machine with a GPU: `gpu_test.py GPULAB [ratios|device_tricks|cheats]` (a step of scripts/gpu_test.sh).

ratios: a class graded without a GPU is timed five times by --resume: items of the kind speed repeat within 2 %; host code's streams,
  events and L2 persistence, and a kernel's prefetches, gain nothing.
device_tricks: neither do streams and events of device code; one atomic for each element earns nothing.
cheats: kernels that fool timers (wrong/timer_cheats.cu) earn nothing.
A timed submission takes some 15 s on an H100 or H200. Prints each ratio and reason; exit code 77 where grade cannot run here.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ASSIGNMENTS = pathlib.Path(__file__).resolve().parent.parent.parent / "configs" / "assignments" / "reduce"
GRADINGS = 5
SPREAD = 1.02
GAIN = 1.02  # a trick that makes a kernel faster by less than this gained nothing: it is the spread
# Points fall from 100 to none over one time of the rung's, so that a hundredth of a point is a ratio of 0.0001.
FULL_AT, ZERO_AT, POINTS = 0.5, 1.5, 100

# What a program of one's own would do to be faster: nothing of it runs, since the host code is ours.
HOST_TRICKS = """
#include <cuda_runtime.h>
int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 26);
  cudaStreamAttrValue window = {};
  window.accessPolicyWindow.num_bytes = 1 << 26;
  window.accessPolicyWindow.hitRatio = 1;
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
  cudaEventRecord(event, stream);
}
"""


# The same from device code, as far as the device runtime has it.
DEVICE_TRICKS = """  if (blockIdx.x == 0 && threadIdx.x == 0) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventRecord(event, stream);
  }
"""
CHEATS = pathlib.Path(__file__).resolve().parent / "wrong" / "timer_cheats.cu"


def submissions():
    reference = (ASSIGNMENTS / "reference.cu").read_text()
    first = "  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane"
    prefetch = '  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in + blockIdx.x * blockDim.x));\n'
    tricks = reference.replace(first, prefetch + first)
    assert tricks != reference, "the reference has changed: say where its kernel begins"
    return {"plain": reference, "tricks": tricks + HOST_TRICKS,
            "device_tricks": reference.replace(first, DEVICE_TRICKS + first), "slow": (ASSIGNMENTS / "wrong/an_atomic_each.cu").read_text()}


def chosen(*names):
    return {name: text for name, text in submissions().items() if name in names}


def grade(folder, *options):
    """Each submission's item of the kind speed; none where grade refuses this machine."""
    command = [sys.argv[1], "grade", str(folder / "assignment.json"), "--output", str(folder / "out"), *options]
    command += ["--submission", *sorted(str(path) for path in folder.glob("class/*.cu"))]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if ran.returncode == 3:
        print(ran.stderr.strip().replace("\n", "; "))
        sys.exit(77)
    assert ran.returncode == 0, f"exit code {ran.returncode}: {ran.stderr}{ran.stdout}"
    made = {}
    for path in (folder / "out").glob("*.json"):
        document = json.loads(path.read_text())
        made[document["submission"].removesuffix(".cu")] = next(item for item in document["items"] if item["kind"] == "speed")
    return made


def cheats():
    """name -> file of each kernel of wrong/timer_cheats.cu that pretends to sum: the file, with that one called as the contract is."""
    text = CHEATS.read_text()
    return {kernel: re.sub(rf"\b{kernel}\b", "total", text)
            for kernel in re.findall(r"^// cheat: .*\n// wrong: reduce total (\w+)", text, re.M)}


def assignment(folder, who, files):
    """Writes one whose item `fast` pays by the time at 2^20 elements, and a class of these files."""
    (folder / "class").mkdir()
    for name, text in files.items():
        (folder / "class" / f"{name}.cu").write_text(text)
    (folder / "assignment.json").write_text(json.dumps({
        "schema": "gpulab.assignment.v1", "title": who, "lab": "reduce", "contract": "total", "items": [
            {"name": "correct", "kind": "correct", "points": 1, "visible": ["usual", "warps"]},
            {"name": "fast", "kind": "speed", "points": POINTS, "rung": "warp", "full_at": FULL_AT, "zero_at": ZERO_AT,
             "size": {"n": 1 << 20}, "certificate": False}]}))


def cheats_earn_nothing():
    failures = []
    texts = cheats()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        assignment(folder, "Cheats", texts)
        items = grade(folder, "--device", "gpu")
        for kernel in texts:
            item = items.get(kernel, {"status": "not graded", "earned": 0, "reason": ""})
            print(f"{kernel}: {item['status']}, {item['earned']} points: {item['reason']}")
            if item["status"] not in ("failed", "graded", "passed") or item["earned"] > 0:
                failures.append(f"{kernel} is {item['status']} and earned {item['earned']}")
    return failures


def ratio_of(item):
    """Of the rung's time, from the points."""
    return ZERO_AT - item["earned"] / POINTS * (ZERO_AT - FULL_AT)


def ratios_repeat():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        assignment(folder, "A sum, timed", chosen("plain", "tricks"))
        begun = time.monotonic()
        failures = [f"{who} is {item['status']} without a GPU" for who, item in grade(folder).items() if item["status"] != "pending"]
        print(f"without a GPU: {time.monotonic() - begun:.0f} s", flush=True)
        shutil.copytree(folder / "out", folder / "untimed")
        ratios = {}
        for number in range(GRADINGS):
            begun = time.monotonic()
            shutil.rmtree(folder / "out")
            shutil.copytree(folder / "untimed", folder / "out")
            for who, item in grade(folder, "--device", "gpu", "--resume").items():
                if item["status"] == "pending":
                    failures.append(f"{who} is pending on a GPU: {item['reason']}")
                elif item["earned"] > 0:
                    ratios.setdefault(who, []).append(ratio_of(item))
                else:
                    failures.append(f"{who} earned nothing: {item['reason']}")
            last = ", ".join(f"{who} {of_rung[-1]:.4f}" for who, of_rung in sorted(ratios.items()))
            print(f"grading {number + 1}: {time.monotonic() - begun:.0f} s: {last}", flush=True)
    for who, of_rung in sorted(ratios.items()):
        spread = max(of_rung) / min(of_rung)
        print(f"{who}: {' '.join(f'{ratio:.4f}' for ratio in of_rung)} of the rung's time, spread {spread:.4f}")
        if spread > SPREAD or len(of_rung) != GRADINGS:
            failures.append(f"{who}: {len(of_rung)} gradings differ by a factor of {spread:.4f}")
    if len(ratios) == 2 and min(ratios["plain"]) > GAIN * max(ratios["tricks"]):
        failures.append("tricks made the kernel faster")
    return failures


def device_tricks_gain_nothing():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        assignment(folder, "Tricks of device code", chosen("plain", "device_tricks", "slow"))
        items = grade(folder, "--device", "gpu")
    for who, item in sorted(items.items()):
        print(f"{who}: {item['status']}, {ratio_of(item):.4f} of the rung's time: {item['reason']}", flush=True)
    failures = [f"{who} is pending on a GPU: {item['reason']}" for who, item in items.items() if item["status"] == "pending"]
    if items["slow"]["earned"] > 0:
        failures.append("one atomic for each element earned points")
    if items["device_tricks"]["earned"] > 0 and ratio_of(items["plain"]) > GAIN * ratio_of(items["device_tricks"]):
        failures.append("device_tricks made the kernel faster")
    return failures


def main():
    parts = {"ratios": ratios_repeat, "device_tricks": device_tricks_gain_nothing, "cheats": cheats_earn_nothing}
    failures = [failure for part in sys.argv[2:] or parts for failure in parts[part]()]
    for failure in failures:
        print(f"FAILED: {failure}")
    sys.exit(1 if failures else 0)


main()
