#!/usr/bin/env python3
"""The program that scripts/gpulab builds first, beside the whole: first_test.py GPULAB_FIRST GPULAB."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST, WHOLE = sys.argv[1:3]


def run(program, *arguments):
    made = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, cwd=ROOT)
    return made.returncode, re.sub(r"took [\d.]+ \w+ on this", "took some time on this", made.stdout), made.stderr


class First(unittest.TestCase):
    def test_a_lab_a_file_and_the_devices_are_as_in_the_whole_program(self):
        for words in ("reduce --variant warp --block 256 --device sim", "scan --variant racy --n 100 --sanitize racecheck",
                      "transpose --variant all --rows 33 --cols 65 --format markdown", "reduce --help", "devices",
                      "run tests/cli/files/add_one.ptx --arg data:i32[100]=iota --arg n:u32=100 --show data", "reduce --variant none"):
            self.assertEqual(run(FIRST, *words.split()), run(WHOLE, *words.split()), words)

    def test_other_commands_are_said_to_be_elsewhere(self):
        self.assertEqual(run(FIRST, "grade"), (2, "", "error: 'grade' is not in this part of gpulab: scripts/gpulab builds the whole program "
                                               "when it is given this command\n  hint: 'gpulab --help' shows all commands and labs\n"))

    def test_its_binary_is_smaller(self):
        self.assertLess(pathlib.Path(FIRST).stat().st_size, pathlib.Path(WHOLE).stat().st_size)


if __name__ == "__main__":
    ran = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(ran.failures) + len(ran.errors)
    print(f"{ran.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
