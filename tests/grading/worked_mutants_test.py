#!/usr/bin/env python3
"""Mistakes in the worked assignments' references lose points, and each that does not is argued in SURVIVORS.md, assignment by
assignment: `worked_mutants_test.py BINARY [NAME…]`, those that the page names where none is named. Minutes each."""
import collections
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROW = re.compile(r"^\| (\w+) \| (line \d+: .*) \| .+ \|$", re.M)
SURVIVOR = re.compile(r"^  (line \d+: .* \(.*\))$", re.M)
LEAST_CAUGHT = 0.9  # of all mutants; the survivors are argued, one by one


def main(binary, names):
    argued = collections.defaultdict(list)
    for name, survivor in ROW.findall((HERE / "SURVIVORS.md").read_text()):
        argued[name].append(survivor)
    failed = 0
    for name in names or sorted(argued):
        assignment = HERE.parent.parent / "configs" / "assignments" / name / "assignment.json"
        ran = subprocess.run([binary, "assignment", "lint", assignment, "--mutants", "--jobs", "2"], capture_output=True, text=True)
        caught, all_of_them = map(int, re.search(r"^(\d+) mutants of (\d+) lose points", ran.stdout, re.M).groups())
        survivors = SURVIVOR.findall(ran.stdout.split("\nsound")[0])
        print(f"{name}: {caught} of {all_of_them} lose points")
        for what, some, others in (("is not argued", survivors, argued[name]), ("survives no longer", argued[name], survivors)):
            for one in some:
                if one not in others:
                    print(f"{name}: {what}: {one}")
                    failed += 1
        failed += caught < LEAST_CAUGHT * all_of_them or ran.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
