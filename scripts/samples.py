#!/usr/bin/env python3
"""Writes what commands print into the pages that show it, so that no page shows what gpulab no longer says.

usage: samples.py [--check] GPULAB PAGE.md…

A sample is a block of code under a comment, whose first line is a command:
    <!-- output 1-9, 12, 15-20 -->
    ```
    $ gpulab reduce --variant warp
    …
    ```
The command is run from the tree's root, at 96 columns; `gpulab` and `scripts/gpulab` stand for the binary. Those lines of its output
follow, standard error where it comes, and `…` for what is left out. `<!-- output all -->` takes every line. A page is only written
where something has changed. --check writes nothing, and exits with 1 where a page would change. Blocks without the comment stay.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLE = re.compile(r"(<!-- output (?P<lines>[0-9, -]+|all) -->\n```\n\$ (?P<command>(?:[^\n]*\\\n)*[^\n]*)\n).*?(?P<end>```\n)", re.S)
COLUMNS = 96
SECONDS = 120


def output_of(command, gpulab, folder):
    """The lines that a command prints; none of them ends in spaces."""
    words = re.sub(r"(?m)^(scripts/)?gpulab(?= )", '"$GPULAB"', command)
    environment = {**os.environ, "GPULAB": str(gpulab), "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8", "TERM": "dumb", "CI": "1"}
    ran = subprocess.run(["bash", "-c", words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    return [line.rstrip() for line in ran.stdout.decode("utf-8").splitlines()]


def chosen(lines, asked):
    """Those that `asked` names ("1-9, 12"), with … for what is left out. ValueError where there is no such line."""
    if asked == "all":
        return lines
    shown, behind = [], 0
    for part in asked.split(","):
        first, _, last = part.strip().partition("-")
        first, last = int(first), int(last or first)
        if not behind < first <= last <= len(lines):
            raise ValueError(f"lines {part.strip()} of {len(lines)}")
        shown += ["…"] * (first > behind + 1) + lines[first - 1:last]
        behind = last
    return shown + ["…"] * (behind < len(lines))


def renewed(page, gpulab, folder=ROOT):
    """The page's text with all samples as they are printed now."""
    def sample(found):
        try:
            lines = chosen(output_of(found["command"], gpulab, folder), found["lines"])
        except ValueError as error:
            sys.exit(f"{page}: '$ {found['command']}' has no {error}")
        return found[1] + "".join(line + "\n" for line in lines) + found["end"]

    return SAMPLE.sub(sample, page.read_text(encoding="utf-8"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("gpulab", type=pathlib.Path)
    parser.add_argument("pages", nargs="+", type=pathlib.Path, metavar="PAGE.md")
    arguments = parser.parse_args()
    stale = 0
    for page in arguments.pages:
        before, now = page.read_text(encoding="utf-8"), renewed(page, arguments.gpulab.resolve())
        if before == now:
            continue
        stale += 1
        if arguments.check:
            sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), now.splitlines(True), str(page), "as printed now", n=1))
        else:
            page.write_text(now, encoding="utf-8")
            print(f"{page}: written anew")
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
