#!/usr/bin/env python3
"""`check` and `grade` accept the same: `one_judge_test.py BINARY [COUNT]`.

COUNT files (20), right solutions and mutants of them, are judged by `check --key` and by `grade`, where all classes of inputs are
hidden ones of the same key: the inputs are the same. What one calls right, the other gives all points for.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from mutants import kernels, mutants  # noqa: E402 (the path comes first)

KEY = {"schema": "gpulab.key.v1", "secret": "of this test, and of nobody else"}
# Two contracts of each kind: a thread for an element, and tiles.
CONTRACTS = [("reduce", "total"), ("reduce", "partials"), ("transpose", "transpose"), ("scan", "scan")]


def spread(these, count):
    """`count` of them: from the first third of as many equal parts. (The first are the simplest, and the slowest to run; of those in
    the middle two never end, which grading.wrong.tricks and grade_test.Endings have, too.)"""
    return [these[(3 * i + 1) * len(these) // (3 * count)] for i in range(min(count, len(these)))]


def submissions(lab, contract, count):
    """(name, text) of files whose kernel is called as the contract: a few right ones, and mutants from all over."""
    right = [(name, source, kernel) for name, source, its_lab, its_contract, kernel, options in kernels()
             if (its_lab, its_contract, options) == (lab, contract, [])]
    wrong = [(name, source, kernel) for name, source, its_lab, its_contract, kernel, options in mutants()
             if (its_lab, its_contract, options) == (lab, contract, [])]
    few = max(1, count // 4)
    chosen = spread(right, few) + spread(wrong, count - few)
    for number, (name, source, kernel) in enumerate(chosen):
        others = re.sub(rf"\b{contract}\b", "another_one", source) if kernel != contract else source
        yield f"{number:03} {name}", re.sub(rf"\b{kernel}\b", contract, others)


def classes_of(binary, lab, contract):
    listed = json.loads(subprocess.run([binary, "list", lab, "--format", "json"], capture_output=True, text=True, check=True).stdout)
    found = next(c for one in listed["labs"] for c in one["contracts"] if c["name"] == contract)
    return [one["name"] for one in found["classes"]]


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    passed = failed = 0
    for lab, contract in CONTRACTS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            key = folder / "key.json"
            key.write_text(json.dumps(KEY))
            hidden = classes_of(binary, lab, contract) + ["key"]
            (folder / "assignment.json").write_text(json.dumps({
                "schema": "gpulab.assignment.v1", "title": "all is hidden", "lab": lab, "contract": contract,
                "items": [{"name": "correct", "kind": "correct", "points": 10, "hidden": hidden},
                          {"name": "clean", "kind": "sanitize", "points": 10}]}))
            files = []
            for student, text in submissions(lab, contract, count // len(CONTRACTS)):
                files.append(folder / f"{student.replace(' ', '_').replace(':', '')}.cu")
                files[-1].write_text(text)
            ran = subprocess.run([binary, "grade", folder / "assignment.json", "--key", key, "--jobs", "2", "--output", folder / "out", "--submission",
                                  *files], capture_output=True, text=True)
            if ran.returncode != 0:
                sys.exit(f"error: grade: {ran.stderr}")
            grades = {g["file"]: g for g in (json.loads(p.read_text()) for p in (folder / "out").glob("*.json")) if "file" in g}
            for file in files:
                check = subprocess.run([binary, "check", lab, file.name, "--contract", contract, "--key", key], cwd=folder, capture_output=True,
                                       text=True)
                grade = grades[file.name]
                if (check.returncode == 0) == (grade["score"] == grade["max"]) and check.returncode in (0, 1):
                    passed += 1
                    continue
                failed += 1
                print(f"FAILED {file.name}: check ends with {check.returncode}, grade gives {grade['score']} of {grade['max']}\n"
                      f"{check.stdout[:2000]}{json.dumps(grade['items'], indent=1)[:2000]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
