#!/usr/bin/env python3
"""Tests of what the set-up's and other scripts work out (the build's: kernel_scripts_test.py). Closes with 'N passed, N failed'."""
import contextlib
import csv
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import build_steps  # noqa: E402
import compare_counters  # noqa: E402


def setup_sh(command, root=ROOT, **environment):
    """Runs a command after scripts/setup.sh, with a bare PATH: (exit code, stdout, stderr)."""
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f'root={root}; . "{ROOT}/scripts/setup.sh"; {command}'],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **environment}, capture_output=True, text=True)
    return ran.returncode, ran.stdout, ran.stderr


class BuildSteps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def tree(self, *commands):
        """A build of these steps, one after the other."""
        text = "rule step\n  command = $run\n"
        for i, command in enumerate(commands):
            text += f"build step{i}: step" + (f" step{i - 1}" if i else "") + f"\n  run = {command} && touch step{i}\n"
        pathlib.Path(self.folder.name, "build.ninja").write_text(text)

    def compile_on_terminal(self):
        """(exit code, what setup.sh's compile shows on a terminal)"""
        master, terminal = pty.openpty()
        ran = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", f'root={ROOT}; . "{ROOT}/scripts/setup.sh"; : > "$log"; compile'],
            env={**os.environ, "GPULAB_BUILD_DIR": self.folder.name, "TERM": "dumb"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=terminal)
        os.close(terminal)
        shown = b""
        with contextlib.suppress(OSError):  # what a terminal gives at its end
            while more := os.read(master, 65536):
                shown += more
        os.close(master)
        self.assertEqual(ran.communicate()[0], b"")
        return ran.returncode, shown.decode().replace("\r\n", "\n")

    def test_a_terminal_is_told_how_far_the_build_is_and_how_long_it_takes(self):
        self.tree("true", "true", "true")
        code, shown = self.compile_on_terminal()
        self.assertEqual(code, 0, shown)
        self.assertRegex(shown, r"gpulab: building 1 of 3, about 5 s left\r")
        self.assertTrue(shown.endswith("about 5 s left\r\033[K"), repr(shown))
        self.assertNotIn("true", shown)
        self.assertEqual(self.compile_on_terminal(), (0, "\r\033[K"))  # nothing to do

    def test_what_a_failed_step_says_is_shown_whole(self):
        self.tree("true", "echo one; echo '  two'; false")
        code, shown = self.compile_on_terminal()
        self.assertEqual(code, 2)
        self.assertIn("one\n", shown)
        self.assertIn("  two\n", shown)
        self.assertIn("error: the build failed", shown)

    def test_without_a_terminal_a_build_is_silent(self):
        self.tree("echo noise")
        self.assertEqual(setup_sh(': > "$log"; compile', GPULAB_BUILD_DIR=self.folder.name), (0, "", ""))

    def test_the_time_left_is_that_of_the_kinds_of_steps_at_the_speed_seen(self):
        table, link = "Building CXX object CMakeFiles/gpulab_isa_v3.dir/x.cpp.o", "Linking CXX executable gpulab"
        weight = {name: seconds for name, _, seconds in build_steps.KINDS}
        progress = build_steps.Progress([table] * 100 + [link], cores=2)
        left = 100 * weight["instruction tables"] + weight["link and the rest"]
        self.assertEqual(progress.line(0), f"building 0 of 101, about {round(left / 2 / 60)} min left")
        for done in range(50):
            progress.finish(table, done + 1, 101)
        slow = 50 * weight["instruction tables"]  # as many seconds: half as fast as two such cores
        left -= slow
        minutes = left / 60 * (slow + build_steps.BELIEVED_SECONDS / 2) / (slow + build_steps.BELIEVED_SECONDS)
        self.assertEqual(progress.line(slow), f"building 50 of 101, about {round(minutes)} min left")

    def test_shares_count_each_step_once_and_the_last_time_that_it_ran(self):
        log = ("# ninja log v5\n"
               "0\t9000\t1\tCMakeFiles/gpulab_isa_v3.dir/common/simt/isa/memory/atomic.cpp.o\ta1\n"
               "0\t7000\t1\tCMakeFiles/gpulab_runner.dir/runner/main.cpp.o\tb2\n"
               "7000\t9000\t2\tCMakeFiles/gpulab_runner.dir/runner/main.cpp.o\tb2\n"
               "9000\t10000\t3\tembedded/reduce/kernels.sm_90.txt\tc3\n"
               "9000\t10000\t3\tembedded/reduce/kernels.sm_90.cubin\tc3\n")
        table = build_steps.shares(log)
        self.assertEqual(table.splitlines()[2:6], ["| instruction tables | 1 | 9 | 75 |", "| runner | 1 | 2 | 17 |",
                                                   "| ptxas | 1 | 1 | 8 |", "| all | 3 | 12 | 100 |"])
        self.assertIn("took 10 s by the clock", table)
        self.assertEqual(build_steps.shares("# ninja log v5\n"), "no step in this log\n")

    def test_every_kind_of_step_is_known_by_what_ninja_says_and_by_its_output(self):
        for kind, said, output in (
                ("tests", "Building CXX object tests/CMakeFiles/unit_tests.dir/x.cpp.o", "tests/device/kernels.ptx"),
                ("instruction tables", "joining instruction tables of v3", "/x/build/isa/v3.o"),
                ("vendor code", "nvcc labs/reduce/vendor.cu", "/x/build/labs/reduce/vendor.o"),
                ("labs", "Building CXX object CMakeFiles/gpulab_labs.dir/labs/reduce/lab.cpp.o",
                 "CMakeFiles/gpulab_labs.dir/labs/registry.cpp.o"),
                ("rest of common", "Building CXX object CMakeFiles/gpulab_glue.dir/common/simt/machine/warp.cpp.o",
                 "CMakeFiles/gpulab_common.dir/common/text.cpp.o"),
                ("PTX (nvcc)", "nvcc -ptx labs/reduce/kernels.cu", "embedded/reduce/kernels.ptx"),
                ("ptxas", "ptxas -arch=sm_90a matmul/kernels_sm90a.ptx", "embedded/matmul/kernels_sm90a.sm_90a.txt"),
                ("link and the rest", "Linking CXX executable gpulab", "gpulab")):
            for step in (said, output):
                self.assertEqual(build_steps.KINDS[build_steps.kind_of(step)][0], kind, step)


class CompareCounters(unittest.TestCase):
    """scripts/compare_counters.py: counters of a run beside those of its launches under ncu."""
    COUNTERS = {"global_load_requests": 90, "global_load_sectors": 300, "global_ordered_load_requests": 0,
                "shared_load_wavefronts": 100, "shared_load_bank_conflicts": 60, "global_atomic_requests": 5}
    MEASURED = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 90,
                "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 300,
                "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 104,
                "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 64}

    def compare(self, counters=None, measured=None):
        counters, measured = {**self.COUNTERS, **(counters or {})}, {**self.MEASURED, **(measured or {})}
        names = compare_counters.REQUIRED + [name for name in measured if name not in compare_counters.REQUIRED]
        with tempfile.TemporaryDirectory() as folder:
            profile, run = pathlib.Path(folder, "ncu.csv"), pathlib.Path(folder, "run.json")
            with open(profile, "w", newline="") as file:
                table = csv.writer(file, quoting=csv.QUOTE_ALL)
                table.writerow(["ID", "Kernel Name", "Grid Size"] + names)
                table.writerow([""] * (3 + len(names)))
                table.writerow([0, "k", "(2, 1, 1)"] + [measured.get(name, 0) for name in names])
            run.write_text(json.dumps({"results": [{"variant": "v", "kernel": "k<int>", "counters": counters,
                                                    "launch": {"grid": [2, 1, 1], "launches": 1}}]}))
            ran = subprocess.run([ROOT / "scripts/compare_counters.py", profile, run], capture_output=True, text=True)
        return ran.returncode, [" ".join(line.split()) for line in ran.stdout.splitlines()]

    def test_requests_and_sectors_are_equal_wavefronts_within_five_percent(self):
        self.assertEqual(self.compare(), (0, [
            "v: k<int>", "global_load_requests 90 90 exact", "global_load_sectors 300 300 exact",
            "shared_load_wavefronts 100 104 within 5%", "shared_load_bank_conflicts 60 64 within 5%",
            "wavefronts - conflicts 40 40 exact", "5 counters agree, 0 differ"]))
        code, lines = self.compare(measured={"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 301})
        self.assertEqual((code, lines[2], lines[-1]), (1, "global_load_sectors 300 301 DIFFERS", "4 counters agree, 1 differ"))

    def test_how_often_a_kernel_polls_is_not_judged_what_it_loads_beside_that_is(self):
        code, lines = self.compare({"global_ordered_load_requests": 70},
                                   {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 20})
        self.assertEqual((code, lines[1:3], lines[-1]), (0, [
            "global_load_requests 90 20 not judged: 70 of ours poll, how often is a matter of time",
            "global_load_sectors 300 300 not judged: 70 of ours poll, how often is a matter of time"],
            "3 counters agree, 0 differ"))
        code, lines = self.compare({"global_ordered_load_requests": 70},
                                   {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 19})
        self.assertEqual((code, lines[1]), (1, "global_load_requests 90 19 DIFFERS: 20 of ours do not poll"))

    def test_atomics_are_shown_by_whichever_metric_there_is(self):
        red = "smsp__inst_executed_op_global_red.sum"
        self.assertNotIn("atomic", "".join(self.compare(measured={red: 3})[1]))
        for name in compare_counters.GLOBAL_ATOM:
            self.assertIn("global_atomic_requests 5 5 1.000 of it", self.compare(measured={red: 3, name: 2})[1])

    def test_ncu_is_asked_for_what_it_has(self):
        offered = [f"{name.split('.')[0]}  Counter" for name in compare_counters.GLOBAL_ATOM[1:]]
        self.assertEqual(compare_counters.metrics_argument(offered).split(",")[len(compare_counters.REQUIRED):],
                         ["smsp__sass_inst_executed_op_global_atom.sum"])


class Fidelity(unittest.TestCase):
    """scripts/fidelity.py turns a profile into the data file that unit_tests read."""
    HEADER = ["ID", "Kernel Name", "Grid Size"] + compare_counters.REQUIRED

    def convert(self, launches, listed="a<int> 1 [1 of 32],a,1,1,1\nb [2 of 32],b,2,1,1\n"):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        program, profile = pathlib.Path(folder, "program"), pathlib.Path(folder, "profile.csv")
        program.write_text(f"#!/bin/sh\n[ $1 = --agree ] || printf '{listed}'\n")
        program.chmod(0o755)
        with open(profile, "w", newline="") as file:
            table = csv.writer(file, quoting=csv.QUOTE_ALL)
            table.writerow(self.HEADER)
            table.writerow([""] * len(self.HEADER))
            for i, (name, grid) in enumerate(launches):
                table.writerow([i, name, grid] + [str(1000 * i + k) for k in range(len(compare_counters.REQUIRED))])
        done = subprocess.run([ROOT / "scripts/fidelity.py", "--convert", program, profile, "NVIDIA H200 NVL", "580.1",
                               "2025.3", folder], capture_output=True, text=True)
        written = pathlib.Path(folder, "fidelity_h200_nvl.csv")
        return done, written.read_text().splitlines() if written.exists() else []

    def test_each_launch_gets_the_name_of_its_case_and_the_file_says_what_measured(self):
        done, lines = self.convert([("a", "(1, 1, 1)"), ("b", "(2, 1, 1)")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(lines[:4], ["# gpu: NVIDIA H200 NVL", "# driver: 580.1", "# ncu: 2025.3",
                                     ",".join(["case"] + sorted(compare_counters.REQUIRED))])
        self.assertEqual([line.split(",")[0] for line in lines[4:]], ["a<int> 1 [1 of 32]", "b [2 of 32]"])
        b = dict(zip(lines[3].split(","), lines[5].split(",")))
        self.assertEqual(b[compare_counters.REQUIRED[1]], "1001")

    def test_a_profile_of_other_launches_is_refused(self):
        done, _ = self.convert([("a", "(1, 1, 1)")])
        self.assertEqual((done.returncode, done.stderr), (2, "error: 1 launches profiled, the suite has 2\n"))
        done, lines = self.convert([("a", "(1, 1, 1)"), ("b", "(3, 1, 1)")])
        self.assertEqual(done.stderr, "error: b [2 of 32]: expected b [2, 1, 1], profiled b [3, 1, 1]\n")
        self.assertEqual(lines, [])

    def test_a_comma_in_the_name_of_a_case_is_refused(self):
        done, _ = self.convert([("a", "(1, 1, 1)")], listed="a<int,2> [1 of 32],a,1,1,1\\n")
        self.assertEqual((done.returncode, done.stderr), (2, "error: a<int,2> [1 of 32]: a comma in a case's name\n"))


class SetUp(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def compiler(self, version):
        """A stand-in for nvcc that only knows its version."""
        path = pathlib.Path(self.folder.name, version, "bin", "nvcc")
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {version}, V{version}.1'\n")
        path.chmod(0o755)
        return str(path.parent.parent)

    def find(self, home, driver):
        # A root without .cuda, and a machine whose driver says `driver`.
        return setup_sh(f"driver_version() {{ echo {driver}; }}; find_nvcc", root=self.folder.name, CUDA_HOME=home)

    def test_versions_compare_by_number_not_by_letter(self):
        for older, newer, code in (("12.9", "12.10", 0), ("12.10", "12.9", 1), ("13.0", "13.0", 0), ("13.0", "12.9", 1)):
            self.assertEqual(setup_sh(f"not_newer {older} {newer}")[0], code, (older, newer))

    def test_a_compiler_that_the_driver_supports_is_used(self):
        home = self.compiler("12.4")
        self.assertEqual(self.find(home, "12.6")[1], f"{home}/bin/nvcc\n")

    def test_a_compiler_newer_than_the_driver_is_passed_over(self):
        self.assertNotIn(self.folder.name, self.find(self.compiler("13.9"), "12.6")[1])

    def test_a_compiler_older_than_cuda_12_is_passed_over(self):
        self.assertNotIn(self.folder.name, self.find(self.compiler("11.8"), "")[1])

    def test_a_compiler_named_in_the_environment_wins(self):
        self.assertEqual(setup_sh("find_nvcc", GPULAB_NVCC="/mine/nvcc")[1], "/mine/nvcc\n")

    def test_a_driver_older_than_cuda_12_is_told_so(self):
        code, out, error = setup_sh("driver_version() { echo 11.4; }; install_cuda")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("error: this machine's NVIDIA driver is of CUDA 11.4; CUDA 12.0 (driver 525) is the oldest", error)
        self.assertIn("hint: update the driver", error)

    def test_missing_packages_without_root_and_sudo_name_the_command_for_an_administrator(self):
        pretend = "missing_packages() { echo ninja-build; }; id() { echo 1000; }; command() { [ $2 != sudo ]; }"
        code, out, error = setup_sh(f"{pretend}; install_packages")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("error: packages are missing and you are neither root nor have sudo: ninja-build", error)
        self.assertIn("hint: ask an administrator to run: apt-get install ninja-build", error)

    def test_a_failed_step_shows_the_end_of_its_output_and_where_the_log_is(self):
        step = "logged 2 'the build failed' 'mend the source' sh -c 'echo kernels.cu:3: expected a semicolon; false'"
        code, out, error = setup_sh(f"mkdir -p $build; : > $log; {step}", GPULAB_BUILD_DIR=self.folder.name)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("  | kernels.cu:3: expected a semicolon", error)
        self.assertIn(f"hint: the whole log is {self.folder.name}/setup.log", error)

    def test_cmake_runs_again_only_for_another_compiler_or_other_options(self):
        cmake = "env() { printf '%s ' \"$@\" >> $build/ran; touch $build/build.ninja; }"
        setup = f'mkdir -p $build; : > "$log"; {cmake}'
        first = self.compiler("13.0") + "/bin/nvcc"
        for nvcc, option, times in ((first, "-DX=1", 1), (first, "-DX=1", 1), (first, "-DX=2", 2),
                                    (self.compiler("13.1") + "/bin/nvcc", "-DX=2", 3)):
            code, _, error = setup_sh(f"{setup}; nvcc={nvcc}; configure release {option}", GPULAB_BUILD_DIR=self.folder.name)
            self.assertEqual((code, error), (0, ""))
            self.assertEqual(pathlib.Path(self.folder.name, "ran").read_text().count("--preset release"), times)

    @unittest.skipUnless(shutil.which("ccache") and shutil.which("g++"), "no ccache or no g++")
    def test_a_header_with_another_comment_is_compiled_again_into_the_precompiled_headers_before_what_includes_it(self):
        """gcc compares what it reads at #pragma once with what it read then, and would define everything in it twice."""
        folder = pathlib.Path(self.folder.name)
        (folder / "all.h").write_text('#include "one.h"\n')
        build = f"""cd {folder}
            logged() {{ shift 3; "$@"; }}
            ninja() {{ for _ in once again; do
                rm -f all.h.gch
                ccache g++ -MD -MF all.d -x c++-header -o all.h.gch -c all.h
                ccache g++ -MD -MF one.d -Winvalid-pch -include {folder}/all.h -o one.o -c one.cpp
            done; ccache --print-stats; }}
            build={folder}; compile all"""
        for comment in ("old", "and new"):
            (folder / "one.h").write_text(f"#pragma once\n// {comment}\nstruct One {{ int one = 0; }};\n")
            (folder / "one.cpp").write_text(f'#include "one.h"\nint main() {{ return One{{}}.one + {len(comment)}; }}\n')
            time.sleep(0.01)  # ccache keeps nothing of a file that may still be written to
            code, said, error = setup_sh(build, root=folder, CCACHE_DIR=str(folder / "cache"))
            self.assertEqual((code, error), (0, ""))
        self.assertGreaterEqual(int(re.search(r"direct_cache_hit\t(\d+)", said)[1]), 4)  # both files, again each time

    def test_a_changed_source_changes_the_stamp(self):
        for name in ("labs", "runner"):
            os.mkdir(f"{self.folder.name}/{name}")
        source = pathlib.Path(self.folder.name, "labs", "kernels.cu")
        source.write_text("one")
        before = setup_sh("source_stamp", root=self.folder.name)
        self.assertEqual(before[0], 0)
        self.assertEqual(setup_sh("source_stamp", root=self.folder.name), before)
        source.write_text("other")
        self.assertNotEqual(setup_sh("source_stamp", root=self.folder.name), before)


class NewLab(unittest.TestCase):
    """scripts/new_lab.sh; that what it makes builds and runs is the test new_lab."""

    def make(self, *arguments):
        ran = subprocess.run([ROOT / "scripts/new_lab.sh", *arguments], capture_output=True, text=True)
        return ran.returncode, ran.stdout, ran.stderr

    def test_what_it_writes_is_what_contributing_shows(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.make("squares", folder)[0], 0)
            page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
            lines = 0
            for file, language in ("kernels.cu", "cuda"), ("lab.cpp", "cpp"):
                text = (pathlib.Path(folder) / "squares" / file).read_text(encoding="utf-8")
                self.assertIn(f"```{language}\n{text}```\n", page)
                lines += text.count("\n")
            self.assertLessEqual(lines, 60)

    def test_a_name_that_cannot_be_one_and_a_folder_that_exists_are_refused(self):
        self.assertEqual(self.make("Bad-Name", "/nowhere"), (2, "", (
            "error: 'Bad-Name' cannot name a lab\n"
            "  hint: lower case letters, digits and _, letter first: warp_votes\n")))
        with tempfile.TemporaryDirectory() as folder:
            self.make("squares", folder)
            self.assertEqual(self.make("squares", folder), (2, "", (
                f"error: {folder}/squares exists\n  hint: take another name, or remove it first\n")))
        self.assertEqual(self.make()[0], 2)


def a_result(variant="warp", status="ok", verification="passed", **more):
    return {"variant": variant, "kernel": "k", "status": status, "message": "", "params": {"n": 1}, "launch": {},
            "verification": verification and {"status": verification}, "metrics": {}, "findings": [],
            "timing": {"source": "cuda_events", "mode": "cold", "samples": 9, "median_ms": 0.5}, **more}


CALCULATED = a_result("calculator", verification=None, kernel=None, launch=None, timing=None)
RACED = a_result("racy", "wrong", "failed", message="out[0] is 1, not 2", racy=True)
SKIPPED = a_result("redux", "skipped", None, message="--type: variant 'redux' cannot take float, only int", timing=None)


class SummarizeRun(unittest.TestCase):
    def summary(self, *results, kind="gpu", option=()):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.json")
            path.write_text(json.dumps({"device": {"kind": kind, "name": "H"}, "lab": "reduce", "results": results}))
            ran = subprocess.run([ROOT / "scripts/summarize_run.py", *option, path], capture_output=True, text=True)
        self.assertEqual(ran.stderr, "")
        return ran.returncode, ran.stdout.splitlines()[1:]

    def test_what_need_not_be_verified_is_named_and_fails_nothing(self):
        code, lines = self.summary(a_result(), CALCULATED, RACED, SKIPPED)
        self.assertEqual((code, lines), (0, [
            "  warp                          500.00 us  cuda_events cold x9",
            "  calculator              {'n': 1}  calculated",
            "  racy                    {'n': 1}  races on purpose: out[0] is 1, not 2",
            "  redux                   {'n': 1}  skipped: --type: variant 'redux' cannot take float, only int",
            "  1 verified, 0 bad, 3 need not be"]))
        self.assertEqual(self.summary(a_result(), SKIPPED, option=["--quiet"]), (0, ["  1 verified, 0 bad, 1 need not be"]))

    def test_a_wrong_unverified_faulty_or_untimed_result_fails(self):
        for bad, words in ((a_result(status="wrong", verification="failed", message="x"), "wrong: x"),
                           (a_result(verification=None), "not verified"), (a_result(verification="not_run"), "not verified"),
                           (a_result("racy", "fault", None, message="x", racy=True), "fault: x"),
                           (a_result(timing={"source": "none"}), "timed by none"),
                           (a_result(timing=None), "timed by None"),
                           (a_result(timing={"source": "cuda_events", "median_ms": 0}), "took no time")):
            code, lines = self.summary(a_result(), bad)
            self.assertEqual(code, 1, words)
            self.assertTrue(lines[1].endswith(f"  BAD: {words}"), lines)
        self.assertEqual(self.summary(a_result(timing={"source": "none"}), kind="sim")[0], 0)

    def test_a_lab_of_more_gpus_than_there_are_is_not_done_and_the_reason_comes_last(self):
        why = "it takes 2 GPUs, and there is 1; --device sim has them"
        few = a_result("ring", "skipped", None, message=why, timing=None)
        code, lines = self.summary(few, few)
        self.assertEqual((code, lines[-1]), (77, why))
        self.assertEqual(self.summary(few, SKIPPED)[0], 1)

    def test_a_run_in_which_nothing_was_verified_fails(self):
        for results in ([], [CALCULATED], [RACED, SKIPPED]):
            self.assertEqual(self.summary(*results)[0], 1)


class GpuTest(unittest.TestCase):
    """scripts/gpu_test.sh with stand-ins for what it packs."""
    PROGRAMS = {"gpulab": "[ $1 != list ] || printf '  one  a lab\\n  two  a lab\\n'",
                "gpu_tests": "echo 24 passed", "labs_tests": "echo $GPULAB_LABS; [ $GPULAB_LABS = one ]"}

    def suite(self, *parts, packed=True):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copytree(ROOT / "scripts", root / "scripts")
            (root / "build-gpu").mkdir()
            with tarfile.open(root / "build-gpu/pack.tar.xz", "w:xz") if packed else contextlib.nullcontext() as pack:
                for name, line in self.PROGRAMS.items() if packed else ():
                    program = root / name
                    program.write_text(f"#!/bin/sh\n{line}\n")
                    program.chmod(0o755)
                    pack.add(program, name)
            ran = subprocess.run([root / "scripts/gpu_test.sh", *parts], capture_output=True, text=True,
                                 env={**os.environ, "OUT": str(root / "out")})
            if ran.returncode <= 1:
                with tarfile.open(root / "out/results.tgz") as results:
                    self.names = results.getnames()
        return ran.returncode, ran.stdout, ran.stderr

    def test_a_part_runs_from_the_pack_and_names_what_was_not_done(self):
        code, out, _ = self.suite("device")
        self.assertEqual((code, out.splitlines()[-1]), (0, "4 passed, 0 failed, 1 not done"), out)
        self.assertRegex(out, "run_cu_file +[0-9]+ s  not done: no compiler for .cu files here\n")
        self.assertIn("results/gpu_tests.log", self.names)

    def test_each_lab_is_tested_in_processes_of_its_own_and_one_that_fails_is_named(self):
        code, out, _ = self.suite("awkward")
        self.assertEqual(code, 1)
        self.assertRegex(out, r"labs_awkward +[0-9]+ s  FAILED \(exit code 123\)")
        self.assertEqual(out.count("FAILED  two, "), 4)
        self.assertEqual(out.count("ok      one, "), 4)

    def test_without_a_pack_or_with_an_unknown_part_it_says_so(self):
        self.assertEqual(self.suite("device", packed=False)[::2],
                         (3, "error: build-gpu/pack.tar.xz is not here: scripts/gpu_test.sh --pack\n"))
        code, _, err = self.suite("nonsense")
        self.assertEqual((code, err.splitlines()[0][:38]), (2, "usage: scripts/gpu_test.sh --pack    b"))


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
