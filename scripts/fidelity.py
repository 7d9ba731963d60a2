#!/usr/bin/env python3
"""The fidelity suite's counters under Nsight Compute, as tests/data keeps them.

usage: fidelity.py PROGRAM FOLDER     on a machine with a GPU and ncu: profiles PROGRAM (fidelity_run), writes
                                      FOLDER/fidelity_<gpu>.csv, compares the simulator's counters with it
       fidelity.py --convert PROGRAM NCU.csv GPU DRIVER NCU_VERSION FOLDER
                                      the same from a finished profile

Commit the file in tests/data; unit_tests compare with every fidelity_*.csv there. What differs is to be fixed or
listed with its cause in tests/data/fidelity_residuals.csv. Exits 1 if something differs, 2 if it cannot be told.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RESIDUALS = os.path.join(HERE, "..", "tests", "data", "fidelity_residuals.csv")
sys.path.insert(0, HERE)
import compare_counters  # noqa: E402
import piped  # noqa: E402


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def ncu():
    found = shutil.which("ncu") or next(
        iter(sorted(glob.glob("/usr/local/cuda*/bin/ncu") + glob.glob("/opt/nvidia/nsight-compute/*/ncu"))), None)
    if not found:
        raise compare_counters.Mismatched("no ncu here")
    return found


def slug(gpu):
    """'NVIDIA H200' -> 'h200'"""
    return re.sub(r"[^a-z0-9]+", "_", gpu.replace("NVIDIA", "").strip().lower())


def launches_of(program):
    """(case, kernel, grid) of each launch, in order."""
    for line in output(program, "--list").splitlines():
        case, kernel, *grid = line.rsplit(",", 4)
        yield case, kernel, [int(part) for part in grid]


def rows(program, profile):
    """(case, its metrics), each measured launch matched with the suite's."""
    expected, measured = list(launches_of(program)), compare_counters.read_ncu(profile)
    if len(expected) != len(measured):
        raise compare_counters.Mismatched(f"{len(measured)} launches profiled, the suite has {len(expected)}")
    for (case, kernel, grid), (name, its_grid, values) in zip(expected, measured):
        if (kernel, grid) != (name, its_grid):
            raise compare_counters.Mismatched(f"{case}: expected {kernel} {grid}, profiled {name} {its_grid}")
        if "," in case:
            raise compare_counters.Mismatched(f"{case}: a comma in a case's name")
        yield case, values


def cell(value):
    return "" if value is None else f"{value:.10g}"


def convert(program, profile, gpu, driver, version, folder):
    path = os.path.join(folder, f"fidelity_{slug(gpu)}.csv")
    table = list(rows(program, profile))
    metrics = sorted({metric for _, values in table for metric in values})
    with open(path, "w") as file:
        file.write(f"# gpu: {gpu}\n# driver: {driver}\n# ncu: {version}\n{','.join(['case'] + metrics)}\n")
        for case, values in table:
            file.write(",".join([case] + [cell(values.get(metric)) for metric in metrics]) + "\n")
    print(f"{path}: {len(table)} cases, {len(metrics)} metrics each")
    return subprocess.run([program, "--agree", path, RESIDUALS]).returncode


def measure(program, folder):
    tool = ncu()
    gpus = output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()
    gpu, driver = gpus[0].split(", ")
    version = re.search(r"Version (\S+)", output(tool, "--version")).group(1)
    metrics = compare_counters.metrics_argument(output(tool, "--query-metrics").splitlines())
    with tempfile.TemporaryDirectory() as work:
        profile = os.path.join(work, "profile.csv")
        subprocess.run([tool, "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function",
                        "--clock-control", "none", "--metrics", metrics, "--log-file", profile,
                        program, "--device", "gpu"], check=True)
        shutil.copy(profile, os.path.join(folder, "fidelity_ncu.csv"))
        return convert(program, profile, gpu, driver, version, folder)


def main(arguments):
    try:
        if len(arguments) == 2 and not arguments[0].startswith("-"):
            return measure(*arguments)
        if len(arguments) == 7 and arguments[0] == "--convert":
            return convert(*arguments[1:])
    except (compare_counters.Mismatched, OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    piped.end(lambda: main(sys.argv[1:]))
