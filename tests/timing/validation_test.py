#!/usr/bin/env python3
"""Are modelled times as good as marks.json says, and does a model that is broken on purpose fail? Closes with 'N passed, N failed'.

usage: validation_test.py GPULAB [NAME…]
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
import compare_model  # noqa: E402

GPULAB = ""


def validate(*options):
    """(exit code, what it says)"""
    ran = subprocess.run([ROOT / "scripts" / "validate_model.sh", *options], capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


class Validated(unittest.TestCase):
    def broken(self, change):
        """What validation says of the h200's numbers with a change to their fields."""
        document = json.loads((ROOT / "configs" / "timing" / "h200.json").read_text(encoding="utf-8"))
        change(document["fields"])
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(document, file)
            file.flush()
            return validate("--small", "--timing", file.name, GPULAB)


class Model(Validated):
    def test_modelled_times_are_as_good_as_the_marks_say(self):
        code, said = validate("--small", GPULAB)
        self.assertEqual(code, 0, said)
        self.assertIn("pass  geometric mean of the error", said)
        self.assertNotIn("FAIL", said)


class MoreOfTheModel(Validated):
    def test_latencies_that_are_halved_are_found(self):
        def halve(fields):
            for name, field in fields.items():
                field["value"] /= 2 if "latency" in name else 1
        code, said = self.broken(halve)
        self.assertEqual(code, 1, said)
        self.assertIn("FAIL  within 1.5 times", said)

    def test_an_l2_that_is_left_out_is_found(self):
        def leave_out(fields):
            fields["l2"]["value"] = 0  # nothing stays there: each sector comes from DRAM
            fields["l2_latency"]["value"] = fields["dram_latency"]["value"]
            fields["l2_spread"]["value"] = fields["dram_spread"]["value"]
        code, said = self.broken(leave_out)
        self.assertEqual(code, 1, said)
        self.assertIn("FAIL", said)


class Judging(unittest.TestCase):
    GOT = {"geometric_mean_error": 1.2, "within_1.5": 0.9, "beyond_2.5": 0.01, "pairs_in_order": 0.95, "from_low_to_high": 0.9,
           "errors_by_lab": {"reduce": 1.1, "scan": 1.3}}

    def judge(self, **worse):
        said = []
        missed = compare_model.judge({**self.GOT, **worse}, compare_model.with_room(self.GOT), self.GOT, said.append)
        return missed, said

    def test_what_is_reached_passes_with_room_and_each_mark_can_be_missed(self):
        self.assertEqual(self.judge()[0], [])
        for name, value in {"geometric_mean_error": 1.25, "within_1.5": 0.87, "beyond_2.5": 0.03, "pairs_in_order": 0.93,
                            "from_low_to_high": 0.86}.items():
            missed, said = self.judge(**{name: value})
            self.assertEqual(missed, [name])
            self.assertEqual(sum(line.startswith("FAIL") for line in said), 1)

    def test_a_lab_that_gets_worse_hides_behind_no_other_and_none_may_be_missing(self):
        missed, said = self.judge(errors_by_lab={"reduce": 1.05, "scan": 1.5})
        self.assertEqual((missed, said[-1]), (["scan"], "FAIL  scan alone: 1.500, the mark is at most 1.378"))
        self.assertEqual(self.judge(errors_by_lab={"reduce": 1.05})[0], ["scan"])

    def test_all_figures_follow_from_the_launches(self):
        measured = {("a", v, "n=1", "256"): t for v, t in [("x", 1.0), ("y", 2.0), ("z", 10.0)]}
        model = {k: {"time_ms": t, "low_ms": 0.9 * t, "high_ms": 1.1 * t} for k, t in zip(measured, [1.0, 0.5, 10.0])}
        got = compare_model.reached(measured, model, [(k, model[k]["time_ms"] / measured[k]) for k in measured])
        self.assertAlmostEqual(got["geometric_mean_error"], 4 ** (1 / 3))
        self.assertAlmostEqual(got["within_1.5"], 2 / 3)
        self.assertAlmostEqual(got["beyond_2.5"], 1 / 3)
        self.assertAlmostEqual(got["pairs_in_order"], 2 / 3)
        self.assertAlmostEqual(got["from_low_to_high"], 2 / 3)

    def test_every_set_of_marks_has_all_kinds_and_the_aims_are_the_issue_s(self):
        document = json.loads(compare_model.MARKS.read_text(encoding="utf-8"))
        kinds = {name for name, *_ in compare_model.KINDS}
        self.assertEqual(set(document["aim"]), kinds)
        self.assertIn("h200_small", document["marks"])
        for marks in document["marks"].values():
            self.assertEqual(set(marks), kinds | {"launches", "errors_by_lab"})

    def test_wrong_usage_says_so(self):
        self.assertEqual(validate("--small", "nowhere/gpulab"), (2, "validate_model.sh: nowhere/gpulab cannot be run: name the binary, build/gpulab\n"))
        self.assertEqual(validate("--timing"), (2, "validate_model.sh: --timing takes a file\n"))
        code, said = validate("--fast")
        self.assertEqual((code, said.splitlines()[0]), (2, "usage: scripts/validate_model.sh [--small] [--write] [--timing FILE] GPULAB"))


if __name__ == "__main__":
    GPULAB = sys.argv.pop(1)
    program = unittest.main(exit=False)
    wrong = len(program.result.failures) + len(program.result.errors)
    print(f"{program.result.testsRun - wrong} passed, {wrong} failed")
    sys.exit(1 if wrong else 0)
