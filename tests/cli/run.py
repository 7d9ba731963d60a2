#!/usr/bin/env python3
"""The command line from outside: every tests/cli/*.txt is a list of cases, run against the binary given.

A case starts with `$ gpulab …` (a shell runs it in an empty folder; `gpulab` is the binary), then
    exit CODE
    stdout:
    | a line of standard output
    stderr:
    | a line of standard error
A section that is not there is empty output; `| ...` alone stands for any number of lines, and `...` inside a line for
any text. `needs PROGRAM` skips a case where neither the shell nor `gpulab doctor` finds it
(`terminal`: where none can be had); `no gpu` where there is a
GPU; `long` leaves it to --long (scripts/test.sh --all): seconds of a CPU, and a quicker case is its like. Lines that
start with # are comments. $FILES is tests/cli/files. `run.py BINARY [--long] [NAME…]` runs the files of these names only.
"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from sanitized import without_notes  # noqa: E402 (the path comes first)


class Case:
    def __init__(self, command, line):
        self.command, self.line = command, line
        self.exit, self.stdout, self.stderr, self.needs, self.no_gpu, self.long = 0, [], [], [], False, False


def cases_of(path):
    cases, section = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("$ "):
            cases.append(Case(line[2:], number))
            section = None
        elif not line.strip() or line.startswith("#"):
            continue
        elif line.startswith("exit "):
            cases[-1].exit = int(line[5:])
        elif line.startswith("needs "):
            cases[-1].needs.append(line[6:].strip())
        elif line == "no gpu":
            cases[-1].no_gpu = True
        elif line == "long":
            cases[-1].long = True
        elif line in ("stdout:", "stderr:"):
            section = getattr(cases[-1], line[:-1])
        elif line.startswith("|") and section is not None:
            section.append(line[2:])
        else:
            sys.exit(f"error: {path.name}:{number}: not a part of a case: {line}")
    return cases


def pattern_of(lines):
    """A regular expression for the whole output."""
    text = ""
    for line in lines:
        if line == "...":
            text += r"(?:.*\n)*?"
        else:
            text += ".*".join(re.escape(part) for part in line.split("...")) + r"\n"
    return re.compile(text)


def difference(name, expected, got):
    if pattern_of(expected).fullmatch(got):
        return []
    shown = "".join(f"    | {line}\n" for line in got.splitlines()) or "    (nothing)\n"
    wanted = "".join(f"    | {line}\n" for line in expected) or "    (nothing)\n"
    return [f"  {name} is\n{shown}  not\n{wanted}"]


def run(case, binary, environment):
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            ["bash", "-c", f'gpulab() {{ "{binary}" "$@"; }}\n{case.command}'],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    problems = []
    if ended.returncode != case.exit:
        problems.append(f"  exit code is {ended.returncode}, not {case.exit}\n")
    problems += difference("stdout", case.stdout, ended.stdout.decode(errors="replace"))
    problems += difference("stderr", case.stderr, without_notes(ended.stderr.decode(errors="replace")))
    return problems


def has_terminals():
    """A pseudo-terminal can be had: not in a root folder without /dev/pts."""
    try:
        for end in pty.openpty():
            os.close(end)
        return True
    except OSError:
        return False


def found(program, doctor):
    if program == "terminal":
        return has_terminals()
    if program == "nvcc":  # not what scripts/nvrtc.py does in its name, where the driver is of CUDA 12
        return any(line.split()[1:] == "run compiles .cu files with nvcc".split() for line in doctor.splitlines())
    return shutil.which(program) or any(line.split()[:2] == ["ok", program] for line in doctor.splitlines())


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary = pathlib.Path(sys.argv[1]).resolve()
    # Compiled files are kept from case to case, and not among the user's own.
    cache = tempfile.TemporaryDirectory()
    environment = dict(os.environ, GPULAB=str(binary), FILES=str(HERE / "files"), XDG_CACHE_HOME=cache.name,
                       SCHEMA_CHECK=f"{sys.executable} {HERE / 'check_schema.py'} {binary}",
                       ON_TERMINAL=f"{sys.executable} {HERE / 'on_terminal.py'}")
    for name in ("NO_COLOR", "COLUMNS", "GPULAB_CPU_LEVEL", "GPULAB_NVCC", "GPULAB_NVRTC"):
        environment.pop(name, None)
    has_gpu = os.path.exists("/dev/nvidia0")
    doctor = subprocess.run([binary, "doctor"], env=environment, capture_output=True, text=True, check=False).stdout
    long, names = "--long" in sys.argv[2:], [word for word in sys.argv[2:] if word != "--long"]
    ran = failed = skipped = 0
    for path in sorted(HERE.glob("*.txt")):
        if names and path.stem not in names:
            continue
        for case in cases_of(path):
            if case.long != long:
                continue
            if (case.no_gpu and has_gpu) or not all(found(program, doctor) for program in case.needs):
                skipped += 1
                continue
            ran += 1
            problems = run(case, binary, environment)
            if problems:
                failed += 1
                print(f"FAILED {path.name}:{case.line}: {case.command}\n" + "".join(problems))
    print(f"{ran} command lines, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not ran else 0)


if __name__ == "__main__":
    main()
