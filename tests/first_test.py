#!/usr/bin/env python3
"""The program that scripts/gpulab builds first, with some labs, beside the whole: first_test.py GPULAB_FIRST GPULAB LAB;LAB..."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST, WHOLE = sys.argv[1:3]
LABS = sys.argv[3].split(";")


def run(program, *arguments):
    made = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, cwd=ROOT)
    return made.returncode, re.sub(r"took [\d.]+ \w+ on this", "took some time on this", made.stdout), made.stderr


def elsewhere(name):
    return (2, "", f"error: '{name}' is not in this part of gpulab: scripts/gpulab builds the rest when it is given this name\n"
            "  hint: 'gpulab --help' shows all commands and labs\n")


class First(unittest.TestCase):
    def same(self, *commands):
        for words in commands:
            self.assertEqual(run(FIRST, *words.split()), run(WHOLE, *words.split()), words)

    def test_a_lab_is_as_in_the_whole_program(self):
        self.assertTrue(LABS)
        for lab in LABS:
            self.same(f"{lab} --device sim --n 1000" if lab != "transpose" else f"{lab} --rows 33 --cols 65 --variant all --format markdown",
                      f"{lab} --help", f"{lab} --variant none")
        if "scan" in LABS:
            self.same("scan --variant racy --n 100 --sanitize racecheck")

    def test_a_file_and_the_devices_are_as_in_the_whole_program(self):
        self.same("devices", "run tests/cli/files/add_one.ptx --arg data:i32[100]=iota --arg n:u32=100 --show data")

    def test_other_commands_and_labs_are_said_to_be_elsewhere(self):
        others = {path.parent.name for path in ROOT.glob("labs/*/lab.cpp")} - set(LABS)
        self.assertTrue(others)
        for name in ("grade", *sorted(others)):
            self.assertEqual(run(FIRST, name), elsewhere(name), name)

    def test_doctor_counts_the_labs_that_are_here_and_elsewhere(self):
        all_labs = len(list(ROOT.glob("labs/*/lab.cpp")))
        self.assertRegex(" ".join(run(FIRST, "doctor")[1].split()), rf"ok +labs +{len(LABS)} labs?, .*; {all_labs - len(LABS)} more: scripts/gpulab builds "
                         "one when it is asked for ")
        self.assertRegex(run(WHOLE, "doctor")[1], rf"ok +labs +{all_labs} labs, \d+ kernel files for the CUDA Toolkit [\d.]+\n")

    def test_its_binary_is_smaller(self):
        self.assertLess(pathlib.Path(FIRST).stat().st_size, pathlib.Path(WHOLE).stat().st_size)


if __name__ == "__main__":
    ran = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(ran.failures) + len(ran.errors)
    print(f"{ran.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
