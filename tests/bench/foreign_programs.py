#!/usr/bin/env python3
"""How long others' whole programs take, by two builds of gpulab: `foreign_programs.py CHECKOUT --before OLD --now NEW --seed 38`.

CHECKOUT is HeCBench, a folder or a bare git directory (scripts/survey_programs.py). Programs are taken in the order of a seed, built
by OLD's `gpulab nvcc` as their Makefile says, and run with the arguments of its target `run`, once where they take a repeat count.
Those count that OLD runs to their end in --least to --most seconds, until there are --count. Then both run each in turns (--rounds).

Told are CPU seconds of the whole program, which other work on the machine changes little, and seconds by the clock; both of the
quickest round, and the geometric mean of OLD / NEW. --again goes on where an earlier call with the same --output ended.
"""
import argparse
import json
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from survey.checkout import Checkout  # noqa: E402
from survey.program import programs_of  # noqa: E402


def timed(command, folder, cpu_limit):
    """(exit code, CPU seconds of the command and of what it waited for, seconds); -24 where the limit ended it."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 5))
        os.setsid()
    start = time.monotonic()
    with open(folder / ".bench_out", "wb") as out:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=limit)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, used.ru_utime + used.ru_stime, time.monotonic() - start


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = pathlib.Path(arguments.output).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "programs.json"
        self.seen = json.loads(self.file.read_text()) if arguments.again and self.file.exists() else {}

    def write(self):
        self.file.write_text(json.dumps(self.seen, indent=1))

    def folder_of(self, program):
        return self.folder / program.name / program.folder

    def build(self, checkout, program):
        (self.folder / program.name).mkdir(exist_ok=True)
        checkout.extract(program.needs, self.folder / program.name)
        words = [*program.flags, *program.sources, "-o", "program", *program.links]
        code, _, _ = timed([self.arguments.before, "nvcc", *words], self.folder_of(program), 300)
        return code == 0

    def run(self, gpulab, program):
        options = ["--no-isolation"] if program.reads_elsewhere() else []
        folder = self.folder_of(program)
        command = [gpulab, "exec", str(folder / "program"), *options, "--threads", str(self.arguments.threads), "--", *program.arguments]
        return timed(command, folder / program.run_folder, self.arguments.most)

    def draw(self, checkout, every):
        """The programs that count."""
        names = sorted(every)
        random.Random(self.arguments.seed).shuffle(names)
        chosen = []
        for name in names:
            if len(chosen) == self.arguments.count:
                break
            program = every[name]()
            if name not in self.seen:
                self.seen[name] = self.first_look(checkout, program)
                self.write()
                print(f"{name}: {self.seen[name]}", flush=True)
            if self.counts(name):
                chosen.append(program)
        return chosen

    def first_look(self, checkout, program):
        if program.refusal or not self.build_or_none(checkout, program):
            return {"why": "not built"}
        code, cpu, clock = self.run(self.arguments.before, program)
        return {"code": code, "arguments": program.arguments, "before": [[cpu, clock]], "now": []}

    def counts(self, name):
        one = self.seen[name]
        return one.get("code") == 0 and self.arguments.least <= one["before"][0][0] <= self.arguments.most

    def build_or_none(self, checkout, program):
        try:
            return self.build(checkout, program)
        except OSError:
            return False

    def compare(self, program):
        one = self.seen[program.name]
        while len(one["now"]) < self.arguments.rounds:
            if len(one["before"]) == len(one["now"]):
                one["before"].append(self.run(self.arguments.before, program)[1:])
            code, *times = self.run(self.arguments.now, program)
            if code != 0:
                sys.exit(f"{program.name}: ends with {code} by {self.arguments.now}")
            one["now"].append(times)
            self.write()


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("--before", required=True)
    parser.add_argument("--now", required=True)
    parser.add_argument("--seed", type=int, default=38)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--least", type=int, default=20, help="CPU seconds by the build before")
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", default="foreign_programs")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--draw", action="store_true", help="end when the programs are drawn")
    return parser.parse_args()


def main():
    arguments = parsed()
    checkout = Checkout(arguments.checkout, 4096 << 10)
    bench = Bench(arguments)
    chosen = bench.draw(checkout, programs_of(checkout))
    if arguments.draw:
        return 0
    logs = {"CPU": 0.0, "clock": 0.0}
    print("| program | arguments | CPU s before | now | ratio | clock |\n| --- | --- | --: | --: | --: | --: |")
    for program in chosen:
        bench.compare(program)
        one = bench.seen[program.name]
        before, now = ([min(times) for times in zip(*one[side])] for side in ("before", "now"))
        ratios = [b / n for b, n in zip(before, now)]
        for name, ratio in zip(logs, ratios):
            logs[name] += math.log(ratio) / len(chosen)
        print(f"| {program.name} | {' '.join(program.arguments)} | {before[0]:.1f} | {now[0]:.1f} | {ratios[0]:.2f} | {ratios[1]:.2f} |", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}; geometric mean " + ", ".join(f"{name} {math.exp(x):.2f}" for name, x in logs.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
