#!/usr/bin/env python3
"""Tests of the tree's order: includes go down, rooms stay small and say what they are, comments cite what is there."""
import collections
import functools
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# From the ground up. A file belongs to the longest entry that its path starts with; it may include files of its own
# entry and of entries before it. Entries of one line do not know each other.
FLOORS = [
    ["common"],
    ["common/child", "common/progress", "common/trace"],
    ["common/ptx"],
    ["common/ptx/parse", "common/ptx/flow"],
    ["common/simt"],
    ["common/device"],
    ["common/cuda_api"],
    ["labs"],
    ["runner/version"],
    ["runner/options/sizes"],  # numbers as people type them, wherever they do
    ["runner/case"],
    ["runner/report"],
    ["runner/report/ladder"],
    ["runner/report/documents", "runner/report/html", "runner/report/words"],
    ["runner/report/plots", "runner/report/explain"],
    ["runner/report/advice"],
    ["runner/report/check", "runner/report/compare", "runner/report/program", "runner/report/trace"],
    ["runner/report/pages", "runner/report/ncu", "runner/report/roofline", "runner/report/sarif", "runner/report/tuned"],
    ["runner/report/formats"],
    ["runner/export"],
    ["runner/export/formats"],
    ["runner/student_file/arguments"],
    ["runner/student_file"],
    ["runner/options"],
    ["runner/execution", "runner/listing"],
    ["runner/judge/inspection", "runner/program"],
    ["runner/judge/kernel_search"],
    ["runner/judge"],
    ["runner/calibrate", "runner/compare", "runner/roofline", "runner/tuner"],
    ["runner/compare/kernels"],
    ["runner/grade/input"],
    ["runner/grade/program"],
    ["runner/grade"],
    ["runner/grade/mutants"],
    ["runner"],
    ["runner/manual", "runner/course", "runner/mcp"],
    ["runner/commands"],
    ["runner/main"],
]
LEVEL = {place: level for level, row in enumerate(FLOORS) for place in row}
LEVEL["tests"] = len(FLOORS)

MOST_FILES = 22  # in a room, and
MOST_FILES_OF = {"runner": 12, "common": 28}  # the entrance is smaller, the ground that all stand on larger

# Files that comments name and that others wrote: headers of the CUDA toolkit.
TOOLKIT = re.compile(r"(cuda\w*|cooperative_groups|cublas_api|curand_\w+|driver_types|library_types|mma|immintrin|nccl)\.h")
# What stands for any name: labs/NAME/kernels_smNN.cu, a folder's foo.cpp, the lab that CONTRIBUTING.md shows.
PLACEHOLDER = re.compile(r"[A-Z]{2,}|\bfoo(?![a-z])|\bsquares(?![a-z])")

SOURCES = {".h", ".cpp", ".cu", ".cuh"}
CITED = re.compile(r"(?<![\w./*{$])((?!gpulab\.cases\.v1)\w[\w.-]*(?:/[\w.-]+)*\.(?:h|cpp|cuh?|md|py|sh|csv|tsv|json|cases|cmake|txt))(?![\w*/])")


@functools.lru_cache(maxsize=None)
def tree():
    """The files of the tree by their path from the root; what was built or is hidden is not of it."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        here = pathlib.Path(folder).relative_to(ROOT)
        folders[:] = [f for f in folders if not f.startswith((".", "build")) and f not in ("__pycache__", "shared")]
        found += [(here / file).as_posix() for file in files]
    return sorted(found)


@functools.lru_cache(maxsize=None)
def files_named():
    """The paths of the tree's files by their names."""
    named = collections.defaultdict(list)
    for path in tree():
        named[pathlib.PurePath(path).name].append(path)
    return named


@functools.lru_cache(maxsize=None)
def text(path):
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")  # of tests/grading, some are none


def sources(*folders):
    return [path for path in tree() if path.startswith(folders) and pathlib.PurePath(path).suffix in SOURCES]


def place_of(path):
    """The entry of FLOORS that a file belongs to; what has none (tests/) stands above everything."""
    return max((place for place in LEVEL if re.match(re.escape(place) + r"[/.]", path)), key=len, default="tests")


def may_use(user, used):
    """May the file `user` include the file `used`?"""
    own, other = place_of(user), place_of(used)
    return own == other or LEVEL[other] < LEVEL[own]


def why_not(user, used):
    own, other = place_of(user), place_of(used)
    relation = "stands beside it" if LEVEL[own] == LEVEL[other] else "stands above it"
    return (f"{user} uses {used}, but {other} {relation} ({own}): move what both need to a place that stands before "
            "both (FLOORS in tests/rooms_test.py)")


class Order(unittest.TestCase):
    def expect_none(self, wrong):
        """Fails with one line for each thing that is wrong."""
        if wrong:
            self.fail("\n" + "\n".join(wrong))


class Includes(Order):
    def includes(self):
        for path in sources("common/", "labs/", "runner/"):
            for included in re.findall(r'^#include "([^"]+)"', text(path), re.M):
                beside = (pathlib.PurePath(path).parent / included).as_posix()
                yield path, included if "/" in included else beside

    def test_includes_go_down(self):
        wrong = [why_not(path, used) for path, used in self.includes() if not may_use(path, used)]
        self.expect_none(wrong)

    def test_a_lab_knows_no_other_lab(self):
        wrong = [f"{path} includes {used}, a file of another lab: move it to labs/" for path, used in self.includes()
                 if used.count("/") == 2 and used.startswith("labs/")
                 and pathlib.PurePath(used).parent != pathlib.PurePath(path).parent]
        self.expect_none(wrong)

    def test_what_is_declared_forward_is_not_defined_above(self):
        defined = collections.defaultdict(set)
        for path in sources("common/", "labs/", "runner/"):
            for name in re.findall(r"^(?:struct|class) (\w+)[^;\n]*\{", text(path), re.M):
                defined[name].add(path)
        wrong = [why_not(path, sorted(defined[name])[0]) + f"; it declares {name} forward"
                 for path in sources("common/", "labs/", "runner/")
                 for name in re.findall(r"^(?:struct|class) (\w+);", text(path), re.M)
                 if defined[name] and not any(may_use(path, definition) for definition in defined[name])]
        self.expect_none(wrong)


class Rooms(Order):
    def rooms(self):
        """Folder -> its source files."""
        rooms = collections.defaultdict(list)
        for path in sources("common/", "runner/"):
            rooms[pathlib.PurePath(path).parent.as_posix()].append(path)
        return rooms

    def test_each_room_has_its_place_in_the_order(self):
        wrong = [f"{room}/ has no place in FLOORS (tests/rooms_test.py): say what it stands on" for room in self.rooms()
                 if room.count("/") == 1 and room not in LEVEL]
        self.expect_none(wrong)

    def test_rooms_are_small(self):
        wrong = [f"{room}/ holds {len(files)} files, {MOST_FILES_OF.get(room, MOST_FILES)} are the limit: what belongs "
                 "together in it is a room of its own" for room, files in self.rooms().items()
                 if len(files) > MOST_FILES_OF.get(room, MOST_FILES)]
        self.expect_none(wrong)

    def test_each_room_opens_with_a_few_lines(self):
        wrong = []
        for room in self.rooms():
            page = f"{room}/README.md"
            if page not in tree():
                wrong.append(f"{page} is missing: what comes in, what goes out, who calls")
                continue
            opening = text(page).split("\n## ")[0].splitlines()  # recipes may stand below it
            if not 3 <= len(opening) <= 16:
                wrong.append(f"{page} opens with {len(opening)} lines: 5 to 12 open a room")
        self.expect_none(wrong)

    def test_cells_of_contributing_are_of_one_line(self):
        """A recipe that takes more stands in the README of its room."""
        rows = [line for line in text("CONTRIBUTING.md").splitlines() if line.startswith("| ")]
        self.assertGreater(len(rows), 60)
        self.expect_none([f"{len(row)} characters: {row[:60]}…" for row in rows if len(row) > 180])


class Citations(Order):
    def comments(self):
        """(file, line number, text) of each comment; of pages, each line."""
        for path in tree():
            suffix = pathlib.PurePath(path).suffix
            if not path.startswith(("common/", "labs/", "runner/", "tests/", "scripts/", "configs/", "CONTRIBUTING.md", "README.md")):
                continue
            if path == "tests/rooms_test.py" or path.startswith("tests/data/"):
                continue
            mark = {"//": SOURCES, "#": {".py", ".sh", ".cmake"}, "": {".md"}}
            mark = next((m for m, suffixes in mark.items() if suffix in suffixes), "#" if path.endswith("CMakeLists.txt") else None)
            if mark is None:
                continue
            for number, line in enumerate(text(path).splitlines(), 1):
                found = re.search(r"(?:^|\s)" + mark + r"(?! ?include)(.*)", line)
                if found:
                    yield path, number, found.group(1)

    def exists(self, cited, path):
        """By its path from the root or from where it is cited, by the end of its path, or by its name."""
        name = pathlib.PurePath(cited).name
        if TOOLKIT.fullmatch(name) or cited.startswith("build") or (ROOT / pathlib.PurePath(path).parent / cited).exists():
            return True
        if path == "configs/mistakes.md" and re.search(rf"^\$ gpulab exec (.* )?{re.escape(cited)}$", text(path), re.M):
            return True  # a program that stands on the page itself
        if PLACEHOLDER.search(name):  # any file, but of a folder that is there
            folder = re.compile("(?:.*/)?" + PLACEHOLDER.sub("[^/]+", cited.rpartition("/")[0]))
            return "/" not in cited or any(folder.fullmatch(file.rpartition("/")[0]) for file in tree())
        ending = re.compile("(?:.*/)?" + PLACEHOLDER.sub("[^/]+", cited.replace(".", r"\.")))
        return any(ending.fullmatch(file) for file in files_named().get(name, []))

    def test_comments_cite_what_stands_in_the_tree(self):
        wrong = [f"{path}:{number} cites {cited}, which is not in the tree"
                 for path, number, comment in self.comments() for cited in CITED.findall(comment)
                 if not self.exists(cited, path)]
        self.expect_none(wrong)


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
