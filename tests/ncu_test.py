#!/usr/bin/env python3
"""`gpulab ncu`: Nsight Compute's options, pages and CSV, by the names and layout that its readers know.

usage: ncu_test.py GPULAB
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import compare_counters  # noqa: E402 (the path comes first): a reader of ncu's CSV as GPUs write it

GPULAB = os.path.abspath(sys.argv[1])
PROGRAM = r"""#include <cstdio>
template <typename T>
__global__ void stride(const T* in, T* out, int step) {
  out[threadIdx.x] = in[threadIdx.x * step];
}
__global__ void conflicts(float* out) {
  __shared__ float s[1024];
  s[threadIdx.x * 32] = threadIdx.x;
  out[threadIdx.x] = s[threadIdx.x * 32];
}
int main(int argc, char** argv) {
  float *in, *out;
  cudaMalloc(&in, 4096 * 4);
  cudaMalloc(&out, 4096 * 4);
  cudaMemset(in, 0, 4096 * 4);
  for (int step = 1; step <= 8; step *= 8) stride<<<1, 32>>>(in, out, step);
  conflicts<<<2, 32>>>(out);
  cudaDeviceSynchronize();
  printf("argument %s\n", argc > 1 ? argv[1] : "none");
  cudaFree(in);
  cudaFree(out);
}
"""
DETAILS = ["Section Name", "Metric Name", "Metric Unit", "Metric Value"]
HEAD = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"


class Ncu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        (cls.folder / "app.cu").write_text(PROGRAM)
        cls.environment = {**os.environ, "XDG_CACHE_HOME": cls.place.name + "/cache"}

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def run_it(self, *words, code=0):
        ended = subprocess.run([GPULAB, "ncu", *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended

    def table(self, *words):
        """The rows of a CSV, behind what the program printed."""
        text = self.run_it("--csv", *words, "app.cu").stdout
        lines = text.splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
        return list(csv.reader(io.StringIO("\n".join(lines[start:]))))

    def refused(self, *words):
        return self.run_it(*words, code=2).stderr

    def test_the_details_csv_has_ncus_columns_and_one_row_for_each_metric(self):
        rows = self.table("--set", "full")
        self.assertEqual(rows[0], [*HEAD, *DETAILS, "Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"])
        self.assertEqual({len(row) for row in rows}, {20})
        self.assertIn(("2", "SourceCounters", "bank_conflict", "OPT"), {(row[0], row[11], row[15], row[16]) for row in rows if row[12] == ""})
        first = rows[1]
        self.assertEqual(first[0], "0")
        self.assertEqual(first[2], "app.cu")
        self.assertIn("stride<float>", first[4])
        self.assertEqual((first[7], first[8], first[10]), ("(32, 1, 1)", "(1, 1, 1)", "9.0"))
        by_name = {(row[0], row[11], row[12]): row[14] for row in rows[1:]}
        self.assertEqual(by_name["0", "Launch Statistics", "Block Size"], "32")
        self.assertEqual(by_name["2", "Launch Statistics", "Grid Size"], "2")
        self.assertEqual(by_name["0", "Occupancy", "Block Limit SM"], "32")
        self.assertEqual(by_name["0", "GPU Speed Of Light Throughput", "SM Frequency"], "n/a")
        for launch in "012":
            self.assertRegex(by_name[launch, "GPU Speed Of Light Throughput", "Duration"], r"^\d+(\.\d\d)?$")

    def test_a_line_is_accused_at_the_launch_alone_whose_lines_were_counted(self):
        rows = self.table("--section", "SpeedOfLight")
        self.assertEqual({row[0] for row in rows if row[15] == "uncoalesced"}, {"1"})  # the same kernel's launch of step 1 is none
        page = self.run_it("app.cu").stdout
        self.assertIn("    INF   Lines are explained at the launch of this kernel that takes the most time.\n", page)

    def test_a_log_file_holds_the_table_alone_and_standard_output_what_ncu_says_there(self):
        # Some readers wait for the line that says Disconnected, others take a file as it is.
        self.run_it("--csv", "--log-file", "log.csv", "app.cu")
        self.assertTrue((self.folder / "log.csv").read_text().startswith('"ID","Process ID",'))
        lines = self.run_it("--csv", "app.cu").stdout.splitlines()
        self.assertEqual(lines[:3], ["==PROF== Connected to process 1 (app.cu)", "argument none", "==PROF== Disconnected from process 1"])
        self.assertTrue(lines[3].startswith('"ID","Process ID",'))

    def test_the_raw_csv_has_a_column_for_each_metric_and_a_row_of_units(self):
        rows = self.table("--page", "raw", "--print-units", "base", "--metrics", f"{LOADS},{CONFLICTS},gpu__time_duration.sum")
        self.assertEqual(rows[0], [*HEAD, "gpu__time_duration.sum", CONFLICTS, LOADS])
        self.assertEqual(rows[1], [""] * len(HEAD) + ["ns", "", "sector"])
        self.assertEqual([row[-1] for row in rows[2:]], ["4", "32", "0"])
        self.assertEqual([row[-2] for row in rows[2:]], ["0", "0", "62"])

    def lines_from_the_header(self, *words):
        """As public readers of ncu's CSV begin: at the line of columns, behind whatever ncu said before it."""
        self.run_it("--csv", *words, "--log-file", "read.csv", "app.cu")
        lines = (self.folder / "read.csv").read_text().splitlines()
        return lines[next(i for i, line in enumerate(lines) if line.startswith('"ID"')):]

    def test_a_reader_that_scales_by_the_row_of_units_reads_the_raw_page(self):
        scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}  # to ns and bytes
        header, units, *rows = csv.reader(self.lines_from_the_header("--page", "raw", "--set", "full"))
        self.assertEqual(units[header.index("ID")], "")  # by which it is known
        metrics = [column for column in header if "__" in column]
        self.assertEqual(header, HEAD + metrics)
        launches = []
        for row in rows:
            cells = dict(zip(header, row))
            read = {}
            for name in metrics:
                if cells[name] in ("", "n/a"):
                    continue
                unit = units[header.index(name)]
                read[name] = float(cells[name].replace(",", "")) * scale.get(unit, 1)
            launches.append((cells["Kernel Name"], read))
        self.assertEqual([name.split("(")[0].split("<")[0].split()[-1] for name, _ in launches], ["stride", "stride", "conflicts"])
        self.assertEqual([read[LOADS] for _, read in launches[:2]], [4, 32])
        self.assertTrue(100 < launches[1][1]["gpu__time_duration.sum"] < 1e6)  # nanoseconds

    def test_a_reader_that_pivots_a_sections_rows_by_the_metrics_names_reads_the_details(self):
        wanted = {"SpeedOfLight": ["Compute (SM) Throughput", "DRAM Throughput", "Memory Throughput", "Duration", "L2 Cache Throughput"],
                  "MemoryWorkloadAnalysis": ["Memory Throughput", "Mem Busy", "Max Bandwidth", "L1/TEX Hit Rate", "L2 Hit Rate"],
                  "Occupancy": ["Achieved Occupancy", "Theoretical Occupancy"]}
        for section, names in wanted.items():
            rows = [row for row in csv.DictReader(self.lines_from_the_header("--page", "details", "--section", section)) if row["Metric Name"]]
            for launch in {row["ID"] for row in rows}:
                own = [row["Metric Name"] for row in rows if row["ID"] == launch]
                self.assertEqual(len(own), len(set(own)), section)  # else a mean of two different things
                self.assertLessEqual(set(names), set(own), section)
            for row in rows:
                self.assertRegex(row["Metric Value"], r"^(n/a|-?[\d,]+(\.\d+)?)$", row["Metric Name"])

    def test_the_trees_reader_of_real_csv_reads_ours(self):
        rows = self.run_it("--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function", "--metrics",
                           ",".join(compare_counters.MEASURED), "--log-file", "raw.csv", "app.cu")
        self.assertIn("argument none", rows.stdout)
        launches = compare_counters.read_ncu(self.folder / "raw.csv")
        self.assertEqual([(name, grid) for name, grid, _ in launches], [("stride", [1, 1, 1]), ("stride", [1, 1, 1]), ("conflicts", [2, 1, 1])])
        self.assertEqual(launches[1][2][LOADS], 32)
        self.assertNotIn("smsp__inst_executed.sum", {name for name, value in launches[0][2].items() if value is not None})

    def test_the_text_page_has_sections_notes_and_provenance(self):
        page = self.run_it("--set", "full", "app.cu", "7").stdout
        self.assertTrue(page.startswith("==PROF== Connected to process 1 (app.cu)\nargument 7\n==PROF== Disconnected from process 1\n[1] app.cu@127.0.0.1\n"),
                        page[:200])
        for words in ("    Section: GPU Speed Of Light Throughput\n", "    Section: Launch Statistics\n", "    Section: Occupancy\n",
                      "    Section: Memory Workload Analysis\n", "    Section: Warp State Statistics\n", "    Section: Source Counters\n",
                      "    Section: SchedulerStats\n    INF   n/a: gpulab has nothing of this section.\n",
                      "Metric Name", "(1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n",
                      "In place of what is n/a, counted by gpulab: branches", "Modelled for h200, not measured: Memory Throughput, DRAM Throughput, Duration,",
                      "    OPT   line 8: bank conflict: 32 lanes want 32 different words of bank 0", "Provenance: simulated as h200, no GPU."):
            self.assertIn(words, page)
        self.assertLessEqual(max(len(line) for line in page.splitlines() if "__" not in line), 110)

    def test_what_machine_code_alone_knows_is_not_a_count_of_ptx(self):
        rows = self.table("--metrics", "smsp__inst_executed.sum,smsp__sass_branch_targets.sum,nobody__knows.sum", "--provenance", "of.json")
        self.assertEqual(rows[0], [*HEAD, *DETAILS])
        self.assertEqual({row[14] for row in rows[1:]}, {"n/a"})
        self.assertEqual({row[11] for row in rows[1:]}, {"Command line profiler metrics"})
        document = json.loads((self.folder / "of.json").read_text())
        check = pathlib.Path(__file__).resolve().parent / "cli" / "check_schema.py"
        valid = subprocess.run([sys.executable, check, GPULAB, "ncu_provenance"], input=json.dumps(document), capture_output=True, text=True,
                               check=False)
        self.assertEqual(valid.stdout, "valid\n", valid.stderr)
        self.assertEqual([(one["metric"], one["source"]) for one in document["metrics"]],
                         [("smsp__inst_executed.sum", "n/a"), ("smsp__sass_branch_targets.sum", "n/a"), ("nobody__knows.sum", "n/a")])
        self.assertRegex(document["launches"][0]["ours"]["smsp__inst_executed.sum"], r"^warp_instructions \d+$")
        self.assertEqual(document["metrics"][2]["why"], "nothing is known of it here")

    def test_launches_are_chosen_as_ncu_chooses_them(self):
        for words, names in [(["-k", "conflicts"], ["conflicts"]), (["--kernel-name", "regex:^str"], ["stride", "stride"]),
                             (["-s", "1"], ["stride", "conflicts"]), (["--launch-skip=1", "--launch-count=1"], ["stride"]),
                             (["-k", "stride", "-s", "1", "-c", "5"], ["stride"])]:
            with self.subTest(words=words):
                rows = self.table("--page", "raw", "--print-kernel-base", "function", *words)
                self.assertEqual([row[4] for row in rows[2:]], names)
        self.assertIn("==WARNING== No kernels were profiled.", self.run_it("-k", "nobody", "app.cu").stderr)

    def test_the_source_page_has_lines_with_our_counters(self):
        page = self.run_it("--page", "source", "app.cu").stdout
        self.assertRegex(page, r"0 \| +62 \| +8:   s\[threadIdx.x \* 32\] = threadIdx.x;")
        self.assertIn("Counters are of PTX, by gpulab's names; machine code is not known.", page)
        text = self.run_it("--page", "source", "--csv", "app.cu").stdout
        rows = list(csv.reader(io.StringIO(text[text.index('"Kernel Name"'):])))
        self.assertEqual(rows[0][0], "Kernel Name")
        self.assertEqual(rows[1][:3], ["#", "Source", "warp_instructions"])

    def test_options_of_clocks_and_replays_are_taken_and_have_no_effect(self):
        ended = self.run_it("--target-processes", "all", "--clock-control=none", "-f", "--section", "Occupancy", "app.cu")
        self.assertIn("note: no effect on a simulated GPU: --target-processes, --clock-control, --force-overwrite", ended.stderr)

    def test_a_students_csv_stands_beside_ours(self):
        self.run_it("--csv", "--page", "raw", "--set", "full", "--log-file", "theirs.csv", "app.cu")
        text = (self.folder / "theirs.csv").read_text()
        (self.folder / "theirs.csv").write_text("==PROF== Connected to process 1\n" + text)
        page = self.run_it("--beside", "theirs.csv", "app.cu").stdout
        self.assertRegex(page, LOADS.replace(".", r"\.") + r" +32 +32 +equal  counted")
        self.assertRegex(page, r"gpu__time_duration\.sum +[\d.,]+ +[\d.,]+ +(equal|[+-]\d+\.\d%)  modelled")
        self.run_it("--csv", "--set", "full", "--log-file", "details.csv", "app.cu")
        page = self.run_it("--beside", "details.csv", "-k", "conflicts", "app.cu").stdout
        self.assertRegex(page, r"launch__grid_size +2 +2 +equal  launch")
        self.assertIn("  2 of 3 launches in your file have no launch here\n", page)
        (self.folder / "other.csv").write_text(text.replace("(32, 1, 1)", "(64, 1, 1)"))
        self.assertIn("    your file has no launch of this kernel, grid and block\n", self.run_it("--beside", "other.csv", "app.cu").stdout)

    def test_what_cannot_be_is_refused_with_what_to_do(self):
        (self.folder / "empty.csv").write_text("==ERROR== nothing\n")
        table = "hint: ncu --import FILE --csv --page raw > FILE.csv writes a table, which --beside FILE.csv holds beside ours"
        for words, *texts in [
                (["report.ncu-rep"], "error: ncu: report.ncu-rep is ncu's own report, which only ncu reads", table),
                (["--beside", "x.ncu-rep", "app.cu"], "error: ncu: x.ncu-rep is ncu's own report", table),
                (["-i", "x", "app.cu"], "error: ncu: --import is of ncu's own report (.ncu-rep), which only ncu writes and reads", table),
                (["-o", "x", "app.cu"], "error: ncu: --export is of ncu's own report (.ncu-rep)", "hint: --csv --log-file FILE.csv writes a table"),
                (["--beside", "empty.csv", "app.cu"], "error: --beside: empty.csv has no table of ncu", "hint: ncu --csv --page raw PROGRAM > FILE.csv writes one"),
                (["--metrix", "x", "app.cu"], "error: ncu: unknown option '--metrix'", "did you mean '--metrics'?"),
                (["--set", "everything", "app.cu"], "error: --set: there is no set 'everything'", "hint: sets: basic, detailed, full"),
                (["--section", "Ocupancy", "app.cu"], "error: --section: there is no section 'Ocupancy'", "did you mean 'Occupancy'?"),
                (["--section", "regex:.*", "app.cu"], "error: --section: expressions are not known here"),
                (["--page", "sass", "app.cu"], "error: --page: 'sass' is none of: details, raw, source"),
                (["--print-units", "SI", "app.cu"], "error: --print-units: 'SI' is none of: auto, base"),
                (["--launch-skip", "x", "app.cu"], "error: --launch-skip: 'x' is no number"),
                (["--kernel-name", "regex:(", "app.cu"], "error: --kernel-name: '(' is no regular expression"),
                (["app.cux.cu"], "error: ncu: no such file: app.cux.cu"),
                (["--csv"], "error: ncu: which program?"), (["--set"], "error: ncu: --set needs a value")]:
            with self.subTest(words=words):
                said = self.refused(*words)
                for text in texts:
                    self.assertIn(text, said)


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
