#!/usr/bin/env python3
"""Nothing that we say is wider than 80 columns where COLUMNS=80; helps and starters never are.

usage: columns_test.py BINARY [all]     all: each lab's ladder, and what takes compiling
Left out are texts whose width is another's: nvprof's and ncu's pages, JSON and CSV, PTX, what compilers
say, a page of Markdown (help --glossary).
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unicodedata
import unittest

BINARY = pathlib.Path(sys.argv[1]).resolve()
ALL = "all" in sys.argv[2:]
TESTS = pathlib.Path(__file__).resolve().parent
MOST = 80
FEW = ("reduce", "transpose", "occupancy", "segsum")  # of labs whose ladders run in CI: wide tables, many columns
FAULTS = TESTS / "cli/files/faults.cu"
ASSIGNMENT = TESTS.parent / "configs/assignments/reduce"


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def said(*arguments, columns="80", folder=None):
    """What a command says, on both streams."""
    environment = dict(os.environ, COLUMNS=columns, NO_COLOR="1")
    if not columns:
        del environment["COLUMNS"]
    run = subprocess.run([BINARY, *map(str, arguments)], env=environment, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                         timeout=300, check=False)
    return run.stdout + run.stderr


def names_of(heading):
    """Labs or commands, as the overview lists them."""
    part = said("--help").split(heading + ":\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in part.splitlines() if line.startswith("  ") and line[2] != " "]


LABS, COMMANDS = names_of("Labs"), names_of("Commands")


class Columns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, name, text, most=MOST):
        """A line of one word (a path) cannot be broken."""
        with self.subTest(name):
            wide = [line for line in text.splitlines() if width(line) > most and " " in line.strip()]
            self.assertEqual(wide, [], f"{len(wide)} lines are wider than {most} columns")

    def check_commands(self, *lines, **options):
        for line in lines:
            self.check(line, said(*line.split(), folder=self.folder, **options))

    def test_helps_fit_wherever_they_go(self):
        self.assertGreater(len(LABS), 10)
        self.assertIn("trace", COMMANDS)
        for name in ("", *LABS, *COMMANDS):
            for columns in ("80", ""):
                self.check(f"{name} --help", said(*name.split(), "--help", columns=columns))
        self.check_commands("help sector", "help bank conflict", "help gld_efficiency", "help registers", columns="")

    def test_lists_fit(self):
        self.check_commands("list", "list --metrics", "devices", "doctor", *(f"list {lab}" for lab in LABS),
                            "list reduce --resources", "list scan --resources", "list segsum --resources")

    def test_without_columns_lists_fit_into_100(self):
        for line in ("list", "list --metrics", "devices", "doctor", "list reduce", "list matmul --resources"):
            self.check(line, said(*line.split(), columns=""), 100)

    def test_starters_fit_and_so_does_what_is_said_of_them(self):
        for lab in LABS:
            self.check(f"new {lab}", said("new", lab, lab, folder=self.folder))
            for file in (self.folder / lab).iterdir():
                self.check(f"{lab}: {file.name}", file.read_text())

    def test_ladders_and_single_runs_fit(self):
        for lab in LABS if ALL else FEW:
            self.check_commands(f"{lab} --variant all --device sim --n 2^12", f"{lab} --device sim --n 2^12",
                                f"explain {lab} --n 2^12")
        self.check_commands("reduce --n 2^8:2^11 --variant warp,atomic --device sim", "explain reduce --variant warp --phases --n 2^12",
                            "reduce --variant racy --sanitize all --allow-racy --n 2^10 --device sim",
                            "trace reduce --text --events 300 --n 2^10", "trace reduce --n 2^10 --output t.html",
                            "compare reduce --variant warp,shared_strided --n 2^12")

    def test_a_file_of_yours_is_explained_run_and_checked_within_80_columns(self):
        bare = ("--kernel nosync --grid 4 --arg in:i32[1024]=iota",)
        self.check_commands(f"run {FAULTS}", f"run {FAULTS} {bare[0]} --sanitize all", f"check reduce {FAULTS}", f"new transpose {self.folder}",
                            f"check transpose {self.folder}/transpose.cu",
                            f"grade {ASSIGNMENT}/assignment.json --no-isolation --submission {ASSIGNMENT}/reference.cu {ASSIGNMENT}/wrong/one_block.cu",
                            f"grade {ASSIGNMENT}/assignment.json --submission {ASSIGNMENT}/wrong")
        if not ALL:
            return
        self.check_commands(f"explain {FAULTS} {bare[0]}", f"check reduce {ASSIGNMENT}/reference.cu", f"assignment lint {ASSIGNMENT}/assignment.json",
                            f"compare {ASSIGNMENT}/wrong/one_block.cu {ASSIGNMENT}/reference.cu --kernel total<float>")
        for program in sorted((TESTS / "exec/homework").glob("*.cu")):
            self.check_commands(f"exec {program} --sanitize all", f"exec {program} --explain")

    def test_errors_fit(self):
        (self.folder / "a.json").write_text("{}")
        self.check_commands(
            "nosuch", "reducton", "bench", "profile", "debug", "sanitize", "nvprof", "version", "metrics", "file.cu", "help nosuch",
            "list nosuch", "list sector", "list --metrics wave", "list --resources", "new nosuch", "schema nosuch", "completion csh", "nvcc",
            "reduce --bogus", "reduce --variant wrp", "reduce --block 77777", "reduce --n 1e", "reduce --n -5", "reduce --type complex",
            "reduce --op frob", "reduce --format frob", "reduce --output /nosuch/x", "reduce --grid 0", "reduce --sanitize frob", "reduce --device gpu:9",
            "reduce --profile xx", "reduce --metrics nosuch", "reduce --budget 1", "transpose --block 64", "matmul --block 64",
            "matmul --n 99999999999", "check nosuch x.cu", "check reduce nosuch.cu", "check reduce", "explain nosuch.cu --kernel f", "run add.cu",
            "run", "exec", "exec nosuch.cu", "exec /bin/true", "grade nosuch.json --submission x", "grade", f"grade {ASSIGNMENT}/assignment.json",
            "assignment lint nosuch.json", "assignment frob", "compare a.json b.json", "compare a.json a.json", "compare reduce", "trace reduce",
            "trace nosuch --output x.html", "mcp --root /nosuch", "ncu --set nosuch x.cu", "ncu --page frob x.cu", "ncu",
            f"run {FAULTS} --kernel nosync --arg x", f"run {FAULTS} --kernel nosync --arg in:i32[9]=frob", f"run {FAULTS} --kernel no_such_kernel_at_all")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
