#!/usr/bin/env python3
"""Functions of a library that stands in for NVIDIA's: `library_wrappers.py HEADER[,HEADER…] PREFIX FUNCTIONS OUT.cpp [LEGACY]`.

Headers are the toolkit's; each function that they declare with a name of PREFIX gets a body:
  - FUNCTIONS has lines `EXPRESSION FUNCTION`: where EXPRESSION fits the name (without _v2 and _64), the body calls FUNCTION of the
    library's namespace with a Call (its handle, its name, the letters that the expression caught, who calls) and the parameters;
  - else the body ends the program by the function's name. It is weak: where the library has such a function itself, that one holds.
LEGACY is the header of an interface without handles (cublas.h): numbers come by value, letters say what enumerations say, results are
returned. Its functions call the same ones, by a handle that the library keeps.
"""
import pathlib
import re
import sys


def declarations(text, prefix):
    """(result, name, [(type, parameter)]) of each function."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*$", " ", text, flags=re.M)
    found = {}
    for match in re.finditer(r"([A-Za-z_][\w\s*]*?)\b(" + prefix + r"\w+)\s*\(([^()]*)\)\s*(?:CUSPARSE_DEPRECATED\w*\s*)?;", text):
        result, name, inside = match.groups()
        if "typedef" in result or "return" in result.split():
            continue
        result = " ".join(w for w in result.split() if not re.fullmatch(r"[A-Z_0-9]*(API|WINAPI|DEPRECATED\w*)|extern|C", w))
        parameters = []
        for i, one in enumerate(p.strip() for p in inside.split(",")):
            if not one or one == "void":
                continue
            array = re.search(r"\[[^\]]*\]\s*$", one)
            one = re.sub(r"\[[^\]]*\]\s*$", "", one).strip()
            named = re.match(r"(.*?[\s*])(\w+)$", one, re.S)
            kind, own = (named.group(1), named.group(2)) if named and named.group(1).strip() not in ("const", "struct") else (one, f"p{i}")
            parameters.append((" ".join(kind.split()) + ("*" if array else ""), own))
        found.setdefault(name, (result or "int", parameters))
    return found


def legacy(declared, known, rules):
    """Bodies of functions that take no handle."""
    lines = []
    for name, (result, parameters) in sorted(declared.items()):
        modern = known.get(name + "_v2") or known.get(name)
        function = next((function for expression, function in rules if expression.fullmatch(name)), None)
        listed = ", ".join(f"{kind} {own}" for kind, own in parameters)
        result = re.sub(r"cublasStatus\b", "cublasStatus_t", result)
        lines.append(f"#undef {name}")
        if modern is None or function is None:
            if name not in known:
                lines.append(f"[[gnu::weak]] {result} {name}({listed}) {{ gpulab_library_refuse(\"{name}\", __builtin_return_address(0)); }}")
            continue
        wanted = modern[1][1:]
        passed = []
        for (kind, own), (modern_kind, _) in zip(parameters, wanted):
            if kind == "char":
                passed.append(f"legacy::letter<{modern_kind}>({own})")
            else:
                passed.append(f"&{own}" if modern_kind.endswith("*") and not kind.endswith("*") else own)
        if name.endswith("trmm"):  # in its place
            passed += [own for _, own in parameters[-2:]]
        letters = next(fit.group(1) if fit.re.groups else "" for expression, f in rules if f == function and (fit := expression.fullmatch(name)))
        call = f'Call{{legacy::handle(), "{name}", "{letters}", false, __builtin_return_address(0)}}'
        if result == "void":
            lines.append(f"void {name}({listed}) {{ legacy::keep({function}({', '.join([call] + passed)})); }}")
        else:
            lines.append(f"{result} {name}({listed}) {{ {result} made{{}}; legacy::keep({function}({', '.join([call] + passed + ['&made'])})); return made; }}")
    return lines


def main():
    header, prefix, functions, out, *older = sys.argv[1:]
    rules = []
    for line in pathlib.Path(functions).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            expression, function = line.split()
            rules.append((re.compile(expression), function))
    lines = ["// Written by scripts/cmake/library_wrappers.py.", ""]
    text = "\n".join(pathlib.Path(one).read_text(encoding="utf-8", errors="replace") for one in header.split(","))
    known = declarations(text, prefix)
    for name, (result, parameters) in sorted(known.items()):
        plain = re.sub(r"_64$", "", name)
        wide = plain != name
        plain = re.sub(r"_v2$", "", plain)
        listed = ", ".join(f"{kind} {own}" for kind, own in parameters)
        rule = next(((fit, function) for expression, function in rules if (fit := expression.fullmatch(plain))), None)
        if rule is None:
            lines.append(f"[[gnu::weak]] {result} {name}({listed}) {{ gpulab_library_refuse(\"{plain}\", __builtin_return_address(0)); }}")
            continue
        fit, function = rule
        letters = fit.group(1) if fit.re.groups else ""
        call = f'Call{{{parameters[0][1]}, "{plain}{"_64" if wide else ""}", "{letters}", {str(wide).lower()}, __builtin_return_address(0)}}'
        passed = ", ".join([call] + [own for _, own in parameters[1:]])
        lines.append(f"{result} {name}({listed}) {{ return {function}({passed}); }}")
    if older:
        declared = declarations(pathlib.Path(older[0]).read_text(encoding="utf-8", errors="replace"), prefix)
        lines += legacy(declared, known, rules)
    pathlib.Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
