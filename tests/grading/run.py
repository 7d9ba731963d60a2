#!/usr/bin/env python3
"""Solutions that are right, and such that are not: `run.py BINARY [-k WORD] [-j JOBS] [--sample N]` judges each by `gpulab check`.

Found by themselves: each line of a file in right/ and wrong/ that begins with one of

    // right: LAB CONTRACT KERNEL [OPTIONS]               passes: exit code 0
    // wrong: LAB CONTRACT KERNEL [OPTIONS] :: REASON     fails: exit code 1, and the report matches the expression

What nobody wants to keep in a tree is made when it is asked for (GENERATED). A file is compiled once, whatever the number of its kernels (templates apart). KERNEL `-` names none, and the file speaks
for itself.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MARK = re.compile(r"^// (right|wrong): (\w+) (\S+) (\S+)([^:\n]*)(?: :: (.*))?$", re.M)

KERNEL = b"__global__ void total(const int* in, int* out, int n) {}\n"
GENERATED = {  # name: what it holds, and the reason why it is wrong
    "of_30_megabytes.cu": (b"// " + b"x" * (30 << 20) + b"\n" + KERNEL, r"compile +failed +of_30_megabytes.cu has 30 MiB: nobody writes so much"),
    "of_nothing.cu": (b"", r"(compile|signature) +failed"),
    "of_zeros.cu": (bytes(100000), r"(compile|signature) +failed"),
    "of_long_lines.cu": (KERNEL.replace(b"{}", b"{ *out = 0" + b" + 1" * 200000 + b"; }"), r"(compile|correct) +failed"),
    "of_deep_braces.cu": (KERNEL.replace(b"{}", b"{" * 50000 + b"}" * 50000), r"(compile|correct) +failed"),
    "of_many_kernels.cu": (b"".join(b"__global__ void k%d(const int* in, int* out, int n) { *out = %d; }\n" % (i, i) for i in range(400)),
                           r"which kernel is meant|(compile|signature) +failed"),
}


def generated(folder):
    for name, (content, reason) in GENERATED.items():
        file = pathlib.Path(folder, name)
        file.write_bytes(content)
        yield file, "wrong", "reduce", "total", "-", [], reason


def solutions():
    for file in sorted([*HERE.glob("right/*.cu"), *HERE.glob("wrong/*.cu")]):
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


def sample(chosen, step):
    """Of each file's kernels for each lab every so many, from the first one on."""
    seen = collections.Counter()
    for solution in chosen:
        of = (solution[0], solution[2])
        if seen[of] % step == 0:
            yield solution
        seen[of] += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("-k", default="")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="of each file and lab every so many")
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())
    folder = tempfile.TemporaryDirectory()
    chosen = [s for s in itertools.chain(solutions(), generated(folder.name)) if arguments.k in f"{s[1]} {s[0].stem} {s[2]} {s[4]}"]
    chosen = list(sample(chosen, arguments.sample))
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
