#!/usr/bin/env python3
"""Right solutions with one mistake each, judged by `gpulab check`: `mutants.py BINARY [-k WORD] [-j JOBS] [--sample N]`.

Of each kernel with a line `// right:` in right/ and each worked reference of configs/assignments: barriers weakened to
__syncwarp() and removed, one by one and all; blockDim replaced by a number; guards dropped; one block, one warp; atomics made
plain. A mutant that fails is done with. One that passes is tried on nine more seeds (other inputs, another order of warps and
blocks); if it fails there, it was called correct and is wrong: a failure of this test. If it passes everything, it has to stand in
equivalent_mutants.txt, with the reason why it is right after all.

    --sample N   of all mutants, each N-th (CI)
    --list       what there is, and nothing judged
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MARK = re.compile(r"^// right: (\w+) (\S+) (\S+)([^:\n]*)$", re.M)
BARRIER = re.compile(r"__syncthreads\(\)|__syncwarp\([^()]*\)|\b\w+\.sync\(\)|\b(?:cg|cooperative_groups)::sync\([^()]*\)")
SEEDS = range(43, 52)
# A number for blockDim, where a contract has blocks for tiles or rows: the kernel is made for one of them, and the verdict says for which.
MADE_FOR_ONE = re.compile(r"blockDim\.[xyz] is \d+$")


def matching(text, at, opens, closes):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == opens) - (text[i] == closes)
        if depth == 0:
            return i
    raise ValueError("unbalanced")


def body_of(source, kernel):
    """Where the kernel's body begins and ends, behind and before its braces."""
    found = re.search(r"__global__[^;{}]*?\b" + re.escape(kernel) + r"\s*\(", source)
    close = matching(source, found.end() - 1, "(", ")")
    brace = source.index("{", close)
    return brace + 1, matching(source, brace, "{", "}")


def alone(source, kernel, marked):
    """The file without its other marked kernels, which a compiler need not see; with what of it does not compile by itself whole."""
    for other in marked:
        if other == kernel or len(re.findall(r"\b" + re.escape(other) + r"\b", source)) != 2:  # its mark, itself, and no use
            continue
        found = re.search(r"^(?:template <[^<>]*>\s*)?(?:extern \"C\" )?__global__[^;{}]*?\b" + re.escape(other) + r"\s*\(", source, re.M)
        if found:
            before = re.sub(rf"(?s)(// right: \w+ \w+ {other}\b.*)\Z", lambda m: m.group().replace("// gpulab:", "// was:"), source[: found.start()])
            source = before + source[body_of(source, other)[1] + 1:]
    # The header takes nvcc longer than such a kernel.
    without = re.sub(r"#include <cooperative_groups(/\w+)?\.h>\n|namespace cg = cooperative_groups;\n", "", source)
    return source if re.search(r"\bcg\b|\bcooperative_groups\b", without) else without


def mutations(body):
    """(what was done, the body with it): one mistake each."""
    barriers = list(BARRIER.finditer(body))
    blocks = [m for m in barriers if "syncwarp" not in m.group()]
    for i, m in enumerate(barriers):
        yield f"barrier {i + 1} removed", body[: m.start()] + body[m.end():]
    for i, m in enumerate(blocks):
        yield f"block's barrier {i + 1} weakened", body[: m.start()] + "__syncwarp()" + body[m.end():]
    if len(barriers) > 1:
        yield "all barriers removed", BARRIER.sub("", body)
    if len(blocks) > 1:
        yield "all barriers weakened", BARRIER.sub("__syncwarp()", body)
    for axis, numbers in (("x", (256, 32)), ("y", (32, 8)), ("z", (3,))):
        for number in numbers:
            if f"blockDim.{axis}" in body:
                yield f"blockDim.{axis} is {number}", body.replace(f"blockDim.{axis}", str(number))
    for i, m in enumerate(re.finditer(r"\bif (?:constexpr )?\(", body)):
        close = matching(body, m.end() - 1, "(", ")")
        yield f"condition {i + 1} holds", body[: m.end()] + "true" + body[close:]
    for i, m in enumerate(re.finditer(r"(\w+(?:\[[^\]]*\])?) < (n|rows|cols|m|k|height|width|bags)\b", body)):
        yield f"bound {i + 1} is one too far", body[: m.start()] + m.group().replace(" < ", " <= ") + body[m.end():]
    yield "one block", "if (blockIdx.x + blockIdx.y > 0) return;" + body
    yield "one warp", "if ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x >= 32) return;" + body
    if "blockIdx.x" in body:
        yield "blockIdx.x is 0", body.replace("blockIdx.x", "0")
    for i, m in enumerate(re.finditer(r"atomicAdd(?:_block)?\(", body)):
        close = matching(body, m.end() - 1, "(", ")")
        yield f"atomicAdd {i + 1} is plain", body[: m.start()] + "plain_add(" + body[m.end():close] + body[close:]


PLAIN = "template <typename T, typename U> __device__ T plain_add(T* at, U x) { const T was = *at; *at = was + x; return was; }\n"


def kernels():
    """(name, source, lab, contract, kernel, options)"""
    for file in sorted(HERE.glob("right/*.cu")):
        source = file.read_text()
        marks = MARK.findall(source)
        for lab, contract, kernel, options in marks:
            options = shlex.split(options)
            if "--require" in options:
                at = options.index("--require")
                del options[at:at + 2]
            yield f"{file.stem}.{kernel}", alone(source, kernel, [mark[2] for mark in marks]), lab, contract, kernel, options
    for file in sorted(ROOT.glob("configs/assignments/*/assignment.json")):
        assignment = json.loads(file.read_text())
        source = (file.parent / assignment["reference"]).read_text()
        yield f"assignment.{file.parent.name}", source, assignment["lab"], assignment["contract"], assignment["contract"], []


def mutants():
    for name, source, lab, contract, kernel, options in kernels():
        begin, end = body_of(source, kernel)
        seen = set()
        for what, body in mutations(source[begin:end]):
            text = source[:begin] + body + source[end:]
            if text in seen:
                continue
            seen.add(text)
            yield f"{name}: {what}", PLAIN + text, lab, contract, kernel, options


def check(binary, folder, number, mutant, seed):
    _, text, lab, contract, kernel, options = mutant
    file = pathlib.Path(folder, f"m{number}.cu")
    file.write_text(text)
    ran = subprocess.run([binary, "check", lab, file.name, "--contract", contract, "--kernel", kernel, "--seed", str(seed), *options],
                         cwd=folder, capture_output=True, text=True, errors="replace", timeout=600)
    return ran.returncode, ran.stdout + ran.stderr


def alternatives(binary):
    """(lab, contract) of which the first block with which a kernel is right counts."""
    listed = json.loads(subprocess.run([binary, "list", "--format", "json"], capture_output=True, text=True, check=True).stdout)
    return {(lab["name"], c["name"]) for lab in listed["labs"] for c in lab["contracts"]
            if len(c["launches"]) > 1 and not c["every_launch"] and not c["takes_any_block"]}


def judge(binary, folder, number, mutant):
    """("killed" | "wrong" | "right" | "trouble", what was said)"""
    code, said = check(binary, folder, number, mutant, 42)
    if code == 1:
        return "killed", said
    if code != 0:
        return "trouble", said
    for seed in SEEDS:
        code, said = check(binary, folder, number, mutant, seed)
        if code != 0:
            return "wrong", f"with --seed {seed}: {said}"
    return "right", said


def argued():
    """name -> reason"""
    lines = (HERE / "equivalent_mutants.txt").read_text().splitlines()
    return dict(line.split(" :: ", 1) for line in lines if line and not line.startswith("#"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("-k", default="")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    every = [m for m in mutants() if arguments.k in m[0]]
    chosen = every[:: arguments.sample]
    if arguments.list:
        print("\n".join(m[0] for m in chosen))
        return 0
    binary = str(pathlib.Path(arguments.binary).resolve())
    known, start, tiled = argued(), time.time(), alternatives(binary)
    unknown = sorted(set(known) - {m[0] for m in mutants()})
    counts, failed = {"killed": 0, "wrong": 0, "right": 0, "trouble": 0}, 0
    for name in unknown:
        failed += 1
        print(f"FAILED equivalent_mutants.txt names '{name}', which is no mutant")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        jobs = [pool.submit(judge, binary, folder, i, m) for i, m in enumerate(chosen)]
        for mutant, job in zip(chosen, jobs):
            result, said = job.result()
            counts[result] += 1
            name = mutant[0]
            if result == "killed" and name not in known:
                continue
            if result == "right" and (name in known or ((mutant[2], mutant[3]) in tiled and MADE_FOR_ONE.search(name) and "with blocks of" in said)):
                continue
            failed += 1
            why = {"killed": "is argued to be right in equivalent_mutants.txt, and fails", "right": "passes everything, and nobody says why it is right",
                   "wrong": "was called correct and is wrong", "trouble": "could not be judged"}[result]
            print(f"FAILED {name}: {why}" + ("" if result == "right" else f"\n{said[:1500]}"), flush=True)
    print(f"{len(chosen)} mutants of {sum(1 for _ in kernels())} kernels in {time.time() - start:.0f} s: {counts['killed']} killed, {counts['right']} right after all")
    print(f"{len(chosen) - min(failed, len(chosen))} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
