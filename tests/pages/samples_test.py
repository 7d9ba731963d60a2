#!/usr/bin/env python3
"""The pages' samples are what commands print now, and pages are as short as they are to be. usage: samples_test.py BINARY"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import samples  # noqa: E402

NUMBERS = {16: "sixteen", 17: "seventeen", 18: "eighteen", 19: "nineteen", 20: "twenty"}
GPULAB = pathlib.Path("gpulab")  # the first argument
PAGES = [ROOT / "README.md", ROOT / "labs/README.md", *(page for page in sorted((ROOT / "configs").glob("*.md")) if "<!-- output" in page.read_text())]


class Samples(unittest.TestCase):
    maxDiff = None

    def test_each_page_shows_what_its_commands_print(self):
        for page in PAGES:
            with self.subTest(page=page.name):
                self.assertEqual(page.read_text(), samples.renewed(page, GPULAB), f"scripts/samples.py GPULAB {page.relative_to(ROOT)} writes it anew")

    def test_what_is_left_out_is_marked(self):
        lines = ["a", "b", "c", "d", "e"]
        self.assertEqual(samples.chosen(lines, "all"), lines)
        self.assertEqual(samples.chosen(lines, "1-2, 4"), ["a", "b", "…", "d", "…"])
        self.assertEqual(samples.chosen(lines, "3-5"), ["…", "c", "d", "e"])

    def test_lines_that_are_not_there_or_go_back_are_errors(self):
        for asked in ("6", "4-6", "0", "3-2", "2, 1", "2, 2"):
            with self.assertRaises(ValueError):
                samples.chosen(["a", "b", "c", "d", "e"], asked)

    def test_only_what_stands_under_the_comment_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text("<!-- output 2 -->\n```\n$ printf '1\\n2\\n' \\\n    --\nold\n```\n```\n$ printf 3\nstays\n```\n")
            self.assertEqual(samples.renewed(page, "true", folder), "<!-- output 2 -->\n```\n$ printf '1\\n2\\n' \\\n    --\n…\n2\n```\n```\n$ printf 3\nstays\n```\n")


class FrontPage(unittest.TestCase):
    def test_it_is_read_at_once(self):
        lines = (ROOT / "README.md").read_text().splitlines()
        self.assertLessEqual(len(lines), 180)
        self.assertEqual([line for line in lines if len(line) > 100], [])

    def test_prose_of_pages_is_no_wider_than_a_terminal(self):
        pages = [page for room in ("configs", "labs") for page in sorted((ROOT / room).rglob("*.md"))]
        for page in [*pages, ROOT / "CONTRIBUTING.md", ROOT / "tests/fidelity/README.md", ROOT / "tests/sanitizer/README.md"]:
            prose = re.sub(r"(?s)^---\n.*?\n---\n", "", page.read_text())  # what a SKILL.md says of itself is one line
            prose = re.sub(r"(?ms)^ *```.*?^ *```|^ {4,}\S.*?$|^\|.*?$", "", prose)  # code and tables
            wide = [line for line in prose.splitlines() if len(line) > 100 and " " in line.strip()]
            self.assertEqual(wide, [], page.relative_to(ROOT))

    def test_commands_with_a_word_about_them_can_be_pasted(self):
        """What stands behind a command, two spaces off, is a comment of the shell's: else its words would be arguments."""
        for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(page for room in ("configs", "labs") for page in sorted((ROOT / room).rglob("*.md")))]:
            for block in re.findall(r"(?ms)^```(?:sh)?\n(.*?)^```$", page.read_text()):
                for line in block.splitlines():
                    words = re.match(r"(?:scripts/\w+|gpulab)(?:\.\w+)? .*?\S {2,}(.*)", line)
                    self.assertFalse(words and not words[1].startswith(("#", "\\")), f"{page.relative_to(ROOT)}: {line}")

    def test_its_links_lead_somewhere(self):
        for page in PAGES:
            text = page.read_text()
            for link in re.findall(r"\]\((?!http|#)([^)#]+)", text) + re.findall(r"(?m)^\[[^]]+\]: (?!http)([^#\s]+)", text):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_its_short_links_are_defined(self):
        text = (ROOT / "README.md").read_text()
        prose = re.sub(r"(?s)```.*?```|`[^`\n]*`", "", text)
        known = set(re.findall(r"(?m)^\[([^]]+)\]: ", text))
        used = set(re.findall(r"\]\[([^]]+)\]|(?<!\])\[([^]]+)\](?![(\[:])", prose))
        self.assertEqual({long or short for long, short in used}, known)

    def test_it_has_as_many_labs_as_there_are(self):
        listed = json.loads(subprocess.run([GPULAB, "list", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)
        for page in ("README.md", "labs/README.md"):
            self.assertIn(f"{NUMBERS[len(listed['labs'])]} labs", (ROOT / page).read_text().lower(), page)


if __name__ == "__main__":
    GPULAB = pathlib.Path(sys.argv[1]).resolve()
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
