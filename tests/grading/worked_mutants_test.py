#!/usr/bin/env python3
"""Mistakes in the references of assignments lose points, and each that does not is argued in SURVIVORS.md, assignment by assignment:
`worked_mutants_test.py BINARY [NAME…]`. A NAME is a worked assignment's, or LAB.CONTRACT: what `gpulab assignment new` writes
for it. Where none is named: all worked ones, and all contracts. Minutes each.

    --page   the survivors alone, as rows of the page that lack their reason
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WORKED = HERE.parent.parent / "configs" / "assignments"
ROW = re.compile(r"^\| ([\w.]+) \| (line \d+: .*\)) \| (.+) \|$", re.M)
LEAST_CAUGHT = 0.97  # of the wrong ones, in items about right and wrong; the survivors are argued, one by one


def argued():
    """name -> the survivors that the page argues to be right."""
    page = collections.defaultdict(list)
    for name, survivors, _ in ROW.findall((HERE / "SURVIVORS.md").read_text()):
        page[name] += survivors.replace("\\|", "|").split("<br>")
    return page


def all_names(binary):
    labs = json.loads(subprocess.run([binary, "list", "--format", "json"], capture_output=True, text=True, check=True).stdout)["labs"]
    worked = [file.parent.name for file in sorted(WORKED.glob("*/assignment.json")) if json.loads(file.read_text()).get("kind") != "program"]
    return worked + [f"{lab['name']}.{contract['name']}" for lab in labs for contract in lab["contracts"]]


def mutants_of(binary, name, folder):
    lab, _, contract = name.partition(".")
    made = WORKED / name
    if contract:
        made = pathlib.Path(folder, name)
        subprocess.run([binary, "assignment", "new", lab, made, "--contract", contract], capture_output=True, check=True)
    ran = subprocess.run([binary, "assignment", "lint", made / "assignment.json", "--mutants", "--jobs", "2", "--format", "json"],
                         capture_output=True, text=True)
    document = json.loads(ran.stdout)
    assert ran.returncode == 0 and document["sound"], ran.stdout[:2000] + ran.stderr
    return document["mutants"]


def text_of(mutant):
    return f"line {mutant['line']}: {' '.join(mutant['what'].split())} ({mutant['kind']})"


def judge(name, mutants, page):
    """What is wrong with it, a line each."""
    wrong = [one for one in mutants if one["is_wrong"]]
    caught = [one for one in wrong if one["by_right"]]
    print(f"{name}: of {len(mutants)} mutants {len(wrong)} are wrong, of which {len(caught)} lose points in items about right and wrong", flush=True)
    survivors = [text_of(one) for one in mutants if one["fate"] in ("wrong", "slower", "unproved")]
    said = [f"is not argued: {one}" for one in survivors if one not in page]
    said += [f"survives no longer: {one}" for one in page if one not in survivors]
    said += [f"was not graded: {text_of(one)}: {one['tells']}" for one in mutants if one["fate"] == "ungraded"]
    if len(caught) < LEAST_CAUGHT * len(wrong) or not wrong:
        said.append("too few lose points")
    return said


def main(binary, names):
    as_page = "--page" in names
    names = [name for name in names if name != "--page"]
    page, failed = argued(), 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names or all_names(binary):
            mutants = mutants_of(binary, name, folder)
            if as_page:
                for one in mutants:
                    if one["fate"] in ("wrong", "slower", "unproved"):
                        print(f"| {name} | {text_of(one)} | {one['fate']} {one['tells'] or ''} |".replace("||", "\\|\\|"))
                continue
            for said in judge(name, mutants, page[name]):
                print(f"{name}: {said}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
