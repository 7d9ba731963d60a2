#!/usr/bin/env python3
"""Assignments of whole programs from outside, as students and their attackers would meet them: `program_test.py BINARY [NAME…]`.

The worked one (configs/assignments/program) with right and wrong submissions and what each earns; forgeries, of which none may
earn more than its kernels and its output deserve; comparisons, checkers and limits in small assignments of their own. Each submission is a program that is compiled, which takes seconds:
under GPULAB_ALL (scripts/test.sh --all) all of them, else one of a kind.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(TREE / "tests"))
from sanitized import without_notes  # noqa: E402 (the path comes first)

WORKED = TREE / "configs" / "assignments" / "program"
BINARY = ""
NO_KERNEL = "the program launches no kernel, and this item asks for the GPU"
REFERENCE = (WORKED / "reference.cu").read_text()
HOST = "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <unistd.h>\n"
LAUNCH = "__global__ void nothing() {}\n"


ALL = bool(os.environ.get("GPULAB_ALL"))
takes_long = unittest.skipUnless(ALL, "takes long")


def one_of_a_kind(submissions, *names):
    """Of these, by name, all or the named ones."""
    return {name: one for name, one in submissions.items() if ALL or name in names}


def program(body, before=""):
    """A program that launches a kernel, and does `body`."""
    return f"{HOST}{LAUNCH}{before}\nint main(int argc, char** argv) {{\n  nothing<<<1, 32>>>();\n  cudaDeviceSynchronize();\n  {body}\n}}\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "class").mkdir()

    def hand_in(self, name, text):
        path = self.folder / "class" / f"{name}.cu"
        path.write_text(text)
        return path

    def assignment(self, cases, hidden=(), texts=None, **more):
        """Writes one: each case is a name, and what it has beside."""
        for name, text in (texts or {}).items():
            (self.folder / name).write_text(text)
        made = {"schema": "gpulab.assignment.v1", "kind": "program", "title": "T", "limits": {"seconds": 2}, "cases": cases,
                "items": [{"name": "output", "kind": "output", "points": 10}], **more}
        if hidden:
            (self.folder / "hidden.json").write_text(json.dumps({"schema": "gpulab.cases.v1", "cases": hidden}))
            made["hidden_cases"] = "hidden.json"
        path = self.folder / "assignment.json"
        path.write_text(json.dumps(made))
        return path

    def grade(self, assignment, *options, paths=None):
        """Documents by the submission's name."""
        paths = paths or sorted((self.folder / "class").iterdir())
        ran = subprocess.run([BINARY, "grade", assignment, "--format", "json", "--jobs", "2", *options, "--submission", *paths],
                             capture_output=True, text=True, timeout=300)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        said = [line for line in without_notes(ran.stderr).splitlines() if not line.startswith("note: there is no --key")]
        self.assertEqual([line for line in said if not line.startswith("note: attention")], [])
        grades = json.loads(ran.stdout)["grades"]
        self.check_schemas(assignment, grades)
        return {one["submission"]: one for one in grades}

    def check_schemas(self, assignment, grades):
        """The assignment, its hidden cases and what came of it are documents of their schemas."""
        hidden = pathlib.Path(assignment).parent / json.loads(pathlib.Path(assignment).read_text()).get("hidden_cases", "none")
        documents = [("assignment", assignment.read_text()), *(("grade", json.dumps(grade)) for grade in grades)]
        documents += [("cases", hidden.read_text())] if hidden.is_file() else []
        for name, text in documents if jsonschema else []:
            schema = subprocess.run([BINARY, "schema", name], capture_output=True, check=True).stdout
            jsonschema.Draft202012Validator(json.loads(schema)).validate(json.loads(text))

    def item(self, grade, name="output"):
        self.assertIn(grade["status"], ("graded", "pending"), grade["reason"])
        return next(item for item in grade["items"] if item["name"] == name)

    def lint(self, assignment, code):
        ran = subprocess.run([BINARY, "assignment", "lint", assignment], capture_output=True, text=True, timeout=300)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran


class Worked(Case):
    def test_each_submission_earns_what_it_deserves(self):
        later = set() if ALL else {"knows_the_answers", "endless", "crashes", "an_atomic_each", "starter", "whole_mean"}
        for path in sorted((WORKED / "wrong").iterdir()):
            if path.stem not in later:
                shutil.copy(path, self.folder / "class")
        self.hand_in("right", REFERENCE)
        self.hand_in("broken", "int main( {")
        if "starter" not in later:
            self.hand_in("starter", (WORKED / "starter.cu").read_text())
        (self.folder / "class" / "empty").mkdir()
        grades = self.grade(WORKED / "assignment.json")
        earned = {name: [item["earned"] for item in grade["items"]] for name, grade in grades.items()}
        self.assertEqual(earned, {name: points for name, points in {
            "right": [50, 40, 10], "starter": [0, 0, 0], "broken": [0, 0, 0], "empty": [],
            "whole_mean": [14.29, 40, 10],         # nothing and one number have a whole mean
            "knows_the_answers": [21.43, 0, 0],    # the visible cases, of which one counts twice
            "on_the_cpu": [0, 40, 10],             # the kernel that nobody launches is right
            "endless": [0, 40, 10], "crashes": [42.86, 40, 10],
            "no_barrier": [0, 0, 0], "an_atomic_each": [50, 40, 0]}.items() if name not in later})
        self.assertEqual(grades["empty"]["status"], "attention")
        self.assertIn(NO_KERNEL, self.item(grades["on_the_cpu"])["reason"])
        self.assertFalse(grades["on_the_cpu"]["program"]["launches"])
        if not later:
            self.assertIn("few: takes more than 5 s of CPU time", self.item(grades["endless"])["reason"])
            self.assertIn("few: line 3: '3.000000' is not '3.875000' within 1e-06 of it", self.item(grades["whole_mean"])["reason"])
        self.assertEqual(self.item(grades["broken"])["reason"], "the program does not compile")
        self.assertEqual(grades["broken"]["compile_problem"], "the program does not compile")
        self.assertIn("main", grades["broken"]["messages"])
        self.assertEqual(self.item(grades["right"])["reason"], "all 6 cases")
        shown = grades["right"]["program"]
        self.assertEqual([case["name"] for case in shown["cases"]], ["few", "thousand"])  # and no hidden ones
        self.assertEqual((shown["trusted"], shown["cases"][0]["kernels"]), (False, [{"name": "total(int const*, int*, int)", "launches": 1}]))
        self.assertGreater(shown["cases"][1]["counters"]["global_load_sectors"], 100)
        for grade in grades.values():  # what hidden cases hold is nowhere
            self.assertNotIn("-32", json.dumps(grade))
            for item in grade["items"]:
                for part in item["parts"]:
                    self.assertTrue(part["visibility"] == "visible" or part["reason"] == "", part)

    def test_a_student_tries_what_everybody_can_see(self):
        alone = self.folder / "alone"
        shutil.copytree(WORKED, alone, ignore=shutil.ignore_patterns("hidden", "wrong", "reference.cu"))
        tries = {"reference.cu": (0, "output              pending   of 50: all 2 cases; hidden cases are judged when it is handed in"),
                 "wrong/whole_mean.cu": (1, "few: line 3: '3.000000' is not '3.875000' within 1e-06 of it"),
                 "wrong/on_the_cpu.cu": (1, NO_KERNEL)}
        for name, (code, says) in one_of_a_kind(tries, "wrong/whole_mean.cu").items():
            shutil.copy(WORKED / name, alone / "mine.cu")
            ran = subprocess.run([BINARY, "check", "--assignment", "assignment.json", "mine.cu"], cwd=alone, capture_output=True,
                                 text=True, env={**os.environ, "COLUMNS": "200"})
            self.assertEqual((ran.returncode, without_notes(ran.stderr)), (code, ""), ran.stdout)
            self.assertIn(says, ran.stdout)
            self.assertIn("Hidden cases are judged when it is handed in. 'gpulab exec FILE.cu' runs the program", ran.stdout)
        ran = subprocess.run([BINARY, "grade", "assignment.json", "--submission", "mine.cu"], cwd=alone, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("error: assignment.json: the file of hidden cases is not there: 'hidden/cases.json'\n"
                      "  hint: students try what everybody can see: gpulab check --assignment ASSIGNMENT FILE.cu\n", ran.stderr)

    def test_a_new_one_is_the_worked_one(self):
        made = self.folder / "new"
        ran = subprocess.run([BINARY, "assignment", "new", "program", made], capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        files = {path.relative_to(made): path.read_text() for path in made.rglob("*") if path.is_file()}
        self.assertEqual(files, {path.relative_to(WORKED): path.read_text() for path in WORKED.rglob("*") if path.is_file()})
        self.assertEqual(ran.stdout, f"{made}: {len(files)} files; change them into yours, then\n  gpulab assignment lint {made}/assignment.json\n")


class Forgeries(Case):
    """What host code can do to its process, its folder and its compiler."""

    def setUp(self):
        super().setUp()
        self.path = self.assignment([{"name": "seen", "input": "seen.in", "expected": "seen.out"}],
                                    [{"name": "secret", "input": "secret.in", "expected": "secret.out"}],
                                    {"seen.in": "1\n", "seen.out": "seen answer\n", "secret.in": "2\n", "secret.out": "XYZZY-SECRET\n"},
                                    items=[{"name": "output", "kind": "output", "points": 10},
                                           {"name": "shown", "kind": "reported", "points": 0, "require": ["warp_instructions<=100000"]}])

    def test_what_is_expected_cannot_be_read_while_it_runs(self):
        places = [self.folder / "secret.out", self.folder / "hidden.json", self.path, "../expected", "expected", f"/proc/{os.getpid()}/environ"]
        tries = "".join(f'copy("{place}");' for place in places)
        self.hand_in("reader", program(tries + 'copy("/proc/self/../../tmp"); puts("seen answer");',
                                       "void copy(const char* path) { FILE* f = fopen(path, \"r\"); int c; if (f == nullptr) return; "
                                       "fprintf(stderr, \"OPENED %s\", path); while ((c = getc(f)) != EOF) putchar(c); }"))
        grade = self.grade(self.path)["reader"]
        self.assertEqual(self.item(grade)["earned"], 5)
        self.assertNotIn("XYZZY", json.dumps(grade))
        self.assertEqual(grade["program"]["cases"][0]["errors"], "")

    def test_what_is_expected_cannot_be_read_while_it_is_compiled(self):
        secret = self.folder / "secret.out"
        self.hand_in("incbin", program('puts("seen answer");', f'asm(".incbin \\"{secret}\\"");'))
        self.hand_in("include", f'#include "{secret}"\n' + program('puts("seen answer");'))
        for name, grade in self.grade(self.path).items():
            self.assertEqual((self.item(grade)["earned"], grade["compile_problem"]), (0, "the program does not compile"), name)
            self.assertNotIn("XYZZY", json.dumps(grade))

    def test_links_in_place_of_results_and_records_lead_nowhere(self):
        path = self.assignment([{"name": "seen", "result": "answer.txt", "expected": "secret.out"}])
        for name in one_of_a_kind(dict.fromkeys(("link", "pipe", "folder")), "link"):
            target = self.folder / "secret.out"
            make = {"link": f'symlink("{target}", "answer.txt");', "pipe": 'system("mkfifo answer.txt");', "folder": 'system("mkdir answer.txt");'}[name]
            self.hand_in(name, program(make + f' char p[999]; snprintf(p, 999, "%s/record.json", getenv("TMPDIR")); symlink("{target}", p); _exit(0);'))
        for name, grade in self.grade(path).items():
            self.assertEqual((self.item(grade)["earned"], self.item(grade)["parts"][0]["reason"]), (0, "writes no file answer.txt"), name)
            self.assertNotIn("XYZZY", json.dumps(grade))

    def test_a_forged_record_is_shown_as_what_it_is_and_changes_no_output(self):
        forged = program('char p[999]; snprintf(p, 999, "%s/record.json", getenv("TMPDIR")); FILE* f = fopen(p, "w"); fputs(text, f); fclose(f); '
                         'puts("wrong answer"); fflush(stdout); _exit(0);', "const char* text = %s;")
        records = {"junk": "{]", "deep": "[" * 5000, "other": '{"gpu": 7}', "controls": "\\x1b[2J"}
        for name, text in one_of_a_kind(records, "other").items():
            self.hand_in(name, forged.replace("%s;", json.dumps(text).replace("%", "%%") + ";"))
        for name, grade in self.grade(self.path).items():
            self.assertEqual(grade["score"], 0, name)
            self.assertFalse(grade["program"]["trusted"])
            self.assertIn("line 1 is 'wrong answer', not 'seen answer'", self.item(grade)["reason"])

    def test_an_end_in_a_constructor_or_by_exit_earns_its_output_alone(self):
        early = HOST + LAUNCH + 'struct Early { Early() { %s } } early;\nint main() { nothing<<<1, 32>>>(); return 0; }\n'
        ends = {"silent": ("_exit(0);", "there is no output; line 1 should be 'seen answer'"),
                "prints": ('puts("seen answer"); fflush(stdout); _exit(0);', NO_KERNEL), "signal": ("abort();", "seen: crashes: signal 6, Aborted")}
        ends = one_of_a_kind(ends, "prints")
        for name, (end, _) in ends.items():
            self.hand_in(name, early % end)
        grades = self.grade(self.path)
        self.assertEqual({name: grade["score"] for name, grade in grades.items()}, dict.fromkeys(ends, 0))
        for name, (_, reason) in ends.items():
            self.assertIn(reason, self.item(grades[name])["reason"])

    def test_a_program_starts_no_other_processes(self):
        """Only few tries: on a machine where they were not refused, a bomb would take it down."""
        tell = 'printf("%d %d %d", fork(), vfork(), system("true") == 0); fflush(stdout); for (int i = 0; i < 3; ++i) if (fork() >= 0) _exit(9); daemon(1, 1);'
        path = self.assignment([{"name": "a", "expected": "a.out"}], texts={"a.out": "-1 -1 0"})
        self.hand_in("forks", program(tell))
        if ALL:
            self.hand_in("threads", program('int n = 0; std::thread([&] { n = -1; }).join(); printf("%d -1 0", n);', "#include <thread>"))
        self.hand_in("crowd", program('pthread_attr_t small; pthread_attr_init(&small); pthread_attr_setstacksize(&small, 1 << 16); pthread_t one; '
                                      'for (int i = 0; i < 600; ++i) if (pthread_create(&one, &small, [](void*) -> void* { sleep(60); return nullptr; }, nullptr)) exit(i); '
                                      'puts("-1 -1 0");', "#include <pthread.h>"))
        grades = self.grade(path)
        self.assertEqual({name: (grade["score"], self.item(grade)["reason"]) for name, grade in grades.items()},
                         {"forks": (10, "the one case"), **({"threads": (10, "the one case")} if ALL else {}),
                          "crowd": (0, "the one case is wrong: a; a: the program was ended: it had more than 512 threads at once")})

    def test_nothing_of_a_hidden_case_reaches_what_is_shown(self):
        self.hand_in("tells", program('char line[99] = ""; fgets(line, 99, stdin); fprintf(stderr, "read %s", line); '
                                      'FILE* f = fopen("/tmp/gpulab_note", "a"); if (f) fputs(line, f); puts("seen answer");'))
        grade = self.grade(self.path)["tells"]
        self.assertEqual([case["errors"] for case in grade["program"]["cases"]], ["read 1\n"])
        self.assertEqual(grade["items"][0]["parts"][1], {"name": "secret", "status": "failed", "reason": "", "visibility": "hidden"})
        self.assertFalse(pathlib.Path("/tmp/gpulab_note").exists())


class Verdicts(Case):
    def verdict(self, body, case, texts=None, before="", **more):
        """Of one case: points and the reason."""
        path = self.assignment([{"name": "a", **case}], texts=texts, **more)
        self.hand_in("one", program(body, before))
        item = self.item(self.grade(path)["one"])
        return item["earned"], item["parts"][0]["reason"]

    def test_crashes_timeouts_floods_and_codes_cost_the_item_with_a_sentence(self):
        path = self.assignment([{"name": "a", "expected": "a.out"}], texts={"a.out": "1\n"}, limits={"seconds": 2, "memory_mib": 64, "output_kib": 4})
        bodies = {"null": "*(volatile int*)nullptr = 1;", "loop": "for (volatile int i = 0;; ++i) {}", "sleeps": "sleep(100);",
                  "flood": "for (;;) puts(\"1\");", "exits": "exit(3);", "memory": "for (;;) memset(malloc(1 << 20), 1, 1 << 20);",
                  "silent": "", "right": 'puts("1");'}
        for name, body in one_of_a_kind(bodies, "null", "loop", "memory").items():
            self.hand_in(name, program(body))
        if ALL:
            self.hand_in("kernel", program("spin<<<1, 32>>>(); cudaDeviceSynchronize();", "__global__ void spin() { for (;;) __nanosleep(1); }"))
        self.hand_in("fault", program('bad<<<1, 32>>>(); if (cudaDeviceSynchronize()) exit(4); puts("1");', "__global__ void bad() { *(int*)16 = 1; }"))
        reasons = {name: self.item(grade)["parts"][0]["reason"] for name, grade in self.grade(path).items()}
        memory = reasons.pop("memory")
        self.assertTrue(memory.startswith(("the program was ended: it took more of this machine's memory than 64 MiB", "crashes: signal 11")), memory)
        fault = reasons.pop("fault")
        self.assertTrue(fault.startswith("ends with exit code 4, not 0; a launch of bad() failed: "), fault)
        if ALL:
            self.assertRegex(reasons.pop("kernel"), r"^(takes more than 2 s of CPU time|there is no output; line 1 should be '1'; a launch of spin\(\) failed: .*)$")
        self.assertEqual(reasons, one_of_a_kind({
            "null": "crashes: signal 11, Segmentation fault", "loop": "takes more than 2 s of CPU time",
            "sleeps": "waits for something that never comes: it did nothing for 5 s", "flood": "prints more than 4 KiB",
            "exits": "ends with exit code 3, not 0", "silent": "there is no output; line 1 should be '1'", "right": ""}, "null", "loop"))

    @takes_long
    def test_cases_behind_two_that_ran_out_of_time_are_not_run(self):
        path = self.assignment([{"name": name, "expected": "a.out"} for name in "abc"], texts={"a.out": "1\n"}, limits={"seconds": 1})
        self.hand_in("loop", program("for (volatile int i = 0;; ++i) {}"))
        parts = self.item(self.grade(path)["loop"])["parts"]
        self.assertEqual(parts[2]["reason"], "not run: 2 cases before it ran out of time")

    def test_arguments_files_results_and_exit_codes_are_the_cases(self):
        body = ('FILE* f = fopen("in.txt", "r"); char t[99] = ""; fgets(t, 99, f); FILE* o = fopen("out.txt", "w"); '
                'fprintf(o, "%d %s %s", argc, argv[2], t); fclose(o); return 7;')
        case = {"arguments": ["a", "b c"], "files": {"in.txt": "some.txt"}, "result": "out.txt", "expected": "x.out", "exit_code": 7}
        self.assertEqual(self.verdict(body, case, {"some.txt": "hello", "x.out": "3 b c hello"}), (10, ""))
        if ALL:
            self.assertEqual(self.verdict(body.replace("%d %s", "%d"), case), (0, "out.txt: line 1 is '3 b c', not '3 b c hello'"))

    def test_a_checker_says_right_or_wrong_in_a_sentence(self):
        python = "import sys\nwords = open(sys.argv[1]).read().split()\nif sorted(words) != sorted(open(sys.argv[2]).read().split()):\n    print('not the words of the list')\n    sys.exit(1)\n"
        compiled = "#include <fstream>\n#include <iostream>\nint main(int, char** a) { int x = 0; std::ifstream(a[1]) >> x; if (x % 2 == 0) return 0; std::cout << x << \" is odd\\n\"; return 1; }\n"
        checkers = {"check.py": (python, "b a", "b c", "not the words of the list"), "check.cpp": (compiled, "4", "5", "5 is odd")}
        for name, (text, right, wrong, why) in one_of_a_kind(checkers, "check.py").items():
            case = {"expected": "x.out", "compare": {"by": "checker", "program": name}}
            self.assertEqual(self.verdict(f'puts("{right}");', case, {name: text, "x.out": "a b"}), (10, ""))
            self.assertEqual(self.verdict(f'puts("{wrong}");', case), (0, why))

    def test_a_broken_checker_is_nobodys_fault(self):
        checkers = {"import sys\nsys.exit(3)\n": "ended with exit code 3: 0 is right, 1 is wrong",
                    "import sys\nsys.exit(1)\n": "says wrong, and not why: the first line that it prints is its sentence",
                    "open('%s')\n" % (self.folder / "assignment.json"): "says wrong, and not why: the first line that it prints is its sentence"}
        for text, why in one_of_a_kind(checkers, list(checkers)[2]).items():  # what may read nothing but the output
            path = self.assignment([{"name": "a", "compare": {"by": "checker", "program": "check.py"}}], texts={"check.py": text})
            self.hand_in("one", program('puts("1");'))
            grade = self.grade(path)["one"]
            self.assertEqual((grade["status"], grade["score"], grade["reason"]), ("infrastructure", None, f"case 'a': the checker {why}"))

    def test_a_program_of_several_files_is_a_folder(self):
        folder = self.folder / "class" / "ada"
        folder.mkdir()
        (folder / "kernels.cu").write_text('#include "kernels.cuh"\n__global__ void one(int* p) { *p = 1; }\nvoid launch(int* p) { one<<<1, 1>>>(p); }\n')
        (folder / "kernels.cuh").write_text("void launch(int* p);\n")
        (folder / "main.cpp").write_text('#include <cstdio>\n#include <cuda_runtime.h>\n#include "kernels.cuh"\nint main() { int* p; cudaMallocManaged(&p, 4); launch(p); cudaDeviceSynchronize(); printf("%d\\n", *p); }\n')
        self.hand_in("bob", program(""))
        (self.folder / "class" / "eve").mkdir()
        (self.folder / "class" / "eve" / "kernels.cu").symlink_to(folder / "kernels.cu")
        path = self.assignment([{"name": "a", "expected": "a.out"}], texts={"a.out": "1\n"}, file="kernels.cu", files=["main.cpp", "kernels.cuh"])
        grades = self.grade(path)
        self.assertEqual(grades["ada"]["score"], 10)
        self.assertEqual((grades["bob"]["status"], grades["bob"]["reason"]), ("attention", "bob.cu is one file, and the program has several: main.cpp, kernels.cuh"))
        self.assertEqual((grades["eve"]["status"], grades["eve"]["reason"]), ("attention", "kernels.cu is a symbolic link, which is not read"))

    def test_what_a_program_reports_gives_points_under_trust_alone_and_says_so(self):
        items = [{"name": "output", "kind": "output", "points": 10},
                 {"name": "lean", "kind": "reported", "points": 5, "require": ["warp_instructions<=100"]},
                 {"name": "clean", "kind": "reported", "points": 5, "tools": ["racecheck"]}]
        path = self.assignment([{"name": "a", "expected": "a.out"}], texts={"a.out": "1\n"}, items=items, trust="host")
        race = "__global__ void race(int* p) { __shared__ volatile int s[64]; s[threadIdx.x] = threadIdx.x; p[threadIdx.x] = s[63 - threadIdx.x]; }"
        self.hand_in("lean", program('puts("1");'))
        self.hand_in("races", program('int* p; cudaMalloc(&p, 999); race<<<1, 64>>>(p); for (int i = 0; i < 50; ++i) race<<<1, 64>>>(p); cudaDeviceSynchronize(); puts("1");', race))
        self.hand_in("wrong", program('puts("2");'))
        if ALL:
            self.hand_in("host", HOST + 'int main() { puts("1"); }')
        grades = self.grade(path)
        self.assertEqual({name: grade["score"] for name, grade in grades.items()}, {"lean": 20, "races": 10, "wrong": 0, **({"host": 0} if ALL else {})})
        self.assertEqual(self.item(grades["lean"], "lean")["reason"], "as the program reports: as asked for")
        self.assertRegex(self.item(grades["races"], "lean")["reason"], r"as the program reports: warp_instructions is \d+, asked for <= 100")
        self.assertTrue(self.item(grades["races"], "clean")["reason"].startswith("as the program reports: racecheck: "))
        self.assertEqual(self.item(grades["wrong"], "lean")["reason"], "not earned: the output of the case 'a' is not right")
        if ALL:
            self.assertEqual(self.item(grades["host"], "lean")["reason"], "as the program reports: it launches no kernel")

    def test_an_item_that_does_not_ask_for_the_gpu_gives_points_without_one(self):
        path = self.assignment([{"name": "a", "expected": "a.out"}], texts={"a.out": "1\n"}, items=[{"name": "output", "kind": "output", "points": 10, "gpu": False}])
        self.hand_in("host", HOST + 'int main() { puts("1"); }')
        grade = self.grade(path)["host"]
        self.assertEqual((grade["score"], grade["program"]["launches"]), (10, False))


class Mistakes(Case):
    """What is wrong with an assignment of a program, in words."""

    def refusal(self, **more):
        ran = self.lint(self.assignment(**{"cases": [{"name": "a", "expected": "a.out"}], "texts": {"a.out": "1\n"}, **more}), 2)
        return ran.stderr.replace(f"{self.folder}/", "").replace("error: assignment.json: ", "")

    def test_each_mistake_is_told_with_its_place_and_what_next(self):
        output = {"name": "o", "kind": "output", "points": 1}
        reported = {"name": "r", "kind": "reported", "points": 0, "require": ["warp_instructions<=5"]}
        schema = "'gpulab schema assignment' says what an assignment holds"
        contract = '"lab" and "contract" of the assignment say what the kernel must do'
        for more, what, hint in (
                ({"kind": "programme"}, "the assignment is of an unknown kind 'programme'", "did you mean 'program'? kinds: kernel, program"),
                ({"trust": "me"}, "the assignment has a 'trust' that is not 'host'", "\"trust\": \"host\" lets what a program's own process reports give points; absent: it does not"),
                ({"limits": {"seconds": 0}}, "the assignment in 'limits' has a 'seconds' that is no whole number from 1 to 120", schema),
                ({"limits": {"output_kib": 1.5}}, "the assignment in 'limits' has a 'output_kib' that is no whole number from 1 to 16384", schema),
                ({"compare": {"by": "eye"}}, "the assignment in 'compare' compares by an unknown 'eye'", "there is exact, numbers, checker"),
                ({"compare": {"by": "exact", "trailing_space": "maybe"}}, "the assignment in 'compare' has a 'trailing_space' that is neither 'ignored' nor 'counts'", schema),
                ({"compare": {"by": "numbers", "relative": 2}}, "the assignment in 'compare' has a 'relative' that is no number from 0 to 1", schema),
                ({"compare": {"by": "checker", "program": "check.sh"}}, "the assignment in 'compare' has a checker that is neither .py, .cpp nor .cu: 'check.sh'", schema),
                ({"cases": []}, "the assignment has no cases", '"cases": [{"name": "small", "input": "small.in", "expected": "small.out"}]'),
                ({"cases": [{"name": "a"}]}, "case 'a' has no 'expected'", schema),
                ({"cases": [{"name": "a/b", "expected": "a.out"}]}, "case 1 has a name that cannot be one: 'a/b'", "letters, digits, '.', '_' and '-'"),
                ({"cases": [{"name": "a", "expected": "a.out"}] * 2}, "the assignment has two cases called 'a'", schema),
                ({"cases": [{"name": "a", "expected": "a.out", "exit_code": 1.5}]}, "case 'a' has an 'exit_code' that is no whole number", schema),
                ({"cases": [{"name": "a", "expected": "a.out", "arguments": "x"}]}, "case 'a' has a 'arguments' that is no list of texts", schema),
                ({"cases": [{"name": "a", "expected": "a.out", "result": "../x"}]}, "case 'a' has a name in 'result' that is none of a file here: '../x'", "letters, digits, '.', '_' and '-'; no folder"),
                ({"cases": [{"name": "a", "expected": "b.out"}]}, "case 'a' names a file that is not there: 'b.out'", "paths are from the folder of the file that names them"),
                ({"files": ["main.cpp"]}, "the assignment has 'files' and no 'file'", "\"file\": the one with the kernels, \"files\": the others"),
                ({"items": [{**output, "visible": ["b"]}]}, "item 'o' has an unknown case 'b' in 'visible'", "there is a"),
                ({"items": [{**output, "visible": []}]}, "item 'o' has no case", schema),
                ({"items": [{"name": "c", "kind": "correct", "points": 1}]}, "item 'c' is of the kind 'correct', which judges a kernel, and the assignment names no contract", contract),
                ({"items": [{**reported, "points": 1}]}, "item 'r' gives points for what the program's own process reports, which it can forge",
                 "0 points only show it; \"trust\": \"host\" of the assignment gives points all the same; a contract judges the kernels by themselves"),
                ({"items": [{**reported, "case": "b"}]}, "item 'r' looks at an unknown case 'b'", "visible cases: a"),
                ({"items": [{**reported, "require": []}]}, "item 'r' asks for nothing: it has neither 'require' nor 'tools'", schema),
                ({"items": [{**reported, "require": ["warp_instructions<=2*warp"]}]}, "item 'r' compares a program with a rung: 'warp_instructions<=2*warp'",
                 "a program is compared with a number: 'warp_instructions<=1e6'; kernels with rungs, by a contract")):
            with self.subTest(what):
                self.assertEqual(self.refusal(**more), f"{what}\n  hint: {hint}\n")
        kernels = self.folder / "kernels.json"
        kernels.write_text(json.dumps({"schema": "gpulab.assignment.v1", "title": "T", "lab": "reduce", "contract": "total", "items": [output]}))
        self.assertIn("item 'o' is of the kind 'output', and the assignment asks for no program\n  hint: \"kind\": \"program\" of the assignment, and its \"cases\"\n",
                      self.lint(kernels, 2).stderr)
        for text, what in (("{", "hidden.json: is no JSON\n  hint: it holds the hidden cases\n"), ('{"schema": "x", "cases": []}', "the file of hidden cases is not of the schema gpulab.cases.v1")):
            path = self.assignment([{"name": "a", "expected": "a.out"}], hidden=[{}])
            (self.folder / "hidden.json").write_text(text)
            self.assertIn(what, self.lint(path, 2).stderr)

    def test_mutants_are_of_kernels(self):
        ran = subprocess.run([BINARY, "assignment", "lint", self.assignment([{"name": "a", "expected": "a.out"}], texts={"a.out": ""}), "--mutants"], capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stderr), (2, "error: --mutants: mistakes are put into kernels, and this assignment is of a whole program\n"
                                                        "  hint: an assignment of the contract alone says how strong that is\n"))

    def test_lint_says_what_an_instructor_may_regret(self):
        ran = self.lint(self.assignment([{"name": name, "expected": "a.out"} for name in "ab"], texts={"a.out": "1\n"}, trust="host",
                                        items=[{"name": "lean", "kind": "reported", "points": 5, "require": ["warp_instructions<=100"]}]), 1)
        for note in ("error: no item is of the kind 'output': whatever the program prints earns as much",
                     "advice: no item judges a kernel by a contract: a program that computes on the CPU beside an empty launch earns as much",
                     "advice: cases of no item: a, b", "advice: item 'lean' gives points for what the program's own process reports: host code can forge it"):
            self.assertIn(note + "\n", ran.stdout.replace("\n  ", " "))  # long lines are wrapped
        ran = self.lint(self.assignment([{"name": "a", "expected": "a.out"}]), 1)
        self.assertIn("advice: item 'output' has no hidden cases: a program may know all outputs that are asked for\n", ran.stdout.replace("\n  ", " "))

    def test_lint_says_what_is_wrong_in_a_hidden_case_and_what_a_starter_earns_points_for(self):
        (self.folder / "quiet.cu").write_text(f'{HOST}{LAUNCH}int main() {{ if (getchar() != EOF) nothing<<<1, 32>>>(); puts("1"); }}\n')
        ran = self.lint(self.assignment([{"name": "a", "input": "a.out", "expected": "a.out"}], hidden=[{"name": "nothing", "expected": "a.out"}],
                                        texts={"a.out": "1\n"}, reference="quiet.cu", starter="quiet.cu"), 1)
        for note in ("error: the reference quiet.cu does not earn all of 'output': 1 of 2 cases is wrong: nothing (hidden)",
                     f"advice: the reference in the hidden case 'nothing': {NO_KERNEL}", "error: the starter quiet.cu earns points: output 5 (a)"):
            self.assertIn(note + "\n", ran.stdout.replace("\n  ", " ").replace(f"{self.folder}/", ""))


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
