#!/usr/bin/env python3
"""What `gpulab assignment new` writes is sound, without advice, and of the schema: `new_assignment_test.py BINARY [LAB…]`, for every
contract of these labs, of all where none is named."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from sanitized import without_notes  # noqa: E402 (the path comes first)

BINARY = ""
LABS = []


def gpulab(*words):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True)


class NewAssignments(unittest.TestCase):
    def test_each_is_sound_and_of_the_schema(self):
        schema, lint_schema = (json.loads(gpulab("schema", name).stdout) for name in ("assignment", "lint"))
        labs = json.loads(gpulab("list", "--format", "json").stdout)["labs"]
        contracts = [(lab["name"], contract["name"]) for lab in labs for contract in lab["contracts"]
                     if not LABS or lab["name"] in LABS]
        self.assertGreaterEqual(len(contracts), 1 if LABS else 18)
        with tempfile.TemporaryDirectory() as folder:
            for lab, contract in contracts:
                with self.subTest(lab=lab, contract=contract):
                    made = pathlib.Path(folder, lab, contract)
                    ran = gpulab("assignment", "new", lab, made, "--contract", contract)
                    self.assertEqual((ran.returncode, without_notes(ran.stderr)), (0, ""))
                    wide = [line for file in made.rglob("*") if file.is_file() for line in file.read_text().splitlines() if len(line) > 80]
                    self.assertEqual(wide, [])
                    ran = gpulab("assignment", "lint", made / "assignment.json", "--jobs", "2", "--format", "json")
                    self.assertEqual((ran.returncode, without_notes(ran.stderr)), (0, ""), ran.stdout[:3000])
                    document = json.loads(ran.stdout)
                    self.assertEqual((document["sound"], document["notes"]), (True, []))
                    roles = [solution["role"] for solution in document["solutions"]]
                    self.assertEqual(roles[:2] + list(set(roles[2:])), ["reference", "starter", "wrong"])
                    if jsonschema:
                        jsonschema.Draft202012Validator(schema).validate(json.loads((made / "assignment.json").read_text()))
                        jsonschema.Draft202012Validator(lint_schema).validate(document)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    LABS = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
