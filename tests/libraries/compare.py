#!/usr/bin/env python3
"""What programs of this folder printed on a GPU and under `gpulab exec`: `compare.py REAL OURS [--all]`, two folders of NAME.txt.

A line is a case, its status, its error in units of the last place of the largest number and of each number's own, and values. Statuses and
values are equal, ours is at most twice the real error, or one unit. random.*.bin hold values that the lines "values" name.
"""
import collections
import pathlib
import re
import struct
import sys


def cases(path):
    """Lines by name; one that comes again gets a number. Messages of a library belong to the next line."""
    found, messages = {}, []
    for line in path.read_text(errors="replace").splitlines():
        parts = line.split("\t")
        if len(parts) != 5:
            if line.strip() and not line.endswith(", cudaSuccess") and not line.endswith(" lines"):
                messages.append(line.strip())
            continue
        name, count = parts[0], 0
        while (key := name + (f" #{count}" if count else "")) in found:
            count += 1
        found[key] = (parts[1], float(parts[2]), float(parts[3]), parts[4].strip(), tuple(messages))
        messages = []
    return found


def units(real, ours, size):
    """The greatest distance of two lists of values in units of the last place, and how many are apart by more than 2."""
    form = "<%d%s" % (len(real) // size, "i" if size == 4 else "q")
    worst = far = 0
    for a, b in zip(struct.unpack(form, real), struct.unpack(form, ours)):
        a, b = (x if x >= 0 else -(x & (2 ** (8 * size - 1) - 1)) for x in (a, b))
        worst, far = max(worst, abs(a - b)), far + (abs(a - b) > 2)
    return worst, far


def values_wrong(name, lines, folders):
    """Values of cuRAND's distributions that are further apart than 2 units in the last place."""
    at, wrong = 0, []
    files = [folder / f"{name}.bin" for folder in folders]
    real, ours = (f.read_bytes() if f.exists() else b"" for f in files)
    for key, line in lines.items():
        if not key.startswith("values ") or " of " not in line[3]:
            continue
        count, size = (int(x) for x in line[3].split(" of "))
        piece = slice(at, at + count * size)
        at += count * size
        worst, far = units(real[piece], ours[piece], size) if len(ours) >= at else (-1, count)
        if far:
            wrong.append((key, f"{far} of {count} values are apart by more than 2 units, the most by {worst}"))
    return wrong


def wrong_in(real, ours):
    if real[0] == "-99":  # NVIDIA's faults there
        return None
    if real[0] != ours[0]:
        return "status", f"{ours[0]}, not {real[0]}"
    if real[4] != ours[4]:
        return "message", f"{ours[4]}, not {real[4]}"
    if real[3] != ours[3] and not real[3].startswith("moments") and not re.fullmatch(r"\d+ of \d+", real[3]):
        return "values", f"{ours[3]}, not {real[3]}"
    if real[3].startswith("moments"):
        return ("error", f"{ours[1]} and {ours[2]} deviations off") if max(ours[1:3]) > 4 else None
    for what, i in (("error", 1), ("own error", 2)):
        if ours[i] > max(2 * real[i], 1):
            return what, f"{ours[i]:g}, real {real[i]:g}"
        if i == 1 and real[i] > 1e6 and real[0] == "0" and real[i] > 1e3 * max(ours[i], 1):
            return "other than the reference", f"{ours[i]:g}, real {real[i]:g}"
    return None


def main():
    folders = [pathlib.Path(one) for one in sys.argv[1:3]]
    several = 10**9 if "--all" in sys.argv else 4
    failed = 0
    for path in sorted(folders[0].glob("*.txt")):
        other = folders[1] / path.name
        if path.stem == "where" or not other.exists():
            continue
        real, ours = cases(path), cases(other)
        groups = collections.defaultdict(list)
        for key, line in real.items():
            if key not in ours:
                groups["missing"].append((key, ""))
            elif said := wrong_in(line, ours[key]):
                groups[said[0]].append((key, said[1]))
        if path.stem.startswith("random"):
            groups["values of distributions"] = values_wrong(path.stem, real, folders)
        count = sum(map(len, groups.values()))
        failed += count
        print(f"{path.stem}: {len(real)} cases, {count} differ")
        for what, all_of in groups.items():
            routines = collections.defaultdict(list)
            for key, said in all_of:
                routines[key.split(" ")[0]].append((key, said))
            for routine, examples in routines.items():
                print(f"  {what}, {routine}: {len(examples)}")
                for key, said in examples[:several]:
                    print(f"    {key}: {said}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
