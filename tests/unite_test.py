#!/usr/bin/env python3
"""unite_test.py BUILD: tests of scripts/cmake/unite.py, which files are compiled as one, and of what BUILD made of it. Closes with
'N passed, N failed'."""
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

    def test_files_that_name_nothing_alike_go_together_whatever_their_rooms(self):
        self.assertEqual(self.groups(a_one="int f() { return 1; } | int one() { return f(); }",
                                     a_two="int g() { return 1; } | int two() { return g(); }", b_three="int h(); | "),
                         [["one", "two", "three"]])

    def test_the_simulators_rooms_stay_apart(self):
        paths = ["common/simt/machine/a.cpp", "common/simt/machine/memory/b.cpp", "common/simt/decode/c.cpp", "common/d.cpp", "runner/e.cpp"]
        kinds = [unite.kind(pathlib.Path(path)) for path in paths]
        self.assertEqual(kinds[0], kinds[1])
        self.assertEqual(kinds[3], kinds[4])
        self.assertEqual(len(set(kinds)), 3)

    def test_a_private_name_of_two_files_keeps_them_apart(self):
        for declaration in ("int f(int a) {", "constexpr int f = 3;", "struct f {", "using f = int;", "enum class f { a };",
                            "template <typename T>\nT f(T a) {", "template <typename T> T f(T a) {", "std::map<int, std::string> f() {"):
            other = "using f = long; | " if declaration.startswith("using") else "int f(long a) { | "
            self.assertEqual(self.groups(a_one=declaration + " | ", a_two=other), [], declaration)

    def test_the_same_alias_in_both_is_no_harm(self):
        self.assertEqual(self.groups(a_one="namespace fs = std::filesystem; | fs::path one();",
                                     a_two="namespace fs = std::filesystem; | fs::path two();"), [["one", "two"]])

    def test_a_private_name_that_another_file_defines_for_all_keeps_them_apart(self):
        self.assertEqual(self.groups(a_one="int f(int a) { | ", a_two="int g(); | int f(int a) {"), [])

    def test_names_behind_a_comma_are_declared_too(self):
        for declaration in ("constexpr double g = h(1, 2), f = 2;", "const int g{1}, f[] = {1, 2};",
                            "inline constexpr const char *g = \"\",\n    *f = \"\";"):
            self.assertEqual(self.groups(a_one=declaration + " | ", a_two="int f(int a) { | "), [], declaration)
            self.assertEqual(self.groups(a_one=declaration + " | ", a_two="int h(int a) { | int i();"), [["one", "two"]], declaration)

    def test_a_file_that_uses_a_name_stands_before_the_one_that_has_it_for_itself(self):
        for public in ("int two() { return f(1); }", "int two() { int f = 1; return f; }"):
            self.assertEqual(self.groups(a_one="int f(int a) { | ", a_two="int g(); | " + public), [["two", "one"]], public)
        self.assertEqual(self.groups(a_one="#define F 1\n", a_two="int two() { return F; }\n"), [["two", "one"]])

    def test_files_each_of_which_would_have_to_stand_before_the_other_are_apart(self):
        self.assertEqual(self.groups(a_one="int f(int a) { | int one() { return g(1); }", a_two="int g(int a) { | int two() { return f(1); }"), [])

    def test_a_file_that_opens_a_namespace_stands_behind_those_that_do_not(self):
        self.assertEqual(self.groups(a_one="using namespace gpulab;\n", a_two="int two();\n"), [["two", "one"]])

    def test_files_that_open_different_namespaces_are_apart(self):
        self.assertEqual(self.groups(a_one="using namespace std;\n", a_two="using namespace gpulab;\n"), [])

    def test_a_file_stands_before_those_whose_headers_declare_what_it_uses(self):
        (self.root / "h.h").write_text('#include "i.h"\n')
        (self.root / "i.h").write_text("namespace heading {\nint f(double a);\n}\n")
        for name in ("f(1)", "heading"):
            self.assertEqual(self.groups(a_one='#include "h.h"\nint one();\n', a_two=f"int two() {{ return {name}; }}\n"), [["two", "one"]])

    def test_members_strings_and_comments_are_no_use_of_a_name(self):
        self.assertEqual(self.groups(a_one="int f(int a) { | ",
                                     a_two='int g(); | int two(X x) { return x.f(1) + x->f(2) + X::f("f(3)"); }  // f(4)'), [["one", "two"]])

    def test_a_private_name_that_an_included_header_declares_keeps_the_files_apart(self):
        (self.root / "h.h").write_text("namespace gpulab {\nint f(double a);\n}  // namespace gpulab\n")
        self.assertEqual(self.groups(a_one="int f(int a) { | ", a_two='#include "h.h"\nnamespace gpulab {\nint two();\n}\n'), [])

    def test_a_group_weighs_no_more_than_a_unit_and_counts_a_heavy_header_once(self):
        self.assertEqual(self.groups(a_one="\n" * 500, a_two="\n" * 500), [])
        heavy = "#include <nlohmann/json.hpp>\n" + "\n" * 250
        self.assertEqual(self.groups(b_one=heavy, b_two=heavy), [["one", "two"]])

    def test_the_tree_is_compiled_in_a_quarter_as_many_units(self):
        paths = sorted((ROOT / "runner").glob("**/*.cpp"))
        sources = [unite.Source(ROOT, path) for path in paths]
        made = unite.groups(sources)
        self.assertLess(len(made), len(paths) / 4)
        self.assertEqual(sum(map(len, made)), len(paths))

    def test_what_is_compiled_is_the_same_in_each_clone_so_that_ccache_knows_it(self):
        build = pathlib.Path(sys.argv[1])
        made = [*build.glob("united/**/*.cpp"), *build.glob("**/cmake_pch.hxx")]
        self.assertGreater(len(made), 50 if (build / "united").exists() else 3)  # without groups the precompiled headers alone
        self.assertEqual([str(path) for path in made if str(ROOT) in path.read_text()], [])


if __name__ == "__main__":
    ran = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(ran.failures) + len(ran.errors)
    print(f"{ran.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
