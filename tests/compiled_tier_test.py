#!/usr/bin/env python3
"""compiled_tier_test.py GPULAB: kernels that run as machine code (common/simt/compiled) leave the same bytes as interpreted ones: the JSON of
every lab, on several threads, compiled before the first launch and while launches run. Closes with 'N passed, N failed'."""
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

GPULAB = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None
ALL = bool(os.environ.get("GPULAB_ALL"))  # else one ladder of three
LABS = ["saxpy", "warps", "divergence", "occupancy", "reduce", "unroll", "transpose", "coalescing", "atomics", "scan", "matmul", "julia", "segsum"]


def forbid_made_code():
    """Memory of this process that was written is never executed (Linux 6.3)."""
    PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1
    if ctypes.CDLL(None).prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0:
        os._exit(77)


HIDES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>
int access(const char* path, int mode) {
  if (strstr(path, "libLLVM")) return -1;
  return ((int (*)(const char*, int))dlsym(RTLD_NEXT, "access"))(path, mode);
}
"""


def hides_llvm(folder):
    """The environment of a gpulab that finds no LLVM, or None where nothing can be put before its C library."""
    source, library = os.path.join(folder, "hides.c"), os.path.join(folder, "hides.so")
    with open(source, "w") as file:
        file.write(HIDES)
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler or subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library, "-ldl"]).returncode != 0:
        return None
    environment = {"LD_PRELOAD": library}
    return environment if subprocess.run([GPULAB, "--version"], env=dict(os.environ, **environment), capture_output=True).returncode == 0 else None


def told(tier, *command, threads=1, prepare=None, more=None):
    """What a command prints as JSON, but for what this machine took for it."""
    environment = dict(os.environ, GPULAB_COMPILED=tier, **(more or {}))
    ran = subprocess.run([GPULAB, *command, "--device", "sim", "--format", "json", "--threads", str(threads)], capture_output=True, text=True,
                         env=environment, preexec_fn=prepare)
    measured = r'("(?:wall|min|q1|median|q3|max|mean|stddev)_ms": )[0-9.e+-]+'  # of the simulation, and of what runs on the CPU
    return re.sub(measured, r"\g<1>0", ran.stdout), ran.stderr, ran.returncode


# A library's kernels are freed behind the program's own, when the program's end destroys what lives as long as it.
LIBRARY = """
#include <cuda_runtime.h>
#include <curand.h>
int main() {
  float* numbers;
  curandGenerator_t generator;
  cudaMalloc(&numbers, 4000);
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW);
  return curandGenerateNormal(generator, numbers, 1000, 0, 1);
}
"""


# Each thread adds up the numbers below `rounds`.
ADDS = """
.version 7.0
.target sm_75
.address_size 64
.visible .entry adds(.param .u64 out, .param .u32 rounds) {
  .reg .pred %p;
  .reg .u32 %r, %k, %s;
  .reg .u64 %o;
  ld.param.u64 %o, [out];
  ld.param.u32 %r, [rounds];
  mov.u32 %k, 0;
  mov.u32 %s, 0;
again:
  add.u32 %s, %s, %k;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %r;
  @%p bra again;
  st.global.u32 [%o], %s;
  ret;
}
"""


def apart():
    """A kernel of loads whose lanes lie apart: at strides, from the end, all at one place, several values of each; by whole warps, and by lanes
    that a branch has parted."""
    lines, registers = [], [0]

    def load(space, kind, address, values=1):
        names = [f"%{kind[0]}{kind[1:]}_{registers[0] + k}" for k in range(values)]
        registers[0] += values
        lines.append(f".reg .{kind} {', '.join(names)};")
        lines.append(f"ld.{space}{f'.v{values}' if values > 1 else ''}.{kind} {names[0] if values == 1 else '{' + ', '.join(names) + '}'}, [{address}];")
        for name in names:
            lines.append(f"xor.b64 %sum, %sum, {name};" if kind == "u64" else f"cvt.u64.u32 %wide, {name}; mad.lo.u64 %sum, %sum, 31, %wide;")

    def loads(space, base, strides):
        for stride in strides:
            for kind, width in (("u32", 4), ("u64", 8)):
                lines.append(f"mul.wide.s32 %at, %t, {stride * width}; add.s64 %at, %at, {base};")
                load(space, kind, f"%at+{1024 if stride < 0 else 8 * abs(stride)}")
        for values, kind in ((2, "u32"), (4, "u32"), (2, "u64")):
            load(space, kind, f"{base}+64", values)
            lines.append(f"mul.wide.s32 %at, %t, {values * (4 if kind == 'u32' else 8)}; add.s64 %at, %at, {base};")
            load(space, kind, "%at+32", values)

    for stride in (1, 2):
        lines.append(f"mul.wide.s32 %at, %i, {4 * stride}; add.s64 %at, %at, %data;")
        load("global", "u32", "%at+4")
    for space, base in (("global", "%data"), ("shared", "%tile")):
        loads(space, base, (-1, 2, 3, 7) if space == "global" else (-1, 2, 3))
    lines.append("@%odd bra done;")
    loads("global", "%data", (-1, 2))
    loads("shared", "%tile", (-1,))
    body = "\n".join(lines)
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry apart(.param .u64 out, .param .u64 data) {{
.reg .pred %odd, %more;
.reg .u32 %t, %i, %b, %n, %low, %k;
.reg .u64 %out, %data, %sum, %wide, %at, %tile;
.shared .align 16 .b8 tile[4096];
ld.param.u64 %out, [out]; ld.param.u64 %data, [data];
mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.s32 %i, %b, %n, %t;
mov.u64 %tile, tile; mov.u64 %sum, 0; mov.u32 %k, %t;
fill:
mad.wide.s32 %at, %k, 4, %data; ld.global.u32 %low, [%at]; mad.wide.s32 %at, %k, 4, %tile; st.shared.u32 [%at], %low;
add.u32 %k, %k, 64; setp.lt.u32 %more, %k, 1024; @%more bra fill;
bar.sync 0;
and.b32 %low, %t, 1; setp.eq.u32 %odd, %low, 1;
{body}
done:
mad.wide.s32 %at, %i, 8, %out; st.global.u64 [%at], %sum; ret;
}}
"""


def descendants(process):
    """Its number, and those of all processes that it has started."""
    numbers = [process]
    for number in numbers:
        try:
            for thread in os.listdir(f"/proc/{number}/task"):
                with open(f"/proc/{number}/task/{thread}/children") as file:
                    numbers += [int(child) for child in file.read().split()]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return numbers


def opens_llvm(*command):
    """Whether gpulab, or a process that it starts, has LLVM open at some time, left to decide by itself."""
    environment = {name: value for name, value in os.environ.items() if name != "GPULAB_COMPILED"}
    running = subprocess.Popen([GPULAB, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    opened = False
    while running.poll() is None:
        for number in descendants(running.pid):
            try:
                with open(f"/proc/{number}/maps") as file:
                    opened = opened or "libLLVM" in file.read()
            except (FileNotFoundError, ProcessLookupError):
                pass
        if opened:
            running.kill()
        time.sleep(0.002)
    return opened


def unfolded(table):
    """doctor's table with each row on one line; a remedy begins a line of its own."""
    return re.sub(r"\n {20}(?!mend)", " ", table)


class CompiledTier(unittest.TestCase):
    maxDiff = 2000

    def test_every_lab_prints_the_same_bytes(self):
        for lab in LABS:
            with self.subTest(lab=lab):
                interpreted = told("off", lab)
                self.assertTrue(json.loads(interpreted[0])["results"])
                self.assertEqual(told("always", lab, threads=2), interpreted)

    def test_ladders_print_the_same_bytes(self):
        for lab, *size in (["scan", "--n", "5000"], ["reduce", "--n", "3000"], ["segsum", "--n", "3000"])[:3 if ALL else 1]:
            with self.subTest(lab=lab):
                command = [lab, "--variant", "all", *size]
                self.assertEqual(told("always", *command, threads=2), told("off", *command))

    def test_code_that_comes_while_blocks_run_changes_nothing(self):
        command = ["reduce", "--variant", "shared_sequential,neighbored,warp", "--type", "int", "--n", "2^22"]
        self.assertEqual(told("auto", *command, threads=2), told("off", *command))

    def test_kernels_of_a_file_become_code_in_the_confined_process_that_runs_them(self):
        if " by /usr/lib/" not in unfolded(subprocess.run([GPULAB, "doctor"], capture_output=True, text=True).stdout):
            self.skipTest("no kernel is compiled here")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "adds.ptx")
            with open(file, "w") as text:
                text.write(ADDS)
            command = ["run", file, "--arg", "out:u32[1]=zeros", "--arg", "rounds:u32=20000", "--block", "64", "--grid", "2048", "--device", "sim"]
            self.assertTrue(opens_llvm(*command))

    def test_loads_whose_lanes_lie_apart_give_and_count_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "apart.ptx")
            with open(file, "w") as text:
                text.write(apart())
            for block in ("64", "16x4"):
                command = ["run", file, "--arg", "out:u64[512]=zeros", "--arg", "data:u32[4096]=random", "--block", block, "--grid", "8", "--show", "out[0:512]"]
                interpreted = told("off", *command)
                self.assertEqual(interpreted[2], 0, interpreted[1])
                self.assertEqual(told("always", *command), interpreted)

    def test_where_made_code_is_forbidden_the_interpreter_serves(self):
        command = ["reduce", "--n", "5000"]
        forbidden = told("always", *command, prepare=forbid_made_code)
        if forbidden[2] == 77:
            self.skipTest("this Linux forbids no such thing")
        self.assertEqual(forbidden, told("off", *command))

    def test_more_than_a_hundred_programs_of_the_labs_have_code_that_came_with_gpulab(self):
        said = unfolded(subprocess.run([GPULAB, "doctor"], capture_output=True, text=True).stdout)
        count = re.search(r"(\d+) programs of the labs", said)
        if not count:
            self.skipTest("this build has none: no LLVM where it was built, or GPULAB_LAB_CODE=OFF")
        self.assertGreater(int(count[1]), 100)

    def test_a_fault_is_told_the_same(self):
        command = ["reduce", "--variant", "shared_sequential", "--n", "2^16", "--budget", "1000"]
        self.assertEqual(told("always", *command), told("off", *command))

    def test_a_program_ends_well_whose_library_has_compiled_kernels(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "numbers.cu"), "w") as file:
                file.write(LIBRARY)
            ran = subprocess.run([GPULAB, "exec", "numbers.cu"], cwd=folder, capture_output=True, text=True, env=dict(os.environ, GPULAB_COMPILED="always"))
            if ran.returncode == 3:
                self.skipTest("no nvcc here, or no curand.h")
            self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_doctor_says_what_compiles(self):
        said = unfolded(subprocess.run([GPULAB, "doctor"], capture_output=True, text=True).stdout)
        self.assertRegex(said, r"(?m)^(ok       compiled   kernels that run for long, by /usr/lib/\S+(; \d+ programs of the labs at once)? \(GPULAB_COMPILED=off: none\)|-        compiled   .*: no kernel is compiled here; .*)$")

    def test_a_machine_without_llvm_works_as_it_did(self):
        with tempfile.TemporaryDirectory() as folder:
            hidden = hides_llvm(folder)
            if hidden is None:
                self.skipTest("no C compiler, or gpulab takes no preloaded library here")
            command = ["reduce", "--variant", "shared_sequential,neighbored", "--type", "int", "--n", "2^22"]
            for tier in ("auto", "always"):
                self.assertEqual(told(tier, *command, threads=2, more=hidden), told("off", *command))
            said = unfolded(subprocess.run([GPULAB, "doctor"], capture_output=True, text=True, env=dict(os.environ, **hidden)).stdout)
            if "built without clang" in said:
                self.skipTest("this build has no code to compile")
            self.assertRegex(said, r"(?m)^-        compiled   no LLVM: no kernel is compiled here( but \d+ programs of the labs, whose code came with gpulab)?; with it many that run for seconds take a half to a third of the time$")
            self.assertIn("mend: install libllvm15 (or 16 to 19)", said)


if __name__ == "__main__":
    ran = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(ran.failures) + len(ran.errors)
    print(f"{ran.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
