#!/usr/bin/env python3
"""Thirty faulty or slow kernels, mended by a client that knows nothing of them but what `gpulab mcp` answers: it changes the line
that an answer names, as the answer's words say, and calls again, until nothing is said.

usage: mend_test.py GPULAB [EVERY [NAMES]]     each so many of them; whose names match
"""
import os
import pathlib
import re
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from server import Server  # noqa: E402 (the path comes first)

INDEX = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
MOST_ROUNDS = 4


def kernel(name, parameters, body):
    return f"__global__ void {name}({parameters}) {{\n{body}}}\n"


# name, source, arguments of run_kernel
CASES = []


def case(name, source, grid=1, block=64, **more):
    CASES.append((name, source, {"grid": grid, "block": block, **more}))


# Accesses past the end: one too many, or no guard at all.
for number, (name, line) in enumerate([("twice", "out[i] = 2 * in[i];"), ("square", "out[i] = in[i] * in[i];"), ("next", "out[i] = in[i] + 1;"),
                                       ("negate", "out[i] = -in[i];")]):
    n = 100 + 7 * number
    buffers = [f"in:f32[{n}]=ones", f"out:f32[{n}]=zeros", f"n:i32={n}"]
    case(f"{name}_one_too_many", kernel(name, "const float* in, float* out, int n", f"{INDEX}  if (i <= n) {line}\n"), 2, arguments=buffers)
    case(f"{name}_unguarded", kernel(name, "const float* in, float* out, int n", f"{INDEX}  {line}\n"), 2, arguments=buffers)
for name, limit in [("loop_of_a_thread", "k <= n"), ("loop_backwards", "k <= n")]:
    case(name, kernel("total", "const float* in, float* out, int n",
                      f"  float sum = 0;\n  for (int k = 0; {limit}; ++k)\n    sum += in[k];\n  if (threadIdx.x == 0) out[0] = sum;\n"),
         arguments=["in:f32[64]=ones", "out:f32[1]=zeros", "n:i32=64"], expect=["out={64}"])

# Shared memory without a barrier.
for name, load in [("reverse", "s[63 - threadIdx.x]"), ("rotate", "s[(threadIdx.x + 33) % 64]"), ("first", "s[0]"), ("neighbour", "s[threadIdx.x ^ 32]"),
                   ("pairs", "s[threadIdx.x ^ 1]")]:
    case(f"{name}_without_a_barrier", kernel(name, "const float* in, float* out",
                                             f"  __shared__ float s[64];\n  s[threadIdx.x] = in[threadIdx.x];\n  out[threadIdx.x] = {load};\n"),
         arguments=["in:f32[64]=iota", "out:f32[64]=zeros"])
for name in ("tree", "tree_of_128"):
    size = 128 if name.endswith("128") else 64
    case(f"{name}_without_barriers", kernel(
        name, "const float* in, float* out",
        f"  __shared__ float s[{size}];\n  s[threadIdx.x] = in[threadIdx.x];\n  for (int k = {size // 2}; k > 0; k /= 2) {{\n"
        "    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];\n  }\n  if (threadIdx.x == 0) out[0] = s[0];\n"),
        block=size, arguments=[f"in:f32[{size}]=ones", "out:f32[1]=zeros"], expect=[f"out={{{size}}}"])

# Many threads add to one word.
for name, line in [("count", "counts[in[i] % 4] += 1;"), ("sum_up", "counts[0] += in[i];"), ("histogram", "counts[i % 7] += 1;"), ("last", "counts[7] += in[i];")]:
    case(f"{name}_without_atomics", kernel(name, "const int* in, int* counts, int n", f"{INDEX}  if (i < n)\n    {line}\n"), 2,
         arguments=["in:i32[128]=iota", "counts:i32[8]=zeros", "n:i32=128"])

# A barrier in a branch.
for name, condition in [("half", "threadIdx.x < 32"), ("most", "threadIdx.x < 48"), ("all_but_one", "threadIdx.x != 5")]:
    case(f"barrier_for_{name}", kernel(name, "float* out",
                                       f"  __shared__ float s[64];\n  s[threadIdx.x] = threadIdx.x;\n  if ({condition}) {{\n    __syncthreads();\n"
                                       "    out[threadIdx.x] = s[0];\n  }\n  out[threadIdx.x + 64] = s[threadIdx.x];\n"),
         arguments=["out:f32[128]=zeros"])

# A tile that is not filled.
for name, read in [("sum_of_tile", "s[k]"), ("product_of_tile", "s[k] + 1")]:
    case(f"{name}_unfilled", kernel(name, "const float* in, float* out, int n",
                                    "  __shared__ float s[64];\n  if (threadIdx.x < n) s[threadIdx.x] = in[threadIdx.x];\n  __syncthreads();\n"
                                    f"  float sum = 0;\n  for (int k = 0; k < 64; ++k) sum += {read};\n  out[threadIdx.x] = sum;\n"),
         arguments=["in:f32[50]=ones", "out:f32[64]=zeros", "n:i32=50"])

# What does not compile.
case("no_semicolon", kernel("add", "float* x", "  int i = threadIdx.x\n  x[i] += 1;\n"), arguments=["x:f32[64]=zeros"])
case("a_name_that_is_none", kernel("add", "float* x", "  int i = blockIdx.x * blockdim.x + threadIdx.x;\n  x[i] += 1;\n"),
     arguments=["x:f32[64]=zeros"])

# Right, and slow.
for name, tile in [("columns", "tile"), ("transposed", "s")]:
    case(f"{name}_in_one_bank", kernel(name, "const float* in, float* out",
                                       f"  __shared__ float {tile}[32][32];\n  {tile}[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];\n"
                                       f"  __syncthreads();\n  out[threadIdx.y * 32 + threadIdx.x] = {tile}[threadIdx.x][threadIdx.y];\n"),
         block="32x32", arguments=["in:f32[1024]=iota", "out:f32[1024]=zeros"])


def insert(lines, at, text):
    """A line before the one of that number, which has its indentation."""
    indent = re.match(r"\s*", lines[at - 1]).group()
    lines.insert(at - 1, indent + text)


def mend_race(lines, finding):
    message, places = finding["message"], sorted({site["line"] for site in finding["at"]})
    if "atomicAdd(&x[i], y)" in message:
        lines[places[0] - 1] = re.sub(r"(\w+\[.*\]) \+= (.*);", r"atomicAdd(&\1, \2);", lines[places[0] - 1])
        return
    barrier = re.search(r"put (__sync\w+\(\)) between them", message).group(1)
    insert(lines, places[-1], barrier + ";")


def mend_bounds(lines, line, message):
    guards = [at for at in range(line, 0, -1) if "<=" in lines[at - 1]]
    if "i < n, not i <= n" in message and guards:
        lines[guards[0] - 1] = lines[guards[0] - 1].replace("<=", "<")
        return
    assert "compare the index with the number of elements" in message, message
    lines[line - 1] = re.sub(r"^(\s*)(\w+\[(\w+)\].*)$", r"\1if (\3 < n) \2", lines[line - 1])


def mend_branch(lines, line):
    """The barrier that stands there goes before the branch that it is in."""
    barrier = lines.pop(line - 1).strip()
    line -= 1
    while "if (" not in lines[line - 1]:
        line -= 1
    insert(lines, line, barrier)


def mend_unfilled(lines, line):
    """What is read at that line is an array; where it is filled, it is filled for all."""
    name = re.findall(r"(\w+)\[", lines[line - 1])[0]
    for at, text in enumerate(lines):
        lines[at] = re.sub(rf"if \((.*?)\) ({name}\[.*?\]) = (.*?);", r"\2 = \1 ? \3 : 0;", text)


def mend_compilation(lines, text):
    line = int(re.search(r"kernel\.cu:(\d+)", text).group(1))
    if 'expected a ";"' in text:
        lines[line - 2] += ";"
        return
    name = re.search(r'identifier "(\w+)" is undefined', text).group(1)
    known = next(word for word in ("blockDim", "blockIdx", "threadIdx", "gridDim") if word.lower() == name.lower())
    lines[line - 1] = lines[line - 1].replace(name, known)


def mend_bank(lines, mark):
    for at, text in enumerate(lines):
        lines[at] = re.sub(r"(__shared__ \w+ \w+\[\d+\])\[32\];", r"\1[33];", text)


def mend(lines, server, run):
    """True where an answer named something, and it was mended."""
    source = "\n".join(lines)
    result = server.call("run_kernel", source=source, **run)
    if result["isError"]:
        mend_compilation(lines, result["content"][0]["text"])
        return True
    (case_result,) = result["structuredContent"]["document"]["results"]
    for finding in case_result["findings"]:
        if finding["severity"] != "error":
            continue
        line = finding["at"][0]["line"]
        if finding["tool"] == "racecheck":
            mend_race(lines, finding)
        elif finding["tool"] == "synccheck":
            mend_branch(lines, line)
        elif finding["tool"] == "initcheck":
            mend_unfilled(lines, line)
        else:
            mend_bounds(lines, line, case_result["message"] + finding["message"])
        return True
    if case_result["status"] == "fault":
        mend_bounds(lines, int(re.match(r"kernel\.cu:(\d+)", case_result["message"]).group(1)), case_result["message"])
        return True
    assert case_result["status"] == "ok", case_result["message"]
    launch = {name: value for name, value in run.items() if name != "expect"}
    explained = server.call("explain", source=source, **launch)["structuredContent"]["document"]
    for mark in explained["launches"][0]["marks"]:
        if mark["kind"] == "bank_conflict" and mark["line"]:
            mend_bank(lines, mark)
            return True
    return False


def main():
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    failed = []
    cases = [one for one in CASES[::every] if len(sys.argv) < 4 or re.search(sys.argv[3], one[0])]
    with tempfile.TemporaryDirectory() as cache, Server(os.path.abspath(sys.argv[1]), environment={"XDG_CACHE_HOME": cache}) as server:
        for name, source, run in cases:
            lines, rounds = source.rstrip("\n").split("\n"), 0
            try:
                while mend(lines, server, run):
                    rounds += 1
                    assert rounds <= MOST_ROUNDS, "it never ends"
                assert rounds > 0, "nothing was said of it"
            except (AssertionError, AttributeError, StopIteration, IndexError, KeyError) as error:
                failed.append(name)
                print(f"FAILED {name}: {type(error).__name__}: {error}\n" + "\n".join(lines))
    print(f"{len(cases)} kernels, {len(failed)} not mended{': ' if failed else ''}{', '.join(failed)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
