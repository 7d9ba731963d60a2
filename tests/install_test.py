#!/usr/bin/env python3
"""What is installed beside the program: completions and the manual page hold every lab; the Python package and its wheel.

usage: tests/install_test.py GPULAB     without pip, debootstrap or a network; scripts/package_test.sh installs for real
"""
import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GPULAB = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
os.environ["GPULAB_PROGRAM"] = GPULAB
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "scripts/python"), str(ROOT / "scripts")]
import gpulab  # noqa: E402
import wheel  # noqa: E402

LABS = json.loads(subprocess.run([GPULAB, "list", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)["labs"]


def said(*words):
    return subprocess.run([GPULAB, *words], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout


class Completions(unittest.TestCase):
    def test_every_lab_variant_and_parameter_is_in_each_shells_script(self):
        for shell in ("bash", "zsh", "fish"):
            script = said("completion", shell)
            for lab in LABS:
                names = [lab["name"], *(variant["name"] for variant in lab["variants"])]
                names += [name for parameter in lab["params"] for name in (parameter["name"], *parameter.get("choices", []))]
                for name in names:
                    self.assertRegex(script, rf"(?<![\w-])(--|)?{name}(?!\w)", f"{shell}: {lab['name']}")

    def complete(self, *words):
        """What bash offers for the last of these words."""
        script = ('. /dev/fd/3; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _gpulab; printf "%s\\n" "${COMPREPLY[@]}"')
        read, write = os.pipe()
        with tempfile.TemporaryFile() as file:
            file.write(said("completion", "bash").encode())
            file.seek(0)
            os.dup2(file.fileno(), read)
            done = subprocess.run(["bash", "-c", script.replace("/dev/fd/3", f"/dev/fd/{read}"), "bash", "gpulab", *words],
                                  stdout=subprocess.PIPE, pass_fds=[read], check=True, universal_newlines=True, cwd=ROOT)
        os.close(read)
        os.close(write)
        return done.stdout.split()

    def test_bash_completes_commands_labs_options_and_their_values(self):
        self.assertEqual(self.complete("transp"), ["transpose"])
        self.assertEqual(self.complete("expl"), ["explain"])
        self.assertEqual(self.complete("reduce", "--vari"), ["--variant"])
        self.assertEqual(self.complete("reduce", "--variant", "shared_s"), ["shared_strided", "shared_sequential"])
        self.assertEqual(self.complete("reduce", "--variant", "=", "shared_st"), ["shared_strided"])

    def test_bash_goes_on_behind_a_comma(self):
        self.assertEqual(self.complete("reduce", "--variant", "warp,shared_st"), ["warp,shared_strided"])

    def test_bash_completes_a_commands_own_words_and_those_of_the_lab_that_it_is_told(self):
        self.assertIn("explain", self.complete("schema", ""))
        self.assertEqual(self.complete("explain", "redu"), ["reduce"])
        self.assertEqual(self.complete("explain", "reduce", "--variant", "shared_st"), ["shared_strided"])
        self.assertEqual(self.complete("run", "tests/install_t"), ["tests/install_test.py"])

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_completes_values_also_behind_a_comma(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(said("completion", "fish"))
            file.flush()
            for line, offered in (("gpulab transp", "transpose"), ("gpulab reduce --variant shared_st", "shared_strided"),
                                  ("gpulab reduce --variant warp,shared_st", "warp,shared_strided"),
                                  ("gpulab explain reduce --variant=shared_st", "--variant=shared_strided"), ("gpulab schema expl", "explain")):
                done = subprocess.run(["fish", "-N", "-c", f"source {file.name}; complete -C '{line}'"], stdout=subprocess.PIPE,
                                      check=True, universal_newlines=True)
                self.assertEqual([each.split("\t")[0] for each in done.stdout.splitlines()], [offered], line)

    def test_fish_and_zsh_take_their_scripts(self):
        for shell in ("zsh", "fish"):
            if shutil.which(shell) is None:
                continue
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(said("completion", shell))
                file.flush()
                subprocess.run([shell, "-n", file.name], check=True)


class ManualPage(unittest.TestCase):
    page = said("help", "--man")

    def test_it_names_every_lab_and_command(self):
        for lab in LABS:
            self.assertIn(f'.SS "{lab["name"]}"', self.page)
            for variant in lab["variants"]:
                self.assertIn(f"\\fB{variant['name']}\\fR", self.page)
        for command in ("run", "explain", "grade", "completion"):
            self.assertIn(f"\\fBgpulab {command}\\fR", self.page)

    def test_roff_has_nothing_to_say_against_it(self):
        linters = {"mandoc": ["mandoc", "-T", "lint", "-W", "warning"], "groff": ["groff", "-man", "-ww", "-z", "-Tutf8", "-Kutf8"]}
        for name, command in linters.items():
            if shutil.which(name) is None:
                continue
            done = subprocess.run(command, input=self.page, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
            # A page that says which version it is of needs no date.
            self.assertEqual([line for line in done.stdout.splitlines() if "missing date" not in line], [], name)

    def test_no_line_begins_with_a_control_character_that_was_a_words_own(self):
        macros = {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".I", ".nf", ".fi", ".br"}
        for line in self.page.splitlines():
            self.assertFalse(line.startswith("'"), line)
            if line.startswith("."):
                self.assertIn(line.split()[0], macros)


class PythonPackage(unittest.TestCase):
    def test_a_run_is_the_json_as_objects_and_as_plain_dicts(self):
        report = gpulab.run("reduce", variant=["warp", "shared_strided"], n=2**16, block=256, device="sim")
        self.assertEqual([result.variant for result in report.results], ["warp", "shared_strided"])
        self.assertEqual(report["results"][0]["counters"]["barriers"], report.results[0].counters.barriers)
        self.assertEqual(json.loads(json.dumps(report))["schema"], "gpulab.run.v1")
        self.assertTrue(report.passed)

    def test_a_notebook_shows_a_row_for_each_result(self):
        page = gpulab.run("reduce", variant=["warp", "shared_strided"], n=["2^10", "2^12"], device="sim")._repr_html_()
        self.assertEqual(page.count("<tr>"), 1 + 4)
        for word in ("shared_strided", "4096", "passed", "modelled time", "load bank confl."):
            self.assertIn(word, page)

    def test_pictures_are_drawn_and_shown(self):
        ladder = gpulab.run("reduce", variant="warp,shared_strided", n=4096, device="sim", image=True)
        self.assertEqual((ladder.image_type, b"<svg" in ladder.image), ("image/svg+xml", True))
        self.assertIn("data:image/svg+xml;base64,", ladder._repr_html_())

    def test_a_refusal_is_an_exception_with_exit_code_and_words(self):
        with self.assertRaises(gpulab.UsageError) as caught:
            gpulab.run("reduce", variant="wrap")
        self.assertEqual((caught.exception.exit_code, caught.exception.what), (2, "reduce has no variant 'wrap'"))
        self.assertIn("did you mean 'warp'", str(caught.exception))
        self.assertIn("error: reduce has no variant 'wrap'", caught.exception.stderr)

    def test_a_wrong_result_is_an_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "one.ptx"
            path.write_text(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry one(.param .u64 y)\n{\n.reg .b64 %a;\n"
                            "ld.param.u64 %a, [y];\ncvta.to.global.u64 %a, %a;\nst.global.u32 [%a], 1;\nret;\n}\n")
            arguments = {"arg": ["y:u32[1]=zeros"], "block": 1, "grid": 1, "device": "sim"}
            self.assertTrue(gpulab.run(path, expect="y=1", **arguments).passed)
            report = gpulab.run(path, expect="y=2", **arguments)
        self.assertEqual((report.passed, report.exit_code), (False, 1))

    def test_list_has_the_course(self):
        self.assertEqual([lab.name for lab in gpulab.list().labs], [lab["name"] for lab in LABS])
        self.assertIn("<table>", gpulab.list()._repr_html_())


class Wheel(unittest.TestCase):
    def test_it_records_each_file_and_is_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "bin").mkdir()
            (folder / "share/gpulab/configs/gpus").mkdir(parents=True)
            shutil.copy(shutil.which("true"), folder / "bin/gpulab")
            (folder / "share/gpulab/configs/gpus/one.json").write_text("{}")
            path = wheel.write(folder, folder / "first")
            again = wheel.write(folder, folder / "second")
            self.assertEqual(path.read_bytes(), again.read_bytes())
            self.assertRegex(path.name, r"^gpulab-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl$")
            with zipfile.ZipFile(path) as archive:
                stem = path.name.split("-py3")[0]
                record = list(csv.reader(io.StringIO(archive.read(f"{stem}.dist-info/RECORD").decode())))
                self.assertEqual([row[0] for row in record], archive.namelist())
                for entry, digest, size in record[:-1]:
                    content = archive.read(entry)
                    expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), (f"sha256={expected}", str(len(content))))
                self.assertIn("gpulab/configs/gpus/one.json", archive.namelist())
                program = archive.getinfo(f"{stem}.data/scripts/gpulab")
                self.assertTrue(program.external_attr >> 16 & 0o111)

    def test_it_takes_the_place_of_an_older_one_of_its_machine_and_leaves_those_of_others(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "bin").mkdir()
            shutil.copy(shutil.which("true"), folder / "bin/gpulab")
            path = wheel.write(folder, folder / "made")
            machine = path.stem.split("_", 3)[3]
            older = path.with_name(f"gpulab-0.0.1-py3-none-manylinux_2_17_{machine}.whl")
            other = path.with_name("gpulab-0.1.0-py3-none-manylinux_2_35_another.whl")
            older.touch()
            other.touch()
            wheel.write(folder, folder / "made")
            self.assertEqual({file.name for file in (folder / "made").iterdir()}, {path.name, other.name})

    def test_a_program_that_needs_a_library_of_this_system_alone_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "GPULAB_STATIC_LIBRARIES"):
            original = wheel.objdump
            wheel.objdump = lambda option, program: "file format elf64-x86-64\n  NEEDED               libfmt.so.9\n"
            try:
                wheel.platform_tag("gpulab")
            finally:
                wheel.objdump = original


if __name__ == "__main__":
    unittest.main()
