#!/usr/bin/env python3
"""Solutions that are right, and such that are not: `run.py BINARY [-k WORD] [-j JOBS]` judges each by `gpulab check`.

Found by themselves: each line of a file in right/ and wrong/ that begins with one of

    // right: LAB CONTRACT KERNEL [OPTIONS]               passes: exit code 0
    // wrong: LAB CONTRACT KERNEL [OPTIONS] :: REASON     fails: exit code 1, and the report matches the expression

A file is compiled once, whatever the number of its kernels (templates apart). KERNEL `-` names none, and the file speaks
for itself.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
MARK = re.compile(r"^// (right|wrong): (\w+) (\S+) (\S+)([^:\n]*)(?: :: (.*))?$", re.M)


def solutions():
    for file in sorted(HERE.glob("*/*.cu")):
        marks = MARK.findall(file.read_text(encoding="utf-8", errors="replace"))
        if not marks:
            sys.exit(f"error: {file} has no line '// right: …' or '// wrong: …'")
        for kind, lab, contract, kernel, options, reason in marks:
            assert kind == file.parent.name and (kind == "wrong") == bool(reason), f"{file}: {kernel}"
            yield file, kind, lab, contract, kernel, shlex.split(options), reason


def judge(binary, solution):
    """What is wrong with the judgement; empty: nothing."""
    file, kind, lab, contract, kernel, options, reason = solution
    command = [binary, "check", lab, file.name, *options]
    command += [] if contract == "-" else ["--contract", contract]
    command += [] if kernel == "-" else ["--kernel", kernel]
    environment = {**os.environ, "COLUMNS": "100"}
    ran = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, errors="replace", timeout=300,
                         env=environment)
    said = " ".join(ran.stdout.split())
    if ran.returncode != (kind == "wrong"):
        return f"exit code {ran.returncode}\n{ran.stdout[:3000]}{ran.stderr[:1500]}"
    if reason and not re.search(reason, said):
        return f"does not say /{reason}/\n{ran.stdout[:3000]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("-k", default="")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())
    chosen = [s for s in solutions() if arguments.k in f"{s[1]} {s[0].stem} {s[2]} {s[4]}"]
    start = time.time()
    failed = 0
    # The kernels of one file one after the other: the first one's compilation serves all.
    by_file = {}
    for solution in chosen:
        by_file.setdefault(solution[0], []).append(solution)

    def judge_file(file):
        return [(s, judge(binary, s)) for s in by_file[file]]

    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        for results in pool.map(judge_file, by_file):
            for solution, problem in results:
                if problem:
                    failed += 1
                    print(f"FAILED {solution[1]}/{solution[0].name} {solution[2]} {solution[4]}: {problem}")
    count = {kind: sum(s[1] == kind for s in chosen) for kind in ("right", "wrong")}
    print(f"{count['right']} right and {count['wrong']} wrong solutions in {time.time() - start:.0f} s")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
