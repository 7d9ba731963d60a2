#!/usr/bin/env python3
"""Which source files of a target are compiled as one: unite.py ROOT FILE... prints a line "FILE;GROUP" for each that is not alone,
those of a group in the order in which they are to be included.

A group is of about a unit's weight, so that a change in one file compiles little else anew. What a file names for itself (in an
unnamed namespace, static, a macro, a using) and what its headers declare is seen by those behind it. A file that uses such a name for something else therefore
stands before that file; where both declare the name, they are of different groups. So a file means what it means by itself.
"""
import functools
import pathlib
import re
import sys

# The weight of a group, in hundreds of lines: about five seconds of a compiler, and of tests, after whose change nobody waits, ten.
UNIT, UNIT_OF_TESTS = 9.0, 20.0
# Headers whose templates take longer than the file's own lines, in hundreds of lines.
HEAVY = {"nlohmann/json.hpp": 3.0, "CLI/CLI.hpp": 6.0}

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.S)
INCLUDED = re.compile(r'#include [<"]([^>"]+)[>"]')
FREE_NAME = re.compile(r"(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*")
NAMED = re.compile(r"(?:struct|class|union|enum(?: class| struct)?)\s+(\w+)|using\s+(\w+)\s*=|using\s+[\w:]*::(\w+)\s*;"
                   r"|namespace\s+(?!gpulab\b)(\w+)\s*[={]|#\s*define\s+(\w+)")


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


def more_declared(text):
    """Of "constexpr int a = 1, b = f(1, 2), c = 3; ..." the names behind the first."""
    depth, parts = 0, [""]
    for sign in text:
        depth += (sign in "({[") - (sign in ")}]")
        if depth == 0 and sign == ";":
            break
        if depth == 0 and sign == ",":
            parts.append("")
        else:
            parts[-1] += sign
    return [found[1] for part in parts[1:] if (found := re.match(r"\s*\*?(\w+)(?:\[\w*\])?\s*[={]", part))]


def declarations(plain):
    """(number of the line, line, name) of what the text declares at the left margin: functions, types, constants, namespaces."""
    at = 0
    for number, line in enumerate(plain.split("\n")):
        names = [declared(line)]
        if re.match(r"(?:inline |static )*(?:constexpr|const) ", line):
            names += more_declared(plain[at:])
        yield from ((number, line, name) for name in names if name)
        at += len(line) + 1


@functools.lru_cache(maxsize=None)
def names_of_header(path):
    """What a header declares at the left margin."""
    return frozenset(name for _, _, name in declarations(bare(path.read_text())))


@functools.lru_cache(maxsize=None)
def headers_of(root, path):
    """Those of ours that a file includes, and that they include."""
    direct = [root / name for name in INCLUDED.findall(path.read_text()) if (root / name).is_file()]
    return frozenset(direct).union(*(headers_of(root, header) for header in direct))


class Source:
    def __init__(self, root, path):
        self.path = pathlib.Path(path)
        text = self.path.read_text()
        plain = bare(text)
        self.own, self.lent, self.aliases = set(), set(), set()  # seen in this file alone; by the linker; own names of other names
        depth, depths = 0, []  # of unnamed namespaces, at each line
        for line, original in zip(plain.split("\n"), text.split("\n")):
            depth += line.startswith("namespace {")
            depth -= original == "}  // namespace" and depth > 0
            depths.append(depth)
        for number, line, name in declarations(plain):
            private = depths[number] or re.match(r"static |inline |constexpr |const |using |namespace |#", line)
            alias = re.match(r"(using|namespace)\s+\w+\s*=.*;$", line)  # the same twice is no harm
            (self.aliases if alias else self.own if private else self.lent).add(line if alias else name)
        self.own_aliases = {declared(line) for line in self.aliases}
        includes = INCLUDED.findall(text)
        self.headers = headers_of(root, self.path)
        self.seen = frozenset().union(*map(names_of_header, self.headers))
        self.used = set(FREE_NAME.findall(plain))
        self.opened = frozenset(re.findall(r"^[ \t]*(using namespace [\w:]+)", plain, re.M))  # namespaces whose names are seen in all
        self.lines = text.count("\n") / 100
        self.heavy = frozenset(includes) & HEAVY.keys()

    def excludes(self, other):
        """A name of this file's own is another thing in the other: neither may stand before the other."""
        named = other.own | other.lent | other.seen
        return not self.own.isdisjoint(named) or not self.own_aliases.isdisjoint(named)

    def disturbs(self, later):
        """A later file would see this one's own names, or those of its headers, where it means others: local variables, or what its
        scopes hold further out."""
        if not self.opened <= later.opened or not self.own.isdisjoint(later.used):
            return True
        if not (self.own_aliases - {declared(line) for line in self.aliases & later.aliases}).isdisjoint(later.used):
            return True
        return not all(later.used.isdisjoint(names_of_header(header)) for header in self.headers - later.headers)


def weight(group):
    return sum(source.lines for source in group) + sum(HEAVY[name] for name in frozenset().union(*(source.heavy for source in group)))


def kind(path):
    """The simulator's rooms stay apart: the benchmark tools_off links another common/simt/machine in the place of this one."""
    return path.parts[:3] if path.parts[:2] == ("common", "simt") else ()


def with_place(group, source, unit):
    """The group and the source, at the last place where nobody is disturbed; None where there is none."""
    if weight([*group, source]) > unit or any(source.excludes(other) or other.excludes(source) for other in group):
        return None
    for at in range(len(group), -1, -1):
        if not any(source.disturbs(later) for later in group[at:]) and not any(before.disturbs(source) for before in group[:at]):
            return [*group[:at], source, *group[at:]]
    return None


def groups(sources, kind_of=lambda source: None, unit=UNIT):
    """Lists of sources, in the order in which they are to be compiled, each of the first group of its kind that has place for it."""
    made = {}
    for source in sorted(sources, key=lambda source: not source.heavy):  # what takes long for a header's sake together
        of_kind = made.setdefault(kind_of(source), [])
        for i, group in enumerate(of_kind):
            if larger := with_place(group, source, unit):
                of_kind[i] = larger
                break
        else:
            of_kind.append([source])
    return [group for of_kind in made.values() for group in of_kind]


def main():
    root = pathlib.Path(sys.argv[1])
    sources = [Source(root, path) for path in sys.argv[2:]]
    unit = UNIT_OF_TESTS if all(source.path.is_relative_to(root / "tests") for source in sources) else UNIT
    for group in groups(sources, lambda source: kind(source.path.relative_to(root)), unit):
        name = re.sub(r"\W", "_", str(group[0].path.relative_to(root)).removesuffix(".cpp"))
        for source in group if len(group) > 1 else []:
            print(f"{source.path};{name}")


if __name__ == "__main__":
    main()
