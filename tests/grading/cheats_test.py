#!/usr/bin/env python3
"""Cheats of timers, as whole programs: `cheats_test.py BINARY [NAME…]`, all of cheats/ where none is named.

Found by themselves: a file of cheats/ begins with `// cheat: KIND`, `// earns: OUTPUT KERNEL FEW_ATOMICS` (points of the items of
configs/assignments/program) and, where it is refused, `// says: EXPRESSION`, which the reason of `output` has to match. CHEATS.md
has each, and each kernel that wrong/ marks with `// cheat: KIND`, in its table.
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
WORKED = TREE / "configs" / "assignments" / "program" / "assignment.json"
BINARY = ""
NAMES = []


def marked(text, word):
    found = re.search(rf"^// {word}: (.*)$", text, re.M)
    return found and found[1]


def table():
    """kind -> (kernels, programs)"""
    rows = re.findall(r"^\| ([a-z ]+) \| ([^|]+) \| ([^|]+) \| [^|]+ \|$", (HERE / "CHEATS.md").read_text(), re.M)
    return {kind: (set(kernels.split(", ")), set(programs.split(", "))) for kind, kernels, programs in rows if kind != "kind"}


class Cheats(unittest.TestCase):
    def test_each_earns_what_it_is_worth_and_is_told_why(self):
        files = [file for file in sorted((HERE / "cheats").glob("*.cu")) if not NAMES or file.stem in NAMES]
        self.assertTrue(files)
        ran = subprocess.run([BINARY, "grade", WORKED, "--format", "json", "--jobs", "2", "--submission", *files],
                             capture_output=True, text=True, timeout=600)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        grades = {grade["submission"]: grade for grade in json.loads(ran.stdout)["grades"]}
        for file in files:
            with self.subTest(file.stem):
                grade = grades[file.stem]
                self.assertEqual(grade["status"], "graded", grade["reason"])
                earned = [item["earned"] for item in grade["items"]]
                output = grade["items"][0]["reason"]
                self.assertEqual(earned, [float(points) for points in marked(file.read_text(), "earns").split()], output)
                self.assertRegex(output, marked(file.read_text(), "says") or "^all 6 cases$")

    def test_the_table_has_each_and_each_kind_is_tried_both_ways(self):
        kinds = table()
        self.assertGreaterEqual(len(kinds), 10)
        kernels, programs = {}, {"input recognised": {"configs/assignments/program/wrong/knows_the_answers"}}
        for file in sorted((HERE / "wrong").glob("*.cu")):
            for kind, kernel in re.findall(r"^// cheat: (.*)\n// wrong: \w+ \w+ (\w+)", file.read_text(errors="replace"), re.M):
                kernels.setdefault(kind, set()).add(kernel)
        for file in sorted((HERE / "cheats").glob("*.cu")):
            programs.setdefault(marked(file.read_text(), "cheat"), set()).add(file.stem)
        self.assertEqual({kind: row[0] for kind, row in kinds.items()}, kernels)
        self.assertEqual({kind: row[1] for kind, row in kinds.items()}, programs)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    NAMES = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
