#!/usr/bin/env python3
"""Ratios of the last rungs to their vendors, and ladders that go down: what scripts/gpu_ladder.sh starts.

Both sides of a ratio are measured in one process, one after the other; a second round, where there is one, takes them the
other way round, so that a clock that drifts meets both. The ratio is the median of the rounds'. A mark holds for the mode that its row names; the
other mode is shown beside it. Rows, marks and exceptions are data below; a test reads them.
"""
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import piped

LARGE_SQUARE = ["--m", "8192", "--n", "8192", "--k", "8192"]
SQUARE = ["--m", "4096", "--n", "4096", "--k", "4096"]


@dataclass
class Row:
    """One last rung beside its vendor. mark: least ratio of the vendor's time to the rung's, in `mode`."""

    lab: str
    rung: str
    vendor: str
    arguments: list
    mark: float
    mode: str = "cold"
    rounds: int = 2  # even: each order as often as the other; 1 where the CPU's answer takes most of a minute
    modes: tuple = ("cold", "warm")
    key: str = field(init=False)

    def __post_init__(self):
        self.key = f"{self.lab} {self.rung} {' '.join(self.arguments)}"


ROWS = [
    Row("reduce", "eight_loads", "cub", ["--n", "2^28"], 0.995, "warm"),
    Row("reduce", "eight_loads", "cub", ["--n", "2^22"], 1 / 0.75, "warm"),
    Row("transpose", "large_tile_down", "cublas", ["--rows", "8192", "--cols", "8192"], 1.0),
    Row("transpose", "large_tile_down", "cublas", ["--rows", "8191", "--cols", "4099"], 1.0),
    Row("scan", "look_back_large", "cub", ["--n", "2^28", "--type", "float"], 1.0, rounds=1),
    Row("scan", "look_back_large", "cub", ["--n", "2^28", "--type", "int"], 1.0, rounds=1),
    Row("matmul", "prefetched", "cublas", SQUARE, 0.90, rounds=1),
    # Milliseconds of arithmetic: what lies in L2 before makes no difference.
    Row("matmul", "prefetched", "cublas", LARGE_SQUARE, 0.90, rounds=1, modes=("cold",)),
    Row("matmul", "hopper_clusters", "cublas_tf32", LARGE_SQUARE, 0.90, rounds=1, modes=("cold",)),
    Row("matmul", "hopper_clusters", "cublas", [*LARGE_SQUARE, "--type", "bf16"], 0.97, rounds=1, modes=("cold",)),
    Row("atomics", "thread_private", "cub", ["--n", "2^27", "--skew", "0"], 1.15, rounds=1),
    Row("atomics", "thread_private", "cub", ["--n", "2^27", "--skew", "100"], 1.15, rounds=1),
    Row("segsum", "balanced", "cub", ["--bags", "2048"], 28.0, rounds=1),
]

# Marks that are missed, by the key of the row: why, as the lab's page or notes say it.
MISSED = {
    f"matmul prefetched {' '.join(square)}": "0.88 to 0.90 on the cards measured; no other order of loads and sums was faster "
                                              "(labs/matmul/NOTES.md has what was tried)"
    for square in (SQUARE, LARGE_SQUARE)}

# Every ladder at a size at which its rungs differ. Rungs that would take minutes there, and what is no rung, are left out.
LADDERS = {
    "reduce": (["--n", "2^24"], {"single_thread", "atomic", "single_block"}),
    "transpose": (["--rows", "8192", "--cols", "8192"], set()),
    "scan": (["--n", "2^26"], set()),
    "matmul": (SQUARE, {"cpu"}),
    "coalescing": (["--n", "2^26"], set()),
    "divergence": (["--n", "2^24"], set()),
    "atomics": (["--n", "2^26"], set()),
    "segsum": (["--bags", "2048"], {"cpu", "cpu_round_trip"}),
}

# Rungs that are slower than the rung they are built on: why, as the lab's page says it.
GOES_DOWN = {
    "reduce neighbored_extra_steps": "a step for nothing, on purpose",
    "reduce warp": "each block ends with an atomic on one word, and there are many blocks",
    "reduce cooperative": "a barrier of the grid between two passes, and elements one by one",
    "transpose naive_row": "copy is the ceiling, not a transpose",
    "transpose tiled_copy": "a detour through shared memory with nothing to turn: what it costs",
    "scan blelloch": "half of the additions, but the lanes meet in one bank",
    "matmul tiled_padded": "padding for conflicts that this kernel does not have",
    "matmul register_2d": "136 registers a thread leave an SM few warps, and its loads of shared memory conflict",
    "matmul double_buffered": "copies of four bytes, each an instruction, for a that is turned on its way",
    "atomics warp_aggregated": "finding the lanes that share a bin takes longer than the queue that it saves",
    "coalescing aos": "each field 16 bytes from the next: what structures cost",
    "divergence multiway": "eight ways where by_thread has two",
    "divergence loop_lengths_sorted": "the lanes end together, but their elements lie apart in memory",
    **{f"divergence {rung}_debug": "compiled without optimisation (-G), to be compared with" for rung in
       ("by_thread", "by_thread_predicated", "by_warp", "multiway", "loop_lengths", "loop_lengths_sorted")},
}

MEASURED_ON = "H200"  # the marks are of this GPU; on another they are this much lower:
ELSEWHERE = 0.95
NOISE = 1.03  # a rung goes down where it takes longer than this many times its partner's time


class Clock(threading.Thread):
    """Reads the card's clock and power twice a second until it is stopped."""

    def __init__(self):
        super().__init__(daemon=True)
        self.samples, self.stopped = [], threading.Event()

    def run(self):
        query = ["nvidia-smi", "--query-gpu=clocks.sm,power.draw", "--format=csv,noheader,nounits", "--id=0"]
        while not self.stopped.wait(0.5):
            try:
                said = subprocess.run(query, capture_output=True, text=True, check=False).stdout.split(",")
                self.samples.append((float(said[0]), float(said[1])))
            except (OSError, ValueError, IndexError):
                return  # a card, or a machine, that does not tell

    def text(self):
        self.stopped.set()
        self.join()
        if not self.samples:
            return ""
        clocks, watts = zip(*self.samples)
        return f"{min(clocks):.0f}-{max(clocks):.0f} MHz, up to {max(watts):.0f} W"


def results(lab, rungs, arguments, *options):
    """The results of a run on the GPU, by rung, and the GPU's name. SystemExit 3 where there is no GPU."""
    command = [os.environ["GPULAB_PROGRAM"], lab, "--variant", rungs, *arguments, "--device", "gpu", "--format", "json", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 3:
        print(run.stderr, file=sys.stderr, end="")
        sys.exit(3)
    try:
        document = json.loads(run.stdout)
        return {result["variant"]: result for result in document["results"]}, document["device"]["name"]
    except (ValueError, KeyError):
        return {}, ""


def milliseconds(result):
    """The median time of a result that is right; None of any other."""
    right = result and result["status"] == "ok" and (result["verification"] or {}).get("status") == "passed"
    return result["timing"].get("median_ms") if right else None


def measure(rows, mode):
    """By row's key, the ratio of the vendor's time to the rung's, both medians in ms and the GPU; None where one has no right result.

    `rows` share a lab and its arguments, and so one process and one answer of the CPU, which takes long for large matrices.
    """
    names = list(dict.fromkeys(name for row in rows for name in (row.rung, row.vendor)))
    found = {row.key: [] for row in rows}
    for turn in range(rows[0].rounds):
        order = names if turn % 2 == 0 else names[::-1]
        times, gpu = results(rows[0].lab, ",".join(order), rows[0].arguments, *(["--warm"] if mode == "warm" else []))
        for row in rows:
            rung, vendor = milliseconds(times.get(row.rung)), milliseconds(times.get(row.vendor))
            found[row.key].append((vendor / rung, rung, vendor) if rung and vendor else None)
    return {key: None if None in rounds else (*(statistics.median(values) for values in zip(*rounds)), gpu)
            for key, rounds in found.items()}


def marks(figures):
    """Prints the table of last rungs; the keys of rows whose mark is missed."""
    print(f"{'last rung':<64}{'mark':>7} {'cold':>8} {'warm':>8}   times, and the card meanwhile")
    missed = []
    groups = {}
    for row in ROWS:
        groups.setdefault((row.lab, *row.arguments), []).append(row)
    for rows in groups.values():
        started = time.monotonic()
        clock = Clock()
        clock.start()
        found = {mode: measure(rows, mode) for mode in rows[0].modes}
        card = clock.text()
        for row in rows:
            by_mode = {mode: found[mode][row.key] for mode in found}
            asked = by_mode[row.mode]
            if asked and MEASURED_ON not in asked[-1]:
                row.mark *= ELSEWHERE
            figures.append({"row": row.key, "vendor": row.vendor, "mark": row.mark, "mode": row.mode, **by_mode, "card": card})
            if not asked or asked[0] < row.mark:
                missed.append(row.key)
            print(marks_line(row, by_mode, card, row.key in missed), flush=True)
        print(f"{rows[0].lab}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return missed


def marks_line(row, by_mode, card, missed):
    def ratio(mode):
        if mode not in by_mode:
            return f"{'-':>8}"
        return f"{by_mode[mode][0]:8.3f}" if by_mode[mode] else "   wrong"

    shown = f"{ratio('cold')} {ratio('warm')}"
    asked = by_mode[row.mode]
    times = f"{asked[1]:.4g} ms, {row.vendor} {asked[2]:.4g} ms" if asked else "no right result"
    verdict = f"  MISSED{': ' + MISSED[row.key] if row.key in MISSED else ''}" if missed else ""
    return f"{row.key[:63]:<64}{row.mark:7.3f} {shown}   {row.mode}: {times}; {card}{verdict}"


def rungs_of(lab, left_out):
    """Names of the lab's kernels but for those left out and those that take no float."""
    listed = json.loads(subprocess.run([os.environ["GPULAB_PROGRAM"], "list", lab, "--format", "json"], capture_output=True,
                                       text=True, check=True).stdout)["labs"][0]["variants"]
    return [variant["name"] for variant in listed
            if variant["runs_as"] == "kernels" and variant["name"] not in left_out
            and "float" in variant["params"].get("type", ["float"])]


def monotonic(figures):
    """Prints the rungs that are slower than what they are built on; their names."""
    down = []
    for lab, (arguments, left_out) in LADDERS.items():
        found, _ = results(lab, ",".join(rungs_of(lab, left_out)), arguments, "--allow-racy", "--min-time", "0.02")
        print(f"{lab} {' '.join(arguments)}")
        if not found:
            down.append(f"{lab}: no results")
        for name, result in found.items():
            time, partner = milliseconds(result), result.get("built_on")
            before = milliseconds(found.get(partner)) if partner else None
            figures.append({"lab": lab, "rung": name, "ms": time, "built_on": partner})
            ratio = f"{before / time:6.2f} times as fast as {partner}" if time and before else ""
            slower = time and before and time > NOISE * before
            key = f"{lab} {name}"
            if slower:
                down.append(key)
            why = f"  SLOWER{': ' + GOES_DOWN[key] if key in GOES_DOWN else ''}" if slower else ""
            print(f"  {name:<24}{f'{time * 1000:12.1f} us' if time else '      ' + result['status']:<16} {ratio}{why}", flush=True)
    return down


def main(arguments):
    global ROWS, LADDERS
    parts = [word for word in arguments if word in ("marks", "monotonic")]
    labs = [word for word in arguments if word not in parts]
    if unknown := [lab for lab in labs if lab not in LADDERS]:
        print(f"error: '{unknown[0]}' is neither marks, monotonic nor a lab: {', '.join(LADDERS)}", file=sys.stderr)
        return 2
    if labs:
        ROWS = [row for row in ROWS if row.lab in labs]
        LADDERS = {lab: ladder for lab, ladder in LADDERS.items() if lab in labs}
    figures = {"marks": [], "monotonic": []}
    unexplained = []
    if not parts or "marks" in parts:
        unexplained += [key for key in marks(figures["marks"]) if key not in MISSED]
    if not parts or "monotonic" in parts:
        unexplained += [key for key in monotonic(figures["monotonic"]) if key not in GOES_DOWN]
    if out := os.environ.get("OUT"):
        Path(out).mkdir(parents=True, exist_ok=True)
        Path(out, "ladder.json").write_text(json.dumps(figures, indent=1))
    print(f"{len(unexplained)} unexplained" + "".join(f"\n  {key}" for key in unexplained))
    return 1 if unexplained else 0


if __name__ == "__main__":
    piped.end(lambda: main(sys.argv[1:]))
