#!/usr/bin/env python3
"""every_case_test.py BUILD: ctest runs each case of the build's Catch2 programs. Their cases are parted between tests by filters, and a filter
that matches less than it was meant to leaves cases out in silence. Closes with 'N passed, N failed'."""
import pathlib
import re
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv[1])


def cases(program, filters):
    """Names of the cases that a program runs with these filters; without one, all but the hidden."""
    for listing in (["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]):  # Catch2 v2, v3
        said = subprocess.run([program, *(filters or ["~[.]"]), *listing], capture_output=True, text=True)
        if "nrecognised" not in said.stdout + said.stderr:
            return {line.strip() for line in said.stdout.splitlines() if line.strip()}
    raise RuntimeError(f"{program} lists its cases in no way known: {said.stdout}{said.stderr}")


def left_out(run):
    """Cases that no test runs, by program. `run`: (program, filters) of each test."""
    reached = {}
    for program, filters in run:
        reached.setdefault(program, set()).update(cases(program, filters))
    return {program: sorted(cases(program, ["*"]) - names) for program, names in reached.items()}


class EveryCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # As ctest reads them: to ask a second ctest would empty the log of the one that runs this.
        lines = (BUILD / "tests" / "CTestTestfile.cmake").read_text().splitlines()
        quoted = [re.findall(r'"((?:[^"\\]|\\.)*)"', line) for line in lines if line.startswith("add_test(")]
        commands = [[re.sub(r"\\(.)", r"\1", word) for word in words] for words in quoted]
        cls.run_by_ctest = [(command[0], command[1:]) for command in commands if command and command[0].endswith("_tests")]

    def test_each_case_is_run_by_some_test(self):
        self.assertGreaterEqual(len(self.run_by_ctest), 3)
        for program, names in left_out(self.run_by_ctest).items():
            self.assertFalse(names, f"no test of ctest runs these cases of {program}")

    def test_what_a_filter_leaves_out_is_named(self):
        program, filters = next(one for one in self.run_by_ctest if one[1])
        self.assertEqual(set(left_out([(program, ["no case has this name"])])[program]), cases(program, ["*"]))
        self.assertEqual(set(left_out([(program, filters)])[program]), cases(program, ["*"]) - cases(program, filters))


if __name__ == "__main__":
    ran = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(ran.failures) + len(ran.errors)
    print(f"{ran.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
