#!/usr/bin/env python3
"""The worked assignments of configs/assignments are sound, with a key and as `gpulab assignment lint` has it, and a valid
document of the schema: `assignments_test.py BINARY [NAME…]`, all of them where none is named."""
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

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(TREE / "tests"))
from sanitized import without_notes  # noqa: E402 (the path comes first)

BINARY = ""
NAMES = []


class Assignments(unittest.TestCase):
    def test_each_is_sound_and_of_the_schema(self):
        schema = json.loads(subprocess.run([BINARY, "schema", "assignment"], capture_output=True, check=True).stdout)
        found = sorted((TREE / "configs" / "assignments").glob("*/assignment.json"))
        self.assertGreaterEqual(len(found), 4)
        with tempfile.TemporaryDirectory() as folder:
            key = pathlib.Path(folder, "key.json")
            key.write_text('{"schema": "gpulab.key.v1", "secret": "of the tests alone, and long"}')
            for path in found:
                if NAMES and path.parent.name not in NAMES:
                    continue
                with self.subTest(path.parent.name):
                    if jsonschema:
                        jsonschema.Draft202012Validator(schema).validate(json.loads(path.read_text()))
                    ran = subprocess.run([BINARY, "assignment", "lint", path, "--key", key, "--jobs", "2"], capture_output=True,
                                         text=True)
                    self.assertEqual((ran.returncode, without_notes(ran.stderr)), (0, ""), ran.stdout)
                    self.assertTrue(ran.stdout.endswith("\nsound\n"), ran.stdout)
                    self.assertNotIn("advice", ran.stdout)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    NAMES = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
