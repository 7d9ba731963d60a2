#!/usr/bin/env python3
"""`--format sarif`: what code scanning takes, in the words of SARIF 2.1.0. Where $GPULAB_SARIF_SCHEMA names OASIS' schema
and python3-jsonschema is there, each log is held against it, too.

usage: sarif_test.py GPULAB
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

GPULAB = os.path.abspath(sys.argv[1])
LEVELS = {"none", "note", "warning", "error"}

RACE = """// A sum without barriers.

__global__ void total(const float* in, float* out, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += s[k];
    out[0] = sum;
  }
}
__global__ void
beyond(int* x) {
  x[threadIdx.x + 100] = 1;
}
__global__ void endless(int* x) {
  while (true) x[0] = 1;
}
"""
PROGRAM = """#include <cstdio>
__global__ void set(int* x) {
  x[threadIdx.x] = 1;
}
int main() {
  int* d;
  cudaMalloc(&d, 16);
  set<<<1, 32>>>(d);
  printf("on standard output\\n");
  return cudaDeviceSynchronize() == cudaSuccess;
}
"""
RUN = ["run", "src/race.cu", "--format", "sarif"]
TOTAL = [*RUN, "--kernel", "total", "--grid", "1", "--block", "256", "--arg", "in:f32[256]=ones", "--arg", "out:f32[1]=zeros",
         "--arg", "n:i32=256"]


def check_structure(test, log):
    """What the standard asks for, as far as we write it, and what GitHub asks for beyond it."""
    test.assertEqual(log["version"], "2.1.0")
    test.assertIn("sarif-schema-2.1.0.json", log["$schema"])
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    test.assertEqual(driver["name"], "gpulab")
    test.assertIn("%SRCROOT%", run["originalUriBaseIds"])
    test.assertIsInstance(run["invocations"][0]["executionSuccessful"], bool)
    test.assertEqual(len({rule["id"] for rule in driver["rules"]}), len(driver["rules"]))
    prints = []
    for result in run["results"]:
        test.assertEqual(driver["rules"][result["ruleIndex"]]["id"], result["ruleId"])
        test.assertIn(result["level"], LEVELS)
        test.assertTrue(result["message"]["text"])
        for place in result["locations"] + result.get("relatedLocations", []):
            at = place["physicalLocation"]
            test.assertEqual(at["artifactLocation"]["uriBaseId"], "%SRCROOT%")
            test.assertNotRegex(at["artifactLocation"]["uri"], r"^/|\.\.|[ %](?![0-9A-F]{2})|:")
            test.assertGreaterEqual(at["region"]["startLine"], 1)
        prints += result["partialFingerprints"].values()
    test.assertEqual(len(set(prints)), len(prints))
    schema = os.environ.get("GPULAB_SARIF_SCHEMA")
    if schema:
        import jsonschema
        jsonschema.Draft4Validator(json.loads(pathlib.Path(schema).read_text())).validate(log)


def places_of(result):
    """[(file, line), …], the place first."""
    return [(place["physicalLocation"]["artifactLocation"]["uri"], place["physicalLocation"]["region"]["startLine"])
            for place in result["locations"] + result.get("relatedLocations", [])]


class Sarif(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.top = pathlib.Path(cls.place.name).resolve() / "check out"
        (cls.top / ".git").mkdir(parents=True)
        (cls.top / "part" / "src").mkdir(parents=True)
        cls.folder = cls.top / "part"
        (cls.folder / "src" / "race.cu").write_text(RACE)
        (cls.folder / "src" / "main.cu").write_text(PROGRAM)
        (cls.folder / "src" / "bad.cu").write_text("__global__ void k(int* x) {\n  x[0] = y;\n}\n")
        cls.environment = {**os.environ, "XDG_CACHE_HOME": cls.place.name + "/cache"}

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def log(self, *words, code=1):
        """The run of a log that a command writes."""
        ended = subprocess.run([GPULAB, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ended.returncode, code, ended.stderr)
        text = ended.stdout
        if "--output" in words:
            text = (self.folder / words[words.index("--output") + 1]).read_text()
        log = json.loads(text)
        check_structure(self, log)
        return log["runs"][0]

    def test_a_race_is_a_result_at_one_access_and_names_the_other_one(self):
        run = self.log(*TOTAL, "--sanitize", "racecheck")
        (result,) = run["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("racecheck", "error"))
        self.assertEqual(places_of(result), [("part/src/race.cu", 5), ("part/src/race.cu", 8)])
        self.assertRegex(result["relatedLocations"][0]["message"]["text"], r"^read of s\[\d+\] by thread \(0,0,0\) of block \(0,0,0\)$")
        self.assertGreater(result["occurrenceCount"], 1)
        self.assertTrue(run["invocations"][0]["executionSuccessful"])

    def test_a_fingerprint_does_not_know_the_lines_number(self):
        before = self.log(*TOTAL, "--sanitize", "racecheck")["results"][0]
        source = self.folder / "src" / "race.cu"
        source.write_text("// one more line\n" + RACE)
        try:
            after = self.log(*TOTAL, "--sanitize", "racecheck")["results"][0]
        finally:
            source.write_text(RACE)
        self.assertEqual(places_of(after)[0][1], 6)
        self.assertEqual(before["partialFingerprints"], after["partialFingerprints"])

    def test_a_fault_stands_at_its_line_and_a_launch_that_hangs_too(self):
        (fault,) = self.log(*RUN, "--kernel", "beyond", "--grid", "1", "--block", "32", "--arg", "x:i32[4]=zeros", code=4)["results"]
        self.assertEqual((fault["ruleId"], places_of(fault)), ("fault", [("part/src/race.cu", 14)]))
        self.assertRegex(fault["message"]["text"], "^out-of-bounds store of 4 bytes")
        (hung,) = self.log(*RUN, "--kernel", "endless", "--grid", "1", "--block", "32", "--arg", "x:i32[4]=zeros", "--budget", "10000",
                           code=4)["results"]
        self.assertEqual((hung["ruleId"], places_of(hung)), ("hung", [("part/src/race.cu", 17)]))

    def test_a_fault_that_memcheck_names_is_one_result(self):
        run = self.log(*RUN, "--kernel", "beyond", "--grid", "1", "--block", "32", "--arg", "x:i32[4]=zeros", "--sanitize", "memcheck",
                       code=4)
        self.assertEqual(len(run["results"]), 1)

    def test_a_wrong_result_stands_where_its_kernel_begins(self):
        (result,) = self.log(*TOTAL, "--expect", "out={1}")["results"]
        self.assertEqual((result["ruleId"], places_of(result)), ("wrong", [("part/src/race.cu", 3)]))
        self.assertEqual(result["message"]["text"], "out[0] is 32, not 1")  # the race shows

    def test_what_is_right_has_no_results(self):
        run = self.log(*TOTAL, "--expect", "out={32}", code=0)
        self.assertEqual(run["results"], [])
        self.assertTrue(run["invocations"][0]["executionSuccessful"])

    def test_a_judged_kernel_has_findings_mismatches_and_requirements(self):
        run = self.log("check", "reduce", "src/race.cu", "--kernel", "total", "--contract", "total", "--format", "sarif", "--require",
                       "warp_instructions<=1")
        rules = {result["ruleId"]: places_of(result)[0] for result in run["results"]}
        self.assertEqual(rules["racecheck"], ("part/src/race.cu", 5))
        self.assertEqual(rules["wrong"], ("part/src/race.cu", 3))
        self.assertLess(len(run["results"]), 8)  # one mistake in nine classes of inputs is one result

    def test_a_program_has_its_findings_leaks_and_launches(self):
        run = self.log("exec", "src/main.cu", "--sanitize", "all", "--format", "sarif", "--output", "program.sarif", code=4)
        results = {result["ruleId"]: result for result in run["results"]}
        self.assertEqual(places_of(results["fault"])[0], ("part/src/main.cu", 3))
        self.assertEqual(places_of(results["leak"]), [("part/src/main.cu", 7)])
        self.assertEqual((results["leak"]["level"], results["leak"]["message"]["text"]), ("warning", "16 B of cudaMalloc #1 are never freed"))

    def test_a_source_that_does_not_compile_is_a_result_at_its_line(self):
        run = self.log("run", "src/bad.cu", "--format", "sarif", code=2)
        (result,) = run["results"]
        self.assertEqual((result["ruleId"], places_of(result)), ("compile", [("part/src/bad.cu", 2)]))
        self.assertIn('identifier "y" is undefined', result["message"]["text"])
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        (judged,) = self.log("check", "reduce", "src/bad.cu", "--contract", "total", "--format", "sarif")["results"]
        self.assertEqual((judged["ruleId"], places_of(judged)), ("compile", [("part/src/bad.cu", 2)]))

    def test_what_has_no_line_is_a_notification_and_no_result(self):
        run = self.log("run", "src/nowhere.cu", "--format", "sarif", code=2)
        self.assertEqual(run["results"], [])
        (told,) = run["invocations"][0]["toolExecutionNotifications"]
        self.assertIn("nowhere.cu", told["message"]["text"])
        program = self.log("exec", "src/bad.cu", "--format", "sarif", "--output", "bad.sarif")
        self.assertEqual(program["results"], [])
        self.assertEqual(program["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
                         "compile: src/bad.cu does not compile; standard error has the compiler's words")

    def test_a_file_outside_of_the_checkout_has_no_result(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            copy = pathlib.Path(elsewhere) / "race.cu"
            copy.write_text(RACE)
            run = self.log(*[str(copy) if word == "src/race.cu" else word for word in TOTAL], "--sanitize", "racecheck")
        self.assertEqual(run["results"], [])
        self.assertIn("racecheck: total: race", run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"])


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
