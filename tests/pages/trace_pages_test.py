#!/usr/bin/env python3
"""Pages of `gpulab trace` in headless Chromium: trace_pages_test.py BINARY [--pictures DIR]."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import chromium  # noqa: E402

BINARY, PICTURES = None, None
READY = "typeof Trace !== 'undefined' && Trace.lastDraw !== undefined"
SHOWN = """new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
  document.querySelector('.sentence').textContent + document.querySelector('.columns').innerText +
  [...document.querySelectorAll('canvas')].filter((c) => c.checkVisibility()).map((c) => c.ariaLabel + c.toDataURL())))))"""
SHARED = ("(() => { for (let i = 0; i < Trace.count; i++) { const a = Trace.accessOf(i);"
          " if (a && a.space === 'shared') return i; } return 5; })()")
# Steps one per frame: milliseconds of each with its style and layout, and how many elements it makes.
STEPS = """(async () => {
  const took = []; let made = 0;
  const watch = new MutationObserver((all) => { for (const one of all) made += [...one.addedNodes].filter((n) => n.nodeType === 1).length; });
  watch.observe(document.body, { childList: true, subtree: true });
  for (let k = 0; k < 200; k++) await new Promise((done) => requestAnimationFrame(() => {
    const began = performance.now();
    Trace.move(1, "instruction");
    document.body.offsetHeight;
    took.push(performance.now() - began);
    done();
  }));
  took.sort((a, b) => a - b);
  return [took[100], took[190], took[199], made];
})()"""
PAGES = {
    "strided": (["reduce", "--variant", "shared_strided"], 0),
    "race": (["scan", "--variant", "racy", "--sanitize", "racecheck"], 1),
    "divergence": (["reduce", "--variant", "neighbored"], 0),
    "parts": (["divergence", "--variant", "by_thread"], 0),
    "coalescing": (["coalescing", "--n", "2^14"], 0),
    "atomics": (["atomics", "--variant", "global_atomic"], 0),
    "named": (["divergence", "--variant", "by_thread_debug", "--n", "64", "--block", "32"], 0),
}


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, (arguments, code) in PAGES.items():
            ran = subprocess.run([BINARY, "trace", *arguments, "--output", cls.page(name)], capture_output=True, check=False)
            assert ran.returncode == code, ran.stderr.decode()
        cls.browser = chromium.Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__(None, None, None)
        cls.folder.cleanup()

    @classmethod
    def page(cls, name):
        return f"{cls.folder.name}/{name}.html"

    def open(self, name, width=1280, height=900, dark=False):
        self.browser.open(self.page(name), width, height, dark)
        self.browser.wait(READY)

    def sentence(self):
        return self.browser.run("document.querySelector('.sentence').textContent")

    def at(self):
        return self.browser.run("Trace.where()")

    def test_every_page_is_quiet_at_every_width_and_no_wider_than_the_screen(self):
        for name in PAGES:
            for width, dark in ((390, False), (1280, True), (1920, False)):
                self.open(name, width, 900, dark)
                self.browser.run(f"Trace.go({SHARED})")
                self.assertEqual(self.browser.complaints(), [], (name, width))
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width, (name, width))
                if PICTURES:
                    self.browser.picture(f"{PICTURES}/trace_{name}_{width}.png")

    def test_a_step_of_a_hundred_thousand_is_there_within_a_frame_and_makes_no_elements(self):
        page = self.page("long")
        subprocess.run([BINARY, "trace", "matmul", "--variant", "tiled", "--k", "2048", "--output", page], capture_output=True, check=True)
        self.assertLess(pathlib.Path(page).stat().st_size, 5_000_000)
        self.open("long", 1920, 1080)
        self.assertGreaterEqual(self.browser.run("Trace.count"), 100_000)
        for part in (0.1, 0.9):
            self.browser.run(f"Trace.go(Math.floor({part} * Trace.count))")
            median, most, longest, made = self.browser.run(STEPS)
            print(f"a step takes {median:.1f} ms, 95 of 100 at most {most:.1f} ms, the longest {longest:.1f} ms")
            self.assertEqual(made, 0)  # what is made has to be styled and laid out: a frame's time on a lecture's old laptop
            self.assertLess(median, 16)

    def test_variables_of_the_source_stand_first_among_the_registers_of_a_debug_build(self):
        self.open("named")
        self.browser.run("Trace.go(20)")
        names = self.browser.run("[...document.querySelectorAll('.registers tbody tr:not([hidden])')].map((row) => row.cells[0].textContent)")
        self.assertEqual([re.sub(r"%\w+", "%", name) for name in names[:6]], ["x (%)", "i (%)", "work (%)", "n (%)", "out (%)", "in (%)"])
        self.assertTrue(all(re.fullmatch(r"%\w+", name) for name in names[6:]), names)

    def test_drawings_are_of_the_theme_and_the_width_that_they_are_seen_in(self):
        self.open("strided", 1280)
        self.browser.run(f"Trace.go({SHARED})")
        self.browser.wait("document.querySelector('.memory canvas').width > 300")
        colours = """(() => { const c = document.querySelector('.memory canvas'), found = new Set();
          const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
          for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) found.add([d[i], d[i + 1], d[i + 2]].join());
          return [...found]; })()"""
        self.assertIn("0,114,178", self.browser.run(colours))  # --s0 on a light ground
        self.browser.run("document.documentElement.dataset.theme = 'dark'")
        self.browser.wait(f"{colours}.includes('74,168,224')")
        self.assertNotIn("0,114,178", self.browser.run(colours))
        wide = self.browser.run("document.querySelector('.memory canvas').width")
        self.browser.size(1920, 900)
        self.browser.wait(f"document.querySelector('.memory canvas').width !== {wide}")

    def test_what_is_drawn_is_said(self):
        self.open("strided")
        self.browser.run(f"Trace.go({SHARED})")
        self.assertRegex(self.browser.run("document.querySelector('.memory canvas').ariaLabel"), r"^bank 0: word 0 for lane 0; bank 1: word")

    def test_back_shows_what_forward_showed(self):
        self.open("strided")
        forward = []
        for _ in range(60):
            forward.append((self.at(), self.browser.run(SHOWN)))
            self.browser.key("ArrowRight")
        for at, shown in reversed(forward):
            self.browser.key("ArrowLeft")
            self.assertEqual(self.at(), at)
            self.assertEqual(self.browser.run(SHOWN), shown)

    def test_keys_go_by_instruction_line_and_barrier_to_both_ends(self):
        self.open("strided")
        for key in ("j", " ", "ArrowRight"):
            before = self.at()
            self.browser.key(key)
            self.assertEqual(self.at(), before + 1)
        self.browser.key("k")
        self.browser.key("b")
        self.assertIn("barrier 0", self.sentence())
        line = self.browser.run("Trace.lineOf(Trace.where())")
        self.browser.key("l")
        self.assertNotEqual((self.browser.run("Trace.lineOf(Trace.where())"), self.at()), (line, 0))
        self.browser.key("End")
        self.assertEqual(self.at(), self.browser.run("Trace.count") - 1)
        self.browser.key("Home")
        self.assertEqual(self.at(), 0)
        self.browser.key("?")
        self.assertTrue(self.browser.run("document.querySelector('dialog').open"))

    def test_the_costs_shown_are_the_counters(self):
        self.open("strided")
        shown = self.browser.run("(() => { let sum = 0; for (let i = 0; i < Trace.count; i++) { const a = Trace.accessOf(i);"
                                 " if (a && a.space === 'shared' && a.kind === 'load') sum += a.wavefronts; } return sum; })()")
        ran = subprocess.run([BINARY, "reduce", "--variant", "shared_strided", "--n", "1024", "--device", "sim", "--format", "csv"],
                             capture_output=True, text=True, check=True).stdout.splitlines()
        counters = dict(zip(ran[0].split(","), ran[1].replace('"reduce_shared_strided<float, Sum>"', "kernel").split(",")))
        # Four blocks of 256 are on the page; of a run of 1024 elements the second launch sums up four numbers.
        last = subprocess.run([BINARY, "trace", "reduce", "--variant", "shared_strided", "--n", "1024", "--launch", "2", "--output",
                               self.page("last")], capture_output=True, check=True)
        self.assertEqual(last.returncode, 0)
        self.open("last")
        rest = self.browser.run("(() => { let sum = 0; for (let i = 0; i < Trace.count; i++) { const a = Trace.accessOf(i);"
                                " if (a && a.space === 'shared' && a.kind === 'load') sum += a.wavefronts; } return sum; })()")
        self.assertEqual(shown + rest, int(counters["shared_load_wavefronts"]))

    def test_modelled_cycles_stand_where_the_model_has_them_and_nothing_is_made_up_elsewhere(self):
        self.open("strided")
        issued = "Trace.steps.issued"
        self.browser.run(f"Trace.go({issued}.findIndex((c, i) => c !== Trace.NONE && Trace.steps.waited[i] > 0))")
        self.assertRegex(self.browser.run("document.querySelector('.time').innerText"), r"Issues in cycle \d+, after \d+ cycles")
        self.browser.run(f"Trace.go({issued}.findIndex((c, i) => c === Trace.NONE && Trace.steps.site[i] !== Trace.NONE))")
        self.assertIn("Not modelled by itself", self.browser.run("document.querySelector('.time').innerText"))

    def test_a_race_opens_at_its_first_access_and_leads_to_the_second(self):
        self.open("race")
        self.assertIn("racecheck", self.sentence())
        buttons = "[...document.querySelectorAll('.finding button')]"
        self.assertGreaterEqual(self.browser.run(f"{buttons}.length"), 2)
        first = self.at()
        self.browser.run(f"{buttons}[1].click()")
        self.assertNotEqual(self.at(), first)
        self.assertIn("racecheck", self.sentence())
        names = self.browser.run(f"{buttons}.slice(0, 2).map((b) => b.textContent)")
        places = [re.search(r"access: (block 0, warp (\d+), lane \d+, step \d+)$", name) for name in names]
        self.assertNotEqual(places[0][2], places[1][2])  # within a warp it goes well by chance
        self.assertIn("the other access is " + places[0][1], self.sentence())
        self.assertIn("on a GPU the other may", self.browser.run("document.querySelector('.finding').textContent"))

    def press(self, words):
        self.browser.run(f"[...document.querySelectorAll('.controls button')].find((b) => b.textContent.startsWith({json.dumps(words)})).click()")

    def test_a_page_without_findings_opens_at_what_costs_the_most_and_goes_from_one_to_the_next(self):
        for name, words, key, said in (("strided", "bank conflict", "c", "wavefronts where"), ("parts", "divergence", "d", "diverges: "),
                                       ("coalescing", "uncoalesced access", "u", "sectors"), ("atomics", "atomics that meet", "a", "atomic")):
            self.open(name)
            place = "document.querySelector('.place').textContent"
            first = self.at()
            self.assertRegex(self.browser.run(place), rf" · {words} 1 of \d+")
            self.assertIn(said, self.sentence())
            self.press(f"next {words}")
            self.assertGreater(self.at(), first)
            self.assertRegex(self.browser.run(place), rf"{words} 2 of \d+")
            self.browser.key(key)
            self.assertRegex(self.browser.run(place), rf"{words} 3 of \d+")
            self.browser.key("End")
            self.browser.key(key)  # from the last on to the first
            self.assertEqual(self.at(), first)

    def test_buttons_are_of_what_is_on_the_page_alone(self):
        self.open("coalescing")
        names = self.browser.run("[...document.querySelectorAll('.controls button')].map((b) => b.textContent).filter((n) => n.startsWith('next'))")
        self.assertEqual(names, ["next uncoalesced access ▸"])

    def test_banks_cycles_and_a_step_are_kept_as_pictures(self):
        self.open("strided")
        step = "Trace.pictureOfStep(Trace.where(), 0, 'a < b', document.querySelector('.sentence').textContent)"
        for what, picture in (("banks", "Trace.memoryDrawing().picture()"), ("cycles", "Trace.timeDrawing().picture()"), ("step", step)):
            drawn = xml.etree.ElementTree.fromstring(self.browser.run(f"{picture}.svg()"))
            self.assertGreater(len(drawn), 20, what)
            self.assertEqual(self.browser.run(f"{picture}.png().then((b) => b.slice(1, 4).text())"), "PNG", what)
            kept = f"{PICTURES or self.folder.name}/{what}.svg"
            pathlib.Path(kept).write_bytes(xml.etree.ElementTree.tostring(drawn))
        texts = "".join(drawn.itertext())
        self.assertIn("a < b", texts)
        self.assertIn("2 wavefronts where 1 would do", texts.replace("\n", " "))
        # The file's name says where it is from.
        self.browser.run("HTMLAnchorElement.prototype.click = function () { window.kept = [this.download, this.href]; }, 0")
        self.browser.run("document.querySelector('.of-memory .keep button').click()")
        self.browser.wait("window.kept")
        self.assertRegex(self.browser.run("kept[0]"), r"^reduce-shared_strided-step-\d+-banks\.svg$")

    def test_going_by_lines_comes_to_where_lanes_part_and_run_together_again(self):
        self.open("parts")
        said = [self.sentence()]
        for _ in range(150):
            self.browser.key("l")
            said.append(self.sentence())
        parts = [n for n, one in enumerate(said) if "diverges: " in one]
        self.assertTrue(parts)
        self.assertTrue(any("run with the others again" in one for one in said[parts[0]:]), said)

    def question(self, steps=400):
        """Goes to the next question; its text, or nothing."""
        return self.browser.run(f"""(() => {{ for (let k = 0; k < {steps}; k++) {{ Trace.move(1, "instruction");
          const box = document.querySelector(".predict"); if (!box.hidden) return box.querySelector("b").textContent; }} return ""; }})()""")

    def answer(self):
        self.browser.run("document.querySelector('.predict button').click()")

    def test_at_a_branch_it_is_asked_who_takes_it_and_not_who_comes_first(self):
        self.open("parts")
        self.browser.key("p")
        while asked := self.question():
            if "branch" in asked:
                break
            self.answer()
        self.assertIn("Which of them take the branch?", asked)
        self.assertIn("is about to execute", self.sentence())
        said = self.browser.run("Trace.textOf(Trace.where())")
        self.assertIn("diverges: lanes 0, 2 … 30 (every 2nd) branch to", said)
        right = self.browser.run("Trace.lanesText(0x55555555)")
        self.browser.run(f"[...document.querySelectorAll('.predict button')].find((b) => b.textContent === {json.dumps(right)}).click()")
        self.assertIn("Right: ", self.browser.run("document.querySelector('.predict').textContent"))

    def test_a_loop_asks_again_only_where_the_answer_is_another_one(self):
        self.open("divergence")
        self.browser.key("p")
        last, asked = {}, 0
        while self.question(3000) and asked < 60:
            at = self.browser.run("`${Trace.steps.warp[Trace.where()]}/${Trace.steps.site[Trace.where()]}`")
            self.answer()
            answer = re.search(r"(?:Right: |, but )(.*?)\. ", self.browser.run("document.querySelector('.predict').textContent"))[1]
            self.assertNotEqual(last.get(at), answer)
            last[at] = answer
            asked += 1
        self.assertGreater(asked, 2)

    def test_atomics_are_asked_for_the_lanes_that_meet(self):
        self.open("atomics")
        self.browser.key("p")
        while (asked := self.question(3000)) and "atomic" not in asked:
            self.answer()
        self.assertIn("to one address?", asked)

    def test_enter_answers_nothing_by_chance(self):
        self.open("strided")
        self.browser.key("p")
        self.assertTrue(self.question())
        self.browser.wait("document.activeElement === document.querySelector('.predict')")
        self.browser.key("Enter")
        self.assertIn("is about to execute", self.sentence())

    def test_the_ptx_names_where_branches_lead_and_registers_say_who_does_not_run(self):
        self.open("parts")
        branches = "Trace.doc.sites.filter((s) => s && /\\bbra\\b/.test(s.ptx)).map((s) => s.ptx.match(/\\$\\w+/)[0])"
        labels = self.browser.run("Trace.doc.sites.filter((s) => s && s.label).map((s) => s.label)")
        self.assertTrue(set(self.browser.run(branches)) & set(labels))
        self.browser.run("Trace.go(Trace.doc.sites.length && [...Array(Trace.count).keys()].find((i) => Trace.doc.sites[Trace.steps.site[i]]?.label))")
        self.assertRegex(self.browser.run("document.querySelector('.ptx .now').textContent"), r"\$\w+: ")
        self.browser.run("Trace.go([...Array(Trace.count).keys()].find((i) => Trace.steps.active[i] === 0xaaaaaaaa))")
        self.assertIn("lane 0, does not run now", self.browser.run("document.querySelector('.registers').innerText"))

    def test_predictions_are_asked_before_the_cost_is_said_and_scored(self):
        self.open("strided")
        self.browser.run("Trace.go(0)")
        self.browser.key("p")
        for _ in range(400):
            if self.browser.run("document.querySelector('.predict').hidden") is False:
                break
            self.browser.key("j")
        self.assertIn("sectors", self.browser.run("document.querySelector('.predict').textContent"))
        self.assertIn("is about to execute", self.sentence())
        self.assertNotIn("sectors", self.sentence())
        self.browser.run("[...document.querySelectorAll('.predict button')].find((b) => b.textContent === '4').click()")
        self.assertIn("all of whose bytes", self.sentence())
        self.assertIn("1 of 1", self.browser.run("document.querySelector('.score').textContent"))
        self.assertIn("4 sectors", self.sentence())

    def test_the_numbers_that_are_offered_do_not_give_the_answer_away(self):
        for name in ("strided", "divergence"):
            self.open(name)
            self.browser.key("p")
            for _ in range(4):
                for _ in range(300):
                    self.browser.run("Trace.move(1, 'instruction')")
                    offered = self.browser.run("[...document.querySelectorAll('.predict:not([hidden]) button')].map((b) => b.textContent)")
                    if offered and offered[0].isdigit():
                        break
                self.assertEqual(len(offered), 10)
                self.assertEqual(len(set(offered) - {"1", "2", "4", "8", "16", "32"}), 4)
                self.browser.run("document.querySelector('.predict button').click()")

    def test_what_a_reader_hears_has_names(self):
        self.open("divergence")
        named = self.browser.heard()
        self.assertEqual([n for n in named if n[0] in ("button", "slider", "group", "img", "image", "region") and not n[1]], [])
        self.assertTrue(any(role == "button" and "warp 0" in name for role, name in named))
        self.assertTrue(any(role == "slider" for role, _ in named))
        self.assertEqual(self.browser.run("document.querySelector('.sentence').getAttribute('aria-live')"), "polite")


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    if "--pictures" in sys.argv:
        PICTURES = sys.argv[sys.argv.index("--pictures") + 1]
        pathlib.Path(PICTURES).mkdir(parents=True, exist_ok=True)
    if chromium.program() is None:
        print("no Chromium here: skipped")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=1)
