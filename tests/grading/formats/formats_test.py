#!/usr/bin/env python3
"""Exports of grades are what each service publishes: formats_test.py EXPORT_DOCUMENTS

Closes with 'N passed, N failed'.
"""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import jsonschema
except ImportError:  # scripts/setup.sh has it with the tests
    jsonschema = None

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
GRADES = json.loads((HERE / "grades.json").read_text(encoding="utf-8"))
TITLE = "Transpose | without <conflicts>"
COMPILER = 'c.cu(4): error: expected a ";"\n  int i\n      ^\n'
RUNNER = {"CLASSROOM": "gpus", "ASSIGNMENT": "transpose", "SUBMISSION_TAG": "submit/1", "COMMIT_URL": "https://x.example/commit/1",
          "RELEASE_URL": "https://x.example/releases/1"}


def only(*submissions, **changes):
    """The grades of these alone."""
    chosen = [g for g in GRADES["grades"] if g["submission"] in submissions]
    return {"grades": [{**g, **changes} for g in chosen], "roster": GRADES["roster"]}


class Exports(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) if hasattr(self, "enterContext") \
            else pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)

    def export(self, *words, grades=GRADES, environment=None, code=0):
        """What was said on standard error."""
        (self.folder / "in.json").write_text(json.dumps(grades))
        ran = subprocess.run([PROGRAM, self.folder / "in.json", *words], cwd=self.folder, capture_output=True, text=True,
                             env={**os.environ, **(environment or {})}, timeout=60)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran.stderr

    def written(self, path):
        return (self.folder / path).read_bytes().decode("utf-8")  # no other bytes come out

    def files(self, folder):
        return sorted(p.relative_to(self.folder / folder).as_posix() for p in (self.folder / folder).rglob("*") if p.is_file())

    def json_of(self, path, schema):
        document = json.loads(self.written(path))
        if jsonschema:
            jsonschema.validate(document, json.loads((HERE / f"{schema}.schema.json").read_text()))
        return document


class OneSubmission(Exports):
    def test_a_folder_gets_a_folder_for_each_submission_and_names_lead_nowhere_else(self):
        self.export("gradescope=all/")
        self.assertEqual(self.files("all"), ["%2e.%2fetc%2fpasswd/results.json", "=cmd|' %2fC calc'!A0 ÿþ/results.json".replace("ÿþ", "\udcff\udcfe"),
                                             "Ida Ott_4711_assignsubmission_file/results.json", "ada/results.json", "pen/results.json"])

    def test_a_place_in_the_name_is_filled(self):
        self.export("prairielearn=r-{submission}.json", grades=only("ada", "../etc/passwd"))
        self.assertEqual(sorted(p.name for p in self.folder.glob("r-*")), ["r-%2e.%2fetc%2fpasswd.json", "r-ada.json"])

    def test_one_file_is_not_for_several(self):
        said = self.export("gradescope=r.json", code=2)
        self.assertEqual(said, "error: --export gradescope: 'r.json' is one file, and there are 5 submissions\n"
                               "  hint: name a folder ('r.json/'), or put {submission} into the name\n")

    def test_gradescope(self):
        self.export("gradescope=all/")
        documents = {path: self.json_of(f"all/{path}", "gradescope") for path in self.files("all")}
        ada, eve = documents["ada/results.json"], documents["%2e.%2fetc%2fpasswd/results.json"]
        self.assertEqual((ada["score"], [t["score"] for t in ada["tests"]]), (100, [50, 50]))
        self.assertEqual([t["visibility"] for t in ada["tests"]], ["visible", "hidden"])
        self.assertEqual((eve["score"], eve["output"]), (0, 'does not compile: c.cu:4: expected a ";"\n\nThe compiler said:\n' + COMPILER))
        odd = next(d for path, d in documents.items() if path.startswith("=cmd"))
        self.assertEqual((odd["score"], odd["tests"][0]["status"]), (33.3333, "failed"))
        self.assertIn("\\x1b[2J", odd["tests"][0]["output"])

    def test_gradescope_has_no_number_where_there_is_no_grade(self):
        self.export("gradescope=all/")
        pending = self.json_of("all/pen/results.json", "gradescope")
        self.assertEqual(pending["output"], "not graded yet: some items need a GPU")
        self.assertEqual([t["output"] for t in pending["tests"]], ["earned 50 of 50 points", "pending: needs a GPU"])
        ours = self.json_of("all/Ida Ott_4711_assignsubmission_file/results.json", "gradescope")
        self.assertEqual(ours["output"], "not graded: this is a failure of the grading system, not of the submission (the case did "
                                         "not end in 600 s, twice)")
        for document in (pending, ours):
            self.assertNotIn('"score"', json.dumps(document))

    def test_prairielearn(self):
        self.export("prairielearn=all/")
        documents = {path: self.json_of(f"all/{path}", "prairielearn") for path in self.files("all")}
        self.assertEqual(documents["ada/results.json"]["score"], 1)
        odd = next(d for path, d in documents.items() if path.startswith("=cmd"))
        self.assertAlmostEqual(odd["score"], 1 / 3)
        self.assertEqual([(t["name"], t["points"], t["max_points"]) for t in odd["tests"]],
                         [("cor|rect <b>", 33.3333, 50), ("hidden tests", 0, 50)])
        self.assertNotIn("SECRET", json.dumps(odd))
        self.assertEqual(documents["%2e.%2fetc%2fpasswd/results.json"]["format_errors"], ['does not compile: c.cu:4: expected a ";"'])
        self.assertEqual(documents["%2e.%2fetc%2fpasswd/results.json"]["output"], COMPILER)
        for path in ("pen/results.json", "Ida Ott_4711_assignsubmission_file/results.json"):
            self.assertFalse(documents[path]["gradable"])

    def test_prairielearn_keeps_below_a_megabyte(self):
        long = [{"name": "n" * 300, "points": 1, "earned": 0, "status": "failed", "reason": "€\n" * 10000, "visibility": "visible"}]
        self.export("prairielearn=r.json", grades=only("ada", items=long * 100, max=100, score=0))
        self.assertLess((self.folder / "r.json").stat().st_size, 1000000)
        self.assertEqual(len(self.json_of("r.json", "prairielearn")["tests"]), 100)
        self.export("prairielearn=r.json", grades=only("ada", items=[{**long[0], "reason": ""}] * 5000, max=5000, score=0))
        self.assertLess((self.folder / "r.json").stat().st_size, 1000000)

    def test_classroom50(self):
        self.export("classroom50=result.json", grades=only("ada"), environment=RUNNER)
        document = self.json_of("result.json", "classroom50")
        self.assertEqual((document["score"], document["max-score"], document["review"]), (100, 100, RUNNER["COMMIT_URL"]))
        self.assertEqual([t["test-name"] for t in document["tests"]], ["correct", "hidden tests"])

    def test_classroom50_rounds_and_full_marks_are_for_what_is_right(self):
        items = [{"name": str(e), "points": 3, "earned": e, "status": "x", "visibility": "visible"} for e in (3, 2.9, 1.5, 0.2, 0)]
        self.export("classroom50=result.json", grades=only("ada", items=items, max=15, score=7.6), environment=RUNNER)
        document = self.json_of("result.json", "classroom50")
        self.assertEqual([t["score"] for t in document["tests"]], [3, 2, 2, 0, 0])
        self.assertEqual(document["score"], 7)

    def test_classroom50_has_no_file_where_there_is_no_grade_and_an_old_one_goes(self):
        (self.folder / "result.json").write_text("of an earlier run")
        said = self.export("classroom50=result.json", grades=only("pen"), environment=RUNNER)
        self.assertEqual(said, "note: --export classroom50: no file for 'pen', for it is not graded yet: some items need a GPU\n")
        self.assertFalse((self.folder / "result.json").exists())

    def test_classroom50_is_made_by_its_runner_for_one(self):
        self.assertEqual(self.export("classroom50=r.json", grades=only("ada"), environment={**RUNNER, "ASSIGNMENT": ""}, code=2),
                         "error: --export classroom50: the variable ASSIGNMENT is not set\n"
                         "  hint: Classroom 50's runner sets it: this file is made by an autograder.py there\n")
        self.assertEqual(self.export("classroom50=all/", environment=RUNNER, code=2),
                         "error: --export classroom50: 5 submissions, and it is made for one\n"
                         "  hint: classroom50 runs where each submission is graded by itself\n")
        half = [{"name": "half", "points": 2.5, "earned": 0, "status": "failed", "visibility": "visible"}]
        self.assertEqual(self.export("classroom50=r.json", grades=only("ada", items=half), environment=RUNNER, code=2),
                         "error: --export classroom50: item 'half' is worth 2.5 points\n"
                         "  hint: Classroom 50 takes whole points: change the assignment\n")


class WholeClass(Exports):
    def test_junit(self):
        self.export("junit=r.xml")
        text = self.written("r.xml")
        if shutil.which("xmllint"):
            ran = subprocess.run(["xmllint", "--noout", "--schema", HERE / "junit.xsd", self.folder / "r.xml"], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(root.attrib, {"name": TITLE, "tests": "9", "failures": "4", "errors": "1"})
        suites = root.findall("testsuite")
        self.assertEqual([s.get("skipped") for s in suites], ["0", "0", "0", "1", "0"])
        self.assertEqual(suites[1].get("name"), "=cmd|' /C calc'!A0 \\xff\\xfe")
        self.assertIn("\\ufffe \\uffff \\xff", suites[1].find("testcase/failure").text)
        self.assertNotIn("SECRET", text)
        self.assertIsNotNone(suites[4].find("testcase/error"))
        # A score that is not known is no number.
        self.assertEqual([s.find("properties/property[@name='score']").get("value") for s in suites], ["100", "33.3333", "0", "", ""])

    def test_csv_and_no_cell_of_it_is_a_formula(self):
        self.export("csv=r.csv")
        rows = list(csv.reader(io.StringIO(self.written("r.csv"))))
        self.assertEqual(rows[0], ["submission", "name", "id", "email", "status", "score", "max", "correct", "secret", "cor|rect <b>", "fast",
                                   "reasons"])
        self.assertEqual(rows[1][:9], ["ada", 'Ada, "the" Countess', "1001", "ada@uni.example", "graded", "100", "100", "50", "50"])
        self.assertEqual(rows[2][:4], ["'=cmd|' /C calc'!A0 \\xff\\xfe", "'-2+3+cmd|' /C calc'!A0", "1002", "'@SUM(1+1)*cmd"])
        self.assertEqual([row[5] for row in rows[3:]], ["0", "", ""])
        self.assertEqual([row[4] for row in rows[3:]], ["graded", "pending", "infrastructure"])
        for row in rows:
            self.assertEqual(len(row), len(rows[0]))
            for value in row:
                self.assertNotIn(value[:1], tuple("=+-@\t\r\n"))

    def test_markdown_and_no_text_of_it_is_markup(self):
        self.export("markdown=r.md")
        text = self.written("r.md")
        self.assertIn("# Transpose \\| without \\<conflicts\\>\n", text)
        self.assertIn("| pen | Pen Ding | pending | 100 |\n", text)
        self.assertIn("\n- secret (hidden): 0 of 50: SECRET WORDS\n", text)
        self.assertIn("\\@everyone \\| \\<script\\>", text)
        self.assertNotIn("<script>", text.replace("\\<", ""))
        for line in text.splitlines():
            if line.startswith("| "):
                self.assertEqual(line.replace("\\|", "").count("|"), 5, line)

    def test_a_folder_is_no_file_of_a_class(self):
        self.assertEqual(self.export("csv=all/", code=2),
                         "error: --export csv: 'all/' is no file\n  hint: one file holds the whole class\n")


CANVAS = ("\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Warm-up (1),Transpose | without <conflicts> (4711),Final Score\r\n"
          "    Points Possible,,,,,10,100,(read only)\r\n"
          "\"Countess, Ada\",17,1001,ada,\"S1, and S2\",=1+1,,5\r\n"
          "\"Ding, Pen\",18,1004,pen,S1,7,42,\r\n"
          "\"Cmd\",19,1002,cmd,S1,7\r\n"
          "\"Student, Test\",20,,x1,S1,,,\r\n")


class Gradebooks(Exports):
    def fill(self, format, text, grades=GRADES, code=0):
        (self.folder / "book.csv").write_bytes(text.encode())
        said = self.export(f"{format}=book.csv", grades=grades, code=code)
        return said, self.written("book.csv")

    def test_canvas_keeps_all_but_its_cells(self):
        said, text = self.fill("canvas", CANVAS)
        expected = CANVAS.replace("=1+1,,5", "=1+1,100,5").replace("cmd,S1,7\r", "cmd,S1,7,33.3333\r")
        self.assertEqual(text, expected)
        self.assertIn("note: --export canvas: 'pen' keeps its cell: not graded yet: some items need a GPU\n", said)
        self.assertIn("note: --export canvas: no row of book.csv is of '../etc/passwd': a roster with its id or email tells\n", said)
        self.assertEqual(self.fill("canvas", text)[1], text)

    def test_canvas_says_what_it_cannot_fill(self):
        for text, error in ((CANVAS.replace("Transpose", "Reduce"), "--export canvas: no columns of book.csv are called 'Transpose | without "
                             "<conflicts>'\n  hint: its columns: 'Student', 'ID',"),
                            (CANVAS.replace("Final Score", TITLE), "--export canvas: 2 columns of book.csv are called"),
                            ("a,b\n1,2\n", "--export canvas: book.csv is no gradebook of Canvas: it has no columns 'Student' and 'ID'\n"
                             "  hint: in Canvas: Gradebook, Export, Export Entire Gradebook"),
                            ("", "is no gradebook of Canvas"),
                            (CANVAS.replace("19,1002", "19,1001"), "--export canvas: 'ada' may be row 3 and 5 of book.csv\n  hint: a roster with "
                             "one id or email for each submission tells them apart"),
                            (CANVAS + '"never ended\n', "--export canvas: a quote of row 7 is never ended"),
                            ("," * 5000, "more than 4096 columns"), ("\n" * 100001, "more than 100000 rows")):
            said, kept = self.fill("canvas", text, code=2)
            self.assertIn(error, said)
            self.assertEqual(kept, text)

    def test_one_row_is_not_of_two_submissions(self):
        grades = {"grades": only("ada", "pen")["grades"],
                  "roster": [{"submission": "ada", "id": "1001"}, {"submission": "pen", "email": "ADA"}]}
        said, _ = self.fill("canvas", CANVAS, grades=grades, code=2)
        self.assertEqual(said.splitlines()[0], "error: --export canvas: row 3 of book.csv is of two submissions, 'ada' and 'pen'")

    def test_other_points_are_noted(self):
        said, _ = self.fill("canvas", CANVAS.replace("10,100,", "10,20,"))
        self.assertIn("note: --export canvas: Canvas has 20 points possible, the assignment 100\n", said)

    def test_moodle(self):
        head = ("Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
                "Last modified (submission),Last modified (grade),Feedback comments\n")
        rows = [",Ada,1001,ada@uni.example,Submitted,,100.00,Yes,\"Monday, 1\",-,\n", ",Cmd,1002,x,Submitted,,100.00,Yes,-,-,<p>old</p>\n",
                ",Ida,,ida@uni.example,Submitted,12.00,100.00,Yes,-,-,keep\n", ",Eve,1003,,Submitted,,50.00,Yes,-,-,\n"]
        numbers = ["4708", "4709", "4711", "4712"]
        said, text = self.fill("moodle", head + "".join(f"Participant {n}{row}" for n, row in zip(numbers, rows)))
        read = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([r["Grade"] for r in read], ["100", "33.3333", "12.00", "0"])
        self.assertEqual(read[0]["Feedback comments"], "correct: 50 of 50<br>hidden tests: 50 of 50")
        self.assertIn("cor|rect &lt;b&gt;: 33.3333 of 50: \\x1b[2J]]&gt; &amp;", read[1]["Feedback comments"])
        self.assertEqual(read[2]["Feedback comments"], "keep")
        self.assertNotIn("SECRET", text)
        self.assertIn("'Participant 4711' keeps its cells: not graded: this is a failure of the grading system", said)
        self.assertIn("note: --export moodle: Moodle's maximum grade is 50, the assignment's 100\n", said)
        said, _ = self.fill("moodle", head.replace("Last modified (grade)", "Zuletzt"), code=2)
        self.assertIn("--export moodle: book.csv is no grading worksheet of Moodle: it has no column 'Last modified (grade)'\n  hint: in Moodle, "
                      "in English: ", said)

    def test_semicolons_are_kept(self):
        text = "Student;ID;SIS Login ID;" + TITLE + "\nAda;1;ada;\n"
        self.assertEqual(self.fill("canvas", text, grades=only("ada"))[1], text.replace("ada;\n", "ada;100\n"))

    def test_the_file_must_be_there(self):
        self.assertIn("error: --export canvas: cannot read 'no.csv': there is no such file", self.export("canvas=no.csv", code=2))
        self.assertIn("error: --export canvas: cannot read '.': it is no regular file", self.export("canvas=.", code=2))


def lost(size=0):
    """A grade with all that a student may read, and what he may not."""
    parts = [{"name": "odd", "status": "failed", "visibility": "visible", "about": "no <power> of two",
              "reason": "n = 7: wrong: out[0] is 1, not 2\nout[0] got 1, expected 2" + "x" * size},
             {"name": "large", "status": "failed", "visibility": "visible", "reason": "n = 9: k.cu:4: out-of-bounds | <b>"},
             {"name": "key", "status": "failed", "visibility": "hidden", "reason": "SECRET SIZE"}]
    items = [{"name": "correct", "points": 50, "earned": 0, "status": "failed", "visibility": "visible", "parts": parts,
              "reason": "3 of 4 classes are wrong: odd, large, key (hidden)", "description": "=Sums of blocks", "hint": "Look at `n` | <i>"},
             {"name": "secret", "points": 50, "earned": 50, "status": "passed", "visibility": "hidden", "hint": "SECRET HINT"}]
    return only("ada", items=items, score=50, output="<b>\x1b[2J", findings=[{"tool": "racecheck", "message": "a race\nk.cu:7 write"}])


class Feedback(Exports):
    STUDENTS = ("gradescope", "junit", "prairielearn")

    def test_what_check_says_stands_in_every_export_that_has_room(self):
        self.export(*(f"{format}=r.{format}" for format in (*self.STUDENTS, "markdown")), grades=lost())
        texts = {"gradescope": self.json_of("r.gradescope", "gradescope")["tests"][0]["output"],
                 "prairielearn": self.json_of("r.prairielearn", "prairielearn")["tests"][0]["output"],
                 "junit": xml.etree.ElementTree.fromstring(self.written("r.junit")).find("testsuite/testcase/failure").text}
        for format, text in texts.items():
            self.assertEqual(text, "=Sums of blocks\n3 of 4 classes are wrong: odd, large, key (hidden)\n\nodd (no <power> of two)\nn = 7: wrong: out[0] is "
                             "1, not 2\nout[0] got 1, expected 2\n\nlarge\nn = 9: k.cu:4: out-of-bounds | <b>\n\nHint: Look at `n` | <i>", format)
        self.assertIn("  - odd \\(no \\<power\\> of two\\): n = 7\\: wrong", self.written("r.markdown"))
        self.assertIn("  - hint: Look at \\`n\\` \\| \\<i\\>\n", self.written("r.markdown"))
        self.assertEqual(self.json_of("r.gradescope", "gradescope")["output"],
                         TITLE + "\n\nracecheck: a race\nk.cu:7 write\n\nThe kernel printed, first:\n<b>\\x1b[2J")
        for format in (*self.STUDENTS, "markdown"):
            self.assertNotIn("SECRET SIZE", self.written(f"r.{format}"))
            self.assertNotIn("SECRET HINT", self.written(f"r.{format}"))

    def test_moodle_gets_it_as_lines_that_are_no_markup(self):
        (self.folder / "book.csv").write_text("Identifier,Email address,Grade,Last modified (grade),Feedback comments\nParticipant 1,ada@uni.example,,-,\n")
        self.export("moodle=book.csv", grades=lost())
        comment = list(csv.DictReader(io.StringIO(self.written("book.csv"))))[0]["Feedback comments"]
        self.assertTrue(comment.startswith("correct: 0 of 50: =Sums of blocks<br>3 of 4 classes are wrong: odd, large, key (hidden)<br><br>odd (no "
                                           "&lt;power&gt; of two)<br>n = 7: wrong"), comment)
        self.assertTrue(comment.endswith("<br><br>Hint: Look at `n` | &lt;i&gt;<br>hidden tests: 50 of 50"), comment)

    def test_it_is_cut_to_what_services_have_room_for(self):
        self.export(*(f"{format}=r.{format}" for format in self.STUDENTS), grades=lost(size=20000))
        text = self.json_of("r.gradescope", "gradescope")["tests"][0]["output"]
        self.assertLess(len(text), 16 << 10)
        self.assertIn("There is no room here for odd (no <power> of two)", text)
        self.assertTrue(text.endswith("Hint: Look at `n` | <i>"))
        self.assertIn("x" * 20000, self.written("r.prairielearn"))
        self.assertNotIn("x" * 20000, self.written("r.junit"))

    def test_nothing_to_judge_is_never_a_number(self):
        nothing = only("ada", status="attention", score=None, reason="there are 2 .cu files: a.cu, b.cu", items=[])
        self.export("gradescope=r.gradescope", "prairielearn=r.prairielearn", "junit=r.junit", "markdown=r.markdown", "csv=r.csv", grades=nothing)
        why = "not graded: there is nothing that could be judged (there are 2 .cu files: a.cu, b.cu)"
        self.assertEqual(self.json_of("r.gradescope", "gradescope")["output"], why)
        self.assertNotIn('"score"', self.written("r.gradescope"))
        self.assertEqual(self.json_of("r.prairielearn", "prairielearn")["format_errors"], [why])
        self.assertIn('<error type="attention" message="not graded: there is nothing', self.written("r.junit"))
        self.assertIn("| ada | Ada, \"the\" Countess | attention | 100 |\n", self.written("r.markdown"))
        self.assertEqual(list(csv.reader(io.StringIO(self.written("r.csv"))))[1][4:], ["attention", "", "100", why])
        said = self.export("classroom50=r.json", grades=nothing, environment=RUNNER)
        self.assertEqual(said, f"note: --export classroom50: no file for 'ada', for it is {why}\n")
        (self.folder / "book.csv").write_text(CANVAS)
        self.assertIn(f"note: --export canvas: 'ada' keeps its cell: {why}\n", self.export("canvas=book.csv", grades=nothing))
        self.assertEqual(self.written("book.csv"), CANVAS)


class Words(Exports):
    def test_what_is_no_export(self):
        every = "formats: canvas, classroom50, csv, gradescope, junit, markdown, moodle, prairielearn"
        for word, error in (("csv", f"error: --export: 'csv' is not of the form FORMAT=PATH\n  hint: {every}\n"),
                            ("csv=", "error: --export: 'csv=' is not of the form FORMAT=PATH"),
                            ("gradscope=x", f"error: --export: unknown format 'gradscope'\n  hint: did you mean 'gradescope'? {every}\n")):
            self.assertIn(error, self.export(word, code=2))

    def test_what_cannot_be_written(self):
        (self.folder / "folder").mkdir()
        self.assertIn("error: --export csv: 'folder' is no file", self.export("csv=folder", code=2))
        (self.folder / "file").touch()
        self.assertIn("error: --export csv: cannot make the folder of 'file/r.csv': Not a directory", self.export("csv=file/r.csv", code=2))
        self.assertIn("error: --export csv: cannot write '/proc/r.csv': ", self.export("csv=/proc/r.csv", code=2))
        self.assertEqual([p.name for p in self.folder.glob(".gpulab*")], [])

    def test_what_is_no_grade(self):
        good = GRADES["grades"][0]
        item = good["items"][0]
        for change, error in (({"schema": "x"}, "its schema is another"), ({"submission": ""}, "'submission' is missing"),
                              ({"submission": 7}, "'submission' is no string"), ({"status": "done"}, "the status is 'done'"),
                              ({"max": None}, "'max' is missing"), ({"max": -1}, "'max' is no number of points"),
                              ({"score": None}, "'score' is missing"), ({"items": 1}, "'items' is missing"), ({"items": [1]}, "an item is no object"),
                              ({"items": [{**item, "visibility": "x"}]}, "item 'correct' has the visibility 'x'"),
                              ({"items": [{**item, "parts": 1}]}, "the parts of item 'correct' are no list"),
                              ({"items": [{**item, "parts": [1]}]}, "a part of an item is no object"),
                              ({"items": [{**item, "parts": [{"name": "odd"}]}]}, "item 'odd' has the visibility ''"),
                              ({"items": [{**item, "earned": None}]}, "item 'correct' is open")):
            self.assertIn(f"error: no gpulab.grade.v1 document: {error}", self.export("csv=r.csv", grades={"grades": [{**good, **change}]}, code=2))


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
