#!/usr/bin/env python3
"""What configs/mistakes.md shows is what gpulab says, and its remedies mend the programs.

usage: mistakes_page_test.py BINARY [--sample N] [-k WORD] [-j N] [--page FILE]

A kind of mistake is a heading of level 3 with three blocks: the program (```cuda), a command with what it says (```), and the
correction (```diff: lines that go, that come, and that show the place, as of a patch; `...` between two places).

- The program is written under the name that the command gives, and the command run with COLUMNS=100. The lines shown have to be
  said in their order; `...` stands for any lines between them, `0x…` for any address; any blanks count as one, since the folder's
  name, which the page leaves out, moves the ends of lines.
- The corrected program is run by the same command, and with `--sanitize all`: exit code 0, no error, no warning, and by the
  command itself none of the lines shown.

Exit code 77 (skipped) where there is no nvcc.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NVCC = os.environ.get("GPULAB_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
ENVIRONMENT = {**os.environ, "COLUMNS": "100", "PATH": f"{pathlib.Path(NVCC).parent}:{os.environ.get('PATH', '')}"}
ADDRESS = re.compile(r"0x[0-9a-f]{8,}")
LIMIT_S = 300  # of one command, on a busy machine


class Wrong(Exception):
    """Something of the page is not so; what."""


def one_blank(text):
    return " ".join(text.split())


class Kind:
    """A kind of mistake: its program, command, the lines shown and the correction."""

    def __init__(self, heading, text):
        self.heading = heading
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
        if [language for language, _ in blocks] != ["cuda", "", "diff"]:
            raise Wrong("needs three blocks: cuda, one without a language, diff")
        self.program, said, self.correction = (block for _, block in blocks)
        command, _, self.said = said.partition("\n")
        words = shlex.split(command)
        if words[:3] != ["$", "gpulab", "exec"] or not words[-1].endswith(".cu") or "/" in words[-1]:
            raise Wrong(f"'{command}' is no command of the form '$ gpulab exec OPTIONS NAME.cu'")
        self.options, self.file = words[3:-1], words[-1]
        if not self.said.strip():
            raise Wrong("shows nothing that gpulab says")

    def parts(self):
        """The lines shown between one `...` and the next."""
        return [part for part in re.split(r"^\.\.\.\n", self.said, flags=re.M) if part.strip()]

    def corrected(self):
        """The program with each place of the correction applied."""
        text = self.program
        for place in re.split(r"^\.\.\.\n", self.correction, flags=re.M):
            lines = place.splitlines()
            if bad := [line for line in lines if line[:1] not in ("-", "+", " ")]:
                raise Wrong(f"the correction's line '{bad[0]}' begins with none of '-', '+' and a blank")
            before = "".join(line[1:] + "\n" for line in lines if line[0] != "+")
            after = "".join(line[1:] + "\n" for line in lines if line[0] != "-")
            times = f"\n{text}".count(f"\n{before}") if before else 0
            if times != 1:
                raise Wrong(f"the correction's lines stand {times} times in the program, not once:\n{before}")
            text = f"\n{text}".replace(f"\n{before}", f"\n{after}")[1:]
        if text == self.program:
            raise Wrong("the correction changes nothing")
        return text


def kinds_of(page):
    """The kinds of a page, in its order; and what is wrong with it."""
    kinds, wrong = [], []
    for heading, text in re.findall(r"^### ([^\n]*)\n(.*?)(?=^##|\Z)", page, re.M | re.S):
        try:
            kinds.append(Kind(heading, text))
        except Wrong as why:
            wrong.append(f"{heading}: {why}")
    files = [kind.file for kind in kinds]
    wrong += [f"{file}: two kinds have this file" for file in set(files) if files.count(file) > 1]
    # Links within the page, as GitHub makes their names.
    names = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^##+ (.*)$", page, re.M)}
    links = set(re.findall(r"\]\(#(.*?)\)", page))
    wrong += [f"the link #{name} leads nowhere" for name in sorted(links - names)]
    wrong += [f"no link leads to #{name}" for name in sorted(names - links)]
    return kinds, wrong


def said_by(binary, kind, program, options):
    """Exit code, the program's output and the report, without the folder's name."""
    with tempfile.TemporaryDirectory(prefix="mistakes-page-") as folder:
        pathlib.Path(folder, kind.file).write_text(program, encoding="utf-8")
        # Where there is a GPU, too, the page is about the simulator.
        done = subprocess.run([binary, "exec", "--device", "sim", *options, kind.file], cwd=folder, env=ENVIRONMENT, text=True,
                              capture_output=True, errors="replace", timeout=LIMIT_S, stdin=subprocess.DEVNULL, check=False)
        report = done.stderr
        for name in (os.path.realpath(folder), folder):
            report = report.replace(name + "/", "")
        return done.returncode, done.stdout, ADDRESS.sub("0x…", report)


def check_shown(binary, kind):
    """The program as it stands: all lines shown are said, in their order."""
    _, output, report = said_by(binary, kind, kind.program, kind.options)
    said = output + report
    rest = one_blank(said)
    for part in kind.parts():
        _, found, rest = rest.partition(one_blank(part))
        if not found:
            raise Wrong(f"not said, or not in this order:\n{part}--- but:\n{said}")


def check_corrected(binary, kind):
    """The corrected program: nothing is said of it, and nothing of what is shown."""
    sanitized = [] if "--sanitize" in kind.options else [[*kind.options, "--sanitize", "all"]]
    for tried in [*sanitized, kind.options]:
        code, _, said = said_by(binary, kind, kind.corrected(), tried)
        if code != 0 or re.search(r"\b(error|warning)\b *:", said):
            raise Wrong(f"the corrected program is accused, exit code {code}:\n{said}")
    lines = {one_blank(line) for line in said.splitlines()}
    if left := [line for line in kind.said.splitlines() if one_blank(line) in lines - {""}]:
        raise Wrong(f"of the corrected program gpulab still says\n{left[0]}\n--- in:\n{said}")


def check(binary, kind):
    """What is wrong with a kind; empty: nothing."""
    try:
        check_shown(binary, kind)
        check_corrected(binary, kind)
    except Wrong as why:
        return str(why)
    except subprocess.TimeoutExpired:
        return f"took more than {LIMIT_S} s"
    return ""


def main():
    parser = argparse.ArgumentParser(description="Runs what the page of mistakes shows.")
    parser.add_argument("binary", help="gpulab")
    parser.add_argument("--sample", metavar="N", type=int, default=1, help="every Nth kind alone")
    parser.add_argument("-k", metavar="WORD", default="", help="only kinds with this in their heading or file")
    parser.add_argument("-j", metavar="N", type=int, default=2, help="kinds at a time")
    parser.add_argument("--page", metavar="FILE", type=pathlib.Path, default=ROOT / "configs/mistakes.md")
    options = parser.parse_args()
    if not pathlib.Path(NVCC).exists():
        print(f"skipped: no nvcc ({NVCC})")
        return 77
    kinds, failures = kinds_of(options.page.read_text(encoding="utf-8"))
    chosen = [kind for kind in kinds[:: options.sample] if options.k in f"{kind.heading} {kind.file}"]
    if not chosen:
        failures.append(f"{options.page} has no kind with '{options.k}' in its heading or file")
    binary, passed = str(pathlib.Path(options.binary).resolve()), 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for kind, wrong in zip(chosen, pool.map(lambda kind: check(binary, kind), chosen)):
            passed += not wrong
            if wrong:
                failures.append(f"{kind.heading} ({kind.file}): {wrong}")
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{passed} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
