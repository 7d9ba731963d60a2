#!/usr/bin/env python3
"""How many of others' CUDA programs `gpulab exec` runs: `survey_programs.py CHECKOUT --gpulab BINARY --count 150 --output FOLDER`.

CHECKOUT is a folder with HeCBench (src/NAME-cuda) or NVIDIA's cuda-samples (Samples/*/NAME), or a bare git directory of one.
Programs are drawn by --seed, built by `gpulab nvcc` as their Makefile would build them, and run with the arguments of its target
`run`, but once where they take a repeat count. FOLDER gets survey.md and survey.json; --pack FILE.tgz writes the sources of those
that were drawn and ends, for a machine that has no checkout. Sources are never part of this tree.

--native runs each program on this machine's GPU too, and compares what the two print, but for times and addresses.
Needed: nvcc, g++, python3 and the gpulab binary.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import piped  # noqa: E402
from survey.checkout import Checkout  # noqa: E402
from survey.outcome import judge, compare  # noqa: E402
from survey.program import programs_of  # noqa: E402


def limited(command, folder, seconds, environment=None, grace=10):
    """(exit code or None where time ran out, standard output, standard error, seconds); its group ends with it."""
    start = time.monotonic()
    with open(folder / ".survey_out", "w+b") as out, open(folder / ".survey_err", "w+b") as err:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                 env=environment)
        code = None
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.terminate()  # gpulab reports what has run so far
            try:
                child.wait(grace)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(child.pid, 9)
        except ProcessLookupError:
            pass
        child.wait()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(1 << 20).decode("utf-8", "replace"))
    return code, texts[0], texts[1], time.monotonic() - start


class Survey:
    def __init__(self, arguments, checkout):
        self.arguments, self.checkout = arguments, checkout
        self.gpulab = str(pathlib.Path(arguments.gpulab).resolve())
        self.folder = pathlib.Path(arguments.output).resolve()
        self.work = self.folder / "programs"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "COLUMNS": "150"}

    def run(self, program):
        """What became of one, as a dictionary."""
        outcome = {"name": program.name, "arguments": program.arguments, "build_s": None, "run_s": None}
        if program.refusal:
            return {**outcome, "class": program.refusal[0], "detail": program.refusal[1]}
        root = self.work / program.name
        folder = root / program.folder
        built = self.arguments.again and (folder / "survey_program").exists()
        missing = [] if built else self.fetch(program, root)
        if not folder.is_dir():
            return {**outcome, "class": "needs data", "detail": "a folder that this copy of the repository lacks"}
        lacks = [a for a in program.files_in_arguments() if not (folder / program.run_folder / a).exists()]
        outcome["missing"] = missing[:5]
        if not built:
            outcome.update(self.build(program, folder))
        if "class" not in outcome:
            outcome.update(self.simulate(program, folder))
            if lacks and outcome["class"] in ("own exit code", "crash", "time", "check failed"):
                outcome.update({"class": "needs data", "detail": ", ".join(lacks[:2])})
            if self.arguments.native and outcome["class"] not in ("closed library",):
                outcome["native"] = self.native(program, folder, outcome)
        if not self.arguments.keep:
            shutil.rmtree(root, ignore_errors=True)
        return outcome

    def fetch(self, program, root):
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        return self.checkout.extract(program.needs, root)

    def build(self, program, folder):
        words = [*(["--old-cuda"] if self.arguments.old_cuda else []), *program.flags, *program.sources, "-o", "survey_program", *program.links]
        code, out, err, seconds = limited([self.gpulab, "nvcc", *words], folder, self.arguments.build_time, self.environment)
        if code is not None and "separate compilation" in err and "-rdc=true" not in program.flags:
            program.flags.append("-rdc=true")  # as the course's Makefile has it
            return self.build(program, folder)
        if code == 0:
            return {"build_s": round(seconds, 1)}
        said = next((line for line in (err + out).splitlines() if "error" in line.lower() or "cannot find" in line), "")
        if code is None:
            return {"class": "nvcc fails", "detail": f"took more than {self.arguments.build_time} s"}
        plain = [w for w in words if not w.startswith(("-arch", "-gencode", "-code", "--gpu", "--old-cuda"))]
        alone, _, _, _ = limited([self.arguments.nvcc, "-arch=sm_90", *plain], folder, self.arguments.build_time, self.environment)
        return {"class": "nvcc fails" if alone != 0 else "gpulab nvcc fails", "detail": said[:200]}

    def simulate(self, program, folder):
        report = folder / ".survey_report.json"
        options = ["--format", "json", "--output", str(report), "--threads", str(self.arguments.threads)]
        if program.reads_elsewhere():
            options.append("--no-isolation")
        if self.arguments.sanitize:
            options += ["--sanitize", self.arguments.sanitize]
        if self.arguments.old_cuda:
            options.append("--old-cuda")
        if self.arguments.no_counters:
            options.append("--no-counters")
        started = folder / program.run_folder
        code, out, err, seconds = limited([self.gpulab, "exec", str(folder / "survey_program"), *options, "--", *program.arguments],
                                          started, self.arguments.time, self.environment)
        (folder / ".survey_sim").write_text(out)
        try:
            document = json.loads(report.read_text())
        except (OSError, ValueError):
            document = {}
        outcome = judge(code, out, err, document)
        outcome["run_s"] = round(seconds, 2)
        outcome["stdout_end"] = out[-600:]
        return outcome

    def native(self, program, folder, outcome):
        started = folder / program.run_folder
        libraries = f"{pathlib.Path(self.arguments.nvcc).resolve().parent.parent}/lib64"
        environment = {**os.environ, "LD_PRELOAD": f"{libraries}/libcudart.so", "LD_LIBRARY_PATH": f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
        code, out, err, seconds = limited([str(folder / "survey_program"), *program.arguments], started, self.arguments.time, environment)
        told = judge(code, out, err, {"status": "ok", "exit_code": code})
        result = {"class": told["class"], "exit_code": code, "run_s": round(seconds, 2), "stdout_end": out[-600:]}
        if outcome["class"] not in ("time", "unsupported", "texture", "cluster", "driver API", "hung"):
            result["comparison"], result["differences"] = compare((folder / ".survey_sim").read_text(), out)
        return result


def table(outcomes, arguments):
    """The outcome as Markdown."""
    counts = {}
    for one in outcomes:
        counts[one["class"]] = counts.get(one["class"], 0) + 1
    lines = [f"# {len(outcomes)} programs, seed {arguments.seed}, at most {arguments.time} s each", "", "| outcome | programs |", "| --- | --: |"]
    lines += [f"| {name} | {count} |" for name, count in sorted(counts.items(), key=lambda kv: -kv[1])]
    lines += ["", "| program | arguments | outcome | what | build s | run s | launches | M warp instr. | findings | GPU |", "| " + " --- |" * 10]
    for one in sorted(outcomes, key=lambda o: (o["class"], o["name"])):
        native = one.get("native", {})
        cells = [one["name"], " ".join(one["arguments"])[:40], one["class"], one.get("detail", "")[:90], one.get("build_s"), one.get("run_s"),
                 one.get("launches"), one.get("warp_instructions") and round(one["warp_instructions"] / 1e6, 1),
                 "; ".join(one.get("findings", []))[:160], f"{native.get('class', '')} {native.get('comparison', '')}".strip()]
        lines.append("| " + " | ".join("" if c is None else str(c).replace("|", "\\|").replace("\n", " ") for c in cells) + " |")
    return "\n".join(lines) + "\n"


def drawn(every, arguments):
    """The programs that --only names, in its order, or --count and --seed; else all."""
    names = sorted(every)
    if arguments.only:
        names = [n for n in arguments.only.split(",") if n in every]
    elif arguments.count:
        names = sorted(random.Random(arguments.seed).sample(names, min(arguments.count, len(names))))
    return [every[name]() for name in names]


def pack(checkout, chosen, target):
    """Sources of the chosen, as a checkout that holds nothing else."""
    with tarfile.open(target, "w:gz") as archive:
        for name in sorted({path for program in chosen for path in program.needs}):
            checkout.add_to(archive, name)
    print(f"{target}: {len(chosen)} programs, {os.path.getsize(target) >> 10} KiB")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("--gpulab", default="build/gpulab")
    parser.add_argument("--nvcc", default=os.environ.get("GPULAB_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--count", type=int, default=0, help="how many; 0: all")
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--only", default="", help="these programs: a,b,c")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--threads", type=int, default=1, help="of each simulation")
    parser.add_argument("--time", type=int, default=120, help="seconds that a program may run")
    parser.add_argument("--build-time", type=int, default=300)
    parser.add_argument("--limit", type=int, default=0, help="seconds: none is begun later")
    parser.add_argument("--sanitize", default="", help="tools of `gpulab exec --sanitize`")
    parser.add_argument("--no-counters", action="store_true")
    parser.add_argument("--libraries", action="store_true", help="programs of cuBLAS and its like and of the driver's API, too")
    parser.add_argument("--old-cuda", action="store_true", help="with what CUDA has dropped")
    parser.add_argument("--native", action="store_true", help="on this machine's GPU, too")
    parser.add_argument("--most-kb", type=int, default=4096, help="files beyond that are data that we lack")
    parser.add_argument("--keep", action="store_true", help="sources and programs stay in the folder")
    parser.add_argument("--again", action="store_true", help="what --keep left there is run, not built again")
    parser.add_argument("--pack", help="write the sources of those drawn, and end")
    parser.add_argument("--output", default="survey")
    return parser.parse_args()


def main():
    arguments = parsed()
    checkout = Checkout(arguments.checkout, arguments.most_kb << 10)
    checkout.libraries = arguments.libraries
    every = programs_of(checkout)
    if not every:
        sys.exit(f"{arguments.checkout}: neither src/NAME-cuda nor Samples/*/NAME in it")
    chosen = drawn(every, arguments)
    if arguments.pack:
        pack(checkout, chosen, arguments.pack)
        return 0
    survey = Survey(arguments, checkout)
    outcomes, begun = [], time.monotonic()

    def one(program):
        if arguments.limit and time.monotonic() - begun > arguments.limit:
            return {"name": program.name, "arguments": program.arguments, "class": "not begun"}
        try:
            return survey.run(program)
        except Exception as error:  # a survey goes on
            return {"name": program.name, "arguments": program.arguments, "class": "survey failed", "detail": repr(error)[:200]}

    def write():
        (survey.folder / "survey.json").write_text(json.dumps(sorted(outcomes, key=lambda o: o["name"]), indent=1))
        (survey.folder / "survey.md").write_text(table(outcomes, arguments))

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for outcome in concurrent.futures.as_completed([pool.submit(one, p) for p in chosen]):
            outcomes.append(outcome.result())
            write()  # what is known survives whatever ends us
            last = outcomes[-1]
            print(f"{len(outcomes)}/{len(chosen)} {last['name']}: {last['class']} {last.get('detail', '')[:100]} {last.get('run_s') or ''}", flush=True)
    print((survey.folder / "survey.md").read_text().split("\n\n")[1])
    return 0


if __name__ == "__main__":
    piped.end(main)
