#!/usr/bin/env python3
"""Rewrites nvcc's PTX so that a tree gives the same bytes wherever it is built, and says which files it depends on.

usage: portable_ptx.py RAW_PTX PORTABLE_PTX SOURCE DEPENDENCY_FILE SOURCE_ROOT TOOLKIT_INCLUDE_DIRECTORY...

Two things depend on the machine: the absolute paths of the .file directives, and the checksum of the working directory
that nvcc puts into the names of what has internal linkage (`_INTERNAL_2caaa4f4_10_kernels_cu_…`), in code as text and
in .debug_str as numbers. The checksum has a fixed length, so it is overwritten in place.

The dependency file (for ninja) names the source and what it includes in quotes. nvcc -MD would read all headers a second
time, a fifth of the time that a small kernel file takes.
"""
import re
import sys
from pathlib import Path

INTERNAL_NAME = re.compile(r"(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}(?=_\d+_)")


def portable_path(path, root, includes):
    """'labs/reduce/kernels.cu', 'cuda/include/cooperative_groups.h', 'include/stdio.h'."""
    resolved = Path(path).resolve()
    for include in includes:
        if resolved.is_relative_to(include):
            return f"cuda/include/{resolved.relative_to(include)}"
    if resolved.is_relative_to(root):
        return str(resolved.relative_to(root))
    return "include/" + path.split("/include/", 1)[1] if "/include/" in path else resolved.name


def portable_names(text):
    return INTERNAL_NAME.sub(r"\g<1>00000000", text)


def portable_bytes(match):
    """A run of `.b8 95,90,…` lines: the strings of .debug_str. Keeps the line breaks."""
    lines = [[int(n) for n in line[3:].split(",")] for line in match.group(0).splitlines()]
    text = portable_names(bytes(b for line in lines for b in line).decode("latin-1"))
    rest = iter(text.encode("latin-1"))
    return "".join(".b8 " + ",".join(str(next(rest)) for _ in line) + "\n" for line in lines)


def portable(text, root, includes):
    text = re.sub(r'^(\s*\.file\s+\d+\s+)"([^"]*)"(?:\s*,\s*\d+\s*,\s*\d+)?',
                  lambda m: f'{m.group(1)}"{portable_path(m.group(2), root, includes)}"', text, flags=re.MULTILINE)
    # A string may be broken over lines but not over labels, and a name does not span strings.
    text = re.sub(r"^(?:\.b8 [0-9,]+\n)+", portable_bytes, text, flags=re.MULTILINE)
    return portable_names(text)


def dependencies(source, seen):
    """The file and what it includes in quotes."""
    if source not in seen and source.exists():
        seen.add(source)
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', source.read_text(encoding="utf-8"), re.MULTILINE):
            dependencies((source.parent / name).resolve(), seen)
    return seen


if __name__ == "__main__":
    raw, out, source, dependency_file, root, *includes = (Path(a) for a in sys.argv[1:])
    files = " ".join(str(file).replace(" ", "\\ ") for file in sorted(dependencies((root / source).resolve(), set())))
    dependency_file.write_text(f"{out}: {files}\n", encoding="utf-8")
    text = portable(raw.read_text(encoding="utf-8"), root.resolve(), [include.resolve() for include in includes])
    out.write_text(text, encoding="utf-8")
