#!/usr/bin/env python3
"""`gpulab grade` from outside, as an attacker and as a careless course would use it: `grade_test.py BINARY [NAME…]`.

What a student could do: be graded higher than he deserves, see what hidden inputs hold, hurt a classmate or the grader. Under GPULAB_ALL also what takes long.
"""
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(TREE / "tests"))
from sanitized import is_sanitized, without_notes  # noqa: E402 (the path comes first)

ASSIGNMENTS = TREE / "configs" / "assignments"
BINARY = ""
takes_long = unittest.skipUnless(os.environ.get("GPULAB_ALL"), "takes long")
SECRET = "a secret of forty-two letters, or nearly so"
RIGHT = (ASSIGNMENTS / "reduce" / "reference.cu").read_text()
# What everybody can read in `gpulab list reduce`, of the classes that the assignment shows.
SHOWN = "(n == 512 || n == 0 || n == 1 || n == 31 || n == 32 || n == 33 || n == 1000)"
ATOMIC = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(out, in[i]);"
TREE_OF_SUMS = "extern __shared__ char raw[]; T* s = reinterpret_cast<T*>(raw); const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n" \
               "s[t] = i < n ? in[i] : T(0); BARRIER;\n" \
               "for (int h = blockDim.x / 2; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; BARRIER; }\n" \
               "if (t == 0) atomicAdd(out, s[0]);"


def kernel(body, before=""):
    return f"{before}template <typename T>\n__global__ void total(const T* in, T* out, int n) {{\n  {body}\n}}\n"


class Class(unittest.TestCase):
    """A folder with submissions, a key, and what came of grading them."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.students = self.folder / "class"
        self.students.mkdir()
        (self.folder / "key.json").write_text(json.dumps({"schema": "gpulab.key.v1", "secret": SECRET}))
        self.small = self.folder / "assignment.json"  # nothing in it is compared with a reference
        self.small.write_text(json.dumps({"schema": "gpulab.assignment.v1", "title": "T", "lab": "reduce", "contract": "total",
                                          "items": [{"name": "right", "kind": "correct", "points": 100, "visible": ["usual"]}]}))

    def hand_in(self, name, text):
        (self.students / name).mkdir()
        mode = "wb" if isinstance(text, bytes) else "w"
        with open(self.students / name / "total.cu", mode) as file:
            file.write(text)

    def command(self, *options, assignment="reduce", key=True):
        path = ASSIGNMENTS / assignment / "assignment.json" if isinstance(assignment, str) else assignment
        return [BINARY, "grade", str(path), "--output", str(self.folder / "out"), "--jobs", "2",
                *(["--key", str(self.folder / "key.json")] if key else []), "--submission",
                *sorted(str(path) for path in self.students.iterdir()), *options]

    def grade(self, *options, **more):
        """Documents by name."""
        ran = subprocess.run(self.command(*options, **more), capture_output=True, text=True, timeout=300)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        said = without_notes(ran.stderr).splitlines()
        self.said = [line for line in said if line.startswith(("note: attention: ", f"note: {self.folder / 'out'}: "))]
        self.assertEqual(said, self.said)
        return self.documents()

    def book(self):
        """The gradebook: (submission, status, score)."""
        rows = list(csv.reader((self.folder / "out" / "gradebook.csv").read_text().splitlines()))
        return [(row[0], row[4], row[5]) for row in rows[1:]]

    def documents(self):
        made = {}
        for path in (self.folder / "out").glob("*.json"):
            document = json.loads(path.read_text())
            made[document["submission"]] = document
        return made

    def all_text(self):
        return "".join(path.read_text() for path in (self.folder / "out").iterdir() if path.name != ".done")

    def item(self, document, name):
        return next(item for item in document["items"] if item["name"] == name)


class HigherThanDeserved(Class):
    def test_what_only_knows_the_public_inputs_or_sizes_earns_little(self):
        self.hand_in("right", RIGHT)
        self.hand_in("sizes", kernel(f"if ({SHOWN}) {{ {ATOMIC} }}"))
        fast = "const int lane = threadIdx.x % 32;\n" \
               "T v = blockIdx.x * blockDim.x + threadIdx.x < n ? in[blockIdx.x * blockDim.x + threadIdx.x] : T(0);\n" \
               "for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);\n" \
               "__shared__ T s; if (threadIdx.x == 0) s = T(0); __syncthreads();\n" \
               "if (lane == 0) atomicAdd(&s, v); __syncthreads(); if (threadIdx.x == 0) atomicAdd(out, s);"
        self.hand_in("one_size", kernel(f"if (n == 131072) {{ {fast} return; }} {ATOMIC}"))
        self.hand_in("one_type", kernel(f"if (sizeof(T) == 4 && T(0.5) == T(0)) {{ {fast} return; }} {ATOMIC}"))
        self.hand_in("nothing", kernel(""))
        self.hand_in("nan", kernel("if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = T(0.0 / 0.0);"))
        graded = self.grade()
        self.assertEqual(graded["right"]["score"], 100)
        sizes = self.item(graded["sizes"], "correct")
        self.assertEqual((sizes["earned"], sizes["status"]), (22.73, "partial"))  # 5 of 10 classes, and wrong at the size where it is counted
        self.assertEqual(self.item(graded["sizes"], "reads_once")["earned"], 0)
        few = self.item(graded["one_size"], "few_atomics")
        self.assertEqual((few["earned"], few["reason"]), (0, "holds at the size that everybody can see, but not at another"))
        self.assertEqual(self.item(graded["one_type"], "few_atomics")["earned"], 0)
        self.assertEqual((graded["nothing"]["score"], graded["nan"]["score"]), (0, 0))

    def test_no_barrier_earns_no_class_and_one_warp_is_asked_for_in_vain(self):
        """A tree without a barrier is right in a warp that goes in lockstep. Each of these earned all or nearly all points."""
        for name, barrier in (("right", "__syncthreads()"), ("none", ""), ("weak", "__syncwarp()"), ("half", "if (h > 32) __syncthreads(); else __syncwarp()")):
            body = TREE_OF_SUMS.replace("BARRIER;\nfor", "__syncthreads();\nfor" if name == "half" else "BARRIER;\nfor").replace("BARRIER", barrier)
            for block in ("", "// gpulab: block 32\n") if name in ("right", "none") else ("",):
                self.hand_in(name + ("_32" if block else ""), kernel(body, before=block))
        graded = self.grade()
        self.assertEqual([self.item(graded[name], "correct")["earned"] for name in ("right", "half")], [50, 50])
        for name in ("none", "weak"):
            self.assertEqual(graded[name]["score"], 0)
            self.assertRegex(self.item(graded[name], "correct")["parts"][0]["reason"], "racecheck: total<int>: race in shared memory")
        for name in ("right_32", "none_32"):
            self.assertEqual(graded[name]["score"], 0)
            self.assertIn("a block of one warp is not judged in 'total'", self.item(graded[name], "correct")["reason"])

    def test_a_number_for_blockDim_is_wrong_unless_the_source_says_so(self):
        body = "const int i = blockIdx.x * 256 + threadIdx.x; if (i < n) atomicAdd(out, in[i]);"
        self.hand_in("silent", kernel(body))
        self.hand_in("says_so", kernel(body, before="// gpulab: block 256\n"))
        self.hand_in("bounds", kernel(body).replace("void total", "void __launch_bounds__(256) total"))
        graded = self.grade()
        self.assertEqual(self.item(graded["says_so"], "correct")["earned"], 50)
        self.assertIn("with blocks of 256, which its source asks for", self.item(graded["says_so"], "correct")["reason"])
        for name in ("silent", "bounds"):  # a maximum is no block
            item = self.item(graded[name], "correct")
            self.assertEqual(item["status"], "partial")
            self.assertIn("// gpulab: block 256", item["parts"][0]["reason"])

    @takes_long
    def test_an_mbarrier_hides_no_race(self):
        off = '__shared__ long bar; if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(unsigned(__cvta_generic_to_shared(&bar))));\n'
        self.hand_in("right", kernel(off + ATOMIC))
        self.hand_in("hides", kernel(off + TREE_OF_SUMS.replace("BARRIER;", "")))
        graded = self.grade()
        self.assertEqual(self.item(graded["right"], "correct")["earned"], 50)
        self.assertRegex(self.item(graded["hides"], "correct")["parts"][0]["reason"], "racecheck: total<int>: race in shared memory")

    def test_an_overrun_that_only_hidden_inputs_show_is_one(self):
        """Nothing faults: what lies behind the array is its neighbour. `blocks`, `odd` and `powers` are hidden."""
        body = "__shared__ T s[33]; __shared__ T spare[64]; if (threadIdx.x < 64) spare[threadIdx.x] = T(0); __syncthreads();\n" \
               "if (threadIdx.x == 0 && blockIdx.x == 0) { s[n == 777 ? 40 : 4] = T(1); if (s[n == 777 ? 40 : 4] == T(2)) out[0] = T(1); }\n" + ATOMIC
        self.hand_in("overrun", kernel(body))
        graded = self.grade()["overrun"]
        parts = {part["name"]: part for part in self.item(graded, "correct")["parts"]}
        self.assertEqual((parts["odd"]["status"], parts["odd"]["reason"]), ("failed", ""))
        self.assertEqual(parts["powers"]["status"], "passed")
        clean = self.item(graded, "clean")
        self.assertEqual((clean["earned"], clean["reason"]), (0, "a finding on inputs that are not shown"))

    def test_answers_to_the_public_inputs_earn_nothing(self):
        """The first submission prints them; the second one has them written down."""
        self.hand_in("spy", kernel('if (n == 512 && threadIdx.x + blockIdx.x == 0) printf("[%d]", int(in[0]));' + ATOMIC))
        values = re.findall(r"\[(-?\d+)\]", self.grade(assignment=self.small)["spy"]["output"])
        self.assertTrue(values)
        shutil.rmtree(self.students / "spy")
        known = " || ".join(f"in[0] == T({value})" for value in set(values))
        self.hand_in("knows", kernel(f"if (n == 512 && (T(0.5) != T(0) || {known})) {{ {ATOMIC} }}"))
        document = self.grade("--fresh")["knows"]
        self.assertEqual(document["score"], 0)
        usual = self.item(document, "correct")["parts"][0]
        self.assertEqual(usual["status"], "failed")
        self.assertRegex(usual["reason"], "right on the inputs that everybody can see, wrong on others|right in the first launch, but not")

    def test_constructs_of_kernels_that_nobody_calls_do_not_count(self):
        self.hand_in("dummy", (ASSIGNMENTS / "transpose" / "wrong" / "straight.cu").read_text() +
                     "__global__ void dummy(float* p) { __shared__ float s[32]; s[threadIdx.x] = p[0]; __syncthreads(); p[0] = s[0]; }\n")
        self.hand_in("comment", (ASSIGNMENTS / "transpose" / "wrong" / "straight.cu").read_text().replace(
            "const int r", 'asm volatile("// bar.sync 0; ld.shared.u32");\n  const int r'))
        graded = self.grade(assignment="transpose")
        for name in ("dummy", "comment"):
            self.assertEqual(self.item(graded[name], "tiled")["reason"],
                             "the kernel has no shared_memory, which are wanted; has no barriers, which are wanted")


class HiddenInputs(Class):
    def test_nothing_that_a_kernel_does_with_hidden_inputs_is_told(self):
        hidden = f"!{SHOWN} && n != 131072"
        self.hand_in("prints", kernel(f'if ({hidden}) printf("HIDDEN %d %d", n, int(in[0])); {ATOMIC}'))
        self.hand_in("traps", kernel(f"if ({hidden}) {{ if (n > 5000) __trap(); else in[-int(in[0]) - n]; out[n] = in[0]; return; }} {ATOMIC}"))
        self.hand_in("asserts", "#include <cassert>\n" + kernel(f"if ({hidden}) assert(n == -77); {ATOMIC}"))
        self.hand_in("counts", kernel(f"volatile int s = 0; if ({hidden}) for (int k = 0; k < (int(in[0]) & 1023); ++k) s += k; {ATOMIC}"))
        graded = self.grade()
        text = self.all_text()
        for word in ("HIDDEN", "-77", "4099", "70001", SECRET, "secret"):
            self.assertNotIn(word, text)
        for part in self.item(graded["traps"], "correct")["parts"]:
            if part["visibility"] == "hidden":
                self.assertEqual((part["status"], part["reason"]), ("failed", ""))
        for name in ("prints", "traps", "asserts"):
            shutil.rmtree(self.students / name)
        (self.folder / "key.json").write_text(json.dumps({"schema": "gpulab.key.v1", "secret": SECRET + "another"}))
        self.assertEqual(*([count["counters"]["warp_instructions"] for count in of["counts"]["counted"]] for of in (graded, self.grade("--fresh"))))

    def test_no_file_can_be_included(self):
        self.hand_in("ada", RIGHT)
        for name, path in (("bob", self.students / "ada" / "total.cu"), ("eve", self.folder / "key.json"), ("ida", "../ada/total.cu")):
            self.hand_in(name, f'#include "{path}"\n')
        graded = self.grade(assignment=self.small)
        self.assertEqual([graded[name]["score"] for name in ("bob", "eve", "ida")], [0, 0, 0])
        for name in ("bob", "eve"):
            self.assertIn("Permission denied", graded[name]["compile_problem"])
        self.assertNotIn(SECRET, self.all_text())

    @takes_long
    def test_of_a_file_outside_one_learns_that_it_exists_and_pays_with_the_hand_in(self):
        def asking(*paths):
            return "".join(f'#if __has_include("{path}")\n#endif\n' for path in paths) + RIGHT
        key, none = self.folder / "key.json", self.folder / "no_key.json"
        self.hand_in("exists", asking(key))
        self.hand_in("does_not", asking(none))
        self.hand_in("first_of", asking(none, key, "/etc/passwd"))
        graded = self.grade(assignment=self.small)
        for name in ("exists", "first_of"):
            self.assertEqual((graded[name]["score"], graded[name]["compile_problem"]), (0, f"total.cu does not compile: {key}: Permission denied"))
        self.assertEqual(graded["does_not"]["score"], 100)
        self.assertNotIn(SECRET, self.all_text())


class OddSubmissions(Class):
    def test_what_cannot_be_judged_asks_for_attention_and_is_never_a_0(self):
        self.hand_in("zoe", RIGHT)
        odd = {"none": "there is no .cu file", "two": "there are 2 .cu files: a.cu, b.cu",
               "class": "there are 3 .cu files: ada.cu, bob.cu, eve.cu; where each is a submission of its own: --submission FOLDER/*.cu",
               "link": "total.cu is a symbolic link, which is not read", "pipe": "total.cu is a pipe, which is not read",
               "folder": "total.cu is a folder, which is not read", "binary": "total.cu is no text",
               "large": "total.cu has more than 8 MiB: nobody writes so much by hand", "packed": "there is no .cu file, but an archive, which is not unpacked: mine.zip"}
        for name in odd:
            (self.students / name).mkdir()
        for file in ("two/a", "two/b", "class/ada", "class/bob", "class/eve"):
            (self.students / f"{file}.cu").write_text(RIGHT)
        (self.students / "link" / "total.cu").symlink_to(self.students / "zoe" / "total.cu")
        os.mkfifo(self.students / "pipe" / "total.cu")
        (self.students / "folder" / "total.cu").mkdir()
        (self.students / "large" / "total.cu").write_bytes(b"/" * (9 << 20))
        (self.students / "binary" / "total.cu").write_bytes(b"\x7fELF\0\0\0")
        (self.students / "packed" / "mine.zip").write_bytes(b"PK")
        (self.students / "zed").symlink_to(self.students / "zoe")
        odd["zed"] = "zed is a symbolic link, which is not read"
        (self.students / "notes.txt").write_text("no kernel")
        odd |= {"notes.txt": "notes.txt is not a .cu file", "eve.tar.gz": "eve.tar.gz is an archive, which is not unpacked"}
        (self.students / "eve.tar.gz").write_text("no kernel")
        graded = self.grade("--export", f"gradescope={self.folder}/gradescope/", "--pages", str(self.folder / "pages"))
        self.assertEqual(graded["zoe"]["score"], 100)
        for name, reason in odd.items():
            document = graded[name]
            self.assertEqual((document["status"], document["score"], document["score_so_far"], document["reason"], document["items"]),
                             ("attention", None, None, reason, []))
            self.assertNotIn('"score"', (self.folder / "gradescope" / name / "results.json").read_text())
        # Last in the gradebook, and one line that counts them.
        self.assertEqual(self.book(), [("zoe", "graded", "100")] + [(name, "attention", "") for name in sorted(odd)])
        self.assertEqual(self.said, ["note: attention: nothing to judge in 12 submissions: binary (total.cu is no text), class (" + odd["class"] + "), eve.tar.gz (eve.tar.gz "
                                     "is an archive, which is not unpacked), folder (total.cu is a folder, which is not read), large (total.cu has "
                                     "more than 8 MiB: nobody writes so much by hand), and 7 more"])
        self.assertIn("not graded: there is nothing that could be judged (there is no .cu file)", (self.folder / "pages" / "none.html").read_text())

    def test_fail_on_attention_is_exit_code_1(self):
        self.hand_in("ada", kernel(""))
        (self.students / "none").mkdir()
        ran = subprocess.run(self.command("--format", "json", assignment=self.small), capture_output=True, text=True, check=True)
        self.assertEqual([json.loads(ran.stdout)["summary"][name] for name in ("submissions", "graded", "attention", "infrastructure")], [2, 1, 1, 0])
        self.assertEqual(subprocess.run(self.command("--fail-on", "attention", assignment=self.small), capture_output=True).returncode, 1)
        shutil.rmtree(self.students / "none")
        self.assertEqual(subprocess.run(self.command("--fail-on", "attention", "--fresh", assignment=self.small), capture_output=True).returncode, 0)

    def test_names_are_data(self):
        bad = ["=HYPERLINK(1)", "a\nb", "\x1b[2J", "x" * 240, "..cu", "100%", "ü b", os.fsdecode(b"\xff")]
        for name in bad:
            self.hand_in(name, kernel(""))
        graded = self.grade(assignment=self.small)
        self.assertEqual(len(graded), len(bad))
        self.assertIn("a\\x0ab", graded)
        self.assertIn("\\xff", graded)
        self.assertTrue(all(re.fullmatch(r"[\w.%-]+", path.name) for path in (self.folder / "out").iterdir()))
        book = (self.folder / "out" / "gradebook.csv").read_bytes()
        self.assertNotIn(b"\n=", book)
        self.assertNotIn(b"\x1b", book)

    def test_what_a_kernel_prints_is_text_in_its_field(self):
        self.hand_in("forger", kernel(r'if (n == 512 && threadIdx.x + blockIdx.x == 0) printf("\", \"score\": 100, \"x\": \"\n{\"schema\": \"gpulab.grade.v1\"}\33[2J");'))
        self.hand_in("latin", "// Gr\u00fc\u00dfe\n".encode("latin-1") + RIGHT.encode())
        graded = self.grade(assignment=self.small)
        self.assertEqual((graded["forger"]["score"], graded["latin"]["score"]), (0, 100))
        self.assertIn("\\x1b[2J", graded["forger"]["output"])


class Gradebooks(Class):
    def test_who_is_regraded_alone_stays_in_the_class(self):
        for name in ("ada", "bob", "eve"):
            self.hand_in(name, kernel(""))
        self.grade(assignment=self.small)
        self.assertEqual(self.said, [])
        for name in ("bob", "eve"):
            (self.students / name).rename(self.folder / name)
        self.hand_in("ida", "no kernel")
        (self.students / "ada" / "total.cu").write_text(RIGHT)
        junit = self.folder / "r.xml"
        ran = subprocess.run(self.command("--export", f"junit={junit}", "--export", f"gradescope={self.folder}/r.json", assignment=self.small), capture_output=True, text=True)
        self.assertEqual((ran.returncode, without_notes(ran.stderr).splitlines()[-2:]),
                         (2, [f"error: --export gradescope: '{self.folder}/r.json' is one file, and there are 2 submissions",
                              f"  hint: name a folder ('{self.folder}/r.json/'), or put {{submission}} into the name"]))
        shutil.rmtree(self.students / "ida")
        self.grade("--export", f"junit={junit}", "--export", f"gradescope={self.folder}/r.json", "--format", "html", assignment=self.small)
        self.assertEqual(self.said, [f"note: {self.folder / 'out'}: regraded ada (0 -> 100); 2 as they were"])
        everybody = [("ada", "graded", "100"), ("bob", "graded", "0"), ("eve", "graded", "0")]
        self.assertEqual(self.book(), everybody)
        self.assertEqual(junit.read_text().count("<testsuite "), 3)
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["score"], 100)  # one file: of the one that is graded
        self.assertEqual((self.folder / "out" / "statistics.csv").read_text().splitlines()[1], "right,,visible,100,1,0,2,0,33.3333")
        # The same again, of all, with and without --resume, is the same.
        for option in ("--fresh", "--resume"):
            for name in ("bob", "eve"):
                if (self.folder / name).exists():
                    (self.folder / name).rename(self.students / name)
            self.grade(option, assignment=self.small)
            self.assertEqual(self.book(), everybody)
        self.assertEqual(self.said, [f"note: {self.folder / 'out'}: 3 as they were"])

    def test_another_assignment_or_key_is_an_error_and_nothing_is_lost(self):
        for name in ("ada", "bob"):
            self.hand_in(name, kernel(""))
        self.grade(assignment=self.small)
        before = self.all_text()
        shutil.rmtree(self.students / "bob")
        for options in ({"key": False, "assignment": self.small}, {}):
            ran = subprocess.run(self.command(**options), capture_output=True, text=True)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(f"error: --output: {self.folder / 'out'} has results that cannot stand beside these: bob (of another assignment, key or "
                          "version of gpulab)\n  hint: grade these submissions again with the others, name another folder, or begin anew: "
                          "--fresh removes all results there\n", ran.stderr)
            self.assertEqual(self.all_text(), before)
        self.grade("--fresh")
        self.assertEqual(self.book(), [("ada", "graded", "0")])


class Feedback(Class):
    def assignment(self, **more):
        path = self.folder / "assignment.json"
        items = [{"name": "right", "kind": "correct", "points": 60, "visible": ["usual", "one", "odd"], "hidden": ["key"],
                  "description": "The sum of <all> elements.", "hint": "Which thread has no element?"},
                 {"name": "clean", "kind": "sanitize", "points": 40}]
        path.write_text(json.dumps({"schema": "gpulab.assignment.v1", "title": "Sums", "lab": "reduce", "contract": "total", "items": items, **more}))
        return path

    def test_what_check_says_of_visible_classes_stands_in_exports_and_pages(self):
        self.hand_in("beyond", kernel("const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i <= n) atomicAdd(out, in[i]);"))
        self.hand_in("wrong", kernel(ATOMIC.replace("i < n", "i < n - n % 2") + '  if (i == 0 && n == 512) printf("<b>%d</b>", n);'))
        self.hand_in("right", RIGHT)
        self.grade("--export", f"gradescope={self.folder}/gs/", "--pages", str(self.folder / "pages"), assignment=self.assignment())
        results = {name: json.loads((self.folder / "gs" / name / "results.json").read_text()) for name in ("beyond", "wrong", "right")}
        wrong = results["wrong"]["tests"][0]["output"]
        for text in ("The sum of <all> elements.\n3 of 4 classes of inputs are wrong: one, odd, key (hidden)", "\none (a single element)\nn = 1, T = int; grid 1, block ",
                     ": wrong: out[0] is ", "\nout[0] got ", ", expected ", "\nhint: ", "\n\nHint: Which thread has no element?"):
            self.assertIn(text, wrong)
        self.assertIn("The kernel printed, first:\n<b>512</b>", results["wrong"]["output"])
        beyond = results["beyond"]["tests"]
        self.assertRegex(beyond[0]["output"], r"fault: total.cu:4: out-of-bounds load of 4 bytes")
        self.assertRegex(beyond[1]["output"], r"\ntotal.cu:4 read by block \(\d+,0,0\), thread \(\d+,0,0\), in\[\d+\]\n")
        for test in beyond:
            self.assertIn("\ntotal.cu:4 is: if (i <= n) atomicAdd(out, in[i]);", test["output"])
        self.assertEqual(results["beyond"]["output"], "Sums")  # an item tells of the finding
        self.assertTrue(results["right"]["tests"][0]["output"].startswith("The sum of <all> elements.\nall 4 classes of inputs"))
        page = (self.folder / "pages" / "wrong.html").read_text()
        for text in ("The sum of &lt;all&gt; elements.", "Which thread has no element?", "out[0] got ", "&lt;b&gt;512&lt;/b&gt;"):
            self.assertIn(text, page)

    @takes_long
    def test_nothing_of_hidden_inputs_stands_in_exports_and_pages(self):
        hidden = f"!{SHOWN} && n != 131072"
        self.hand_in("prints", kernel(f'if ({hidden}) {{ printf("HIDDEN %d", n); out[0] = T(1); return; }} {ATOMIC}'))
        self.hand_in("traps", kernel(f"if ({hidden}) {{ out[n] = in[0]; return; }} {ATOMIC}"))
        ran = subprocess.run(self.command("--pages", str(self.folder / "out"), "--format", "html", "--export", f"gradescope={self.folder}/out/{{submission}}.gs",
                                          "--export", f"markdown={self.folder}/out/r.md", "--export", f"junit={self.folder}/out/r.xml"),
                             capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        text = self.all_text() + ran.stdout
        self.assertIn("large</th><td", text.replace(' <span class="soft">hidden</span>', ""))
        for word in ("HIDDEN", "4099", "70001", SECRET):
            self.assertNotIn(word, text)


class Endings(Class):
    def test_what_never_ends_is_a_verdict_and_what_meets_the_clock_is_none(self):
        self.hand_in("hangs", kernel("volatile int s = 0; while (true) s = s + 1;"))
        self.hand_in("bomb", "template <int N> struct B { static constexpr int v = B<N - 1>::v + B<N - 2>::v; };\n" + kernel("out[0] = B<100000>::v;"))
        graded = self.grade()
        self.assertEqual([(graded[name]["status"], graded[name]["score"]) for name in ("hangs", "bomb")], [("graded", 0)] * 2)
        said = self.item(graded["hangs"], "correct")["parts"][0]["reason"]  # no --budget is the student's to raise
        self.assertRegex(said, "did not end within 33554432 warp instructions: .*; look for a loop .* nobody releases\n")
        self.assertIn("does not compile", self.item(graded["bomb"], "correct")["reason"])

    @takes_long
    def test_the_clock_is_no_verdict(self):
        """Its launches take more than a second, and end within their budgets."""
        self.hand_in("slow", kernel("volatile int s = 0; if (blockIdx.x + threadIdx.x == 0 && n == 512) for (int k = 0; k < 5000000; ++k) s += k;" + ATOMIC))
        graded = self.grade("--backstop", "1", assignment=self.small)
        if graded["slow"]["status"] != "graded":  # else this machine is too fast for it
            self.assertEqual((graded["slow"]["status"], graded["slow"]["score"]), ("infrastructure", None))
            self.assertEqual(graded["slow"]["reason"], "a launch came to no end within the time that this machine has for it")
            self.assertIn("slow,,,,infrastructure,,100", (self.folder / "out" / "gradebook.csv").read_text())
        self.assertEqual(self.grade("--resume", assignment=self.small)["slow"]["status"], "graded")

    def kill_simulations(self, grading, how_many):
        """What Linux does where memory runs out: a process that simulates gets SIGKILL."""
        killed = 0
        while grading.poll() is None and killed < how_many:
            for path in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    parents, words = [], (path / "cmdline").read_bytes().split(b"\0")
                    at = path
                    while at.name not in ("0", "1") and int(at.name) != grading.pid:
                        at = path.parent / (at / "stat").read_text().rpartition(")")[2].split()[1]
                        parents.append(at.name)
                    if b"--serve-cases" in words and str(grading.pid) in parents and killed < how_many:
                        os.kill(int(path.name), signal.SIGKILL)
                        killed += 1
                except OSError:
                    continue
            time.sleep(0.02)
        return killed

    def test_what_is_killed_from_outside_is_no_verdict(self):
        turns = 150000 if is_sanitized(BINARY) else 1500000  # long enough to be met; a sanitized build's CPU limit is no longer
        self.hand_in("right", kernel(f"volatile int s = 0; if (blockIdx.x + threadIdx.x == 0) for (int k = 0; k < {turns}; ++k) s += k;" + ATOMIC))
        grading = subprocess.Popen(self.command(assignment=self.small), stdout=subprocess.DEVNULL)
        self.assertEqual(self.kill_simulations(grading, 1), 1)
        self.assertEqual(grading.wait(), 0)
        self.assertEqual((self.documents()["right"]["status"], self.documents()["right"]["score"]), ("graded", 100))
        grading = subprocess.Popen(self.command(assignment=self.small), stdout=subprocess.DEVNULL)
        self.kill_simulations(grading, 1000)
        self.assertEqual(grading.wait(), 0)
        document = self.documents()["right"]
        self.assertEqual((document["status"], document["score"]), ("infrastructure", None))
        self.assertEqual(document["reason"], "the process that simulates it was killed from outside, as Linux does where memory runs out")
        self.assertEqual(self.grade("--resume", assignment=self.small)["right"]["score"], 100)

    @takes_long
    def test_a_reference_that_is_killed_from_outside_is_not_called_wrong(self):
        self.hand_in("right", RIGHT)
        grading = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL)
        self.assertEqual(self.kill_simulations(grading, 1), 1)
        self.assertEqual(grading.wait(), 0)
        self.assertEqual(self.documents()["right"]["score"], 100)
        grading = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.kill_simulations(grading, 1000)
        self.assertEqual(grading.wait(), 4)
        self.assertIn("error: the reference could not be judged: the process that simulates it was killed from outside", grading.stderr.read())
        grading.stderr.close()

    def test_the_same_submissions_and_key_give_the_same_bytes(self):
        self.hand_in("right", RIGHT)
        self.hand_in("wrong", kernel("out[0] = in[0];"))
        self.hand_in("syntax", "__global__ void total(")
        self.grade()
        first = self.all_text()
        shutil.rmtree(self.folder / "out")
        fresh = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        subprocess.run(self.command(), capture_output=True, check=True, env=fresh)
        self.assertEqual(self.all_text(), first)

    def test_what_was_killed_goes_on_where_it_was_and_a_changed_file_is_judged_again(self):
        for i in range(6):
            self.hand_in(f"s{i}", RIGHT)
        child = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, start_new_session=True)
        done = self.folder / "out" / ".done"
        while child.poll() is None and not (done.exists() and done.read_text().count("\n") >= 2):
            time.sleep(0.02)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        kept = len(done.read_text().split())
        before = {path.name: path.stat().st_mtime_ns for path in (self.folder / "out").glob("*.json")}
        graded = self.grade("--resume")
        self.assertEqual([graded[f"s{i}"]["score"] for i in range(6)], [100] * 6)
        same = [name for name, when in before.items() if (self.folder / "out" / name).stat().st_mtime_ns == when]
        self.assertEqual(len(same), kept // 3)
        (self.students / "s3" / "total.cu").write_text(kernel(""))
        forged = json.loads((self.folder / "out" / "s4.json").read_text())
        (self.folder / "out" / "s4.json").write_text(json.dumps({**forged, "score": 1000}))
        graded = self.grade("--resume")
        self.assertEqual([graded[f"s{i}"]["score"] for i in range(6)], [100, 100, 100, 0, 100, 100])


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
