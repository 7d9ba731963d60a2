#!/usr/bin/env python3
"""Does configs/odds.json follow from what was measured, and do odds behave? Closes with 'N passed, N failed'.

usage: odds_test.py [NAME…]   classes or cases; Draws fits a model for each draw: half a minute
"""
import contextlib
import functools
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


@functools.cache
def by_others():
    """Each program's pairs, judged by what the other programs teach: seconds, and several tests look at it."""
    return compare_odds.judged_by_others(compare_odds.foreign_pairs())


@functools.cache
def by_draws():
    """Each draw, judged by the draws before it: a fit for each, half a minute in all."""
    return list(compare_odds.by_draws_before(compare_odds.foreign_pairs()))


class Case(unittest.TestCase):
    def what_is_said_is_how_many_are_right(self, judged):
        for least, beyond, off in ((0.9, 1.01, 0.015), (0.85, 0.95, 0.06), (0.7, 0.85, 0.06)):
            [(_, _, count, said, right)] = compare_odds.reliability(judged, (least, beyond))
            self.assertGreater(count, 150)
            self.assertLess(abs(said - right), off, f"{least:.0%} to {beyond:.0%}: {count} pairs, said {said:.1%}, right {right:.1%}")


class Odds(Case):
    def test_the_table_of_foreign_kernels_follows_from_the_data(self):
        ran = subprocess.run([ROOT / "scripts" / "compare_odds.py", "--foreign", "--check"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_a_table_of_other_data_is_found(self):
        table, compare_odds.TABLE = compare_odds.TABLE, ROOT / "configs" / "schema" / "key.json"
        self.addCleanup(setattr, compare_odds, "TABLE", table)
        arguments, sys.argv = sys.argv, ["compare_odds.py", "--foreign", "--check"]
        self.addCleanup(setattr, sys, "argv", arguments)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(compare_odds.main(), 1)
        self.assertIn("configs/odds.json is of other data: foreign", said.getvalue())

    def test_programs_judged_by_what_the_others_teach_are_mostly_right(self):
        judged = by_others()
        made = compare_odds.tally(judged, compare_odds.sure_of(judged))
        self.assertGreaterEqual(made.share("right", "called"), 0.95, made)
        self.assertGreaterEqual(made.share("right", "called", True), 0.95, made)
        self.assertLessEqual(made.share("undecided", "pairs"), 0.36, made)
        self.assertLessEqual(made.share("far undecided", "far", True), 0.1, made)
        self.assertGreaterEqual(made.of["called"][0], 500, made)

    def test_what_is_said_of_sure_pairs_is_how_many_are_right(self):
        self.what_is_said_is_how_many_are_right(by_others())

    def test_reliability_counts_by_what_is_said(self):
        def pair(chance, right):
            return compare_odds.Pair("", "", 1, 1 if right else 0, 1, 0), (0, 1 - chance, chance)

        made = compare_odds.reliability([pair(0.96, True), pair(0.94, True), pair(0.9, False), pair(0.8, True)], (0.9, 0.95, 1.01))
        self.assertEqual([row[:3] for row in made], [(0.9, 0.95, 2), (0.95, 1.01, 1)])
        self.assertAlmostEqual(made[0][3], 0.92)
        self.assertEqual([row[4] for row in made], [0.5, 1])

    def test_pairs_of_one_program_are_one_observation(self):
        def judged(programs):
            return [(compare_odds.Pair(i % programs, "", 1, 1 if i % 10 else 0, 2 / 200 * programs, 0), (0, 0.1, 0.9)) for i in range(200)]

        programs, said, right, low, high = compare_odds.by_program(judged(200), 0.85, 0.95)
        self.assertEqual(programs, 200)
        self.assertAlmostEqual(said, 0.9)
        self.assertAlmostEqual(right, 0.9)
        self.assertTrue(-0.06 < low < -0.02 < 0.02 < high < 0.06, (low, high))
        programs, _, _, low, high = compare_odds.by_program(judged(10), 0.85, 0.95)  # one of ten is wrong in all of its pairs
        self.assertEqual(programs, 10)
        self.assertLess(low, -0.15)

    def test_no_draw_teaches_the_one_that_it_is_judged_by(self):
        seen = {}
        pairs = [compare_odds.Pair(f"program {i % 40}", f"draw {i // 100}", 0.5, 0.5, 1, 0) for i in range(600)]
        real = compare_odds.fit

        def fit(some):
            seen.setdefault("pairs", []).extend(some)
            return real(some)

        compare_odds.fit = fit
        self.addCleanup(setattr, compare_odds, "fit", real)
        for draw, _, judged in compare_odds.by_draws_before(pairs[:500]):
            self.assertEqual(len(judged), 100)
            self.assertNotIn(draw, {pair.draw for pair in seen.pop("pairs")})

    def test_a_draw_of_a_file_of_its_own_is_judged(self):
        file = ROOT / "tests" / "data" / "programs_h100_35.json"
        ran = subprocess.run([ROOT / "scripts" / "compare_odds.py", "--draw", file], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stdout, r"^programs_h100_35.json by the other draws, called from \d\d% on: \d+ pairs: ")

    def test_sure_is_the_least_from_which_on_enough_is_right(self):
        def pair(chance, right):
            return compare_odds.Pair("", "", 1, 1 if right else 0, 1, 0), (0, 1 - chance, chance)

        judged = [pair(0.96, True)] * 60 + [pair(0.85, True)] * 39 + [pair(0.85, False)] + [pair(0.8, False)] * 5 + [pair(0.75, True)] * 500
        self.assertEqual(compare_odds.sure_of(judged), 0.81)

    def test_of_pairs_made_with_known_errors_the_fit_finds_them(self):
        import random
        draw = random.Random(2)
        pairs = []
        for group in range(1500):
            modelled, few = draw.uniform(-0.5, 0.5), draw.randrange(3)
            wide = compare_odds.width({"near": 0.02, "far": 0.15, "few": 2}, modelled, few)
            student = draw.gauss(0, 1) / math.sqrt(draw.expovariate(1))  # two degrees of freedom: chi-squared by two is exponential
            pairs.append(compare_odds.Pair(group, "", modelled, modelled + wide * student, 1, few))
        model = compare_odds.fit(pairs)
        for name, least, most in (("near", 0.01, 0.03), ("far", 0.13, 0.17), ("few", 1.7, 2.3)):
            self.assertTrue(least < model[name] < most, f"{name}: {model}")
        faster, same, slower = compare_odds.odds(model, math.log(2))
        self.assertAlmostEqual(faster + same + slower, 1)
        self.assertGreater(slower, 0.85)
        self.assertGreater(slower, compare_odds.odds(model, math.log(2), 2)[2])

    def test_the_rungs_table_is_there(self):
        table = json.loads((ROOT / "configs" / "odds.json").read_text(encoding="utf-8"))
        self.assertGreater(table["rungs"]["pairs"], 2000)
        self.assertLess(table["rungs"]["far"], table["foreign"]["far"])


class Draws(Case):
    def test_draws_judged_by_the_draws_before_them_are_mostly_right(self):
        recent = by_draws()[-compare_odds.RECENT_DRAWS:]
        made = compare_odds.Tally()
        for _, sure, judged in recent:
            for pair, chances in judged:
                made.add(pair, chances, sure)
        self.assertGreaterEqual(made.share("right", "called"), 0.93, made)
        self.assertLessEqual(made.share("undecided", "pairs"), 0.36, made)
        self.assertLessEqual(made.share("far undecided", "far"), 0.11, made)
        self.assertGreaterEqual(made.of["called"][0], 150, made)

    def test_what_is_said_of_sure_pairs_of_draws_is_how_many_are_right(self):
        self.what_is_said_is_how_many_are_right([one for _, _, judged in by_draws() for one in judged])


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(bool(failed))
