#!/usr/bin/env python3
"""Tests of scripts/gpu_ladder.py with a program that only pretends to measure. Closes with 'N passed, N failed'.

usage: gpu_ladder_test.py GPULAB
"""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import gpu_ladder  # noqa: E402

GPULAB = sys.argv[1]

# Answers with the times of a JSON file beside it ({rung: [ms of the first run, of the second, ...]}; a word is a status),
# and notes each call.
PRETENDER = """#!/usr/bin/env python3
import json, pathlib, sys
here = pathlib.Path(__file__).parent
calls = here / "calls.txt"
turn = len(calls.read_text().splitlines()) if calls.exists() else 0
calls.open("a").write(" ".join(sys.argv[1:]) + "\\n")
times = json.loads((here / "times.json").read_text())
if sys.argv[1] == "list":
    print(json.dumps({"labs": [{"variants": [{"name": name, "runs_as": "library" if name == "vendor" else "kernels", "params": {"type": ["int"]} if name == "ints" else {}} for name in times]}]}))
    sys.exit()
def result(name):
    time = times[name][turn % len(times[name])]
    right = not isinstance(time, str)
    return {"variant": name, "status": "ok" if right else time, "verification": {"status": "passed"} if right else None,
            "timing": {"median_ms": time if right else 0}, "built_on": "slow" if name == "fast" else None}
gpu = (here / "gpu.txt").read_text() if (here / "gpu.txt").exists() else "NVIDIA H200"
print(json.dumps({"device": {"name": gpu}, "results": [result(name) for name in sys.argv[3].split(",")]}))
"""


class Ladder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "gpulab").write_text(PRETENDER)
        (self.folder / "gpulab").chmod(0o755)
        for name in ("ROWS", "MISSED", "LADDERS", "GOES_DOWN"):
            self.addCleanup(setattr, gpu_ladder, name, getattr(gpu_ladder, name))
        gpu_ladder.MISSED, gpu_ladder.GOES_DOWN = {}, {}
        gpu_ladder.ROWS = [gpu_ladder.Row("reduce", "fast", "vendor", ["--n", "8"], 1.0, rounds=3)]
        gpu_ladder.LADDERS = {"reduce": (["--n", "8"], {"left_out"})}

    def run_with(self, *arguments, **times):
        """(exit code, what was printed, the calls)"""
        (self.folder / "times.json").write_text(json.dumps(times))
        said = io.StringIO()
        before = dict(os.environ)
        os.environ.update(GPULAB_PROGRAM=str(self.folder / "gpulab"), OUT=str(self.folder), PATH="/usr/bin:/bin")
        try:
            with contextlib.redirect_stdout(said):
                code = gpu_ladder.main(list(arguments))
        finally:
            os.environ.clear()
            os.environ.update(before)
        return code, said.getvalue(), (self.folder / "calls.txt").read_text().splitlines()

    def test_a_ratio_is_the_median_of_rounds_whose_order_alternates_cold_and_warm(self):
        code, said, calls = self.run_with("marks", fast=[1.0, 1.0, 1.0], vendor=[1.5, 1.1, 1.3])
        self.assertEqual(code, 0)
        self.assertRegex(said, r"reduce fast --n 8 +1\.000 +1\.300 +1\.300 +cold: 1 ms, vendor 1\.3 ms")
        order = [call.split()[2] for call in calls]
        self.assertEqual(order, ["fast,vendor", "vendor,fast", "fast,vendor"] * 2)
        self.assertEqual(["--warm" in call for call in calls], [False] * 3 + [True] * 3)
        figures = json.loads((self.folder / "ladder.json").read_text())["marks"][0]
        self.assertEqual(figures["cold"], [1.3, 1.0, 1.3, "NVIDIA H200"])

    def test_a_missed_mark_fails_unless_it_is_listed_with_its_reason(self):
        code, said, _ = self.run_with("marks", fast=[1.0], vendor=[0.9])
        self.assertEqual(code, 1)
        self.assertIn("MISSED\n1 unexplained\n  reduce fast --n 8", said)
        gpu_ladder.MISSED = {"reduce fast --n 8": "registers"}
        code, said, _ = self.run_with("marks", fast=[1.0], vendor=[0.9])
        self.assertEqual(code, 0)
        self.assertIn("MISSED: registers\n0 unexplained", said)

    def test_on_another_gpu_than_the_marks_are_of_they_are_five_percent_lower(self):
        (self.folder / "gpu.txt").write_text("NVIDIA H100 80GB HBM3")
        code, said, _ = self.run_with("marks", fast=[1.0], vendor=[0.96])
        self.assertEqual(code, 0)
        self.assertRegex(said, r"reduce fast --n 8 +0\.950 +0\.960")
        gpu_ladder.ROWS = [gpu_ladder.Row("reduce", "fast", "vendor", ["--n", "8"], 1.0)]
        self.assertEqual(self.run_with("marks", fast=[1.0], vendor=[0.94])[0], 1)

    def test_a_wrong_result_is_a_missed_mark_however_fast(self):
        code, said, _ = self.run_with("marks", fast=["wrong"], vendor=[0.9])
        self.assertEqual(code, 1)
        self.assertIn("wrong    wrong   cold: no right result", said)

    def test_a_ladder_that_goes_down_fails_unless_it_is_listed(self):
        code, said, calls = self.run_with("monotonic", slow=[1.0], fast=[1.1], ints=[1.0], left_out=[1.0])
        self.assertEqual(code, 1)
        self.assertRegex(said, r"fast +1100\.0 us +0\.91 times as fast as slow  SLOWER\n1 unexplained\n  reduce fast")
        self.assertTrue(any(" --variant slow,fast " in call for call in calls), calls)
        gpu_ladder.GOES_DOWN = {"reduce fast": "conflicts"}
        self.assertEqual(self.run_with("monotonic", slow=[1.0], fast=[1.1], ints=[1.0], left_out=[1.0])[0], 0)
        gpu_ladder.GOES_DOWN = {}
        self.assertEqual(self.run_with("monotonic", slow=[1.0], fast=[1.02], ints=[1.0], left_out=[1.0])[0], 0)  # noise

    def test_labs_can_be_chosen_and_a_wrong_word_is_refused(self):
        code, said, calls = self.run_with("reduce", fast=[1.0], slow=[2.0], vendor=[1.0])
        self.assertEqual(code, 0)
        self.assertIn("reduce fast --n 8", said)
        self.assertIn("2.00 times as fast as slow", said)
        with contextlib.redirect_stderr(io.StringIO()) as problem:
            self.assertEqual(gpu_ladder.main(["marks", "redcue"]), 2)
        self.assertEqual(problem.getvalue(), "error: 'redcue' is neither marks, monotonic nor a lab: reduce\n")

    def test_a_ladder_without_results_fails(self):
        code, said, _ = self.run_with("monotonic")
        self.assertEqual(code, 1)
        self.assertIn("1 unexplained\n  reduce: no results", said)


class Data(unittest.TestCase):
    def rungs(self, lab):
        listed = json.loads(subprocess.run([GPULAB, "list", lab, "--format", "json"], capture_output=True, text=True, check=True).stdout)
        return {variant["name"] for variant in listed["labs"][0]["variants"]}

    def test_marks_and_exceptions_name_rungs_that_exist(self):
        for row in gpu_ladder.ROWS:
            self.assertLessEqual({row.rung, row.vendor}, self.rungs(row.lab), row.key)
        for lab, (_, left_out) in gpu_ladder.LADDERS.items():
            self.assertLessEqual(left_out, self.rungs(lab), lab)
        for key in gpu_ladder.GOES_DOWN:
            lab, rung = key.split()
            self.assertIn(rung, self.rungs(lab), key)
            self.assertIn(f"`{rung}`", (ROOT / "labs" / lab / "README.md").read_text(), key)
        self.assertLessEqual(set(gpu_ladder.MISSED), {row.key for row in gpu_ladder.ROWS})


if __name__ == "__main__":
    ran = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(ran.failures) + len(ran.errors)
    print(f"{ran.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
