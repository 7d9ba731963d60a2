#!/usr/bin/env python3
"""How far modelled times and counters are from a GPU's, for kernels that nobody here wrote.

usage: validate_programs.py CHECKOUT --gpulab BINARY --count 60 --seed 7 --output FOLDER     on a machine with a GPU and ncu
       validate_programs.py --compare FILE.json…                                              anywhere

Programs of HeCBench or NVIDIA's samples are drawn by --seed (scripts/survey), built by `gpulab nvcc`, run under Nsight Compute
natively, twice, and under `gpulab exec` for the same GPU. Of each kernel the first launch is measured: cold caches, the clock as it
is. A launch whose instructions differ between the two runs by more than 5 % is of a program that does not repeat itself, and is
named apart. FOLDER gets programs.json: names and figures, no code; what is there already is not measured again. --pack FILE.tgz
writes the sources of those that were drawn, for a machine without a checkout.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare_counters  # noqa: E402
import fidelity  # noqa: E402
from survey.checkout import Checkout  # noqa: E402
from survey.program import programs_of  # noqa: E402
from survey_programs import drawn, limited, pack  # noqa: E402

LEAST_US = 10  # shorter launches are mostly the cost of a launch
REPEATS = 0.05  # two runs of one launch that differ by more are not the same work
TIME = "gpu__time_duration.sum"
ASKED = {*compare_counters.REQUIRED, *(name for metric in compare_counters.OPTIONAL for name in compare_counters.names_of(metric)), TIME}


def name_of(kernel):
    """'void scale<float>(float*, int)' -> 'scale': what ncu prints with --print-kernel-base function."""
    text, depth = kernel.replace("(anonymous namespace)::", ""), 0
    kept = []
    for letter in text:
        depth += letter == "<"
        if letter == "(" and depth == 0:
            break
        if depth == 0:
            kept.append(letter)
        depth -= letter == ">" and depth > 0
    return "".join(kept).split()[-1].split("::")[-1] if kept else kernel


class Measuring:
    def __init__(self, arguments):
        self.arguments = arguments
        self.gpulab = str(pathlib.Path(arguments.gpulab).resolve())
        self.work = pathlib.Path(arguments.output).resolve() / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "COLUMNS": "150"}
        libraries = f"{pathlib.Path(arguments.nvcc).resolve().parent.parent}/lib64"
        self.native = {**os.environ, "LD_PRELOAD": f"{libraries}/libcudart.so", "LD_LIBRARY_PATH": f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
        gpus = fidelity.output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()
        self.gpu, self.driver = gpus[0].split(", ")
        self.profile = "h200" if "H200" in self.gpu else "h100" if "H100" in self.gpu else ""
        if not self.profile:
            sys.exit(f"{self.gpu}: no GPU that the model knows (h100, h200)")
        self.ncu = fidelity.ncu()
        self.metrics = compare_counters.metrics_argument(fidelity.output(self.ncu, "--query-metrics").splitlines()) + "," + TIME

    def build(self, program, checkout):
        root = self.work / program.name
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        checkout.extract(program.needs, root)
        folder = root / program.folder
        words = [*program.flags, *program.sources, "-o", "survey_program", *program.links]
        code, _, _, _ = limited([self.gpulab, "nvcc", *words], folder, 300, self.environment)
        return folder if code == 0 else None

    def profiled(self, program, folder, number):
        """[kernel, grid, block, metrics] of the first launch of each kernel; nothing where the program does not end."""
        log = folder / f".ncu_{number}.csv"
        command = [self.ncu, "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function",
                   "--clock-control", "none", "--kernel-id", ":::1", "--metrics", self.metrics, "--log-file", str(log),
                   str(folder / "survey_program"), *program.arguments]
        code, _, _, _ = limited(command, folder / program.run_folder, self.arguments.time, self.native)
        if code is None or not log.exists():
            return []
        return read_profile(log)

    def simulated(self, program, folder):
        report = folder / ".exec.json"
        options = ["--format", "json", "--output", str(report), "--threads", "1", "--profile", self.profile]
        if program.reads_elsewhere():
            options.append("--no-isolation")
        start = time.monotonic()
        limited([self.gpulab, "exec", str(folder / "survey_program"), *options, "--", *program.arguments], folder / program.run_folder,
                self.arguments.time, self.environment)
        try:
            return json.loads(report.read_text()), time.monotonic() - start
        except (OSError, ValueError):
            return {}, time.monotonic() - start

    def rows(self, program, first, second, document):
        """One for each kernel whose first launch both have."""
        seen, rows = set(), []
        again = {(name, tuple(grid)): values for name, grid, values in second}
        for name, grid, values in first:
            kernels = [k for k in document.get("kernels", []) if name_of(k["name"]) == name and k["grid"] == list(grid)]
            if len(kernels) != 1 or (name, tuple(grid)) in seen:
                continue
            seen.add((name, tuple(grid)))
            kernel, other = kernels[0], again.get((name, tuple(grid)), {})
            launch = next((one for one in document.get("launches", []) if one["name"] == kernel["name"] and one.get("grid") == kernel["grid"]), {})
            rows.append({"program": program.name, "kernel": name, "grid": list(grid), "block": kernel["block"],
                         "launches": kernel["launches"], "measured_us": values.get(TIME, 0) / 1000, "again_us": other.get(TIME, 0) / 1000,
                         "launch_us": (launch.get("time_ms") or 0) * 1000,
                         "model": {key: (kernel.get("model") or {}).get(key) for key in ("time_ms", "low_ms", "high_ms", "bound")},
                         "counters": {key: (kernel.get("counters") or {}).get(key) for key in (*compare_counters.EXACT, *compare_counters.SHOWN)},
                         "ncu": values, "repeats": repeats(values, other)})
        return rows

    def one(self, program, checkout):
        if program.refusal:
            return {"name": program.name, "why": program.refusal[0], "rows": []}
        folder = self.build(program, checkout)
        if folder is None:
            return {"name": program.name, "why": "does not build", "rows": []}
        return {"name": program.name, "folder": str(folder), "program": program}


def read_profile(log):
    """[kernel, grid, metrics] of each launch; nothing where ncu measured none."""
    lines = log.read_text(errors="replace").splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith('"ID"')]
    launches = []
    for row in csv.DictReader(lines[starts[0]:]) if starts else []:
        if (row["ID"] or "").isdigit():
            values = {name: compare_counters.number(text) for name, text in row.items() if text and name in ASKED}
            grid = [int(part) for part in row["Grid Size"].strip("()").split(",")]
            launches.append((row["Kernel Name"].split("<")[0].split("(")[0].split("::")[-1], grid, values))
    return launches


def repeats(values, other):
    """Whether two runs did the same work: instructions within REPEATS."""
    one, two = (v.get("smsp__inst_executed.sum") for v in (values, other))
    return bool(one and two) and abs(one - two) <= REPEATS * max(one, two)


def measure(arguments):
    checkout = Checkout(arguments.checkout, 4096 << 10)
    chosen = drawn(programs_of(checkout), arguments)
    if arguments.pack:
        return pack(checkout, chosen, arguments.pack)
    measuring = Measuring(arguments)
    file = pathlib.Path(arguments.output) / "programs.json"
    data = json.loads(file.read_text()) if file.exists() else {"seed": arguments.seed, "programs": {}}
    data.update(gpu=measuring.gpu, driver=measuring.driver, profile=measuring.profile)
    begun = time.monotonic()

    def write():
        file.write_text(text_of(data))

    left = [p for p in chosen if p.name not in data["programs"]]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # Programs are built and simulated side by side; the GPU is one program's at a time.
        built = {pool.submit(measuring.one, p, checkout): p for p in left}
        ready = []
        for future in concurrent.futures.as_completed(built):
            try:
                outcome = future.result()
            except (OSError, subprocess.SubprocessError) as error:
                outcome = {"name": built[future].name, "why": repr(error)[:100]}
            if "folder" in outcome:
                ready.append((built[future], pathlib.Path(outcome["folder"])))
            else:
                data["programs"][outcome["name"]] = {"why": outcome["why"], "rows": []}
        write()
        simulated = {p.name: pool.submit(measuring.simulated, p, folder) for p, folder in ready}
        for program, folder in ready:
            if arguments.limit and time.monotonic() - begun > arguments.limit:
                break
            first = measuring.profiled(program, folder, 1)
            second = measuring.profiled(program, folder, 2) if first else []
            document, seconds = simulated[program.name].result()
            rows = measuring.rows(program, first, second, document)
            data["programs"][program.name] = {"rows": rows, "simulated_s": round(seconds, 1), "status": document.get("status", "no report")}
            write()
            print(f"{program.name}: {len(first)} kernels measured, {len(rows)} compared, {seconds:.0f} s", flush=True)
    return compare([file])


def text_of(data):
    """A kernel on a line of its own, so that one can see what has changed."""
    facts = {key: value for key, value in data.items() if key != "programs"}
    programs = []
    for name, program in sorted(data["programs"].items()):
        rows = ",\n   ".join(json.dumps(row, sort_keys=True) for row in program["rows"])
        rest = json.dumps({key: value for key, value in program.items() if key != "rows"}, sort_keys=True)
        programs.append(f'  {json.dumps(name)}: {rest[:-1]}{", " if len(rest) > 2 else ""}"rows": [{rows}]}}')
    head = json.dumps(facts, sort_keys=True)
    return head[:-1] + ', "programs": {\n' + ",\n".join(programs) + "\n}}\n"


def compared_rows(files):
    for file in files:
        for program in json.loads(pathlib.Path(file).read_text())["programs"].values():
            yield from program["rows"]


def modelled_us(row):
    """Of the first launch where it is known by itself, else of a launch on the average."""
    return row["launch_us"] or (row["model"]["time_ms"] or 0) * 1000 / row["launches"]


def compare(files):
    judged, apart = [], []
    for row in compared_rows(files):
        if row["measured_us"] < LEAST_US or not modelled_us(row):
            continue
        (judged if row["repeats"] else apart).append(row)
    if not judged:
        print("nothing to compare")
        return 1
    for row in judged:
        row["ratio"] = modelled_us(row) / row["measured_us"]
        row["error"] = max(row["ratio"], 1 / row["ratio"])
        scale = modelled_us(row) / ((row["model"]["time_ms"] or 1) * 1000)
        row["inside"] = (row["model"]["low_ms"] or 0) * scale * 1000 <= row["measured_us"] <= (row["model"]["high_ms"] or 0) * scale * 1000
    count = len(judged)
    mean = math.exp(sum(math.log(row["error"]) for row in judged) / count)
    print(f"{count} kernels of {len({row['program'] for row in judged})} programs: error {mean:.2f}, "
          f"{100 * sum(row['error'] <= 1.5 for row in judged) / count:.0f} % within 1.5, "
          f"{100 * sum(row['error'] > 2.5 for row in judged) / count:.0f} % beyond 2.5, "
          f"{100 * sum(row['inside'] for row in judged) / count:.0f} % from low to high")
    for row in sorted(judged, key=lambda r: -r["error"])[:25]:
        print(f"  {row['ratio']:6.2f}  {row['program']} {row['kernel']} {row['measured_us']:.1f} us, {row['model']['bound']}")
    for row in apart:
        print(f"  not the same work twice: {row['program']} {row['kernel']}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?")
    parser.add_argument("--gpulab", default="build/gpulab")
    parser.add_argument("--nvcc", default=os.environ.get("GPULAB_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="", help="these programs: a,b,c")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--time", type=int, default=60, help="seconds of one run")
    parser.add_argument("--limit", type=int, default=0, help="seconds: no program is measured later")
    parser.add_argument("--pack", help="write the sources of those drawn, and end")
    parser.add_argument("--output", default="validate_programs")
    parser.add_argument("--compare", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.compare:
        return compare(arguments.compare)
    if not arguments.checkout:
        parser.error("a checkout, or --compare FILE")
    return measure(arguments)


if __name__ == "__main__":
    sys.exit(main())
