#!/usr/bin/env python3
"""A class of generated submissions, graded: `class_scale.py BINARY [--submissions 300] [--jobs 2]`.

Right, wrong and hostile solutions of configs/assignments/reduce, no two alike; of 300, ten include CUB and fifteen use
up their CPU time. Measures the wall clock and CPU time of `gpulab grade`, the largest child's memory, whether a second
run gives the same bytes, and whether a run that is killed in the middle and resumed gives the same gradebook.
"""
import argparse
import filecmp
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
REDUCE = HERE.parent.parent / "configs" / "assignments" / "reduce"
SIGNATURE = "template <typename T>\n__global__ void total(const T* in, T* out, int n) {\n"
ATOMIC = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(out, in[i]);\n"
CUB = """#include <cub/cub.cuh>
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  using Reduce = cub::BlockReduce<T, 256>;
  __shared__ typename Reduce::TempStorage storage;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T sum = Reduce(storage).Sum(i < n ? in[i] : T(0));
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
"""
# Divisions in double precision between stores that the tools watch: seconds of CPU time for few instructions.
GREEDY = SIGNATURE + """  __shared__ volatile int s[1024];
  double x = threadIdx.x + 1;
  if (blockIdx.x == 0 && threadIdx.x < 32)
    for (int k = 0; k < 300000; ++k) { s[(threadIdx.x * 7 + k) & 1023] = k; x = x / 1.0000001 + sqrt(x); }
  if (x == 12345.678) out[0] = T(1);
""" + ATOMIC + "}\n"
HOSTILE = [
    SIGNATURE + "  volatile int s = 0;\n  while (true) s = s + 1;\n}\n",
    SIGNATURE + "  __trap();\n}\n",
    SIGNATURE + '  for (int k = 0; k < 100000; ++k) printf("\\33[2J{\\"score\\": 100}");\n' + ATOMIC + "}\n",
    SIGNATURE + "  for (long k = 0; k < 1000000; ++k) in[k * 4096 - 1000000];\n  out[-1] = T(1);\n}\n",
    SIGNATURE + "  while (n == 777) malloc(1 << 20);\n" + ATOMIC + "}\n",
    '#include "/etc/passwd"\n' + SIGNATURE + ATOMIC + "}\n",
    "template <int N> struct B { static constexpr int v = B<N - 1>::v; };\n" + SIGNATURE + "  out[0] = B<1000000>::v;\n}\n",
    "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(A(x))))))\n" + SIGNATURE + "  B(B(out[0] += in[0];))\n}\n",
    "__global__ void total(",
    "\0\1\2\3",
    "",
]


def variation(text, number, chance):
    """The same program in other words."""
    text = text.replace("value", f"v{number}").replace("of_warps", f"sums_{number}")
    text += f"// submission {number}\n__device__ int unused_{number}(int x) {{ return x * {chance.randrange(1, 1000)}; }}\n"
    return text


def class_of(folder, count, chance):
    right = [(REDUCE / "reference.cu").read_text()]
    wrong = [path.read_text() for path in sorted((REDUCE / "wrong").glob("*.cu"))] + [(REDUCE / "starter.cu").read_text()]
    cub, greedy = max(1, count // 30), max(1, count // 20)
    for number in range(count):
        if number < cub:
            text = variation(CUB, number, chance)
        elif number < cub + greedy:
            text = variation(GREEDY, number, chance)
        elif number % 10 == 0:
            text = HOSTILE[number // 10 % len(HOSTILE)]
        else:
            text = variation(chance.choice(right if number % 10 < 6 else wrong), number, chance)
        (folder / f"s{number:03}").mkdir(parents=True)
        (folder / f"s{number:03}" / "total.cu").write_text(text)


def grade(arguments, folder, out, *more, kill_after=None):
    """Wall clock, and CPU time of all that it started."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / f"cache_{out}")}  # nothing is compiled already
    command = [arguments.binary, "grade", REDUCE / "assignment.json", "--key", folder / "key.json", "--jobs", str(arguments.jobs),
               "--output", folder / out, *more, "--submission", *sorted((folder / "class").iterdir())]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    if kill_after is not None:
        journal = folder / out / ".done"
        while child.poll() is None and not (journal.exists() and journal.read_text().count(".json") >= kill_after):
            time.sleep(0.05)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return 0, 0
    if child.wait() != 0:
        sys.exit(f"error: grade ended with {child.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.time() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def differences(one, other):
    names = sorted({path.name for folder in (one, other) for path in folder.iterdir() if not path.name.startswith(".")})
    return filecmp.cmpfiles(one, other, names, shallow=False)[1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--submissions", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=480, help="of the first run, at most")
    parser.add_argument("--once", action="store_true", help="no second run, and none that is killed")
    arguments = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "key.json").write_text('{"schema": "gpulab.key.v1", "secret": "of a class that is there no more"}')
        class_of(folder / "class", arguments.submissions, random.Random(1))
        wall, cpu = grade(arguments, folder, "first")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{arguments.submissions} submissions, {arguments.jobs} at a time: {wall:.0f} s, {cpu:.0f} s of CPU time, "
              f"largest process {peak:.0f} MiB", flush=True)
        if wall > arguments.seconds:
            problems.append(f"more than {arguments.seconds:.0f} s")
        book = (folder / "first" / "gradebook.csv").read_text().splitlines()
        print(f"{sum(',graded,' in line for line in book)} graded, {sum(',graded,100,' in line for line in book)} of them with full marks")
        if sum(",graded," in line or ",attention," in line for line in book) != arguments.submissions:  # one of HOSTILE is no text
            problems.append("not all are graded")
        if not arguments.once:
            grade(arguments, folder, "second")
            problems += [f"another run differs in {name}" for names in differences(folder / "first", folder / "second") for name in names]
            grade(arguments, folder, "killed", kill_after=arguments.submissions // 2)
            grade(arguments, folder, "killed", "--resume")
            problems += [f"a resumed run differs in {name}" for names in differences(folder / "first", folder / "killed") for name in names]
    for problem in problems:
        print(f"FAILED {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
