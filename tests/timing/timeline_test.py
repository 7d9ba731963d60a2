#!/usr/bin/env python3
"""scripts/compare_timeline.py, as far as it needs no GPU. Closes with 'N passed, N failed'.

usage: timeline_test.py GPULAB
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import compare_timeline  # noqa: E402

GPULAB = ""


class Timeline(unittest.TestCase):
    def test_gaps_in_which_the_host_is_in_no_call_are_its_own_time(self):
        rows = [["copy", 0, 10], ["kernel", 14, 20], ["kernel", 18, 22], ["fill", 30, 31], ["call", 9, 12], ["call", 11, 13], ["call", 26, 40]]
        found = compare_timeline.summary(rows)
        self.assertEqual(found, {"total": 31 - 5, "own": 1 + 4, "kernel": 10, "copy": 10, "fill": 1, "gaps": 3 + 4, "activities": 4})

    def test_where_no_calls_are_known_all_gaps_count(self):
        self.assertEqual(compare_timeline.summary([["kernel", 0, 1], ["kernel", 3, 4]])["total"], 4)
        self.assertIsNone(compare_timeline.summary([["call", 0, 1]]))

    def test_a_measured_timeline_is_compared_without_a_gpu(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            program = {"total": 230.0, "own": 100, "kernel": 3.7, "copy": 13.9, "fill": 0, "gaps": 0, "activities": 3}
            json.dump({"gpu": "NVIDIA H100 80GB HBM3", "driver": "580", "programs": {"round_trip_64k": program, "graph_10": {**program, "activities": 3}}}, file)
            file.flush()
            ran = subprocess.run([ROOT / "scripts" / "compare_timeline.py", "compare", file.name, GPULAB], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertRegex(ran.stdout, r"(?m)^round_trip_64k +230\.0 +23\d\.\d +1\.0\d  ")
        self.assertRegex(ran.stdout, r"(?m)^graph_10 .*\(201 activities, 3 measured\)$")
        self.assertRegex(ran.stdout, r"(?m)^2 programs on NVIDIA H100 80GB HBM3: error \d\.\d\d, 1 within 1\.3; not graph_10$")


if __name__ == "__main__":
    GPULAB = sys.argv.pop(1)
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(bool(failed))
