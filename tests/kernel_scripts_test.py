#!/usr/bin/env python3
"""Tests of the scripts that bring kernels into the binary (scripts/cmake/kernels.cmake). Closes with 'N passed, N failed'."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import nvrtc  # noqa: E402
import portable_ptx  # noqa: E402
import ptxas_tables  # noqa: E402


class Ptxas(unittest.TestCase):
    LOG = """\
ptxas info    : 4 bytes gmem
ptxas info    : Compiling entry function 'outer' for 'sm_80'
ptxas info    : Function properties for outer
    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Function properties for called
    40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 31 registers, used 2 barriers, 48 bytes cumulative stack size, 128 bytes smem, 372 bytes cmem[0], 8 bytes cmem[2]
"""

    def test_an_entrys_row_has_its_own_spills_and_the_stack_of_what_it_calls(self):
        self.assertEqual(ptxas_tables.parse_log(self.LOG), {"outer": (31, 128, 48, 16, 24, 380, 2)})

    def test_a_log_without_a_register_count_stops_the_build(self):
        with self.assertRaises(SystemExit):
            ptxas_tables.parse_log("ptxas info    : Compiling entry function 'k' for 'sm_80'\n")


class PtxasTables(unittest.TestCase):
    """scripts/ptxas_tables.py with a stand-in for ptxas that notes what it is asked and gives each kernel 20 registers."""
    PTX = """\
.version 9.0
.target sm_75
.address_size 64
	.file	1 "labs/one/kernels.cu"
.shared .align 4 .b8 tile[128];
.global .align 4 .u32 table[2] = {1, 2};
.func helper(
	.param .b64 helper_param_0
)
{
	ld.global.u32 	%r1, [table];
	ret;
}
.visible .entry first(
	.param .u64 first_param_0
)
.maxntid 256, 1, 1
{ // first
	.loc	1 12 3
	st.shared.u32 	[tile], %r1;
$L__BB1_2:
	ret;
}
.visible .entry second()
{
	call.uni helper, (%rd1);
	ret;
}
"""
    STAND_IN = r"""#!/bin/sh
for last; do :; done
sed -n 's/^.visible .entry \([a-z]*\).*/\1/p' "$last" | while read -r k; do
  echo "$2 $k" >> "$0.asked"
  printf "Compiling entry function '%s' for 'sm'\nUsed 20 registers, used 1 barriers\n" $k >&2
done
"""

    def keys(self, ptx, ptxas="13.0.88", whole=False):
        return ptxas_tables.Module(ptx, whole).keys(ptxas)

    def changed(self, old, new, **how):
        """The kernels whose key changes with the text."""
        self.assertIn(old, self.PTX)
        before, after = self.keys(self.PTX, **how), self.keys(self.PTX.replace(old, new), **how)
        return [name for name in before if before[name] != after[name]]

    def test_a_kernels_key_changes_with_its_code_and_with_all_that_it_refers_to_and_with_nothing_else(self):
        self.assertEqual(self.changed("st.shared.u32 	[tile]", "st.shared.u32 	[tile+4]"), ["first"])
        self.assertEqual(self.changed(".maxntid 256", ".maxntid 512"), ["first"])
        self.assertEqual(self.changed("tile[128]", "tile[256]"), ["first"])
        self.assertEqual(self.changed("= {1, 2}", "= {1, 3}"), ["second"])  # by way of helper
        self.assertEqual(self.changed("sm_75", "sm_80"), ["first", "second"])
        self.assertNotEqual(self.keys(self.PTX), self.keys(self.PTX, ptxas="13.1.2"))

    def test_lines_comments_and_the_numbers_of_labels_change_no_key(self):
        for old, new in (("1 12 3", "1 13 3"), ("{ // first", "{"), ("$L__BB1_2", "$L__BB7_2"), ("labs/one", "labs/two")):
            self.assertEqual(self.changed(old, new), [], old)
            self.assertEqual(self.changed(old, new, whole=True), [], old)
        self.assertEqual(self.changed("tile[128]", "tile[256]", whole=True), ["first", "second"])

    def test_debuggers_sections_which_name_the_machines_folders_change_no_key(self):
        section = "\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95,90,78\n\t}\n"
        for whole in (False, True):
            self.assertEqual(self.keys(self.PTX + section, whole=whole), self.keys(self.PTX + section.replace("95", "96"), whole=whole))

    def build(self, folder, ptx, *arguments):
        """Tables written or checked (`arguments`), or without any what embed.py embeds; and what ptxas was asked for."""
        root = pathlib.Path(folder)
        ptxas, asked = root / "ptxas", root / "ptxas.asked"
        (root / "labs/one").mkdir(parents=True, exist_ok=True)
        ptxas.write_text(self.STAND_IN)
        ptxas.chmod(0o755)
        (root / "kernels.ptx").write_text(ptx)
        (root / "manifest.txt").write_text(
            f"ptxas|{ptxas}|13.0.88|{root}\nkernels|one|kernels.cu|75|{root}/kernels.ptx|source|||80,90\n")
        asked.write_text("")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            result = (ptxas_tables.main([*arguments, str(root / "manifest.txt")]) if arguments else
                      ptxas_tables.resources(root / "manifest.txt", root / "answers.json"))
        return result, said.getvalue(), sorted(asked.read_text().split("\n")[:-1])

    def test_ptxas_is_asked_only_what_no_table_says_and_once(self):
        with tempfile.TemporaryDirectory() as folder:
            everything = ["-arch=sm_80 first", "-arch=sm_80 second", "-arch=sm_90 first", "-arch=sm_90 second"]
            rows, _, asked = self.build(folder, self.PTX)
            self.assertEqual(rows["one", "kernels.cu"][0], ("first", "80", (20, 0, 0, 0, 0, 0, 1)))
            self.assertEqual(asked, everything)
            self.assertEqual(self.build(folder, self.PTX)[2], [])  # the build folder remembers
            pathlib.Path(folder, "answers.json").unlink()
            self.assertEqual(self.build(folder, self.PTX, "--write")[2], everything)
            self.assertEqual(self.build(folder, self.PTX)[2], [])  # the table says it
            edited = self.PTX.replace("[tile]", "[tile+4]")
            self.assertEqual(self.build(folder, edited)[2], ["-arch=sm_80 first", "-arch=sm_90 first"])

    def test_the_check_finds_a_wrong_number_names_kernels_without_a_line_and_compares_no_other_ptxas(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "labs/one/ptxas.tsv")
            self.assertEqual(self.build(folder, self.PTX, "--check")[:2], (0, "0 passed, 0 failed\n"))
            self.build(folder, self.PTX, "--write")
            self.assertEqual(self.build(folder, self.PTX, "--check")[:2], (0, "1 passed, 0 failed\n"))
            text = table.read_text()
            for wrong in text.replace("20 0", "21 0", 1), text[:-2] + "7\n":
                table.write_text(wrong)
                code, said, _ = self.build(folder, self.PTX, "--check")
                self.assertEqual(code, 1)
                self.assertRegex(said, r"^labs/one/ptxas.tsv, (first|second) of kernels.cu, sm_(80|90): \(.*\) in the table, \(.*\) says ptxas "
                                       r"\(registers, .*\); scripts/ptxas_tables.py --write ")
            table.write_text(text)
            code, said, _ = self.build(folder, self.PTX.replace("[tile]", "[tile+4]"), "--check")
            self.assertEqual(code, 0)
            self.assertRegex(said, "^labs/one/ptxas.tsv has no line for 1 kernels as they are compiled here, so the build asks ptxas: "
                                   "first of kernels.cu; scripts/ptxas_tables.py --write .*\n1 passed, 0 failed\n")
            sampled = self.build(folder, self.PTX, "--sample")
            self.assertEqual(sampled[:2], (0, "1 passed, 0 failed\n"))
            self.assertEqual(len({line.split()[0] for line in sampled[2]}), 1, "of one architecture")
            table.write_text(text.replace("20 0", "21 0"))  # on all of them
            self.assertEqual(self.build(folder, self.PTX, "--sample")[0], 1)
            table.write_text(text.replace("13.0.88", "12.8.1"))
            self.assertEqual(self.build(folder, self.PTX, "--check")[0], 77)


class PortablePtx(unittest.TestCase):
    def portable(self, text):
        return portable_ptx.portable(text, pathlib.Path("/home/me/gpulab"), [pathlib.Path("/opt/cuda/include")])

    def test_files_of_the_tree_the_toolkit_and_the_system_lose_the_machines_folders(self):
        text = ('\t.file\t1 "/home/me/gpulab/labs/reduce/kernels.cu"\n'
                '\t.file\t2 "/opt/cuda/bin/../include/cooperative_groups.h", 1700000000, 59229\n'
                '\t.file\t3 "/usr/include/c++/12/tuple"\n')
        self.assertEqual(self.portable(text), '\t.file\t1 "labs/reduce/kernels.cu"\n'
                         '\t.file\t2 "cuda/include/cooperative_groups.h"\n\t.file\t3 "include/c++/12/tuple"\n')

    def test_the_working_directorys_checksum_is_taken_out_of_names_in_code_and_in_debug_strings(self):
        name = "_ZN41_INTERNAL_2caaa4f4_10_kernels_cu_0e2281c26helperEi"
        numbers = [str(b) for b in name.encode()] + ["0"]
        text = f"call {name};\n.b8 {','.join(numbers[:20])}\n.b8 {','.join(numbers[20:])}\n"
        clean = name.replace("2caaa4f4", "00000000")
        lines = self.portable(text).splitlines()
        self.assertEqual(lines[0], f"call {clean};")
        self.assertEqual([len(line.split(",")) for line in lines[1:]], [20, len(numbers) - 20])
        spelled = bytes(int(n) for line in lines[1:] for n in line[4:].split(","))
        self.assertEqual(spelled, clean.encode() + b"\0")


    def test_a_kernel_file_depends_on_what_it_includes_in_quotes_and_on_what_that_does(self):
        with tempfile.TemporaryDirectory() as folder:
            lab = pathlib.Path(folder).resolve() / "lab"
            lab.mkdir()
            (lab / "kernels_debug.cu").write_text('#include "kernels.cu"\n#include <cstdio>\n')
            (lab / "kernels.cu").write_text('  # include "ops.cuh"\n#include "gone.h"\n')
            (lab / "ops.cuh").write_text('#include "kernels.cu"\n')
            found = portable_ptx.dependencies(lab / "kernels_debug.cu", set())
            self.assertEqual({file.name for file in found}, {"kernels_debug.cu", "kernels.cu", "ops.cuh"})


class Nvrtc(unittest.TestCase):
    def test_what_only_host_code_names_is_left_out_and_kernels_become_visible(self):
        ptx = (".version 8.0\n.weak .entry k\n(\n\t.param .u64 k_param_0\n)\n;\n"
               ".global .align 8 .u64 ladder[1] = {k};\n.global .align 1 .u8 trait = 1;\n.global .align 4 .u32 used = 3;\n"
               ".weak .entry k(\n\t.param .u64 k_param_0\n)\n{\n\tld.global.u32 \t%r1, [used];\n\tret;\n}\n")
        self.assertEqual(nvrtc.without_host_data(ptx),
                         ".version 8.0\n.global .align 4 .u32 used = 3;\n"
                         ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\tld.global.u32 \t%r1, [used];\n\tret;\n}\n")


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
