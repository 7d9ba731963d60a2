#!/usr/bin/env python3
"""Hostile inputs against the binary: `run.py BINARY [-k WORD] [-j JOBS] [--quick|--long] [TOPIC…]` runs the cases of cases/*.py.

A topic imports `case` and what it needs of this file:

    from run import case, ptx
    case("a local array of 1 MB is refused", {"f.ptx": ptx("k", ".local .b8 big[1000000];")}, exit=2,
         stderr="524288 bytes")

files      name -> text or bytes, or a function of the path that makes something else there (a FIFO, a link)
command    the arguments of gpulab; by default those that run the first .ptx or .cu file on the simulator (SIM)
exit       the exit code, or several that are right
stdout, stderr, says    regular expressions that must be found there (says: in either); lists are several
never      a regular expression that must be found in neither
           (blanks and ends of lines are one blank in what they see: tables are wrapped)
seconds, megabytes      what it may take; 20 and 1024 by default
needs      programs without which the case is skipped: "nvcc"
environment             more variables
long                    a quicker case is its like, or one of many: left out by --quick (scripts/test.sh), run alone by --long
"""
import argparse
import concurrent.futures
import dataclasses
import importlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SIM = ["--device", "sim", "--kernel", "k", "--grid", "1", "--block", "32", "--threads", "2"]
ARRAY = ["--arg", "a:i32[1024]=iota"]
SLACK = float(os.environ.get("GPULAB_HOSTILE_SLACK", 1))  # how much more time and memory a build with sanitizers takes
MOST_WAIT = 90 * SLACK  # seconds until what hangs is ended: longer than any case may take on a machine that is busy


@dataclasses.dataclass
class Case:
    name: str
    files: dict
    command: list
    exit: tuple
    stdout: list
    stderr: list
    says: list
    never: list
    seconds: float
    megabytes: float
    needs: list
    environment: dict
    long: bool
    topic: str = ""


CASES = []


def listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]


def case(name, files, command=None, exit=0, stdout=None, stderr=None, says=None, never=None, seconds=20, megabytes=1024,
         needs=(), environment=None, more=(), long=False):
    """Adds one. `more`: arguments behind the usual ones, where `command` is left out."""
    if command is None:
        kernel = next(f for f in files if f.endswith((".ptx", ".cu")))
        command = ["run", kernel, *SIM, *more]
    needs = listed(needs) + (["nvcc"] if any(f.endswith(".cu") for f in files) else [])
    CASES.append(Case(name, files, list(command), tuple(listed(exit)), listed(stdout), listed(stderr), listed(says),
                      listed(never), seconds, megabytes, needs, environment or {}, long))


def ptx(body="ret;", parameters="", before="", version="8.1", target="sm_75", entry="k"):
    """A module with one kernel; `before` stands at module scope."""
    return (f".version {version}\n.target {target}\n.address_size 64\n{before}\n"
            f".visible .entry {entry}({parameters})\n{{\n{body}\n}}\n")


def topics(names):
    sys.modules.setdefault("run", sys.modules[__name__])  # what the topics import
    sys.path.insert(0, str(HERE / "cases"))
    for path in sorted((HERE / "cases").glob("*.py")):
        if names and path.stem not in names:
            continue
        before = len(CASES)
        importlib.import_module(path.stem)
        for one in CASES[before:]:
            one.topic = path.stem
        if len(CASES) == before:
            sys.exit(f"error: {path} has no case")


def lay_out(one, folder):
    for name, content in one.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


def ended(binary, one, folder):
    """Exit code, outputs, and what it took: seconds of the wall, of the CPU, and the largest process's memory."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / ".cache"), **one.environment}
    with open(folder / ".stdout", "wb") as out, open(folder / ".stderr", "wb") as err:
        start = time.monotonic()
        child = subprocess.Popen([binary, *one.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=err, start_new_session=True)
        timed_out = False
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - start > MOST_WAIT and not timed_out:
                timed_out = True
                os.killpg(child.pid, signal.SIGKILL)
            time.sleep(0.01)
        wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait for it again
    # Tables are wrapped at some width: any blanks are one.
    texts = [" ".join((folder / f).read_bytes().decode(errors="replace").split()) for f in (".stdout", ".stderr")]
    return child.returncode, texts, timed_out, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def problems_of(binary, one):
    with tempfile.TemporaryDirectory(prefix="gpulab-hostile-") as name:
        folder = pathlib.Path(name)
        lay_out(one, folder)
        code, (out, err), timed_out, wall, cpu, megabytes = ended(binary, one, folder)
    problems = []
    if timed_out:
        problems.append(f"it did not end within {MOST_WAIT} s")
    elif code not in one.exit:
        problems.append(f"exit code is {code}, not {' or '.join(map(str, one.exit))}")
    # A busy machine stretches the wall's time, several threads the CPU's: what hangs or works too long shows in both.
    if min(wall, max(cpu, wall / 4)) > one.seconds * SLACK:
        problems.append(f"it took {wall:.1f} s ({cpu:.1f} s of the CPU), more than {one.seconds * SLACK:g}")
    if megabytes > one.megabytes * SLACK:
        problems.append(f"it took {megabytes:.0f} MiB, more than {one.megabytes * SLACK:g}")
    for where, text, wanted in (("stdout", out, one.stdout), ("stderr", err, one.stderr), ("output", out + err, one.says)):
        problems += [f"{where} does not say /{w}/" for w in wanted if not re.search(w, text)]
    problems += [f"it says /{w}/" for w in one.never if re.search(w, out + err)]
    if problems:
        problems += [f"{label}: {text[:1500]!r}" for label, text in (("stdout", out), ("stderr", err)) if text]
    return problems, wall, megabytes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("topics", nargs="*")
    parser.add_argument("-k", metavar="WORD", default="", help="only cases whose name has it")
    parser.add_argument("-j", metavar="JOBS", type=int, default=2)
    parser.add_argument("-v", action="store_true", help="what each took")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--quick", dest="long", action="store_const", const=False, help="without the long cases")
    which.add_argument("--long", action="store_const", const=True, help="the long cases alone")
    options = parser.parse_intermixed_args()
    binary = options.binary.resolve()
    topics(options.topics)
    skipped = [one for one in CASES if not all(shutil.which(p) or (p == "nvcc" and os.environ.get("GPULAB_NVCC"))
                                               for p in one.needs)]
    chosen = [one for one in CASES if one not in skipped and options.k in one.name and options.long in (None, one.long)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for one, (problems, wall, megabytes) in zip(chosen, pool.map(lambda c: problems_of(binary, c), chosen)):
            if problems:
                failed += 1
                print(f"FAILED {one.topic}: {one.name}\n" + "".join(f"    {p}\n" for p in problems), flush=True)
            elif options.v:
                print(f"{wall:6.2f} s {megabytes:5.0f} MiB  {one.topic}: {one.name}", flush=True)
    print(f"{len(chosen)} hostile cases, {failed} failed, {len(skipped)} skipped")
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
