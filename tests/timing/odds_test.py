#!/usr/bin/env python3
"""Does configs/odds.json follow from what was measured, and do odds behave? Closes with 'N passed, N failed'."""
import contextlib
import io
import json
import math
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import compare_odds  # noqa: E402


class Odds(unittest.TestCase):
    def test_the_table_of_foreign_kernels_follows_from_the_data(self):
        ran = subprocess.run([ROOT / "scripts" / "compare_odds.py", "--foreign", "--check"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_a_table_of_other_data_is_found(self):
        table, compare_odds.TABLE = compare_odds.TABLE, ROOT / "configs" / "schema" / "key.json"
        self.addCleanup(setattr, compare_odds, "TABLE", table)
        sys.argv = ["compare_odds.py", "--foreign", "--check"]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(compare_odds.main(), 1)
        self.assertIn("configs/odds.json is of other data: foreign", said.getvalue())

    def test_programs_judged_by_what_the_others_teach_are_mostly_right(self):
        said = compare_odds.judged(compare_odds.foreign_pairs())
        count = int(said.split()[0])
        by_weight = float(said.split("by weight ")[1].split("%")[0]) / 100
        self.assertGreaterEqual(by_weight, 0.93, said)
        undecided = float(said.split(" undecided (")[1].split("%")[0]) / 100
        self.assertLessEqual(undecided, 0.36, said)
        self.assertGreaterEqual(count, 50, said)

    def test_of_pairs_made_with_known_errors_the_fit_finds_them(self):
        import random
        draw = random.Random(1)
        pairs = []
        for group in range(400):
            modelled = draw.uniform(-0.5, 0.5)
            t = compare_odds.apart(modelled)
            pairs.append((group, modelled, modelled + draw.gauss(0, 0.6 if draw.random() < 0.05 + 0.25 * t else 0.03 + 0.1 * t), 1))
        model = compare_odds.fit(pairs)
        for name, least, most in (("core", 0.015, 0.05), ("growth", 0.07, 0.13), ("near_share", 0.02, 0.2), ("wide_share", 0.2, 0.4),
                                  ("wide", 0.45, 0.75)):
            self.assertTrue(least < model[name] < most, f"{name}: {model}")
        faster, same, slower = compare_odds.odds(model, math.log(2))
        self.assertAlmostEqual(faster + same + slower, 1)
        self.assertGreater(slower, 0.85)

    def test_the_rungs_table_is_there(self):
        table = json.loads((ROOT / "configs" / "odds.json").read_text(encoding="utf-8"))
        self.assertGreater(table["rungs"]["pairs"], 2000)
        self.assertLess(table["rungs"]["wide_share"], table["foreign"]["wide_share"])


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(bool(failed))
