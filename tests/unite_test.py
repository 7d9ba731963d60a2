#!/usr/bin/env python3
"""Tests of scripts/cmake/unite.py: which files are compiled as one. Closes with 'N passed, N failed'."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "cmake"))
import unite  # noqa: E402

PLAIN = "namespace gpulab {{\nnamespace {{\n{private}\n}}  // namespace\n{public}\n}}  // namespace gpulab\n"


class Groups(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def groups(self, **files):
        """Names of files by group; a file's text is "private | public", or all of it. room_file: runner/room/file.cpp."""
        for name, text in files.items():
            room, _, file = name.partition("_")
            (self.root / "runner" / room).mkdir(parents=True, exist_ok=True)
            private, bar, public = text.partition(" | ")
            path = self.root / "runner" / room / f"{file}.cpp"
            path.write_text(PLAIN.format(private=private, public=public) if bar else text)
        paths = sorted(str(path) for path in self.root.glob("**/*.cpp"))
        said = subprocess.run([sys.executable, unite.__file__, self.root, *paths], capture_output=True, text=True, check=True).stdout
        made = {}
        for line in said.splitlines():
            path, group = line.split(";")
            made.setdefault(group, []).append(pathlib.Path(path).stem)
        return sorted(made.values())

    def test_files_of_a_room_that_name_nothing_alike_go_together(self):
        self.assertEqual(self.groups(a_one="int f() { return 1; } | int one() { return f(); }",
                                     a_two="int g() { return 1; } | int two() { return g(); }", b_three="int h(); | "),
                         [["one", "two"]])

    def test_a_private_name_of_two_files_keeps_them_apart(self):
        for declaration in ("int f(int a) {", "constexpr int f = 3;", "struct f {", "using f = int;", "enum class f { a };",
                            "template <typename T>\nT f(T a) {", "template <typename T> T f(T a) {", "std::map<int, std::string> f() {"):
            other = "using f = long; | " if declaration.startswith("using") else "int f(long a) { | "
            self.assertEqual(self.groups(a_one=declaration + " | ", a_two=other), [], declaration)

    def test_the_same_alias_in_both_is_no_harm(self):
        self.assertEqual(self.groups(a_one="namespace fs = std::filesystem; | fs::path one();",
                                     a_two="namespace fs = std::filesystem; | fs::path two();"), [["one", "two"]])

    def test_a_private_name_that_another_file_uses_or_defines_for_all_keeps_them_apart(self):
        for public in ("int two() { return f(1); }", "int f(int a) {", "int two() { int f = 1; return f; }"):
            self.assertEqual(self.groups(a_one="int f(int a) { | ", a_two="int g(); | " + public), [], public)

    def test_members_strings_and_comments_are_no_use_of_a_name(self):
        self.assertEqual(self.groups(a_one="int f(int a) { | ",
                                     a_two='int g(); | int two(X x) { return x.f(1) + x->f(2) + X::f("f(3)"); }  // f(4)'), [["one", "two"]])

    def test_a_private_name_that_an_included_header_declares_keeps_the_files_apart(self):
        (self.root / "h.h").write_text("namespace gpulab {\nint f(double a);\n}  // namespace gpulab\n")
        self.assertEqual(self.groups(a_one="int f(int a) { | ", a_two='#include "h.h"\nnamespace gpulab {\nint two();\n}\n'), [])

    def test_macros_and_opened_namespaces_are_of_their_files_alone(self):
        self.assertEqual(self.groups(a_one="#define F 1\n", a_two="int two() { return F; }\n"), [])
        self.assertEqual(self.groups(b_one="using namespace std;\n", b_two="int two();\n"), [])

    def test_a_group_weighs_no_more_than_a_unit_and_counts_a_heavy_header_once(self):
        self.assertEqual(self.groups(a_one="\n" * 450, a_two="\n" * 450), [])
        heavy = "#include <nlohmann/json.hpp>\n" + "\n" * 200
        self.assertEqual(self.groups(b_one=heavy, b_two=heavy), [["one", "two"]])

    def test_the_tree_is_compiled_in_fewer_than_half_as_many_units(self):
        paths = sorted((ROOT / "runner").glob("**/*.cpp"))
        sources = [unite.Source(ROOT, path) for path in paths]
        made = unite.groups(sources, lambda source: unite.room(source.path.relative_to(ROOT)))
        self.assertLess(len(made), len(paths) / 2)
        self.assertEqual(sum(map(len, made)), len(paths))


if __name__ == "__main__":
    ran = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(ran.failures) + len(ran.errors)
    print(f"{ran.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
