#!/usr/bin/env python3
"""lint_commands.py FOLDER COMPILE_COMMANDS [SOURCE...]: FOLDER/compile_commands.json, what clang-tidy takes the compile commands from.

A command for each source file, also where a build compiles several as one (scripts/cmake/unite.py); without g++'s precompiled
headers, which clang cannot read, and g++'s parameters. Of each SOURCE (a path from the tree's root), a file FOLDER/N.cpp that includes it
and others with the same options, and prints their paths: most of clang-tidy's time goes into headers, which are so read once for all.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "cmake"))
import unite  # noqa: E402

FOR_GCC = re.compile(r" -Winvalid-pch -include \S*cmake_pch\.hxx| --param ggc-\S+| -fcx-limited-range")
LINT_UNIT = 24.0  # larger groups gain nothing: what is left alone is so for its names or options
PLACES = re.compile(r" -(o|c) \S+")


def commands_of_files(entries):
    made = []
    for entry in entries:
        entry["command"] = FOR_GCC.sub("", entry["command"])
        together = []
        if "/united/" in entry["file"]:
            together = [str(ROOT / path) for path in re.findall(r'#include "(.*)"', pathlib.Path(entry["file"]).read_text())]
        for path in together or [entry["file"]]:
            made.append({**entry, "file": path, "command": entry["command"].replace(entry["file"], path)})
    return made


def commands_of_groups(folder, commands, sources):
    """A command for each group of the sources; writes the files that include them."""
    of_file = {command["file"]: command for command in reversed(commands)}
    if unbuilt := [source for source in sources if str(ROOT / source) not in of_file]:
        sys.exit(f"lint_commands.py: nothing builds {' '.join(unbuilt)}: add to CMakeLists.txt, or configure anew")
    units = [unite.Source(ROOT, str(ROOT / source)) for source in sources]
    made = []
    for group in unite.groups(units, lambda source: PLACES.sub("", of_file[str(source.path)]["command"]), LINT_UNIT):
        command = of_file[str(group[0].path)]
        path = folder / f"{len(made)}.cpp"
        path.write_text("".join(f'#include "{source.path}"\n' for source in group))
        made.append({**command, "file": str(path), "command": command["command"].replace(command["file"], str(path))})
    return made


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    commands = commands_of_files(json.loads(pathlib.Path(sys.argv[2]).read_text()))
    groups = commands_of_groups(folder, commands, sys.argv[3:])
    (folder / "compile_commands.json").write_text(json.dumps(commands + groups, indent=1))
    print(*(group["file"] for group in groups), sep="\n", end="\n" if groups else "")


if __name__ == "__main__":
    main()
