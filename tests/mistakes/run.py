#!/usr/bin/env python3
"""Judges gpulab by programs with known mistakes and by right ones that look suspicious; README.md has the marks.

usage: run.py BINARY [-k WORD] [-j N] [--folder DIR]
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODES = {"plain": [], "sanitize": ["--sanitize", "all"], "explain": ["--explain"]}
LIMIT_S = 120  # of one command, on a busy machine


class Program:
    """A program of the corpus and its marks."""

    def __init__(self, source):
        self.source = source
        self.name = f"{source.parent.name}/{source.stem}"
        self.guilty = source.parent.name == "guilty"
        text = source.read_text(encoding="utf-8")
        self.lines = {n for n, line in enumerate(text.splitlines(), 1) if re.search(r"//\s*BUG2?\s*$", line)}
        self.how = self.mark(text, "how") or "plain"
        self.says = self.mark(text, "says")
        self.build = self.mark(text, "build")
        if self.guilty and not (self.lines and self.says and self.how in MODES):
            raise SystemExit(f"error: {source}: a guilty program needs the marks BUG, how and says")

    @staticmethod
    def mark(text, name):
        found = re.search(rf"^// {name}: (.*)$", text, re.MULTILINE)
        return found.group(1).strip() if found else ""

    def named_in(self, text):
        """The lines of the source that a text names, as FILE:LINE or the compiler's FILE(LINE)."""
        return {int(line) for line in re.findall(rf"{re.escape(self.source.name)}[:(](\d+)", text)}


class Statement:
    """One thing that was said: its words, the lines that it names, and whether it accuses."""

    def __init__(self, program, words, lines=(), accuses=False):
        self.words = " ".join(words.split())
        self.lines = set(lines) | program.named_in(words)
        self.remedy = re.sub(rf"\b{re.escape(program.source.stem)}\b", "", self.words)  # a name may hold the very word
        self.accuses = accuses


def strings(value):
    """All texts within a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


def said_in_text(program, text):
    """What a compiler or gpulab says on stderr: a statement begins where a line names the source."""
    parts = []
    for line in text.splitlines():
        if not parts or program.named_in(line):
            parts.append(line)
        else:
            parts[-1] += "\n" + line
    return [Statement(program, part) for part in parts if part.strip()]


def said_of(program, record, allocations, accuses):
    """A finding or a fault, with the lines of its places and of the allocations that it names."""
    words = " ".join(strings(record))
    words += "".join(f" ({a['allocation']}: {a['caller']})" for a in allocations if a["allocation"] in words)
    lines = [at.get("line") for at in record.get("at", []) if pathlib.PurePath(at.get("file", "")).name == program.source.name]
    return Statement(program, words, lines, accuses)


def looked_at(fault):
    """A launch or an allocation that could not be, and whose error the program has seen: it may have tried on purpose."""
    return fault["seen_by_program"] and fault["failure"] in ("refused", "out_of_memory")


def said_in_report(program, report):
    """The findings, faults, marks and notes of a gpulab.exec.v1 document."""
    if "error" in report:
        return [Statement(program, " ".join(strings(report["error"])), accuses=True)]
    allocations = report.get("allocations", [])
    kernels = report.get("kernels", [])
    said = []
    for finding in report.get("findings", []) + [f for kernel in kernels for f in kernel["findings"]]:
        said.append(said_of(program, finding, allocations, finding["severity"] in ("error", "warning")))
    for fault in report.get("faults", []):
        said.append(said_of(program, fault, allocations, not looked_at(fault)))
    for kernel in kernels:
        for mark in kernel.get("explain", {}).get("marks", []):
            # A mark without a line is about the launch.
            place = f"{program.source.name}:{mark['line']}" if mark["line"] else kernel.get("caller") or ""
            said.append(Statement(program, f"{place} {mark['text']}"))
    said += [Statement(program, " ".join(strings(advice))) for advice in report.get("advice", [])]
    said += [Statement(program, note) for note in report.get("notes", [])]
    said += [Statement(program, " ".join(strings(report[key])), accuses=True)
             for key in ("unsupported", "crash") if report.get(key)]
    return said


def run(command, folder):
    """Exit code, stdout and stderr; 124 where it took too long."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return 124, "", f"took more than {LIMIT_S} s"


def build(binary, program, folder):
    """Compiles a copy of the program: whether there is one now, and what was said."""
    (folder / program.source.name).write_bytes(program.source.read_bytes())
    options = [] if program.build == "fails" else program.build.split()
    code, out, err = run([binary, "nvcc", "-O2", "-std=c++17", *options, program.source.name, "-o", program.source.stem], folder)
    return code == 0 and (folder / program.source.stem).exists(), out + err


def execute(binary, program, folder, mode, target):
    """Runs one mode: exit code, and the statements of the report and of stderr."""
    output = folder / f"{mode}.json"
    code, out, err = run([binary, "exec", target, *MODES[mode], "--format", "json", "--output", str(output)], folder)
    try:
        report = json.loads(output.read_text(encoding="utf-8") if output.exists() else out)
    except ValueError:
        report = {}
    return code, said_in_report(program, report) + said_in_text(program, err)


def judge_guilty(binary, program, folder):
    """(passed, verdict, what it rests on)"""
    built, text = build(binary, program, folder)
    said = said_in_text(program, text)
    # What does not compile is given to exec as a source, which may say more than the compiler.
    target = f"./{program.source.stem}" if built else program.source.name
    said += execute(binary, program, folder, program.how, target)[1]
    for statement in said:
        if statement.lines & program.lines and re.search(program.says, statement.remedy, re.IGNORECASE):
            return True, "named", statement.words
    if not said:
        return False, "missed", ""
    near = [s for s in said if s.lines & program.lines]
    reason = "no remedy" if near else "other line"
    return False, "vague", f"{reason}: {(near or said)[0].words}"


def judge_right(binary, program, folder):
    """(passed, verdict, what it rests on)"""
    built, text = build(binary, program, folder)
    if not built:
        return False, "not built", text
    for mode in MODES:
        code, said = execute(binary, program, folder, mode, f"./{program.source.stem}")
        accusing = [s.words for s in said if s.accuses]
        if accusing or code != 0:
            words = accusing or [s.words for s in said] or ["nothing said"]
            return False, "accused" if accusing else f"exit code {code}", f"{mode}: {words[0]}"
    return True, "passes", ""


def judge(binary, program):
    with tempfile.TemporaryDirectory(prefix="mistakes-") as folder:
        return (judge_guilty if program.guilty else judge_right)(binary, program, pathlib.Path(folder))


def known_in(folder):
    """Programs whose failure is known, and why."""
    path = folder / "known.txt"
    if not path.exists():
        return {}
    rows = [line.split(":", 1) for line in path.read_text(encoding="utf-8").splitlines() if ":" in line and line[0] != "#"]
    return {name.strip(): reason.strip() for name, reason in rows}


def main():
    parser = argparse.ArgumentParser(description="Judges gpulab by programs with known mistakes and by right ones.")
    parser.add_argument("binary", help="gpulab")
    parser.add_argument("-k", metavar="WORD", default="", help="only programs with this in their names")
    parser.add_argument("-j", metavar="N", type=int, default=1, help="programs at a time")
    parser.add_argument("--folder", metavar="DIR", type=pathlib.Path, default=HERE, help="with guilty/ and right/")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.binary).resolve())
    sources = sorted(options.folder.glob("guilty/*.cu")) + sorted(options.folder.glob("right/*.cu"))
    programs = [program for program in map(Program, sources) if options.k in program.name]
    if not programs:
        raise SystemExit(f"error: no programs in {options.folder} with '{options.k}' in their names")
    known = known_in(options.folder)
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for program, (good, verdict, words) in zip(programs, pool.map(lambda p: judge(binary, p), programs)):
            passed += good
            excused = not good and program.name in known
            failed += not good and not excused
            note = f"known: {known[program.name]}" if excused else "" if good else " ".join(words.split())[:300]
            mode = program.how if program.guilty else ""
            print(f"{program.name:42} {mode:9} {verdict:12} {note}".rstrip(), flush=True)
            if good and program.name in known:
                print(f"  {program.name} passes now: take it out of known.txt")
    print(f"{passed} passed, {failed} failed" + (f", {len(programs) - passed - failed} known" if passed + failed < len(programs) else ""))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
