#!/usr/bin/env python3
"""What services start (configs/assignments/services), with gpulab in PATH and folders of ours: services_test.py GPULAB

Closes with 'N passed, N failed'.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tests"))
from sanitized import without_notes  # noqa: E402 (the path comes first)

GPULAB = pathlib.Path(sys.argv[1]).resolve()
SERVICES = ROOT / "configs" / "assignments" / "services"
ASSIGNMENT = ROOT / "configs" / "assignments" / "transpose"


class Services(unittest.TestCase):
    def setUp(self):
        self.at = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.at)
        (self.at / "bin").mkdir()
        (self.at / "bin" / "gpulab").symlink_to(GPULAB)
        self.grader = self.at / "grader"
        shutil.copytree(ASSIGNMENT, self.grader)
        (self.grader / "key.json").write_text('{"schema": "gpulab.key.v1", "secret": "of nobody but this test"}')

    def start(self, command, cwd=None, **environment):
        path = f"{self.at / 'bin'}:{os.environ['PATH']}"
        return subprocess.run(command, cwd=cwd or self.at, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PATH": path, **{k: str(v) for k, v in environment.items()}})

    def result(self, path, schema):
        document = json.loads(path.read_text())
        if jsonschema:
            jsonschema.validate(document, json.loads((ROOT / f"tests/grading/formats/{schema}.schema.json").read_text()))
        return document

    def gradescope(self, file, **environment):
        submission = self.at / "submission"
        submission.mkdir()
        if file:
            shutil.copy(ASSIGNMENT / file, submission / "mine.cu")
        return self.start([SERVICES / "run_gradescope.sh"], AUTOGRADER=self.at, GRADER=self.grader, **environment)

    def test_gradescope(self):
        ran = self.gradescope("wrong/conflicts.cu")
        self.assertEqual((ran.returncode, without_notes(ran.stderr)), (0, ""))
        document = self.result(self.at / "results/results.json", "gradescope")
        self.assertEqual(document["score"], 85)
        self.assertEqual([t["name"] for t in document["tests"] if t["status"] == "failed"], ["no_conflicts"])

    def test_gradescope_of_nothing(self):
        self.assertEqual(self.gradescope(None).returncode, 0)
        document = self.result(self.at / "results/results.json", "gradescope")
        self.assertNotIn("score", document)
        self.assertEqual(document["output"], "not graded: there is nothing that could be judged (there is no .cu file)")

    def test_gradescope_leaves_no_grade_where_there_is_none(self):
        (self.at / "results").mkdir()
        (self.at / "results/results.json").write_text('{"score": 100}')
        self.assertEqual(self.gradescope("reference.cu", GRADE_OPTIONS="--nonsense").returncode, 2)
        self.assertFalse((self.at / "results/results.json").exists())

    def test_prairielearn(self):
        (self.at / "student").mkdir()
        (self.at / "student/x.cu").write_text("__global__ void transpose(const float* in, float* out, int rows, int cols) { int x = }")
        self.grader.rename(self.at / "tests")
        self.assertEqual(self.start([SERVICES / "run_prairielearn.sh"], GRADE=self.at).returncode, 0)
        document = self.result(self.at / "results/results.json", "prairielearn")
        self.assertFalse(document["gradable"])
        self.assertIn("does not compile: x.cu:1: ", document["format_errors"][0])

    def test_classroom50(self):
        shutil.copy(SERVICES / "autograder.py", self.grader)
        checkout = self.at / "transpose-ada"
        (checkout / ".git").mkdir(parents=True)
        shutil.copy(ASSIGNMENT / "reference.cu", checkout)
        variables = {"CLASSROOM": "gpus", "ASSIGNMENT": "transpose", "SUBMISSION_TAG": "submit/1", "COMMIT_URL": "https://x.example/1",
                     "RELEASE_URL": "https://x.example/r/1"}
        ran = self.start([sys.executable, self.grader / "autograder.py"], checkout, **variables)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        document = self.result(checkout / "result.json", "classroom50")
        self.assertEqual((document["score"], document["max-score"]), (100, 100))
        variables["CLASSROOM"] = ""
        ran = self.start([sys.executable, self.grader / "autograder.py"], checkout, **variables)
        self.assertNotEqual(ran.returncode, 0)
        self.assertFalse((checkout / "result.json").exists())

    @unittest.skipUnless(shutil.which("patchelf"), "no patchelf")
    def test_a_bundle_runs_by_its_own_libraries(self):
        folder = self.at / "opt"
        ran = self.start([ROOT / "scripts/bundle.sh", folder], GPULAB_PROGRAM=GPULAB)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        shutil.copytree(ASSIGNMENT, self.at / "a")
        ran = self.start([folder / "bin/gpulab", "grade", "a/assignment.json", "--submission", "a/reference.cu", "--export", "csv=g.csv"])
        self.assertIn("graded,100,100", (self.at / "g.csv").read_text(), ran.stderr)
        maps = self.start(["ldd", folder / "lib/gpulab"]).stdout
        self.assertEqual([line for line in maps.splitlines() if "=> /" in line and f"=> {folder}/" not in line and "ld-linux" not in line], [])


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
