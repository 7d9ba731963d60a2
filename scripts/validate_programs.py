#!/usr/bin/env python3
"""How far modelled times and counters are from a GPU's, for kernels that nobody here wrote.

usage: validate_programs.py CHECKOUT[,CHECKOUT…] --gpulab BINARY --count 60 --seed 7 --output FOLDER     on a machine with a GPU and ncu
       validate_programs.py CHECKOUT … --beside 8 --time 90 --measure-time 30 --limit 500 --end 560    there, and the model meanwhile
       validate_programs.py CHECKOUT --gpulab BINARY --model FILE.json [--only a,b]             anywhere: what this build's model says
       validate_programs.py --compare FILE.json… [--half tune|judge]                            anywhere

Programs of HeCBench or NVIDIA's samples are drawn by --seed (scripts/survey), built by `gpulab nvcc`, and run under Nsight Compute
natively, twice. Of each kernel the first launch is measured: cold caches, the clock as it is. A launch whose instructions differ
between the two runs by more than 5 % is of a program that does not repeat itself, and is named apart. FOLDER gets programs.json:
names and figures, no code; what is there already is not measured again. --pack FILE.tgz writes the sources of those that were
drawn, for a machine without a checkout. --model runs the programs under `gpulab exec` for the same GPU and puts what this build's
model says beside what the GPU said, which stays; it needs no GPU, whose time is dear. --beside N does so for N programs on other
cores while the GPU measures the next; who has had no turn by --end is come to when the same FOLDER is measured again.

What is compared: Nsight Compute's gpu__time_duration of a launch with flushed caches, and what the model says that the kernel
takes, with what Nsight Compute has for a kernel that does nothing (NOTHING_US). Launches that have not ended here, or failed, are
named and left out; those of which the model says that it has no ground are counted like all others.
Programs fall into two halves by a hash of their names: a change of the model may look at `tune`; `judge` says how good it is.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare_counters  # noqa: E402
import fidelity  # noqa: E402
import piped  # noqa: E402
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


class Modelling:
    """What needs no GPU: programs are built, and run under `gpulab exec`."""

    def __init__(self, arguments, profile):
        self.arguments, self.profile = arguments, profile
        self.gpulab = str(pathlib.Path(arguments.gpulab).resolve())
        self.work = pathlib.Path(arguments.output).resolve() / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "COLUMNS": "150"}

    def build(self, program):
        root = self.work / program.name
        folder = root / program.folder
        if self.arguments.model and (folder / "survey_program").exists():
            return folder
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        program.checkout.extract(program.needs, root)
        words = [*program.flags, *program.sources, "-o", "survey_program", *program.links]
        code, _, said, _ = limited([self.gpulab, "nvcc", *words], folder, 300, self.environment)
        if code and "separate compilation" in said:  # kernels that launch kernels
            words = ["-rdc=true", *words]
            code, _, said, _ = limited([self.gpulab, "nvcc", *words], folder, 300, self.environment)
        if code and "cudaThreadSynchronize" in said:  # CUDA 13 has it by its later name alone
            code, _, _, _ = limited([self.gpulab, "nvcc", "-DcudaThreadSynchronize=cudaDeviceSynchronize", *words], folder, 300, self.environment)
        return folder if code == 0 else None

    def simulated(self, program, folder, seconds):
        report = folder / ".exec.json"
        report.unlink(missing_ok=True)
        options = ["--format", "json", "--output", str(report), "--threads", "1", "--profile", self.profile]
        if program.reads_elsewhere():
            options.append("--no-isolation")
        start = time.monotonic()
        limited([self.gpulab, "exec", str(folder / "survey_program"), *options, "--", *program.arguments], folder / program.run_folder,
                seconds, self.environment)
        try:
            return json.loads(report.read_text()), time.monotonic() - start
        except (OSError, ValueError):
            return {}, time.monotonic() - start


class Measuring(Modelling):
    def __init__(self, arguments):
        libraries = f"{pathlib.Path(arguments.nvcc).resolve().parent.parent}/lib64"
        self.native = {**os.environ, "LD_PRELOAD": f"{libraries}/libcudart.so", "LD_LIBRARY_PATH": f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
        gpus = fidelity.output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()
        self.gpu, self.driver = gpus[0].split(", ")
        profile = "h200" if "H200" in self.gpu else "h100" if "H100" in self.gpu else ""
        if not profile:
            sys.exit(f"{self.gpu}: no GPU that the model knows (h100, h200)")
        super().__init__(arguments, profile)
        self.ncu = fidelity.ncu()
        self.metrics = compare_counters.metrics_argument(fidelity.output(self.ncu, "--query-metrics").splitlines()) + "," + TIME

    def profiled(self, program, folder, number):
        """[kernel, grid, block, metrics] of the first launch of each kernel; nothing where the program does not end."""
        log = folder / f".ncu_{number}.csv"
        command = [self.ncu, "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function",
                   "--clock-control", "none", "--kernel-id", ":::1", "--metrics", self.metrics, "--log-file", str(log),
                   str(folder / "survey_program"), *program.arguments]
        code, _, _, _ = limited(command, folder / program.run_folder, self.arguments.measure_time or self.arguments.time, self.native)
        if code is None or not log.exists():
            return []
        return read_profile(log)

    def one(self, program):
        """Its folder once it is built; else why it is not."""
        if program.refusal:
            return program.refusal[0], None
        folder = self.build(program)
        return ("" if folder else "does not build"), folder


def measured_launches(first, second):
    """The first launch of each kernel and grid, with the other run's time, and whether both did the same work."""
    again, launches = {(name, tuple(grid)): values for name, grid, values in second}, {}
    for name, grid, values in first:
        other = again.get((name, tuple(grid)), {})
        launches.setdefault((name, tuple(grid)), {"kernel": name, "grid": list(grid), "measured_us": values.get(TIME, 0) / 1000,
                                                  "again_us": other.get(TIME, 0) / 1000, "ncu": values, "repeats": repeats(values, other)})
    return list(launches.values())


def kernel_of(row, document):
    """gpulab's kernel of that name and grid, if there is exactly one, and if the program has come to its end or to its model."""
    kernels = [k for k in document.get("kernels", []) if name_of(k["name"]) == row["kernel"] and k["grid"] == row["grid"]]
    return kernels[0] if len(kernels) == 1 and (kernels[0].get("model") or document.get("status") == "ok") else None


def modelled(kernel, document):
    """What gpulab says of a kernel, and of its first launch; launch_us is 0 where the model says nothing of it."""
    launch = next((one for one in document.get("launches", []) if one["name"] == kernel["name"] and one.get("grid") == kernel["grid"]), {})
    model = kernel.get("model") or {}
    return {"block": kernel["block"], "launches": kernel["launches"], "launch_us": (launch.get("time_ms") or 0) * 1000 if model else 0,
            "model": {key: model.get(key) for key in ("time_ms", "low_ms", "high_ms", "bound", "no_ground")},
            "counters": {key: (kernel.get("counters") or {}).get(key) for key in (*compare_counters.EXACT, *compare_counters.SHOWN)}}


def take_model(name, program, document, seconds):
    """Puts what gpulab's report says of a program's launches beside what was measured of them."""
    waiting = []
    for row in program["rows"] + program.get("measured", []):
        kernel = kernel_of(row, document)
        if kernel:
            row.update(program=name, **modelled(kernel, document))
        if "model" not in row:
            waiting.append(row)
    program["rows"] = [row for row in program["rows"] + program.get("measured", []) if "model" in row]
    program["measured"] = waiting  # gpulab has not come to these launches: out of time, or it has no such kernel
    program.update(simulated_s=round(seconds, 1), status=document.get("status", "no report"))
    print(f"{name}: {seconds:.0f} s", flush=True)


def programs_in(checkouts):
    """Programs of all checkouts, `a,b`, by name; of two of one name the later one's stands behind that of its checkout."""
    every = {}
    for place in checkouts.split(","):
        for name, make in programs_of(Checkout(place, 4096 << 10)).items():
            every[f"{pathlib.Path(place).name}__{name}" if name in every else name] = make
    return every


def model(arguments):
    """Puts what this build's model says into a file that was measured before; of a kernel that it does not come to, nothing changes."""
    file = pathlib.Path(arguments.model)
    data = json.loads(file.read_text())
    every, modelling = programs_in(arguments.checkout), Modelling(arguments, data["profile"])
    names = [n for n, p in sorted(data["programs"].items())
             if (p["rows"] or p.get("measured")) and (not arguments.only or n in arguments.only.split(",")) and arguments.half in ("", half_of(n))]

    def one(name):
        program = every[name]()
        folder = modelling.build(program)
        return (name, *(modelling.simulated(program, folder, arguments.time) if folder else ({}, 0)))

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, document, seconds in pool.map(one, names):
            take_model(name, data["programs"][name], document, seconds)
    target = pathlib.Path(arguments.output) / "programs.json"
    target.write_text(text_of(data))
    return compare([target], arguments.half, arguments.shown)


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


class Beside:
    """The model says what it does of programs that were measured, on other cores, while the GPU measures the next."""

    def __init__(self, arguments, measuring, data, write):
        self.arguments, self.measuring, self.data, self.write = arguments, measuring, data, write
        self.begun, self.pool = time.monotonic(), concurrent.futures.ThreadPoolExecutor(max(1, arguments.beside))

    def add(self, program, built):
        """`built` gives the program's folder."""
        if self.arguments.beside:
            self.pool.submit(self.one, program, built)

    def one(self, program, built):
        folder = built() if self.left() > 0 else None
        seconds = min(self.arguments.time, self.left())
        if not folder or seconds < 5:
            return
        document, took = self.measuring.simulated(program, folder, seconds)
        with self.write.lock:
            kept = self.data["programs"][program.name]
            take_model(program.name, kept, document, took)
            kept.pop("cut", None)
            if seconds < self.arguments.time and took >= seconds:
                kept["cut"] = True  # by --end: it has had less than --time
            self.write()

    def left(self):
        return self.arguments.end - (time.monotonic() - self.begun) if self.arguments.end else self.arguments.time


class Write:
    """programs.json, whole at any time."""

    def __init__(self, file, data):
        self.file, self.data, self.lock = file, data, threading.RLock()

    def __call__(self):
        with self.lock:
            part = self.file.with_suffix(".part")
            part.write_text(text_of(self.data))
            part.replace(self.file)


def measure(arguments):
    chosen = drawn(programs_in(arguments.checkout), arguments)
    if arguments.pack:
        return pack(Checkout(arguments.checkout, 4096 << 10), chosen, arguments.pack)
    measuring = Measuring(arguments)
    file = pathlib.Path(arguments.output) / "programs.json"
    data = json.loads(file.read_text()) if file.exists() else {"seed": arguments.seed, "programs": {}}
    if data.get("gpu", measuring.gpu) != measuring.gpu:
        sys.exit(f"{file} is of an {data['gpu']}, and this is an {measuring.gpu}")
    data.update(gpu=measuring.gpu, driver=measuring.driver, profile=measuring.profile)
    write, begun = Write(file, data), time.monotonic()
    beside = Beside(arguments, measuring, data, write)
    known = {name: program for name, program in data["programs"].items() if program.get("measured") and (program.get("cut") or "status" not in program)}
    for program in chosen:
        if program.name in known:
            beside.add(program, lambda program=program: measuring.one(program)[1])
    left = [p for p in chosen if p.name not in data["programs"]]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # Programs are built side by side; the GPU is one program's at a time.
        built = {pool.submit(measuring.one, p): p for p in left}
        for future in concurrent.futures.as_completed(built):
            program, (why, folder) = built[future], future.result()
            if arguments.limit and time.monotonic() - begun > arguments.limit:
                break
            launches = []
            if folder:
                first = measuring.profiled(program, folder, 1)
                launches = measured_launches(first, measuring.profiled(program, folder, 2) if first else [])
            with write.lock:
                data["programs"][program.name] = {"measured": launches, "rows": []} if folder else {"why": why, "rows": []}
                write()
            print(f"{program.name}: {len(launches)} kernels measured, {time.monotonic() - begun:.0f} s", flush=True)
            if launches:
                beside.add(program, lambda folder=folder: folder)
        pool.shutdown(cancel_futures=True)
    beside.pool.shutdown()
    return 0


def text_of(data):
    """A kernel on a line of its own, so that one can see what has changed."""
    facts = {key: value for key, value in data.items() if key != "programs"}
    programs = []
    for name, program in sorted(data["programs"].items()):
        lists = ", ".join(f'"{key}": [{",".join(chr(10) + "   " + json.dumps(row, sort_keys=True) for row in program[key])}]'
                          for key in ("measured", "rows") if program.get(key) or key == "rows")
        rest = json.dumps({key: value for key, value in program.items() if key not in ("measured", "rows")}, sort_keys=True)
        programs.append(f'  {json.dumps(name)}: {rest[:-1]}{", " if len(rest) > 2 else ""}{lists}}}')
    head = json.dumps(facts, sort_keys=True)
    return head[:-1] + ', "programs": {\n' + ",\n".join(programs) + "\n}}\n"


NOTHING_US = 2.2  # kernels of one block that do next to nothing: 2.18 us (bh, InitializationKernel), 2.24 (mtf, static_kernel)


def half_of(program):
    return "judge" if int(hashlib.sha256(program.encode()).hexdigest(), 16) % 2 else "tune"


def launch_cost_us(profile):
    """What a modelled time of one launch has beside the kernel."""
    file = pathlib.Path(__file__).resolve().parent.parent / "configs/timing" / f"{profile}.json"
    return json.loads(file.read_text())["fields"]["launch"]["value"]


def modelled_us(row, launch_cost):
    """Of the first launch where it is known by itself, else of a launch on the average; as Nsight Compute counts. 0: it has none."""
    if row["model"]["time_ms"] is None:
        return 0
    return max(0, (row["launch_us"] or row["model"]["time_ms"] * 1000 / row["launches"]) - launch_cost) + NOTHING_US


def compared_rows(files, half):
    """Rows with what is compared in them, and those apart: not the same work twice."""
    judged, apart = [], []
    for file in files:
        data = json.loads(pathlib.Path(file).read_text())
        cost = launch_cost_us(data.get("profile", "h100"))
        for name, program in data["programs"].items():
            for row in program["rows"]:
                if row["measured_us"] < LEAST_US or (half and half_of(name) != half):
                    continue
                row["modelled_us"] = modelled_us(row, cost)
                (judged if row["repeats"] else apart).append(row)
    return judged, apart


def judge(row):
    row["ratio"] = row["modelled_us"] / row["measured_us"]
    row["error"] = max(row["ratio"], 1 / row["ratio"])
    model = row["model"]
    row["inside"] = model["low_ms"] / model["time_ms"] * row["modelled_us"] <= row["measured_us"] <= model["high_ms"] / model["time_ms"] * row["modelled_us"]
    row["width"] = model["high_ms"] / model["low_ms"]


def pairs_in_order(judged):
    """(in order, all) of pairs of kernels of one program whose measured times differ by 15 % and more."""
    right = count = 0
    for i, one in enumerate(judged):
        for other in judged[i + 1:]:
            if one["program"] != other["program"] or max(one["measured_us"], other["measured_us"]) < 1.15 * min(one["measured_us"], other["measured_us"]):
                continue
            count += 1
            right += (one["modelled_us"] < other["modelled_us"]) == (one["measured_us"] < other["measured_us"])
    return right, count


def compare(files, half="", shown=25):
    rows, apart = compared_rows(files, half)
    judged = [row for row in rows if row["modelled_us"]]
    if not judged:
        print("nothing to compare")
        return 1
    for row in judged:
        judge(row)
    count = len(judged)
    mean = math.exp(sum(math.log(row["error"]) for row in judged) / count)
    right, pairs = pairs_in_order(judged)
    unknown = sum(bool(row["model"].get("no_ground")) for row in judged)
    print(f"{count} kernels of {len({row['program'] for row in judged})} programs: error {mean:.2f}, "
          f"{100 * sum(row['error'] <= 1.5 for row in judged) / count:.0f} % within 1.5, "
          f"{100 * sum(row['error'] > 2.5 for row in judged) / count:.0f} % beyond 2.5, "
          f"{100 * sum(row['inside'] for row in judged) / count:.0f} % from low to high, "
          f"high by low {sorted(row['width'] for row in judged)[count // 2]:.1f} in the middle, {100 * unknown / count:.0f} % no ground, "
          f"{right} of {pairs} pairs in order")
    for row in sorted(judged, key=lambda r: -r["error"])[:shown]:
        print(f"  {row['ratio']:6.2f}  {row['program']} {row['kernel']} {row['measured_us']:.1f} us, {row['model']['bound']}")
    for row in rows:
        if not row["modelled_us"]:
            print(f"  without a modelled time: {row['program']} {row['kernel']} {row['measured_us']:.1f} us")
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
    parser.add_argument("--measure-time", type=int, default=0, help="seconds of one run under ncu; 0: --time")
    parser.add_argument("--beside", type=int, default=0, help="so many programs are modelled while others are measured")
    parser.add_argument("--end", type=int, default=0, help="seconds: what is still modelled then (--beside) is asked for what it has")
    parser.add_argument("--limit", type=int, default=0, help="seconds: no program is measured later")
    parser.add_argument("--pack", help="write the sources of those drawn, and end")
    parser.add_argument("--output", default="validate_programs")
    parser.add_argument("--model", metavar="FILE", help="put what this build's model says beside what FILE measured")
    parser.add_argument("--half", choices=["", "tune", "judge"], default="", help="of the programs")
    parser.add_argument("--shown", type=int, default=25, help="of the worst")
    parser.add_argument("--compare", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.compare:
        return compare(arguments.compare, arguments.half, arguments.shown)
    if not arguments.checkout:
        parser.error("a checkout, or --compare FILE")
    return model(arguments) if arguments.model else measure(arguments)


if __name__ == "__main__":
    piped.end(main)
