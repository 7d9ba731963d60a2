#!/usr/bin/env python3
"""Registers, shared and local memory of every kernel on every architecture of configs/gpus, as `ptxas -v` says.

ptxas takes most of a minute for all of it, so its answers are kept in the tree: labs/NAME/ptxas.tsv, one line per kernel.
A line counts only for the very PTX that it was made from, and for that version of ptxas: its key is a hash of both. What
has no line (an edited kernel, a new lab, another toolkit) ptxas is asked when the kernels are embedded (embed.py), and the
answer is kept in the build folder. So the numbers are never those of another kernel.

usage: ptxas_tables.py --write|--check|--sample MANIFEST [LAB...]     MANIFEST: build/embedded/manifest.txt, after a build
  --write  asks ptxas everything and writes labs/*/ptxas.tsv, or those of some labs
  --check  asks ptxas everything and fails if a line of a table is not what it says. Kernels without a line are named, and
           in order: another toolkit's headers may make other PTX of them. Exits with 77 where the tables are of another
           version of ptxas: nothing can be compared
  --sample the same, each kernel file for one architecture alone, another one after each change of the file
"""
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FIELDS = ("registers", "shared", "stack", "spill stores", "spill loads", "constant", "barriers")  # PtxasRow's
TITLE = "# What ptxas {} says of the kernels in this folder, for each architecture: {}. Bytes but for registers, barriers.\n" \
        "# Written by scripts/ptxas_tables.py; a line counts only for the PTX and the ptxas that its key is a hash of.\n"


def number(pattern, text):
    """Sum of all matches: cmem has a bank each."""
    return sum(int(n) for n in re.findall(pattern, text))


def parse_log(log):
    """What `ptxas -v` prints of each entry: {entry: values of FIELDS}."""
    answers = {}
    for part in re.split(r"Compiling entry function '", log)[1:]:
        entry = part.split("'", 1)[0]
        registers = re.search(r"Used (\d+) registers", part)
        if not registers:
            sys.exit(f"ptxas_tables.py: no register count of {entry} in ptxas' output:\n{part}")
        # Functions that were not inlined have properties of their own.
        stack = re.search(rf"properties for {re.escape(entry)}\s+(\d+) bytes stack frame, "
                          r"(\d+) bytes spill stores, (\d+) bytes spill loads", part)
        frame, stores, loads = (int(n) for n in stack.groups()) if stack else (0, 0, 0)
        cumulative = number(r"(\d+) bytes cumulative stack size", part)
        answers[entry] = (int(registers.group(1)), number(r"(\d+)(?:\+\d+)? bytes smem", part), max(frame, cumulative),
                          stores, loads, number(r"(\d+) bytes cmem", part), number(r"used (\d+) barriers", part))
    return answers


# --- PTX ----------------------------------------------------------------------------------------------------------------

LINE_ITEM = re.compile(r"\.(version|target|address_size|file)\b")
NAMES = (re.compile(r"\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)"), re.compile(r"([\w$]+)(?:\[\d*\])*\s*(?:=|;)"))
# What no instruction depends on: comments, line information, numbers in the compiler's own labels, debuggers' sections
# (which name files and machines).
IRRELEVANT = re.compile(r"//[^\n]*|^\s*\.(?:loc|file)\b[^\n]*|^\$L__(?:tmp|func_\w+?)\d+:", re.MULTILINE)
SECTION = re.compile(r"\s*\.section\b")
LABEL = re.compile(r"\$L__BB\d+_")


def items(ptx):
    """The module's parts, in order: directives of one line, variables, functions, sections."""
    part, depth = [], 0
    for line in ptx.splitlines():
        code = line.split("//", 1)[0]
        part.append(line)
        depth += code.count("{") - code.count("}")
        end = code.rstrip()
        if depth == 0 and (end.endswith((";", "}")) or LINE_ITEM.match(end.lstrip())):
            yield "\n".join(part) + "\n"
            part = []


class Module:
    """PTX by its entries. Code for debuggers (nvcc -G) and for the linker (-rdc) is one piece: what refers to what is not
    all in names there."""

    def __init__(self, ptx, whole):
        self.text, self.whole = ptx, whole
        self.parts, self.names, self.entries = list(items(ptx)), {}, {}
        for index, part in enumerate(self.parts):
            code = re.sub(r"//[^\n]*", "", part).strip()
            if code.startswith(".section") or LINE_ITEM.match(code):
                continue
            name = next((found.group(1) for found in (pattern.search(code) for pattern in NAMES) if found), None)
            self.names.setdefault(name, []).append(index)
            if re.match(r"(?:\.\w+\s+)*?\.entry\b", code) and "{" in code:
                self.entries[name] = index

    def needed(self, entry):
        """Indices of the entry and of what it refers to."""
        found, open_names = set(), [entry]
        while open_names:
            for index in self.names.get(open_names.pop(), ()):
                if index not in found:
                    found.add(index)
                    open_names += set(re.findall(r"[\w$]+", self.parts[index])) & self.names.keys()
        return sorted(found)

    def keys(self, ptxas):
        """{entry: hash of all that ptxas' answer depends on}."""
        head = "".join(part for part in self.parts if re.match(r"[^.]*\.(version|target)", re.sub("//[^\n]*", "", part)))
        keys = {}
        for entry in self.entries:
            parts = [self.parts[index] for index in (range(len(self.parts)) if self.whole else self.needed(entry))]
            parts = [part for part in parts if not SECTION.match(IRRELEVANT.sub("", part))]
            text = LABEL.sub("$L__BB_", re.sub(r"\s+", " ", IRRELEVANT.sub("", head + "".join(parts))))
            keys[entry] = hashlib.sha256(f"{ptxas} {entry} {text}".encode()).hexdigest()[:16]
        return keys

    def without(self, entries):
        """The text without the bodies of those entries."""
        if self.whole:
            return self.text
        left_out = {self.entries[entry] for entry in entries}
        return "".join(part for index, part in enumerate(self.parts) if index not in left_out)


# --- Asking -------------------------------------------------------------------------------------------------------------

class Kernels:
    """A kernel file of the manifest: lab, file, PTX, options of ptxas, architectures ("90", "90a")."""

    def __init__(self, ptxas, lab, file, ptx, options, architectures):
        self.lab, self.file, self.options = lab, file, options
        self.ptxas, version = ptxas
        self.architectures = architectures
        text = Path(ptx).read_text(encoding="utf-8")
        self.module = Module(text, whole=bool(options) or ".section\t.debug_info" in text)
        self.keys = self.module.keys(f"{version} {options}")

    def number(self):
        """That changes with the kernels."""
        return sum(int(key, 16) for key in self.keys.values())

    def ask(self, architecture, entries):
        """What ptxas says now of those entries."""
        others = self.module.entries.keys() - set(entries)
        with tempfile.NamedTemporaryFile("w", suffix=".ptx", encoding="utf-8") as file:
            file.write(self.module.without(others))
            file.flush()
            ran = subprocess.run([self.ptxas, "-v", *self.options.split(), f"-arch=sm_{architecture}", "-o", "/dev/null", file.name],
                                 stderr=subprocess.PIPE, text=True, check=False)
        if ran.returncode:
            sys.exit(f"ptxas -arch=sm_{architecture} of labs/{self.lab}/{self.file}:\n{ran.stderr}")
        answers = parse_log(ran.stderr)
        return {(self.keys[entry], architecture): answers[entry] for entry in entries}


def answers(files, known):
    """ptxas' answers for all entries of all files, {(key, architecture): values}, those that are not `known` asked for."""
    jobs = []
    for file in files:
        for architecture in file.architectures:
            missing = [entry for entry, key in file.keys.items() if (key, architecture) not in known]
            if missing:
                jobs.append((file, architecture, missing))
    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for more in pool.map(lambda job: job[0].ask(*job[1:]), jobs):
            found.update(more)
    return found


# --- Tables -------------------------------------------------------------------------------------------------------------

def read_table(path):
    """{(key, architecture): values} of a table, nothing where there is none."""
    if not path.exists():
        return {}
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {(line[0], column[3:]): tuple(int(n) for n in cell.split())
            for line in lines[1:] for column, cell in zip(lines[0][2:], line[2:]) if cell != "-"}


def table_text(version, files, known):
    """The table of one lab's files."""
    architectures = sorted({a for file in files for a in file.architectures}, key=lambda a: (int(a.rstrip("a")), a))
    text = TITLE.format(version, ", ".join(FIELDS)) + "\t".join(["key", "kernel", *(f"sm_{a}" for a in architectures)]) + "\n"
    for file in files:
        for entry, key in sorted(file.keys.items()):
            cells = [" ".join(map(str, known[key, a])) if (key, a) in known else "-" for a in architectures]
            text += "\t".join([key, entry, *cells]) + "\n"
    return text


def read_manifest(manifest):
    """(root, version of ptxas, [Kernels])."""
    root, ptxas, files = None, None, []
    for line in Path(manifest).read_text(encoding="utf-8").splitlines():
        kind, *fields = line.split("|")
        if kind == "ptxas":
            *ptxas, root = fields
        elif kind == "kernels":
            lab, file, _, ptx, _, _, options, architectures = fields
            files.append(Kernels(ptxas, lab, file, ptx, options, architectures.split(",") if architectures else []))
    return Path(root), ptxas[1], files


def table_of(root, lab):
    return root / "labs" / lab / "ptxas.tsv"


def resources(manifest, cache):
    """{(lab, file): [(entry, architecture, values)]} of a manifest: from the tables, else from ptxas, kept in `cache`."""
    root, _, files = read_manifest(manifest)
    known, kept = {}, {}
    for lab in {file.lab for file in files}:
        known |= read_table(table_of(root, lab))
    if cache.exists():
        kept = {tuple(key.split()): tuple(values) for key, values in json.loads(cache.read_text()).items()}
    asked = answers(files, known | kept)
    if asked:
        wanted = {(key, a) for file in files for key in file.keys.values() for a in file.architectures}
        cache.write_text(json.dumps({" ".join(key): values for key, values in (kept | asked).items() if key in wanted}))
    known |= kept | asked
    return {(file.lab, file.file): [(entry, a, known[key, a]) for entry, key in file.keys.items() for a in file.architectures]
            for file in files}


def in_order(lab, files, table, known, hint):
    """Whether no line of a lab's table differs from ptxas' answers `known`; says what differs and what has no line."""
    names = {key: f"{entry} of {file.file}" for file in files for entry, key in file.keys.items()}
    different = [cell for cell in known.keys() & table.keys() if known[cell] != table[cell]]
    for key, architecture in sorted(different):
        print(f"labs/{lab}/ptxas.tsv, {names[key]}, sm_{architecture}: {table[key, architecture]} in the table, "
              f"{known[key, architecture]} says ptxas ({', '.join(FIELDS)}); {hint}")
    missing = sorted({names[key] for key, _ in known.keys() - table.keys() if key in names})
    if missing:
        print(f"labs/{lab}/ptxas.tsv has no line for {len(missing)} kernels as they are compiled here, so the build asks ptxas: "
              f"{', '.join(missing[:3])}{'…' if missing[3:] else ''}; {hint}")
    return not different


def main(arguments):
    action, manifest, *labs = arguments
    check = action != "--write"
    root, version, files = read_manifest(manifest)
    if action == "--sample":
        for file in files:
            file.architectures = file.architectures and [file.architectures[file.number() % len(file.architectures)]]
    labs = labs or sorted({file.lab for file in files})
    tables = {lab: table_of(root, lab) for lab in labs if not check or table_of(root, lab).exists()}
    if check and tables and not any(f"ptxas {version} " in table.read_text(encoding="utf-8") for table in tables.values()):
        print(f"the tables are of another ptxas than this toolkit's {version}")
        return 77
    wanted = {lab: [file for file in files if file.lab == lab] for lab in tables}
    known = answers([file for of_lab in wanted.values() for file in of_lab], {})
    wrong = 0
    for lab, table in tables.items():
        if check:
            wrong += not in_order(lab, wanted[lab], read_table(table), known, f"scripts/ptxas_tables.py --write {manifest} {lab}")
        else:
            table.write_text(table_text(version, wanted[lab], known), encoding="utf-8")
    if check:
        print(f"{len(tables) - wrong} passed, {wrong} failed")
    return int(wrong > 0)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("--write", "--check", "--sample"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
