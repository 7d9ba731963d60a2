#!/usr/bin/env python3
"""The steps of a build: how far ninja is, and where the time went.

    build_steps.py run FOLDER [TARGET...]    ninja in FOLDER; on stderr one line that says how far it is and how long
                                             it still takes, and all that a failed step says
    build_steps.py shares FOLDER             the table of shares, of FOLDER's last build from clean (.ninja_log)
"""
import os
import pathlib
import re
import select
import subprocess
import sys
import time

# A kind of step: its name in the table of shares, what is found in the names of its outputs or in what ninja says of it
# (the first that fits counts), and how many seconds such a step takes on the machine where it was measured (two idle
# cores, see CONTRIBUTING.md).
KINDS = [
    ("tests", r"\btests/", 3.0),
    ("instruction tables", r"gpulab_isa|\bisa/|joining instruction tables", 6.0),
    ("vendor code", r"vendor", 25.0),
    ("labs", r"gpulab_labs", 2.2),
    ("runner", r"gpulab_runner|gpulab(_first)?\.dir", 2.8),
    ("rest of common", r"gpulab_(common|glue|cudart)", 2.0),
    ("ptxas", r"\.cubin$|\.sm_\d+a?\.txt$|^ptxas", 0.6),
    ("PTX (nvcc)", r"\.ptx$|^nvcc -ptx", 1.3),
    ("link and the rest", r"", 0.3),
]
# What the estimate believes of this machine before it has seen it work: as fast as the one that was measured, for as
# long as this many seconds of steps.
BELIEVED_SECONDS = 20


def kind_of(step):
    """Index in KINDS of a step, by the name of an output or by ninja's description."""
    return next(i for i, (_, pattern, _) in enumerate(KINDS) if re.search(pattern, step))


class Progress:
    """How far a build of these steps (ninja's descriptions) is, and how long the rest takes on so many cores."""

    def __init__(self, steps, cores):
        self.total = len(steps)
        self.finished = 0
        self.seconds_left = sum(KINDS[kind_of(step)][2] for step in steps)
        self.seconds_done = 0
        self.cores = max(1, cores)

    def finish(self, step, finished, total):
        """One more step is done; ninja's own counts of the steps that are, and that will be."""
        weight = KINDS[kind_of(step)][2]
        self.seconds_done += weight
        self.seconds_left = max(0, self.seconds_left - weight)
        self.finished, self.total = finished, total

    def line(self, elapsed):
        """Of a build that has run for so many seconds."""
        speed = (self.seconds_done + BELIEVED_SECONDS) / (elapsed + BELIEVED_SECONDS / self.cores)
        return f"building {self.finished} of {self.total}, about {words(self.seconds_left / speed)} left"


def words(seconds):
    """"40 s", "3 min": no more exact than an estimate is."""
    if seconds < 55:
        return f"{max(5, 5 * round(seconds / 5))} s"
    return f"{max(1, round(seconds / 60))} min"


# ---- run ----------------------------------------------------------------------------------------------------------

NINJA_STATUS = "gpulab-step %f/%t "
STATUS = re.compile(r"gpulab-step (\d+)/(\d+) (.*)")
SILENT = re.compile(r"ninja: (Entering directory|no work to do)")
CLEAR = "\r\033[K"


def planned(folder, targets):
    """What ninja would do, a description each. Nothing where it cannot say (it says why when it runs)."""
    plan = subprocess.run(["ninja", "-C", folder, "-n", *targets], capture_output=True, text=True,
                          env={**os.environ, "NINJA_STATUS": NINJA_STATUS})
    found = [STATUS.match(line) for line in plan.stdout.splitlines()]
    return [match.group(3) for match in found if match]


def lines_of(pipe):
    """The lines of a pipe as they come, and None for each second without one."""
    waiting = b""
    while True:
        if not select.select([pipe], [], [], 1)[0]:
            yield None
            continue
        more = os.read(pipe.fileno(), 65536)
        if not more:
            break
        *whole, waiting = (waiting + more).split(b"\n")
        yield from (line.decode(errors="replace") for line in whole)
    if waiting:
        yield waiting.decode(errors="replace")


def run(folder, targets, out=sys.stderr):
    """Runs ninja; returns its exit code."""
    cores = len(os.sched_getaffinity(0))
    progress = Progress(planned(folder, targets), cores)
    start = time.monotonic()
    # One compiler a core: ninja's own choice is one more, which costs a tenth of the CPU time and gains nothing.
    ninja = subprocess.Popen(["ninja", "-C", folder, "-j", str(cores), *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             stdin=subprocess.DEVNULL, env={**os.environ, "NINJA_STATUS": NINJA_STATUS})
    try:
        for line in lines_of(ninja.stdout):
            step = STATUS.match(line or "")
            if step:
                progress.finish(step.group(3), int(step.group(1)), int(step.group(2)))
            elif line is not None and not SILENT.match(line):  # what a failed step says, whole
                print(f"{CLEAR}{line}", file=out)
            if progress.total:
                print(f"{CLEAR}gpulab: {progress.line(time.monotonic() - start)}", end="", file=out, flush=True)
        print(CLEAR, end="", file=out, flush=True)
        return ninja.wait()
    except KeyboardInterrupt:  # the terminal sent it to ninja, too, which ends its steps
        print(file=out)
        ninja.wait()
        return 130


# ---- shares -------------------------------------------------------------------------------------------------------


def log_steps(text):
    """(start, end, output) in seconds of each step of a ninja log, the last time that it ran."""
    steps = {}
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) == 5:  # start, end, time stamp, output, hash of the command: equal for all outputs of a step
            steps[fields[4]] = (int(fields[0]) / 1000, int(fields[1]) / 1000, fields[3])
    return list(steps.values())


def shares(text):
    """The table of shares of a ninja log, a row for each kind that took time, the longest first."""
    steps = log_steps(text)
    if not steps:
        return "no step in this log\n"
    sums = [[name, 0, 0.0] for name, _, _ in KINDS]
    for start, end, output in steps:
        row = sums[kind_of(output)]
        row[1] += 1
        row[2] += end - start
    total = sum(row[2] for row in sums) or 1
    table = ["| share | steps | seconds | % |", "| --- | --: | --: | --: |"]
    for name, count, seconds in sorted(sums, key=lambda row: -row[2]):
        if count:
            table.append(f"| {name} | {count} | {seconds:.0f} | {100 * seconds / total:.0f} |")
    wall = max(end for _, end, _ in steps) - min(start for start, _, _ in steps)
    table.append(f"| all | {len(steps)} | {total:.0f} | 100 |")
    return "\n".join(table) + f"\n\nSeconds are each step's own, summed: CPU seconds where no more steps ran than there " \
                              f"are idle cores.\nThe build took {wall:.0f} s by the clock.\n"


def main(arguments):
    if len(arguments) >= 2 and arguments[0] == "run":
        return run(arguments[1], arguments[2:])
    if len(arguments) == 2 and arguments[0] == "shares":
        print(shares(pathlib.Path(arguments[1], ".ninja_log").read_text()), end="")
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
