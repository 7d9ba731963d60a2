"""lint_mutants.py LINT.json: its mutants, those that keep their points a line each."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    mutants = json.load(file)["mutants"]
for one in mutants:
    if one["fate"] not in ("caught", "uncompiled"):
        print(f"{one['line']} {one['kind']} {one['what']}: {one['fate']}: {one['tells']}".split("\n")[0])
print(sum(one["fate"] == "caught" for one in mutants), "caught")
