#!/usr/bin/env python3
"""Which source files are compiled as one: unite.py ROOT FILE... prints a line "FILE;GROUP" for each that is not alone.

A group is of one room (runner/report, common/simt/machine) and of about a unit's weight, so that a change in one file compiles little else anew. What a file
names for itself (in an unnamed namespace, static, a macro, a using) is seen by the others of its group. Two files of which one
so names what the other uses, defines or includes a declaration of are therefore not of one group: a file means what it means by itself.
"""
import functools
import pathlib
import re
import sys

UNIT = 8.0  # the weight of a group, in hundreds of lines: about four seconds of a compiler
# Headers whose templates take longer than the file's own lines, in hundreds of lines.
HEAVY = {"nlohmann/json.hpp": 3.0, "CLI/CLI.hpp": 3.0}

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.S)
FREE_NAME = re.compile(r"(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*")
NAMED = re.compile(r"(?:struct|class|union|enum(?: class| struct)?)\s+(\w+)|using\s+(\w+)\s*=|using\s+[\w:]*::(\w+)\s*;"
                   r"|namespace\s+(\w+)\s*=|#\s*define\s+(\w+)")


def bare(text):
    """Without comments and what strings hold; the lines stay."""
    return NOT_CODE.sub(lambda found: ('""' if found[0][0] in 'R"' else " ") + "\n" * found[0].count("\n"), text)


def without_template(line):
    """Of "template <...> rest" the rest."""
    depth = 0
    for at, sign in enumerate(line):
        depth += (sign == "<") - (sign == ">")
        if sign == ">" and depth == 0:
            return line[at + 1:].strip()
    return ""


def declared(line):
    """The name that a line at the left margin declares; None where it declares none, or a member of a class out of it."""
    line = without_template(line) if line.startswith("template") else line
    if found := NAMED.match(line):
        return next(filter(None, found.groups()))
    if not re.match(r"[A-Za-z_\[]", line) or re.match("(using )?namespace ", line):
        return None
    depth = 0
    for at, sign in enumerate(line):
        depth += (sign == "<") - (sign == ">")
        if sign in "({=;" and depth <= 0:
            name = re.search(r"(?<![:\w~])([A-Za-z_]\w*)(?:\[\w*\])?\s*$", line[:at])
            return name[1] if name and not name[1].isupper() else None
    return None


@functools.lru_cache(maxsize=None)
def names_of_header(path):
    """What a header of ours declares at the left margin: functions, types, constants."""
    if not path.is_file():
        return frozenset()
    return frozenset(filter(None, map(declared, bare(path.read_text()).split("\n"))))


class Source:
    def __init__(self, root, path):
        self.path = pathlib.Path(path)
        text = self.path.read_text()
        plain = bare(text)
        self.own, self.lent, self.aliases = set(), set(), set()  # seen in this file alone; by the linker; own names of other names
        depth = 0  # of unnamed namespaces
        for line, original in zip(plain.split("\n"), text.split("\n")):
            depth += line.startswith("namespace {")
            depth -= original == "}  // namespace" and depth > 0
            if name := declared(line):
                private = depth or re.match(r"static |inline |constexpr |const |using |namespace |#", line)
                alias = re.match(r"(using|namespace)\s+\w+\s*=.*;$", line)  # the same twice is no harm
                (self.aliases if alias else self.own if private else self.lent).add(line if alias else name)
        self.own_aliases = {declared(line) for line in self.aliases}
        includes = re.findall(r'#include [<"]([^>"]+)[>"]', text)
        self.used = set(FREE_NAME.findall(plain)).union(*(names_of_header(root / name) for name in includes))
        self.opened = frozenset(re.findall(r"^\s*using namespace [\w:]+", plain, re.M))  # namespaces whose names are seen in all
        self.lines = text.count("\n") / 100
        self.heavy = frozenset(includes) & HEAVY.keys()

    def disturbs(self, other):
        return (not self.own.isdisjoint(other.own | other.lent | other.used) or
                not (self.own_aliases - {declared(line) for line in self.aliases & other.aliases}).isdisjoint(other.used))


def room(path):
    """runner/report, common/simt/machine; the labs are small and alike."""
    return path.parts[:-1][:{"labs": 1, "runner": 2}.get(path.parts[0], 3)]


def weight(group):
    return sum(source.lines for source in group) + sum(HEAVY[name] for name in frozenset().union(*(source.heavy for source in group)))


def groups(sources, room_of):
    """Lists of sources, each of the first group of its room that has place and where nobody is disturbed."""
    made = {}
    for source in sorted(sources, key=lambda source: not source.heavy):  # what takes long for a header's sake together
        of_room = made.setdefault((room_of(source), source.opened), [])
        for group in of_room:
            if weight([*group, source]) <= UNIT and not any(
                    source.disturbs(other) or other.disturbs(source) for other in group):
                group.append(source)
                break
        else:
            of_room.append([source])
    return [group for of_room in made.values() for group in of_room]


def main():
    root = pathlib.Path(sys.argv[1])
    sources = [Source(root, path) for path in sys.argv[2:]]
    for group in groups(sources, lambda source: room(source.path.relative_to(root))):
        name = re.sub(r"\W", "_", str(group[0].path.relative_to(root)).removesuffix(".cpp"))
        for source in group if len(group) > 1 else []:
            print(f"{source.path};{name}")


if __name__ == "__main__":
    main()
