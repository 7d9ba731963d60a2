#!/usr/bin/env python3
"""Counters of the simulator beside an NVIDIA GPU's, for the same cases.

usage: compare_counters.py NCU.csv SIMULATOR.json
       compare_counters.py --metrics            the --metrics argument for ncu; the output of `ncu --query-metrics`
                                                on stdin says which of the optional ones this GPU has
       compare_counters.py --kernels SIM.json   the --kernel-name argument for ncu

NCU.csv is `ncu --csv --page raw --print-units base --print-kernel-base function --metrics …` of
`gpulab LAB --variant all --reps 1 --warmup 0 --device gpu`; SIMULATOR.json is the same case with
`--device sim --format json`. Requests and sectors must be equal. Shared-memory wavefronts and bank conflicts carry
arbitration noise on hardware: within 5% of the wavefronts, while wavefronts - conflicts must be equal (tests/fidelity/README.md).
Instructions are shown, not judged: hardware counts SASS; so are loads of a kernel that polls (volatile, relaxed or acquire
loads). Exits 1 if a judged counter differs, 2 if the files do not belong together.
"""
import csv
import json
import sys

import piped

NOISE = 0.05  # of the wavefronts

# Atomics on global memory whose result is used, by what ncu calls them on one GPU or another (on an H200 it does not
# know the first name): the first that it knows is measured.
GLOBAL_ATOM = ("smsp__inst_executed_op_global_atom.sum", "smsp__sass_inst_executed_op_global_atom.sum",
               "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum")

# our name -> the sum of these ncu metrics; a tuple: whichever of them there is
EXACT = {
    "global_load_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    "global_store_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
    "global_load_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    "global_store_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
}
# Judged and shown where this GPU has them; the others must be there.
OPTIONAL_EXACT = {
    "local_load_sectors": ["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"],
    "local_store_sectors": ["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"],
}
SHARED = {
    kind: (f"shared_{kind}_wavefronts", f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum",
           f"shared_{kind}_bank_conflicts", f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum")
    for kind, op in (("load", "ld"), ("store", "st"))
}
SHOWN = {
    "warp_instructions": ["smsp__inst_executed.sum"],
    "thread_instructions": ["smsp__thread_inst_executed.sum"],
    "shared_load_requests": ["smsp__inst_executed_op_shared_ld.sum"],
    "shared_store_requests": ["smsp__inst_executed_op_shared_st.sum"],
    "global_atomic_requests": ["smsp__inst_executed_op_global_red.sum", GLOBAL_ATOM],
    "shared_atomic_requests": ["smsp__inst_executed_op_shared_atom.sum"],
}
# Volatile, relaxed and acquire loads may poll: a thread that waits for another loads again and again, and how often
# depends on time, not on work. So the number of loads is only bounded from below: by those that do not poll.
POLLS = "global_ordered_load_requests"
POLLED = {"global_load_requests", "global_load_sectors"}

REQUIRED = [name for metrics in EXACT.values() for name in metrics]
REQUIRED += [name for _, wavefronts, _, conflicts in SHARED.values() for name in (wavefronts, conflicts)]
OPTIONAL = [metric for group in (OPTIONAL_EXACT, SHOWN) for metrics in group.values() for metric in metrics]


def names_of(metric):
    return metric if isinstance(metric, tuple) else (metric,)


MEASURED = REQUIRED + [name for metric in OPTIONAL for name in names_of(metric)]


def metrics_argument(queried):
    known = {line.split()[0] for line in queried if line.strip()}
    offered = [[name for name in names_of(metric) if name.split(".")[0] in known][:1] for metric in OPTIONAL]
    return ",".join(REQUIRED + [name for names in offered for name in names])


class Mismatched(Exception):
    """The two files are not of the same cases."""


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None  # "n/a": this GPU has no such counter


def read_ncu(path):
    """Launches in order: kernel name, grid, and a value per metric."""
    with open(path, newline="") as file:
        lines = file.read().splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith('"ID"')]
    if not starts:
        raise Mismatched(f"{path}: no table; ncu said: {' / '.join(lines[-3:])}")
    launches = []
    for row in csv.DictReader(lines[starts[0]:]):
        if not (row["ID"] or "").isdigit():
            continue  # the row of units
        values = {name: number(text) for name, text in row.items() if name in MEASURED and text}
        grid = [int(part) for part in row["Grid Size"].strip("()").split(",")]
        missing = [name for name in REQUIRED if values.get(name) is None]
        if missing:
            raise Mismatched(f"{path}: {row['Kernel Name']} was not measured: {', '.join(missing)}")
        launches.append((row["Kernel Name"].split("<")[0].split("(")[0], grid, values))
    return launches


def base_name(kernel):
    return kernel.split("<")[0].split("::")[-1]


def simulated(path):
    with open(path) as file:
        document = json.load(file)
    return [r for r in document["results"] if r.get("counters") and r.get("kernel")]


def first_runs(launches, results):
    """The launches of each variant's first run: every variant was run equally often."""
    per_round = sum(result["launch"].get("launches", 1) for result in results)
    rounds, rest = divmod(len(launches), per_round)
    if rest or not rounds:
        raise Mismatched(f"{len(launches)} launches profiled, the variants need a multiple of {per_round}")
    at = 0
    for result in results:
        count = result["launch"].get("launches", 1)
        run = launches[at:at + count]
        at += count * rounds
        if run[0][0] != base_name(result["kernel"]) or run[0][1] != result["launch"]["grid"]:
            raise Mismatched(f"{result['variant']}: expected {result['kernel']} {result['launch']['grid']}, "
                             f"profiled {run[0][0]} {run[0][1]}")
        yield result, run


def value_of(values, metric):
    return next((values[name] for name in names_of(metric) if values.get(name) is not None), None)


def total(run, metrics):
    values = [value_of(launch[2], metric) for launch in run for metric in metrics]
    return None if None in values else round(sum(values))


def relation(ours, hardware, allowed=0.0):
    """(verdict, judged to agree)"""
    if ours == hardware:
        return "exact", True
    if abs(ours - hardware) <= allowed:
        return f"within {NOISE:.0%}", True
    return "DIFFERS", False


def judge_shared(counters, run, names):
    ours_w, hard_w = counters.get(names[0], 0), total(run, [names[1]])
    ours_c, hard_c = counters.get(names[2], 0), total(run, [names[3]])
    allowed = NOISE * max(hard_w, ours_w)
    yield (names[0], ours_w, hard_w, *relation(ours_w, hard_w, allowed))
    yield (names[2], ours_c, hard_c, *relation(ours_c, hard_c, allowed))
    yield ("  wavefronts - conflicts", ours_w - ours_c, hard_w - hard_c, *relation(ours_w - ours_c, hard_w - hard_c))


def judge_polling(name, counters, hardware):
    """Loads that do not poll must be there; sectors of those that do are not counted apart."""
    ours, polls = counters[name], counters[POLLS]
    if name == "global_load_requests" and hardware < ours - polls:
        return (name, ours, hardware, f"DIFFERS: {ours - polls:,} of ours do not poll", False)
    return (name, ours, hardware, f"not judged: {polls:,} of ours poll, how often is a matter of time", None)


def judge(result, run):
    """Rows: counter, ours, hardware, verdict, agreed (None: not judged)."""
    counters = result["counters"]
    for name, metrics in (EXACT | OPTIONAL_EXACT).items():
        hardware = total(run, metrics)
        if hardware is None or not (hardware or counters.get(name)):
            continue
        if name in POLLED and counters.get(POLLS):
            yield judge_polling(name, counters, hardware)
        else:
            yield (name, counters.get(name, 0), hardware, *relation(counters.get(name, 0), hardware))
    for names in SHARED.values():
        rows = list(judge_shared(counters, run, names))
        if any(row[1] or row[2] for row in rows):
            yield from rows
    for name, metrics in SHOWN.items():
        hardware = total(run, metrics)
        if hardware is not None and (hardware or counters.get(name)):
            yield (name, counters.get(name, 0), hardware, f"{counters.get(name, 0) / hardware:.3f} of it"
                   if hardware else "", None)


def compare(csv_path, json_path):
    agreed = differing = 0
    for result, run in first_runs(read_ncu(csv_path), simulated(json_path)):
        launches = f", {len(run)} launches" if len(run) > 1 else ""
        print(f"{result['variant']}: {result['kernel']}{launches}")
        for name, ours, hardware, verdict, agrees in judge(result, run):
            print(f"  {name:<28}{ours:>14,}{hardware:>14,}  {verdict}")
            agreed += agrees is True
            differing += agrees is False
    print(f"{agreed} counters agree, {differing} differ")
    return 1 if differing else 0


def main(arguments):
    if arguments == ["--metrics"]:
        print(metrics_argument([] if sys.stdin.isatty() else sys.stdin))
        return 0
    if len(arguments) == 2 and arguments[0] == "--kernels":
        print("regex:^(" + "|".join(sorted({base_name(r["kernel"]) for r in simulated(arguments[1])})) + ")$")
        return 0
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        return compare(*arguments)
    except (Mismatched, KeyError, OSError, json.JSONDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    piped.end(lambda: main(sys.argv[1:]))
