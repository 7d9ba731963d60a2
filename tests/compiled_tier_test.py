#!/usr/bin/env python3
"""compiled_tier_test.py GPULAB: kernels that run as machine code (common/simt/compiled) leave the same bytes as interpreted ones: the JSON of
every lab, on several threads, compiled before the first launch and while launches run. Closes with 'N passed, N failed'."""
import ctypes
import json
import os
import re
import subprocess
import sys
import unittest

GPULAB = sys.argv[1] if len(sys.argv) > 1 else None
LABS = ["saxpy", "warps", "divergence", "occupancy", "reduce", "unroll", "transpose", "coalescing", "atomics", "scan", "matmul", "julia", "segsum"]


def forbid_made_code():
    """Memory of this process that was written is never executed (Linux 6.3)."""
    PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1
    if ctypes.CDLL(None).prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0:
        os._exit(77)


def told(tier, *command, threads=1, prepare=None):
    """What a command prints as JSON, but for what this machine took for it."""
    environment = dict(os.environ, GPULAB_COMPILED=tier)
    ran = subprocess.run([GPULAB, *command, "--device", "sim", "--format", "json", "--threads", str(threads)], capture_output=True, text=True,
                         env=environment, preexec_fn=prepare)
    measured = r'("(?:wall|min|q1|median|q3|max|mean|stddev)_ms": )[0-9.e+-]+'  # of the simulation, and of what runs on the CPU
    return re.sub(measured, r"\g<1>0", ran.stdout), ran.stderr, ran.returncode


class CompiledTier(unittest.TestCase):
    maxDiff = 2000

    def test_every_lab_prints_the_same_bytes(self):
        for lab in LABS:
            with self.subTest(lab=lab):
                interpreted = told("off", lab)
                self.assertTrue(json.loads(interpreted[0])["results"])
                self.assertEqual(told("always", lab, threads=2), interpreted)

    def test_ladders_print_the_same_bytes(self):
        for lab, *size in (["reduce", "--n", "3000"], ["scan", "--n", "5000"], ["segsum", "--n", "3000"]):
            with self.subTest(lab=lab):
                command = [lab, "--variant", "all", *size]
                self.assertEqual(told("always", *command, threads=2), told("off", *command))

    def test_code_that_comes_while_blocks_run_changes_nothing(self):
        command = ["reduce", "--variant", "shared_sequential,neighbored,warp", "--type", "int", "--n", "2^22"]
        self.assertEqual(told("auto", *command, threads=2), told("off", *command))

    def test_where_made_code_is_forbidden_the_interpreter_serves(self):
        command = ["reduce", "--n", "5000"]
        forbidden = told("always", *command, prepare=forbid_made_code)
        if forbidden[2] == 77:
            self.skipTest("this Linux forbids no such thing")
        self.assertEqual(forbidden, told("off", *command))

    def test_a_fault_is_told_the_same(self):
        command = ["reduce", "--variant", "shared_sequential", "--n", "2^16", "--budget", "1000"]
        self.assertEqual(told("always", *command), told("off", *command))

    def test_doctor_says_what_compiles(self):
        said = subprocess.run([GPULAB, "doctor"], capture_output=True, text=True).stdout
        self.assertRegex(said, r"(?m)^(ok       compiled   GPULAB_COMPILED=auto compiles what runs for long, by /usr/lib/.*|-        compiled   .*: no kernel is compiled here; .*)$")


if __name__ == "__main__":
    ran = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(ran.failures) + len(ran.errors)
    print(f"{ran.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
