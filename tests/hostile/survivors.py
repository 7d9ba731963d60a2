#!/usr/bin/env python3
"""Signals in every stage: no child and no temporary file survives. `survivors.py BINARY [TRIES]`: 20 by default, each signal
in each stage once.

Orphans become children of this process (PR_SET_CHILD_SUBREAPER), so that none can hide. What a killed program's
housekeeper has still to do may take a moment.
"""
import ctypes
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 10  # seconds, on a busy machine
COMMON = ["--device", "sim", "--kernel", "k", "--grid", "1", "--block", "32", "--threads", "2"]
PTX = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k() {\n%s\nret;\n}\n"

# Each keeps its stage busy for seconds: the file, its text, when a signal falls into the stage (seconds).
STAGES = {
    "compile": ("k.cu", "template <int n, int m> struct B { enum { v = B<n - 1, m>::v + B<n - 1, m + 1>::v }; };\n"
                        "template <int m> struct B<0, m> { enum { v = m }; };\n"
                        "__global__ void k() { int x = B<40, 1>::v; }\n", (0.02, 1.5)),
    "ptxas": ("k.ptx", PTX % ".shared .align 1073741824 .b8 s[4];", (0.1, 1)),
    "simulate": ("k.ptx", PTX % "L: bra L;", (0.1, 0.8)),
    "report": ("k.ptx", PTX % "", (0.05, 0.5)),
}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGQUIT]


def descendants():
    """Living processes below this one: (pid, command)."""
    parent, command = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = pathlib.Path("/proc", entry, "stat").read_text()
            line = pathlib.Path("/proc", entry, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        state, ppid = text.rpartition(")")[2].split()[:2]
        if state != "Z":
            parent[int(entry)], command[int(entry)] = int(ppid), line

    def is_below(pid):
        while pid in parent and pid != os.getpid():
            pid = parent[pid]
        return pid == os.getpid()
    return [(pid, command[pid]) for pid in parent if pid != os.getpid() and is_below(pid)]


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def attempt(binary, stage, number, delay):
    """What is left, as sentences."""
    file, text, _ = STAGES[stage]
    with tempfile.TemporaryDirectory(prefix="gpulab-survivors-") as name:
        folder = pathlib.Path(name)
        (folder / file).write_text(text)
        (folder / "tmp").mkdir()
        environment = dict(os.environ, TMPDIR=str(folder / "tmp"), XDG_CACHE_HOME=str(folder / "cache"))
        command = [binary, "run", file, *COMMON]
        # Nobody reads a report of more than a pipe holds: it is being written when the signal comes.
        command += ["--format", "json"] if stage == "report" else ["--output", "report.txt"]
        child = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(delay)
        child.send_signal(number)
        child.stdout.close()
        problems = []
        try:
            child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            problems.append(f"it runs on for {PATIENCE} s")
            child.kill()
            child.wait()
        end = time.monotonic() + PATIENCE
        while True:
            reap()
            alive = descendants()
            files = [str(f.relative_to(folder)) for f in (folder / "tmp").rglob("*")]
            files += [str(f.relative_to(folder)) for f in (folder / "cache").rglob("*") if f.is_file() and f.suffix != ".entry"]
            if not alive and not files or time.monotonic() > end:
                break
            time.sleep(0.02)
        problems += [f"alive: {pid} {line}" for pid, line in alive] + [f"there: {f}" for f in files]
        for pid, _ in alive:
            os.kill(pid, signal.SIGKILL)
        right = [0, 130, 4, -number] + [-signal.SIGPIPE] * (stage == "report")  # its reader has gone, too
        if number not in (signal.SIGKILL, signal.SIGQUIT) and child.returncode not in right:
            problems.append(f"exit code {child.returncode}")
    return problems


def crash_is_a_fault(binary):
    """A simulation that crashes (a SIGSEGV from outside) is a fault of its case, and the sweep goes on."""
    with tempfile.TemporaryDirectory(prefix="gpulab-survivors-") as name:
        folder = pathlib.Path(name)
        (folder / "k.ptx").write_text(PTX % "mov.u32 %r, %ntid.x;\nsetp.gt.u32 %p, %r, 32;\n@%p ret;\nL: bra L;".replace(
            "mov", ".reg .b32 %r;\n.reg .pred %p;\nmov"))
        command = [binary, "run", "k.ptx", "--device", "sim", "--grid", "1", "--block", "32,64", "--format", "csv"]
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + PATIENCE
        victim = None
        while not victim and time.monotonic() < end:  # it is the one that computes
            time.sleep(0.5)
            for pid, _ in descendants():
                if pid != child.pid and float(pathlib.Path("/proc", str(pid), "stat").read_text().split()[13]) > 10:
                    victim = pid
        if not victim:
            child.kill()
            return ["no child simulates"]
        os.kill(victim, signal.SIGSEGV)
        out, err = child.communicate(timeout=60)
        problems = []
        if child.returncode != 4:
            problems.append(f"exit code {child.returncode}, not 4")
        if "fault" not in out or "SIGSEGV" not in out:
            problems.append("no fault that names SIGSEGV")
        if out.count("\n") < 3 or ",ok," not in out:
            problems.append("the second case did not run")
        return problems + [out + err] if problems else []


def few_threads(binary):
    """Where the system gives no threads, those that there are do the work. Side by side: on a busy machine threads that were
    started first have not ended when the last ones are."""
    limited = ["bash", "-c", 'ulimit -v "$1"; shift; exec "$@"', "-"]
    if subprocess.run([*limited, "300000", binary, "--version"], capture_output=True, check=False).returncode != 0:
        return []  # a sanitizer's shadow needs more
    command = [*limited, "300000", binary, "reduce", "--device", "sim", "--threads", "64", "--n", "2^16"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(24)]
    ended = [(child.communicate()[0], child.returncode) for child in started]
    return [f"exit code {code}: {said.splitlines()[-1:]}" for said, code in ended if code != 0]


def closed_streams(binary):
    ended = subprocess.run(["bash", "-c", '"$0" reduce --device sim --n 1000 <&- >&- 2>&-', binary], check=False)
    return [] if ended.returncode == 0 else [f"exit code {ended.returncode}"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    tries = int(sys.argv[2]) if len(sys.argv) > 2 else len(STAGES) * len(SIGNALS)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    random.seed(1)
    tools = shutil.which("nvcc") or os.environ.get("GPULAB_NVCC")
    stages = [s for s in STAGES if tools or s in ("simulate", "report")]
    failed = 0
    checks = [("a crash is a fault", crash_is_a_fault), ("few threads", few_threads), ("closed streams", closed_streams)]
    for what, check in checks:
        if problems := check(binary):
            failed += 1
            print(f"FAILED {what}\n" + "".join(f"    {p}\n" for p in problems), flush=True)
    for i in range(tries):
        stage, number = stages[i % len(stages)], SIGNALS[i // len(stages) % len(SIGNALS)]
        delay = random.uniform(*STAGES[stage][2])
        if problems := attempt(binary, stage, number, delay):
            failed += 1
            print(f"FAILED {signal.Signals(number).name} after {delay:.2f} s of {stage}\n"
                  + "".join(f"    {p}\n" for p in problems), flush=True)
    print(f"{tries + len(checks)} tries, {failed} failed")
    sys.exit(1 if failed or not tries else 0)


if __name__ == "__main__":
    main()
