#!/usr/bin/env python3
"""Does validation fail where the model is broken on purpose? Atomics that cost nothing, special functions that are one plain
instruction, an L2 without an end: recorded launches that depend on it are modelled anew, without a GPU, and held to marks.json, by the
h200's numbers and by those that are broken (--timing). Closes with 'N passed, N failed'.

usage: broken_test.py GPULAB [NAME…]
       broken_test.py GPULAB --write     makes what is reached now, and a little room, the marks
"""
import csv
import functools
import json
import math
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import compare_model  # noqa: E402
import compare_probes  # noqa: E402

GPULAB = ""
PROFILE = "h200"
# What depends on each: rungs of labs (as in launches.txt), or probes of one block, whose data hardly matter.
LAUNCHES = {
    "atomics": ["atomics --n 2^20"],
    "reuse": ["launch --rows 4096 --cols 1024 --variant map_unfused", "launch --rows 1024 --cols 8192 --variant map_unfused",
              "scan --n 2^24 --variant three_phase"],
}
PROBES = {
    "special": ["full_ex2", "full_rsqrt", "full_sin", "full_rcp_approx", "full_sqrt_rn", "full_rcp_rn", "full_div_rn", "full_div_f64", "full_div_u64"],
    "atomics_probed": ["red_random_256", "red_lines_8", "full_redg_own", "red_u32_distinct_32", "full_atomg_own", "red_half", "full_reds_same", "reds_random_32"],
    "first_touch": ["gather_4", "read_4x1", "read_16x4", "ldg_4_32", "ldg_4_128"],
}


def of_launches(lines, timing):
    """(measured, modelled), as compare_model has them."""
    with open(ROOT / "tests" / "data" / f"timing_launches_{PROFILE}.csv", encoding="utf-8") as file:
        measured = {(r["lab"], r["variant"], r["params"], r["block"]): float(r["median_ms"]) for r in csv.DictReader(file)}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        return measured, compare_model.matched(measured, compare_model.modelled(GPULAB, "", PROFILE, file.name, timing))


def of_probes(group, names, timing):
    measured, model = {}, {}
    with open(ROOT / "tests" / "data" / f"timing_probes_{PROFILE}.csv", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if r["probe"] in names]
    for row in rows:
        work = int(row["grid"]) * int(row["block"]) * int(row["n"])
        # A first touch is cold, and data of more than 300 MB take long to make; else one block's work.
        fits = (row["warm"] == "0" and int(row["elements"]) < 80e6 and work < 3 << 20 if group == "first_touch" else row["grid"] == "1" and row["block"] == "1024")
        if not fits:
            continue
        key = (group, row["probe"], ",".join(f"{k}={row[k]}" for k in ("grid", "n", "elements", "stride")), row["block"])
        found = compare_probes.modelled(GPULAB, row, PROFILE, timing)
        if found:
            measured[key], model[key] = float(row["median_ms"]), found
    return measured, model


def compared(group, change=None):
    """What the model reaches, of this group's launches, by the GPU's numbers with a change to their fields."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        document = json.loads((ROOT / "configs" / "timing" / f"{PROFILE}.json").read_text(encoding="utf-8"))
        if change:
            change(document["fields"])
        json.dump(document, file)
        file.flush()
        timing = file.name if change else None
        measured, model = of_launches(LAUNCHES[group], timing) if group in LAUNCHES else of_probes(group, PROBES[group], timing)
    long = [(k, model[k]["time_ms"] / measured[k]) for k in measured if k in model and measured[k] >= compare_model.SHORT_MS]
    return compare_model.reached(measured, model, long), len(long)


@functools.cache
def marks():
    return json.loads(compare_model.MARKS.read_text(encoding="utf-8"))


def missed(group, change=None):
    """(names of the marks that it misses, what it says)"""
    got, launches = compared(group, change)
    said = []
    names = compare_model.judge(got, marks()["marks"][f"{PROFILE}_{group}"], marks()["aim"], said.append)
    if launches < marks()["marks"][f"{PROFILE}_{group}"]["launches"]:
        names.append("launches")
    return names, "\n".join(said)


def free_atomics(fields):
    for name in ("atomic_latency", "same_address", "same_address_float", "atomic_round", "slice_round", "shared_atomic", "shared_atomic_latency",
                 "shared_float", "shared_float_latency", "shared_float_contended"):
        fields[name]["value"] = 0


def special_functions_of_one_instruction(fields):
    fields["special_slower"] = {"value": 0, "unit": "times", "source": "broken on purpose"}


def endless_l2(fields):
    """What has been brought once stays."""
    fields["l2"]["value"] = 1e15


def l2_that_holds_all(fields):
    """And all has been brought before."""
    endless_l2(fields)
    for name in ("latency", "spread", "scattered"):
        fields[f"dram_{name}"]["value"] = fields[f"l2_{name}"]["value"]
    fields["dram_bandwidth"]["value"] = fields["l2_bandwidth"]["value"] * fields["clock"]["value"]
    fields["dram_mixed"]["value"] = 1
    fields["dram_queue"]["value"] = fields["dirty_l2"]["value"] = 0


class Held(unittest.TestCase):
    def holds(self, group):
        names, said = missed(group)
        self.assertEqual(names, [], said)

    def fails(self, group, change):
        names, said = missed(group, change)
        self.assertIn("geometric_mean_error", names, said)


class Broken(Held):
    def test_atomics_that_cost_nothing_are_found(self):
        self.holds("atomics")
        self.fails("atomics", free_atomics)

    def test_atomics_that_cost_nothing_are_found_by_probes(self):
        self.holds("atomics_probed")
        self.fails("atomics_probed", free_atomics)

    def test_special_functions_that_are_one_instruction_are_found(self):
        self.holds("special")
        self.fails("special", special_functions_of_one_instruction)

    def test_an_l2_that_holds_all_is_found(self):
        self.holds("first_touch")
        self.fails("first_touch", l2_that_holds_all)


    def test_an_l2_without_an_end_is_found_where_much_is_read_again(self):
        self.holds("reuse")
        self.fails("reuse", endless_l2)


class BrokenLong(unittest.TestCase):
    def test_atomics_and_l2_are_found_by_all_small_launches_too(self):
        import validation_test
        validation_test.GPULAB = GPULAB
        for change in (free_atomics, l2_that_holds_all):
            code, said = validation_test.Validated().broken(change)
            self.assertEqual(code, 1, said)


def write():
    document = marks()
    for group in [*LAUNCHES, *PROBES]:
        got, launches = compared(group)
        document["marks"][f"{PROFILE}_{group}"] = {"launches": launches, **compare_model.with_room(got)}
        print(group, launches, {k: v if isinstance(v, dict) else round(v, 3) for k, v in got.items()}, flush=True)
    compare_model.MARKS.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    GPULAB = sys.argv.pop(1)
    if "--write" in sys.argv:
        sys.exit(write())
    program = unittest.main(exit=False)
    wrong = len(program.result.failures) + len(program.result.errors)
    print(f"{program.result.testsRun - wrong} passed, {wrong} failed")
    sys.exit(1 if wrong else 0)
