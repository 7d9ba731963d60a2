#!/usr/bin/env python3
"""Random kernels in many processes: what each thread does by itself against the simulator, and against a GPU.

usage: differential.py PROGRAM [--device sim|gpu] [--first N] [--kernels N] [--jobs N] [--vary] [--seconds N]
                       [--opcodes FILE] [--out FOLDER]
       differential.py PROGRAM --ptxas PTXAS [--opcodes-out FILE] [--kernels N]
                       ptxas must accept every instruction of the table (those that it does not are named, and left
                       out of FILE) and the first N kernels of the others, at -O1 and -O3

PROGRAM is build/tests/differential. Prints a line for each part of the seeds and each difference, with the shrunk
kernel in FOLDER/reproducers; closes with the seeds that were run. Exits 1 if something differs, 2 if it cannot be told.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

PART = 250  # kernels in one process: what a crash loses
FAULTED = 4  # exit code: a kernel faulted on the GPU, and its process with it; those after it need another


def run_part(options, first, count, optimization=None):
    command = [options.program, "--device", options.device, "--first", str(first), "--count", str(count)]
    command += ["--opcodes", options.opcodes] if options.opcodes else []
    command += ["--vary"] if options.vary else []
    command += ["--optimization", str(optimization)] if optimization is not None else []
    command += ["--reproducers", os.path.join(options.out, "reproducers")] if options.out else []
    return Part(first, count, subprocess.run(command, capture_output=True, text=True))


class Part:
    """What a process did of its seeds."""

    def __init__(self, first, count, process):
        self.first, self.last, self.process = first, first + count - 1, process
        done = re.search(r"^seeds .*: (\d+) kernels on .*, (\d+) differences, (\d+) by optimisation", process.stdout, re.M)
        self.ended = done is not None
        self.ran, self.different, self.by_optimisation = map(int, done.groups()) if done else (0, 0, 0)
        self.faulted = process.returncode == FAULTED

    def text(self):
        said = self.process.stdout.strip() or f"seeds {self.first}..{self.last}: no output"
        if not self.ended:
            said += (f"\nseeds {self.first}..{self.last}: ended with exit code {self.process.returncode}: "
                     f"{self.process.stderr.strip()[-300:]}")
        return said


def judge_fault(options, part):
    """Whether the kernel that faulted is right where the GPU's compiler does not optimise it."""
    seed = part.first + part.ran - 1
    again = run_part(options, seed, 1, optimization=0)
    if again.ended and again.different == 0:
        part.different, part.by_optimisation = part.different - 1, part.by_optimisation + 1
        return f"seed {seed}: right without the compiler's optimisation"
    return f"seed {seed}: faults without the compiler's optimisation too"


def kernels(options):
    """Runs all parts; says how many kernels, differences, parts that did not end."""
    start, done_parts = time.monotonic(), []
    last = options.first + options.kernels
    waiting = collections.deque((first, min(PART, last - first)) for first in range(options.first, last, PART))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = set()
        while running or (waiting and time.monotonic() - start < options.seconds):
            while waiting and len(running) < options.jobs and time.monotonic() - start < options.seconds:
                running.add(pool.submit(run_part, options, *waiting.popleft()))
            ready, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for part in (future.result() for future in ready):
                print(part.text(), flush=True)
                if part.faulted and part.ended:
                    print(judge_fault(options, part), flush=True)
                    if part.first + part.ran <= part.last:
                        waiting.appendleft((part.first + part.ran, part.last - part.first - part.ran + 1))
                done_parts.append(part)
    ran, different = sum(part.ran for part in done_parts), sum(part.different for part in done_parts)
    broken = sum(not part.ended for part in done_parts)
    print(f"{ran} kernels from seed {options.first} on {options.device}, {options.jobs} processes, "
          f"{time.monotonic() - start:.0f} s: {different} differences, {broken} parts did not end"
          + (f", {sum(part.by_optimisation for part in done_parts)} kernels right only where the GPU's compiler does not "
             "optimise" if options.device == "gpu" else ""))
    if ran < options.kernels:
        print(f"{options.kernels - ran} of {options.kernels} kernels were not run")
    return 1 if different else 2 if broken or ran < options.kernels else 0


def rejected(ptxas, text, folder):
    """Lines of a module that ptxas does not accept, with its words. It may tell some only when others are gone."""
    path, lines, said = os.path.join(folder, "probe.ptx"), text.splitlines(), {}
    while True:
        with open(path, "w") as file:
            file.write("\n".join("" if i + 1 in said else line for i, line in enumerate(lines)) + "\n")
        done = subprocess.run([ptxas, "-arch=sm_90", path, "-o", os.devnull], capture_output=True, text=True)
        if done.returncode == 0:
            return {lines[i - 1].split()[0]: words for i, words in said.items()}
        new = {int(n): words for n, words in re.findall(r"line (\d+); error\s*: (.*)", done.stderr)}
        if not new.keys() - said.keys():
            raise RuntimeError(f"{ptxas}: {done.stderr[-500:]}")
        said |= new


def accepted(options, folder):
    text = subprocess.run([options.program, "--probe"], check=True, capture_output=True, text=True).stdout
    refused = rejected(options.ptxas, text, folder)
    for opcode, words in sorted(refused.items()):
        print(f"ptxas refuses {opcode}: {words}")
    opcodes = subprocess.run([options.program, "--list"], check=True, capture_output=True, text=True).stdout.split()
    kept = [opcode for opcode in opcodes if opcode not in refused]
    print(f"{len(opcodes)} instructions, ptxas refuses {len(refused)}")
    options.opcodes = options.opcodes_out or os.path.join(folder, "opcodes.txt")
    with open(options.opcodes, "w") as file:
        file.write("# Instructions of the kernels whose results are stored (scripts/differential.py --ptxas).\n")
        file.writelines(opcode + "\n" for opcode in kept)
    return not refused


def compile_kernels(options, folder):
    command = [options.program, "--ptx", folder, "--first", str(options.first), "--count", str(options.kernels)]
    subprocess.run(command + ["--opcodes", options.opcodes], check=True)

    def compiled(seed, level):
        path = os.path.join(folder, f"{seed}.ptx")
        done = subprocess.run([options.ptxas, "-arch=sm_90", level, path, "-o", os.devnull], capture_output=True,
                              text=True)
        return seed, level, done
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [pool.submit(compiled, options.first + i, level) for i in range(options.kernels)
                for level in ("-O1", "-O3")]
        for future in work:
            seed, level, done = future.result()
            if done.returncode:
                bad += 1
                print(f"seed {seed}: ptxas {level}: {done.stderr.strip()[:300]}")
    print(f"{options.kernels} kernels from seed {options.first}: ptxas refuses {bad}")
    return not bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--device", choices=["sim", "gpu"], default="sim")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kernels", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e9, help="starts no further part after so long")
    parser.add_argument("--vary", action="store_true")
    parser.add_argument("--opcodes")
    parser.add_argument("--out")
    parser.add_argument("--ptxas")
    parser.add_argument("--opcodes-out")
    options = parser.parse_args()
    try:
        if not options.ptxas:
            return kernels(options)
        with tempfile.TemporaryDirectory() as folder:
            known, compiled = accepted(options, folder), compile_kernels(options, folder)
        return 0 if known and compiled else 1
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
