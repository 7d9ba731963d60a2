#!/usr/bin/env python3
"""A command, a format, a tool … is one file (tests/one_place), a counter one row: the build found it, and everything that
follows from it is there.

usage: one_place_test.py BINARY PLAIN      BINARY has the files of tests/one_place, PLAIN has them not
Closes with 'N passed, N failed'.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY, PLAIN = sys.argv[1:3]


def gpulab(*words, binary=BINARY, columns=None):
    """(exit code, stdout, stderr)"""
    environment = {**os.environ, **({"COLUMNS": str(columns)} if columns else {})}
    ran = subprocess.run([binary, *words], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, env=environment)
    return ran.returncode, ran.stdout, ran.stderr


class Command(unittest.TestCase):
    def test_it_runs_with_its_arguments_and_options(self):
        self.assertEqual(gpulab("greet", "you", "and", "me", "--loud"), (0, "HELLO you and me\n", ""))
        self.assertEqual(gpulab("greet", "you", "--", "--loud", "x"), (0, "hello you [--loud] [x]\n", ""))

    def test_help_names_it_and_shows_its_options(self):
        self.assertIn("\n  greet                         says hello\n", gpulab("--help")[1])
        text = gpulab("greet", "--help")[1]
        self.assertIn("Usage: gpulab greet [OPTIONS] WHOM [MORE...] [-- WORDS]\n", text)
        self.assertIn("\n  --times N                     how often [1]\n", text)
        self.assertTrue(text.rstrip().endswith("\nGreetings are not verified."), text)
        self.assertEqual(gpulab("help", "greet")[1], text)
        self.assertIn("--of-reduce", gpulab("help", "greet", "reduce")[1])

    def test_what_it_does_not_take_is_refused_and_near_misses_are_found(self):
        self.assertEqual(gpulab("greet")[0], 2)
        self.assertIn("error: greet: whom?\n  hint: as in: gpulab greet you\n", gpulab("greet")[2])
        self.assertIn("did you mean '--loud'?", gpulab("greet", "you", "--lud")[2])
        self.assertIn("did you mean 'greet'?", gpulab("gret")[2])

    def test_without_its_file_nothing_knows_of_it(self):
        self.assertEqual(gpulab("greet", binary=PLAIN)[0], 2)
        self.assertNotIn("greet", gpulab("--help", binary=PLAIN)[1])

    def test_no_lab_can_take_its_name(self):
        for name, is_taken in (("greet", True), ("run", True), ("grade", True), ("greeting", False)):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                tree = pathlib.Path(folder, "tree")
                (tree / "labs" / name).mkdir(parents=True)
                (tree / "labs" / name / "lab.cpp").touch()
                (tree / "runner").symlink_to(ROOT / "runner")
                cmake = ROOT / "scripts" / "cmake"
                (tree / "CMakeLists.txt").write_text(
                    f"cmake_minimum_required(VERSION 3.22)\nproject(names NONE)\ninclude({cmake}/commands.cmake)\n"
                    f"gpulab_write_commands({folder}/c.cpp {ROOT}/runner/commands {ROOT}/tests/one_place/commands)\n"
                    f"include({cmake}/labs.cmake)\n")
                ran = subprocess.run(["cmake", "-G", "Ninja", "-S", tree, "-B", pathlib.Path(folder, "build")],
                                     capture_output=True, text=True)
                self.assertEqual(f"'{name}' is a command of gpulab" in ran.stderr, is_taken, ran.stderr)


class Format(unittest.TestCase):
    sweep = ("saxpy", "--device", "sim", "--n", "1000", "--variant", "vadd,naive", "--format")

    def test_it_writes_runs_and_explanations(self):
        self.assertEqual(gpulab(*self.sweep, "words"), (0, "saxpy ran 2 variants\n", ""))
        self.assertEqual(gpulab("explain", "saxpy", "--n", "1000", "--format", "words"),
                         (0, "saxpy has 1 launches to explain\n", ""))

    def test_it_writes_errors(self):
        self.assertEqual(gpulab("saxpy", "--blok", "1", "--format", "words")[1], "in words: saxpy: unknown option '--blok'\n")

    def test_help_and_errors_name_it_where_it_can_be_had(self):
        self.assertRegex(gpulab("saxpy", "--help")[1], r"table, csv, html, json, [\s\S]*\bor\s+words\s+\[table\]")
        self.assertRegex(gpulab("explain", "--help")[1], r"table, html, json[\s\S]*\bor\s+words\s+\[table\]")
        self.assertRegex(gpulab(*self.sweep, "wrds")[2], "did you mean 'words'\\? formats: table, csv, html, json, .*, words")

    def test_without_its_file_nothing_knows_of_it(self):
        self.assertIn("unknown format 'words'", gpulab(*self.sweep, "words", binary=PLAIN)[2])


class Export(unittest.TestCase):
    assignment = ROOT / "configs/assignments/transpose/assignment.json"

    def test_it_writes_grades(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("ada", "bob"):
                pathlib.Path(folder, name).mkdir()  # who handed nothing in
            code, _, _ = gpulab("grade", self.assignment, "--submission", f"{folder}/ada", f"{folder}/bob", "--export", f"tally={folder}/t")
            self.assertEqual((code, pathlib.Path(folder, "t").read_text()), (0, "2 submissions\n"))

    def test_help_and_errors_name_it(self):
        self.assertIn("tally", gpulab("grade", "--help")[1])
        words = ("grade", self.assignment, "--submission", ROOT, "--export", "taly=x")
        self.assertIn("did you mean 'tally'? formats: canvas, ", gpulab(*words)[2])

    def test_without_its_file_nothing_knows_of_it(self):
        self.assertNotIn("tally", gpulab("grade", "--help", binary=PLAIN)[1])


class Counter(unittest.TestCase):
    """The row of one_place/counter_row.txt."""
    reduce = ("reduce", "--device", "sim", "--n", "1000", "--variant")

    def test_list_metrics_defines_it(self):
        self.assertIn("\nbarriers_twice\n    barrier instructions, twice\n    ncu     one_place__barriers.twice\n    nvprof  barrier_pairs\n",
                      gpulab("list", "--metrics")[1])

    def test_json_and_csv_have_it_behind_the_row_that_it_names(self):
        counters = json.loads(gpulab(*self.reduce, "warp", "--format", "json")[1])["results"][0]["counters"]
        names = list(counters)
        self.assertEqual(names.index("barriers_twice"), names.index("barriers") + 1)
        self.assertEqual(counters["barriers_twice"], 2 * counters["barriers"])
        self.assertGreater(counters["barriers"], 0)
        header = gpulab(*self.reduce, "warp", "--format", "csv")[1].splitlines()[0]
        self.assertIn(",barriers,barriers_twice", header)

    def test_the_page_the_ladder_and_explain_show_it(self):
        self.assertRegex(gpulab(*self.reduce, "warp")[1], r"\n  barriers, twice +[0-9]+   barrier_pairs\n")
        ladder = gpulab(*self.reduce, "warp,tree_shared")[1]
        self.assertRegex(ladder, r" barriers\n.* twice\n")
        self.assertRegex(gpulab("explain", *self.reduce[:1], *self.reduce[3:], "warp", columns=200)[1], r" twice ")

    def test_without_its_row_nothing_knows_of_it(self):
        for words in (("list", "--metrics"), (*self.reduce, "warp", "--format", "json"), (*self.reduce, "warp")):
            self.assertNotIn("twice", gpulab(*words, binary=PLAIN)[1])


class Tool(unittest.TestCase):
    def test_it_watches_kernels_and_its_findings_are_told(self):
        code, out, _ = gpulab("reduce", "--device", "sim", "--n", "1000", "--variant", "shared_sequential", "--sanitize", "lonecheck")
        self.assertEqual(code, 0)
        self.assertIn("one lane accesses memory alone", out)

    def test_help_all_and_errors_name_it(self):
        self.assertRegex(" ".join(gpulab("reduce", "--help")[1].split()), "memcheck, racecheck,.* lonecheck, all or none")
        self.assertIn("lonecheck", gpulab("reduce", "--device", "sim", "--n", "1000", "--variant", "shared_sequential",
                                          "--sanitize", "all")[1])
        self.assertRegex(gpulab("reduce", "--sanitize", "lonechek")[2],
                         "did you mean 'lonecheck'\\? tools: memcheck, racecheck, .*, lonecheck, all, none")

    def test_without_its_file_nothing_knows_of_it(self):
        self.assertIn("unknown tool 'lonecheck'", gpulab("reduce", "--sanitize", "lonecheck", binary=PLAIN)[2])


class DeviceKind(unittest.TestCase):
    def test_it_is_listed_checked_and_shown_in_help(self):
        self.assertIn("\n\nPaper (--device paper)\n  one sheet\n\n", gpulab("devices")[1])
        self.assertIn("\nok       paper      one sheet\n", gpulab("doctor")[1])
        text = gpulab("reduce", "--help")[1]
        self.assertIn("--device auto|gpu[:I]|sim|paper", text)
        self.assertIn("else a sheet of paper", " ".join(text.split()))

    def test_it_is_opened_by_its_name(self):
        code, report, _ = gpulab("reduce", "--device", "paper", "--n", "1000")
        self.assertEqual(code, 0)
        self.assertIn("modelling t4", report)

    def test_near_misses_find_it(self):
        self.assertIn("did you mean 'paper'? devices: auto, gpu, gpu:INDEX, sim, paper",
                      gpulab("reduce", "--device", "papr")[2])

    def test_without_its_file_nothing_knows_of_it(self):
        self.assertIn("unknown device 'paper'", gpulab("reduce", "--device", "paper", binary=PLAIN)[2])
        self.assertNotIn("aper", gpulab("devices", binary=PLAIN)[1])


class SpecialRegister(unittest.TestCase):
    kernel = """.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r2, %dummy;
  st.global.u32 [%rd1], %r2;
  ret;
}
"""

    def run_it(self, binary):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "k.ptx")
            path.write_text(self.kernel)
            return gpulab("run", path, "--device", "sim", "--grid", "1", "--block", "8", "--arg", "out:u32[8]=none",
                          "--expect", "out=1234", binary=binary)

    def test_its_row_gives_it_a_value(self):
        self.assertEqual(self.run_it(BINARY)[0], 0)

    def test_without_its_row_nothing_knows_of_it(self):
        code, report, errors = self.run_it(PLAIN)
        self.assertEqual(code, 4)
        self.assertIn("special register '%dummy' is not implemented by the simulator", " ".join((report + errors).split()))


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
