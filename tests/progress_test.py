#!/usr/bin/env python3
"""What people see on a terminal while something takes long: how far it is, in one line that leaves nothing behind.

usage: progress_test.py GPULAB NVCC
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import time
import unittest

GPULAB, NVCC = os.path.abspath(sys.argv[1]), sys.argv[2]
LINE = r"(launch \d+( of \d+)?, )?\d+ of 64 blocks(, (about \d+ (s|min|h)|less than 1 s) left)?  [\d.]+ s"

# 64 blocks, each of so many rounds.
PROGRAM = """
#include <cstdio>
#include <cstdlib>
extern "C" __global__ void spin(int* out, int n) {
  int x = threadIdx.x;
  for (int i = 0; i < n; ++i) x = x * 1664525 + 1013904223;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
int main(int, char** argv) {
  int* out;
  cudaMalloc(&out, 64 * 32 * sizeof(int));
  fputs("before\\n", stderr);
  spin<<<64, 32>>>(out, atoi(argv[1]));
  cudaDeviceSynchronize();
  fputs("after\\n", stderr);
}
"""
# A kernel of the contract `saxpy`, which takes its time.
SUBMISSION = """
__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int spin = 0;
  for (int k = 0; k < ROUNDS && i < n; ++k) spin = x[(i + 37 * k) % n];  // which the tools look at
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


def on_terminal(command, folder, environment=None):
    """What a terminal gets that is standard error, and how long it took."""
    start = time.monotonic()
    master, terminal = pty.openpty()
    here = {name: value for name, value in os.environ.items() if name != "CI"}  # with CI set nothing is shown
    child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal,
                             env={**here, "TERM": "xterm", **(environment or {})})
    os.close(terminal)
    text = b""
    try:
        while piece := os.read(master, 65536):
            text += piece
    except OSError:  # EIO: nobody has the other end any more
        pass
    child.wait()
    return text.decode().replace("\r\n", "\n"), time.monotonic() - start


def screen(text):
    """The lines that a terminal shows in the end."""
    lines, column = [""], 0
    for piece in re.findall(r"\x1b\[K|\r|\n|.", text):
        if piece == "\x1b[K":
            lines[-1] = lines[-1][:column]
        elif piece == "\r":
            column = 0
        elif piece == "\n":
            lines.append("")
            column = 0
        else:
            lines[-1] = lines[-1][:column] + piece + lines[-1][column + 1:]
            column += 1
    return [line for line in lines if line]


class ProgressTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def slow(self, command_of, work, wanted):
        """What is shown of a command that takes two seconds and more, on whatever machine: until `wanted` is."""
        for _ in range(8):
            text, seconds = on_terminal(command_of(work), self.path)
            if re.search(wanted, text) or seconds > 30:
                break
            work *= 2
        self.assertRegex(text, wanted)
        self.assertGreater(seconds, 2)
        return text

    def spin(self, rounds):
        return [GPULAB, "run", "spin.ptx", "--kernel", "spin", "--grid", "64", "--block", "32", "--device", "sim",
                "--budget", "1T", "--no-counters", "--threads", "1", "--arg", "out:i32[2048]=zeros", "--arg",
                f"n:i32={rounds}"]

    def write_ptx(self):
        (self.path / "spin.cu").write_text(PROGRAM)
        subprocess.run([NVCC, "-ptx", "-arch=compute_75", "-o", "spin.ptx", "spin.cu"], cwd=self.path, check=True)

    def test_a_kernel_of_a_file_says_how_many_blocks_have_ended_and_leaves_nothing(self):
        self.write_ptx()
        rounds = []
        text = self.slow(lambda work: rounds.append(work) or self.spin(work), 12_000_000,
                         r"\r\x1b\[K\[1/1\] \S+ spin  " + LINE)
        self.assertRegex(text, r"about \d+ s left|less than 1 s left")
        self.assertEqual(screen(text), [])
        command = self.spin(rounds[-1])
        with self.subTest("no terminal"):
            done = subprocess.run(command, cwd=self.path, capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
        with self.subTest("continuous integration"):
            self.assertEqual(on_terminal(command, self.path, {"CI": "true"})[0], "")

    def test_a_lab_says_so_too(self):
        text = self.slow(lambda n: [GPULAB, "matmul", "--variant", "naive", "--n", str(n), "--device", "sim",
                                    "--threads", "1", "--no-counters"], 512,
                         r"\r\x1b\[K\[1/1\] matmul naive  \d+ of \d+ blocks")
        self.assertEqual(screen(text), [])

    def test_a_program_keeps_its_lines_to_itself(self):
        (self.path / "spin.cu").write_text(PROGRAM)
        text = self.slow(lambda work: [GPULAB, "exec", "spin.cu", "--threads", "1", "--budget", "1T", "--output",
                                       "report", "--", str(work)], 12_000_000,
                         r"before\n\r\x1b\[Kspin[^:]*: " + LINE)
        self.assertEqual(screen(text)[:2], ["before", "after"])
        self.assertNotIn("blocks", "\n".join(screen(text)))

    def test_check_names_the_inputs_that_it_tries(self):
        def command_of(rounds):
            (self.path / "mine.cu").write_text(SUBMISSION.replace("ROUNDS", str(rounds)))
            return [GPULAB, "check", "saxpy", "mine.cu", "--no-isolation"]
        text = self.slow(command_of, 300, r"\r\x1b\[Kcheck saxpy: inputs '\w+'")
        self.assertEqual(screen(text), [])

    def test_grade_counts_submissions(self):
        (self.path / "assignment.json").write_text(json.dumps({
            "schema": "gpulab.assignment.v1", "title": "saxpy", "lab": "saxpy", "contract": "saxpy",
            "items": [{"name": "correct", "kind": "correct", "points": 1, "visible": ["usual"]}]}))
        names = ["ada", "ben", "cleo"]

        def command_of(rounds):
            for i, name in enumerate(names):
                (self.path / name).mkdir(exist_ok=True)
                (self.path / name / "saxpy.cu").write_text(SUBMISSION.replace("ROUNDS", str(rounds + i)))
            return [GPULAB, "grade", "assignment.json", "--jobs", "1", "--no-isolation",
                    *[a for name in names for a in ("--submission", name)]]
        text = self.slow(command_of, 300, r"\r\x1b\[K\d of 3 submissions")
        self.assertNotIn("submissions", "\n".join(screen(text)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
