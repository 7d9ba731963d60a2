#!/usr/bin/env python3
"""Pages in Chromium (README.md here). usage: browser_test.py BINARY [--keep DIR]; exits 77 where there is no Chromium."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import chromium

BINARY = pathlib.Path(sys.argv[1]).resolve()
KEEP = pathlib.Path(sys.argv[sys.argv.index("--keep") + 1]).resolve() if "--keep" in sys.argv else None
WIDTHS = (390, 1280, 1920)
PAGES = {"ladder.html": ["coalescing", "--variant", "all", "--n", "2^14", "--device", "sim"],
         "sweep.html": ["saxpy", "--variant", "all", "--n", "2^10:2^16", "--device", "sim"],
         "explained.html": ["explain", "reduce", "--variant", "shared_strided", "--n", "2^14", "--banks", "208"]}
# Of one SVG, of what stands in none, of a picture: what assistive technology calls it.
NAMELESS = """[...document.querySelectorAll('svg[role=img], img')].filter(e => !(e.alt || e.querySelector('title')?.textContent)).length"""
SMALL = """[...document.querySelectorAll('svg.chart')].filter(e => {
  const t = e.querySelector('text'); return t && t.getBoundingClientRect().height < 9; }).length"""
# Words in a table's row headings that are broken over two lines (a name may be, at its underscores: a text node of its own each).
BROKEN = """[...document.querySelectorAll('.wide tbody th')].flatMap(th => {
  const walk = document.createTreeWalker(th, NodeFilter.SHOW_TEXT), found = [];
  for (let node; node = walk.nextNode();) {
    const range = document.createRange(); range.selectNodeContents(node);
    if (!/\\s/.test(node.data.trim()) && new Set([...range.getClientRects()].map(r => r.top)).size > 1) found.push(node.data); }
  return found; })"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        for name, arguments in PAGES.items():
            subprocess.run([BINARY, *arguments, "--format", "html", "--output", cls.root / name], check=True)
        for lab, site in (("reduce", "site"), ("julia", "painted")):
            subprocess.run([BINARY, "list", lab, "--html", cls.root / site], check=True, stdout=subprocess.DEVNULL)
        cls.files = [cls.root / name for name in PAGES] + [
            cls.root / "site" / name for name in ("index.html", "reduce.html", "reduce-kernels.html", "metrics.html")] + [cls.root / "painted/julia.html"]
        cls.browser = chromium.Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__(None, None, None)
        cls.folder.cleanup()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def test_no_page_scrolls_sideways_at_any_width_in_light_or_dark(self):
        for file in self.files:
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    self.browser.open(file, width, 1000, scheme == "dark")
                    with self.subTest(page=file.name, width=width, scheme=scheme):
                        self.assertEqual(self.browser.run("document.documentElement.scrollWidth"), width)
                        self.assertEqual(self.browser.run(SMALL), 0, "a chart's words are too small to read")
                        self.assertEqual(self.browser.run(BROKEN), [])
                    if KEEP:
                        self.browser.picture(KEEP / f"{file.stem}_{width}_{scheme}.png")

    def test_words_stand_out_from_the_ground_in_light_and_dark(self):
        contrast = """(() => {
          const c = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
          const light = name => { c.fillStyle = getComputedStyle(document.querySelector(name)).color; c.fillRect(0, 0, 1, 1); return lum(); };
          const lum = () => { const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          c.fillStyle = getComputedStyle(document.body).backgroundColor; c.fillRect(0, 0, 1, 1);
          const ground = lum();
          return ['body', '.foot', '.soft', 'a[href]:not(.skip)', '.good'].filter(n => document.querySelector(n)).map(n => {
            const a = light(n), [hi, lo] = a > ground ? [a, ground] : [ground, a]; return (hi + 0.05) / (lo + 0.05); });
        })()"""
        for scheme in ("light", "dark"):
            self.browser.open(self.root / "ladder.html", 1280, 1000, scheme == "dark")
            self.assertGreaterEqual(min(self.browser.run(contrast)), 4.5, scheme)  # WCAG 2.2, AA

    def test_the_keyboard_alone_reaches_everything(self):
        for file in self.files:
            self.browser.open(file, 1280, 1000)
            # What a pointer can use or scroll, and is not folded away.
            wanted = self.browser.run("""[...document.querySelectorAll('a[href], button, summary, .wide')]
              .filter(e => e.checkVisibility()).length""")
            self.browser.run("document.activeElement.blur(), window.seen = new Set(), 0")
            for _ in range(wanted + 5):
                self.browser.key("Tab")
                if self.browser.run("""(() => { const e = document.activeElement, known = seen.has(e) || e === document.body;
                    seen.add(e); return known; })()"""):
                    break
            self.assertEqual(self.browser.run("[...seen].filter(e => e !== document.body).length"), wanted, file.name)

    def test_the_theme_is_chosen_by_keyboard(self):
        self.browser.open(self.root / "ladder.html", 1280, 1000)
        self.browser.run("document.querySelector('button.theme').focus()")
        before = self.browser.run("getComputedStyle(document.body).backgroundColor")
        for name in ("light", "dark"):
            self.browser.key("Enter")
            self.assertEqual(self.browser.run("document.documentElement.dataset.theme"), name)
        self.assertNotEqual(self.browser.run("getComputedStyle(document.body).backgroundColor"), before)
        self.browser.run("localStorage.clear()")

    def test_the_accessibility_tree_has_headings_table_headings_and_names_of_pictures(self):
        for file in self.files:
            self.browser.open(file, 1280, 1000)
            self.assertEqual(self.browser.run(NAMELESS), 0, file.name)
            roles = [role for role, _ in self.browser.heard()]
            self.assertIn("heading", roles, file.name)
            self.assertIn("main", roles, file.name)
            if "table" in roles:
                self.assertTrue({"columnheader", "rowheader"} & set(roles), file.name)

    def test_print_is_light_and_nothing_is_cut(self):
        self.browser.open(self.root / "explained.html", 1280, 1000, dark=True, media="print")
        self.assertEqual(self.browser.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(self.browser.run("getComputedStyle(document.querySelector('.wide')).overflowX"), "visible")

    def test_what_strangers_write_runs_nothing(self):
        self.browser.open(self.root / "ladder.html", 1280, 1000)
        self.browser.run("document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran=1\">')")
        self.browser.run("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran=1'}))")
        self.assertIsNone(self.browser.run("window.ran"))
        self.assertTrue(any("Content Security Policy" in one for one in self.browser.complaints()))
        self.browser.events.clear()


if __name__ == "__main__":
    if chromium.program() is None:
        print("skipped: no Chromium (apt-get install chromium)")
        sys.exit(77)
    if KEEP:
        KEEP.mkdir(parents=True, exist_ok=True)
    result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    sys.exit(not result.wasSuccessful())
