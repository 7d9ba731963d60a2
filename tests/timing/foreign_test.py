#!/usr/bin/env python3
"""scripts/validate_programs.py without a GPU: usage: foreign_test.py. Exits 1 if an expectation fails."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from types import SimpleNamespace

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import survey_programs  # noqa: E402
import validate_programs  # noqa: E402


class ValidatePrograms(unittest.TestCase):
    """What scripts/validate_programs.py makes of measured launches; measuring needs a GPU."""

    @staticmethod
    def said_of(*rows):
        """rows: (measured us, again us, modelled us as ncu counts, 0: none, low us, high us, the same work twice)"""
        launch = validate_programs.launch_cost_us("h100") - validate_programs.NOTHING_US
        kept = [{"program": "p", "kernel": f"k{i}", "launches": 1, "measured_us": measured, "again_us": again, "launch_us": modelled + launch,
                 "model": {"time_ms": modelled / 1000 or None, "low_ms": low / 1000, "high_ms": high / 1000, "bound": "issue"}, "repeats": same}
                for i, (measured, again, modelled, low, high, same) in enumerate(rows)]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(validate_programs.text_of({"gpu": "x", "programs": {"p": {"rows": kept}, "q": {"rows": [], "why": "does not build"}}}))
            file.flush()
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                validate_programs.compare([file.name])
        return out.getvalue()

    def test_errors_are_told_as_factors_and_the_worst_kernel_first(self):
        said = self.said_of((100, 100, 200, 150, 250, True), (100, 101, 100, 50, 200, True))
        self.assertEqual(said.splitlines(), ["2 kernels of 1 programs: error 1.41, 50 % within 1.5, 0 % beyond 2.5, 50 % from low to high, "
                                             "high by low 4.0 in the middle, 0 % no ground, 0 of 0 pairs in order",
                                             "    2.00  p k0 100.0 us, issue", "    1.00  p k1 100.0 us, issue"])

    def test_short_launches_and_those_that_are_not_the_same_work_twice_are_not_judged(self):
        said = self.said_of((9, 9, 90, 80, 100, True), (100, 300, 100, 50, 200, False), (100, 100, 100, 50, 200, True))
        self.assertIn("1 kernels of 1 programs: error 1.00, 100 % within 1.5", said)
        self.assertIn("not the same work twice: p k1", said)

    def test_a_launch_without_a_modelled_time_is_named_and_not_judged(self):
        self.assertIn("without a modelled time: p k0 100.0 us", self.said_of((100, 100, 0, 0, 0, True), (100, 100, 100, 50, 200, True)))

    def test_pairs_that_differ_by_15_percent_are_in_order_or_not(self):
        said = self.said_of((100, 100, 100, 50, 200, True), (110, 110, 90, 50, 200, True), (200, 200, 95, 50, 200, True))
        self.assertIn("1 of 2 pairs in order", said)

    def test_programs_fall_into_halves_by_their_names(self):
        self.assertEqual([validate_programs.half_of(n) for n in ("bh", "lud", "md", "mr")], ["tune", "judge", "tune", "judge"])

    def test_a_launch_repeats_itself_where_its_instructions_differ_by_five_percent_at_most(self):
        of = lambda count: {"smsp__inst_executed.sum": count}
        self.assertTrue(validate_programs.repeats(of(1000), of(950)))
        self.assertFalse(validate_programs.repeats(of(1000), of(949)))
        self.assertFalse(validate_programs.repeats(of(1000), {}))

    def test_of_each_kernel_and_grid_the_first_launch_of_both_runs_is_kept(self):
        of = lambda count, ns: {"smsp__inst_executed.sum": count, validate_programs.TIME: ns}
        first = [("a", [4, 1, 1], of(100, 12000)), ("a", [4, 1, 1], of(100, 9000)), ("a", [8, 1, 1], of(200, 20000)), ("b", [1, 1, 1], of(7, 3000))]
        kept = validate_programs.measured_launches(first, [("a", [4, 1, 1], of(101, 13000)), ("b", [1, 1, 1], of(9, 3000))])
        self.assertEqual([(row["kernel"], row["grid"][0], row["measured_us"], row["again_us"], row["repeats"]) for row in kept],
                         [("a", 4, 12, 13, True), ("a", 8, 20, 0, False), ("b", 1, 3, 3, False)])

    def test_what_a_gpu_measured_is_written_and_read_again_before_a_model_says_anything_of_it(self):
        program = {"measured": [{"kernel": "k", "grid": [1, 1, 1], "measured_us": 20}], "rows": []}
        self.assertEqual(json.loads(validate_programs.text_of({"gpu": "x", "programs": {"p": program}}))["programs"]["p"], program)

    def test_a_measured_launch_waits_until_gpulab_has_exactly_one_kernel_for_it(self):
        row = {"kernel": "k", "grid": [4, 1, 1]}
        of = lambda name, **more: {"name": name, "grid": [4, 1, 1], **more}
        self.assertIsNone(validate_programs.kernel_of(row, {}))
        self.assertIsNone(validate_programs.kernel_of(row, {"status": "hung", "kernels": [of("k(int)")]}))
        self.assertIsNone(validate_programs.kernel_of(row, {"status": "ok", "kernels": [of("k<int>(int)"), of("k<float>(float)")]}))
        self.assertEqual(validate_programs.kernel_of(row, {"status": "ok", "kernels": [of("k<int>(int)")]}), of("k<int>(int)"))
        self.assertEqual(validate_programs.kernel_of(row, {"status": "hung", "kernels": [of("k", model={"time_ms": 1})]}), of("k", model={"time_ms": 1}))

    def beside(self, took, ending):
        """What stands in programs.json after a program was modelled beside the GPU that ran out of time after `took` seconds of 90."""
        report = {"status": "ok", "kernels": [{"name": "k(int)", "grid": [4, 1, 1], "block": [1, 1, 1], "launches": 1, "model": {"time_ms": 1, "bound": "issue"}}]}
        measuring = SimpleNamespace(simulated=lambda program, folder, seconds: (report, min(took, seconds)))
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            file = pathlib.Path(folder) / "programs.json"
            data = {"seed": 16, "programs": {"p": {"rows": [], "measured": [{"kernel": "k", "grid": [4, 1, 1], "measured_us": 20}, {"kernel": "other", "grid": [1, 1, 1]}]}}}
            beside = validate_programs.Beside(SimpleNamespace(beside=2, time=90, end=ending), measuring, data, validate_programs.Write(file, data))
            beside.add(SimpleNamespace(name="p"), lambda: folder)
            beside.pool.shutdown()
            return json.loads(file.read_text())["programs"]["p"] if file.exists() else None

    def test_what_is_modelled_while_the_gpu_measures_stands_beside_what_it_measured(self):
        kept = self.beside(3, 60)
        self.assertEqual([(row["kernel"], row["measured_us"], row["model"]["time_ms"]) for row in kept["rows"]], [("k", 20, 1)])
        self.assertEqual([row["kernel"] for row in kept["measured"]], ["other"])
        self.assertNotIn("cut", kept)

    def test_a_model_that_had_less_than_its_time_is_named_and_none_is_begun_at_the_end(self):
        self.assertTrue(self.beside(90, 60)["cut"])
        self.assertNotIn("cut", self.beside(90, 200))
        self.assertIsNone(self.beside(3, 4))

    def test_programs_are_measured_in_the_order_in_which_they_are_named(self):
        every = {name: (lambda name=name: name) for name in "abc"}
        self.assertEqual(survey_programs.drawn(every, SimpleNamespace(only="c,x,a", count=2, seed=1)), ["c", "a"])

    def test_kernels_are_matched_by_the_name_that_ncu_prints(self):
        for name in ("scale(float*, int)", "void scale<float, 4>(float*, int)", "void a::(anonymous namespace)::scale<b<1>, (int)2>(c<int>)"):
            self.assertEqual(validate_programs.name_of(name), "scale")

    def test_what_was_measured_of_foreign_kernels_is_compared_without_a_gpu(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(validate_programs.compare([ROOT / "tests/data/programs_h100.json"]), 0)
        self.assertRegex(out.getvalue(), r"^\d+ kernels of \d+ programs: error 1\.\d\d, ")


class Reader(unittest.TestCase):
    def test_a_reader_that_has_seen_enough_ends_a_report_quietly(self):
        read, write = os.pipe()
        os.close(read)
        file = ROOT / "tests" / "data" / "programs_h100_36b.json"
        ran = subprocess.run([ROOT / "scripts" / "validate_programs.py", "--compare", file], stdout=write, stderr=subprocess.PIPE, text=True)
        os.close(write)
        self.assertEqual((ran.returncode, ran.stderr), (128 + 13, ""))


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
