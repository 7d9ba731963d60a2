#!/usr/bin/env python3
"""lint_commands.py COMPILE_COMMANDS: the compile commands for clang-tidy, on stdout.

A command for each source file, also where a build compiles several as one (scripts/cmake/unite.py); without g++'s precompiled
headers, which clang cannot read, and g++'s parameters.
"""
import json
import pathlib
import re
import sys

FOR_GCC = re.compile(r" -Winvalid-pch -include \S*cmake_pch\.hxx| -fpch-preprocess| --param ggc-\S+")

made = []
for entry in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    entry["command"] = FOR_GCC.sub("", entry["command"])
    together = []
    if "/Unity/" in entry["file"]:
        together = re.findall(r'#include "(.*)"', pathlib.Path(entry["file"]).read_text())
    for path in together or [entry["file"]]:
        made.append({**entry, "file": path, "command": entry["command"].replace(entry["file"], path)})
json.dump(made, sys.stdout, indent=1)
