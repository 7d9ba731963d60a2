#!/usr/bin/env python3
"""Reports and the course's site as a strict reader has them (README.md here). usage: site_test.py BINARY [all]"""
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import reader

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
from sanitized import is_sanitized  # noqa: E402 (the path comes first)

BINARY, ALL = pathlib.Path(sys.argv[1]).resolve(), "all" in sys.argv[2:]


def gpulab(*arguments, status=0):
    done = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != status:
        raise AssertionError(f"gpulab {' '.join(arguments)}: {done.returncode}\n{done.stderr}")
    return done.stdout


class Site(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.site = pathlib.Path(self.folder.name, "site")

    def pages(self):
        return {file.name: reader.Page(file.read_text(encoding="utf-8")) for file in self.site.glob("*.html")}

    def test_every_link_leads_somewhere_and_every_page_is_sound(self):
        began = time.monotonic()
        gpulab("list", *([] if ALL else ["atomics"]), "--html", str(self.site))
        print(f"written in {time.monotonic() - began:.1f} s, {sum(f.stat().st_size for f in self.site.iterdir()) >> 10} KiB")
        pages = self.pages()
        self.assertGreaterEqual(len(pages), 30 if ALL else 5)
        wrong = [f"{name}: {what}" for name, page in pages.items() for what in page.wrong] + reader.dead_links(pages)
        self.assertEqual(wrong, [])
        linked = {link.partition("#")[0] for page in pages.values() for link in page.links}
        self.assertEqual(set(pages) - linked, set(), "pages that no page links to")

    def test_the_same_build_writes_the_same_site(self):
        gpulab("list", "warps", "--html", str(self.site))
        first = {file.name: file.read_bytes() for file in self.site.iterdir()}
        gpulab("list", "warps", "--html", str(self.site))
        self.assertEqual({file.name: file.read_bytes() for file in self.site.iterdir()}, first)

    def test_a_lab_steps_the_rungs_in_which_something_goes_wrong(self):
        gpulab("list", "coalescing", "--html", str(self.site))
        page = (self.site / "coalescing.html").read_text(encoding="utf-8")
        self.assertRegex(page, r'<li><a href="coalescing-trace-(\w+)\.html">\1</a>: uncoalesced accesses</li>')


class Reports(unittest.TestCase):
    CASES = {"ladder": ["coalescing", "--variant", "all", "--n", "2^14"],
             "sweep": ["saxpy", "--n", "2^10:2^14", "--variant", "all"],
             "one": ["reduce", "--n", "1000", "--sanitize", "all"],
             "picture": ["julia", "--width", "64", "--height", "64"],
             "curve": ["occupancy"],
             "check": ["check", "reduce", str(ROOT / "configs/assignments/reduce/wrong/first_block_only.cu")],
             "explanation": ["explain", "reduce", "--variant", "shared_strided", "--n", "2^14"]}

    def test_every_report_is_a_sound_page_of_its_own(self):
        for name, arguments in self.CASES.items():
            device = [] if name in ("explanation", "check") else ["--device", "sim"]
            page = reader.Page(gpulab(*arguments, *device, "--format", "html", status=1 if name == "check" else 0))
            with self.subTest(name):
                self.assertEqual(page.wrong + reader.dead_links({"": page}), [])

    @unittest.skipIf(is_sanitized(BINARY), "AddressSanitizer")
    def test_a_programs_report_and_a_launch_of_it_are_sound_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            report, steps = pathlib.Path(folder, "report.html"), pathlib.Path(folder, "steps.html")
            gpulab("exec", str(ROOT / "tests/exec/vector_sum.cu"), "--format", "html", "--output", str(report), "--trace-page", str(steps))
            for file in (report, steps):
                page = reader.Page(file.read_text(encoding="utf-8"))
                with self.subTest(file.name):
                    self.assertEqual(page.wrong + reader.dead_links({"": page}), [])


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    sys.exit(not result.wasSuccessful())
