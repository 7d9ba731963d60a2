#!/usr/bin/env python3
"""`gpulab ncu` of the fidelity suite's launches beside what Nsight Compute counted of the same launches on a GPU.

usage: ncu_fidelity_test.py GPULAB FIDELITY_RUN

The program is the one that was profiled on the GPU (fidelity_run --device gpu, which takes the driver's API); the reader of
the CSV is the one that reads the GPU's (scripts/fidelity.py). Rules as in agreement.h: requests and sectors are equal; wavefronts
and bank conflicts within 5 % of the wavefronts, their difference equal; tests/data/fidelity_residuals.csv has the rest by cause.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "scripts"))
import fidelity  # noqa: E402 (the path comes first)

GPULAB, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
NOISE = 0.05  # of the wavefronts
EXACT = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "global_load_requests",
         "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "global_store_requests",
         "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "global_load_sectors",
         "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "global_store_sectors",
         "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": "local_load_sectors",
         "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum": "local_store_sectors"}
NOISY = {way: (f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{way}.sum", f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{way}.sum",
               f"shared_{name}") for way, name in (("ld", "load"), ("st", "store"))}


def residuals():
    """(case, counter): counters that a GPU is known to count otherwise."""
    with open(ROOT / "tests/data/fidelity_residuals.csv", encoding="utf-8") as file:
        return {(row["kernel"], row["counter"]) for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def counted_on(gpu):
    """By case, what ncu counted."""
    with open(ROOT / f"tests/data/fidelity_{gpu}.csv", encoding="utf-8") as file:
        return {row.pop("case"): {name: float(value) for name, value in row.items() if value}
                for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def differences(case, ours, theirs):
    """The counters of a case that are not as a GPU has them: (case, counter)."""
    for metric, counter in EXACT.items():
        if ours[metric] != theirs[metric]:
            yield case, counter
    for wavefronts, conflicts, counter in NOISY.values():
        room = NOISE * theirs[wavefronts]
        for metric, name in ((wavefronts, "wavefronts"), (conflicts, "bank_conflicts")):
            if abs(ours[metric] - theirs[metric]) > room:
                yield case, f"{counter}_{name}"
        if ours[wavefronts] - ours[conflicts] != theirs[wavefronts] - theirs[conflicts]:
            yield case, f"{counter}_wavefronts - conflicts"


class Fidelity(unittest.TestCase):
    maxDiff = None

    def test_each_address_derived_metric_of_ncu_is_what_an_h200_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            profile = os.path.join(folder, "profile.csv")
            subprocess.run([GPULAB, "ncu", "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function",
                            "--log-file", profile,
                            "--metrics", ",".join(fidelity.compare_counters.MEASURED), PROGRAM, "--device", "gpu"],
                           env={**os.environ, "XDG_CACHE_HOME": folder}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           timeout=600, check=True)
            ours = dict(fidelity.rows(PROGRAM, profile))
        theirs, known = counted_on("h200"), residuals()
        self.assertEqual(set(ours), set(theirs))
        self.assertGreater(len(theirs), 1000)
        for metric in [*EXACT, *(one for pair in NOISY.values() for one in pair[:2])]:
            self.assertTrue(any(values[metric] for values in theirs.values()), f"no launch has any {metric}")
        found = [one for case, values in theirs.items() for one in differences(case, ours[case], values)]
        self.assertEqual([one for one in found if one not in known], [])

    def test_a_counter_that_is_one_off_is_told(self):
        case, theirs = next((case, values) for case, values in counted_on("h200").items() if values["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"])
        self.assertEqual(list(differences(case, theirs, theirs)), [])
        for metric in [*EXACT, *(one for pair in NOISY.values() for one in pair[:2])]:
            with self.subTest(metric=metric):
                self.assertNotEqual(list(differences(case, {**theirs, metric: theirs[metric] + 1}, theirs)), [])


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
