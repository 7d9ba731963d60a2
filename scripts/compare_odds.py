#!/usr/bin/env python3
"""How sure `gpulab compare` may be of two modelled times: writes configs/odds.json.

usage: compare_odds.py GPULAB [--write] [--check]     what follows from tests/data; the rungs are modelled by GPULAB
       compare_odds.py --foreign [--write] [--check]  foreign kernels alone, which needs no binary; the rungs' stay as they are
       compare_odds.py --draw FILE.json               how many pairs of that draw are judged rightly by what the other files of tests/data
                                                      teach; it may be one of them, or a new one that nobody has looked at

Two kinds of pairs, kept apart, for kernels that resemble each other are wrong in the same way:
  foreign   two kernels of one program that nobody here wrote (tests/data/programs_*.json, measured by Nsight Compute on an H100 and an H200)
  rungs     two rungs of one lab, of one size and block (tests/data/timing_launches_h200.csv and timing_launches_other_h200.csv)

The error of a pair is ln(measured ratio) - ln(modelled ratio). It is described by Student's distribution of two degrees of freedom
around 0, whose tails are as heavy as the errors': most are small, some are blunders. Its width is `near` where both are modelled alike, for
kernels that are modelled alike mostly are alike, and grows to `far` where the modelled times are 1.16 times apart (APART) and more. A kernel
that has fewer blocks than the GPU has SMs counts `few` times as wide: its time is the longest way through one block, which the
model knows less well than what all SMs get done. The two widths are added as errors are. All three are those under which the pairs
are likeliest, few pairs leaning on a guess (PRIOR). A program (a group) of k kernels has k (k - 1) / 2 pairs and k - 1 independent ones: each pair
weighs 2 / k. `sure` is how likely a direction must be to be called: the least, by hundredths, from which on 95 % of what is called
is right, by pairs and by weight, of each group judged by what the other groups teach (in ten parts).

What is printed: how many verdicts are right of each program judged by what the others teach (sure is then chosen on the very pairs that it
judges), and of each draw judged by the draws before it, sure among what these teach; and what was said beside what was right. What is called
at 90 % and more is mostly of pairs that are far apart: with the draws up to the whole one of seed 36, 97.8 % are said of it on average and
97.3 % are right. Distributions of one, three and four degrees of freedom say it no better (each program by the others, logarithmic score
0.376, 0.378 and 0.379, of two 0.375; by the draws before 0.367, 0.356 and 0.356, of two 0.357). --check compares with configs/odds.json,
--write writes it.
"""
import argparse
import collections
import csv
import hashlib
import json
import math
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import compare_model  # noqa: E402 (the path comes first)
import piped  # noqa: E402
import validate_programs  # noqa: E402

TABLE = ROOT / "configs" / "odds.json"
SAME = math.log(1.05)
SURE_SAME = 0.5  # as in runner/compare/odds.h
APART = 0.15  # |ln(modelled ratio)|, as in runner/compare/odds.cpp
SMS = 132  # of an H100 and of an H200, as there
RIGHT = 0.95  # of what is called
LEAST_SURE, MOST_SURE = 80, 99  # hundredths
PRIOR = {"near": 0.03, "far": 0.13, "few": 1.3}
PRIOR_PAIRS = 2
FEW_DRAWS = 4  # before the first that is judged by those before it
RECENT_DRAWS = 6  # of the model as it is, and half of all pairs

# `modelled` and `measured`: ln(time of the second / time of the first). `few`: how many of the two have fewer blocks than there are SMs.
Pair = collections.namedtuple("Pair", "group draw modelled measured weight few")


def apart(modelled):
    return min(abs(modelled) / APART, 1)


def width(model, modelled, few):
    base = model["near"] + (model["far"] - model["near"]) * apart(modelled)
    return base * math.sqrt((few * model["few"] ** 2 + 2 - few) / 2)


def below(model, modelled, few, x):
    """How likely an error is below x."""
    z = x / width(model, modelled, few)
    return 0.5 + z / (2 * math.sqrt(2 + z * z))


def odds(model, modelled, few=0, same=SAME):
    """(faster, same, slower): how likely the second is, as measured, for a modelled ln(time of the second / time of the first)."""
    faster, slower = below(model, modelled, few, -same - modelled), 1 - below(model, modelled, few, same - modelled)
    return faster, 1 - faster - slower, slower


def unlikeliness(parts, near, far, few):
    """Less by a constant, the logarithm of how likely the pairs are, and what the guess adds."""
    by_count = [math.sqrt((count * few * few + 2 - count) / 2) for count in range(3)]
    total = 0
    for square, t, weight, count in parts:
        wide = (near + (far - near) * t) * by_count[count]
        total += weight * (1.5 * math.log1p(square / (2 * wide * wide)) + math.log(wide))
    return total + PRIOR_PAIRS * sum(math.log(value / PRIOR[name]) ** 2 for name, value in (("near", near), ("far", far), ("few", few))) / 2


def fit(pairs):
    parts = [((p.measured - p.modelled) ** 2, apart(p.modelled), p.weight, p.few) for p in pairs]
    best, step = dict(PRIOR), 0.4
    least = unlikeliness(parts, **best)
    while step > 0.004:
        moved = False
        for name in PRIOR:
            for factor in (1 + step, 1 / (1 + step)):
                trial = {**best, name: best[name] * factor}
                value = unlikeliness(parts, **trial)
                if value < least:
                    best, least, moved = trial, value, True
                    break
        step /= 1 if moved else 2
    return {name: float(f"{value:.3g}") for name, value in best.items()}


def part_of(group):
    return int(hashlib.sha256(str(group).encode()).hexdigest(), 16) % 10


def judged_by_others(pairs, key=lambda pair: part_of(pair.group)):
    """[(pair, its odds)], each by what the pairs of other keys teach."""
    models = {one: fit([p for p in pairs if key(p) != one]) for one in {key(p) for p in pairs}}
    return [(p, odds(models[key(p)], p.modelled, p.few)) for p in pairs]


def is_right(pair, chances):
    return pair.measured < -SAME if chances[0] > chances[2] else pair.measured > SAME


def sure_of(judged):
    """The least hundredth from which on as many as shall be right of what is called are."""
    sure = MOST_SURE
    for hundredth in range(MOST_SURE, LEAST_SURE - 1, -1):
        called = [one for one in judged if max(one[1][0], one[1][2]) >= hundredth / 100]
        right = [one for one in called if is_right(*one)]
        weights = [sum(pair.weight for pair, _ in some) for some in (right, called)]
        if called and (len(right) < RIGHT * len(called) or weights[0] < RIGHT * weights[1]):
            break
        sure = hundredth
    return sure / 100


class Tally:
    """What became of pairs: each counted as one, and by its weight."""

    def __init__(self):
        self.of = collections.defaultdict(lambda: [0, 0])

    def add(self, pair, chances, sure):
        direction = max(chances[0], chances[2])
        verdict = "called" if direction >= sure else "same" if chances[1] >= SURE_SAME else "undecided"
        far = abs(pair.measured) > math.log(1.5)
        right = is_right(pair, chances)
        for name, holds in (("pairs", True), (verdict, True), ("right", verdict == "called" and right), ("far", far),
                            ("far undecided", far and verdict == "undecided"), ("at 90", direction >= max(sure, 0.9)),
                            ("at 90 right", direction >= max(sure, 0.9) and right)):
            self.of[name][0] += holds
            self.of[name][1] += holds * pair.weight

    def share(self, part, whole, weighed=False):
        return self.of[part][weighed] / max(1e-9, self.of[whole][weighed])

    def both(self, part, whole):
        return f"{self.share(part, whole):.1%} (by weight {self.share(part, whole, True):.1%})"

    def __str__(self):
        return (f"{self.of['pairs'][0]} pairs: {self.of['called'][0]} faster or slower, {self.of['right'][0]} right, {self.both('right', 'called')}; "
                f"{self.of['same'][0]} the same; {self.of['undecided'][0]} undecided, {self.both('undecided', 'pairs')}; of the {self.of['far'][0]} beyond 1.5 times "
                f"as measured {self.of['far undecided'][0]} undecided, {self.both('far undecided', 'far')}; "
                f"of the {self.of['at 90'][0]} called at 90 % and more {self.both('at 90 right', 'at 90')} right")


def tally(judged, sure):
    made = Tally()
    for pair, chances in judged:
        made.add(pair, chances, sure)
    return made


SAID = (0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.01)


def reliability(judged, edges=SAID):
    """[(from, up to, how many pairs, odds said of the likelier direction on average, share of it that was right)]."""
    rows = []
    for least, beyond in zip(edges, edges[1:]):
        some = [(max(chances[0], chances[2]), is_right(pair, chances)) for pair, chances in judged if least <= max(chances[0], chances[2]) < beyond]
        if some:
            rows.append((least, beyond, len(some), sum(said for said, _ in some) / len(some), sum(right for _, right in some) / len(some)))
    return rows


def by_program(judged, least, beyond, draws=1000):
    """(programs, said by weight, right by weight, least and most of right less said): of what is said from `least` on and below `beyond`. Pairs of
    one program are wrong together: the last two hold 95 of 100 draws of as many programs, each taken with all of its pairs (by the pair)."""
    groups = collections.defaultdict(lambda: [0] * 5)
    for pair, chances in judged:
        said = max(chances[0], chances[2])
        if least <= said < beyond:
            right = is_right(pair, chances)
            for place, value in enumerate((1, right - said, pair.weight, pair.weight * said, pair.weight * right)):
                groups[pair.group][place] += value
    of = list(groups.values())
    chance, off = random.Random(1), []
    for _ in range(draws):
        drawn = chance.choices(of, k=len(of))
        off.append(sum(one[1] for one in drawn) / sum(one[0] for one in drawn))
    off.sort()
    weight = sum(one[2] for one in of)
    return len(of), sum(one[3] for one in of) / weight, sum(one[4] for one in of) / weight, off[draws // 40], off[-1 - draws // 40]


def print_reliability(judged):
    for least, beyond, count, said, right in [*reliability(judged), *reliability(judged, (0.85, 0.95)), *reliability(judged, (0.9, 1.01))]:
        programs, by_weight, right_by_weight, low, high = by_program(judged, least, beyond)
        print(f"    said {least:.0%} to {min(beyond, 1):.0%}: {count} pairs of {programs} programs, on average {said:.1%}, right {right:.1%}; "
              f"by weight {by_weight:.1%}, {right_by_weight:.1%}; right less said {100 * low:+.1f} to {100 * high:+.1f} by programs drawn anew")


def draw_judged(pairs, others):
    """(sure, [(pair, its odds)]) of a draw's pairs by what other draws teach, programs that it has itself left out."""
    groups = {p.group for p in pairs}
    teachers = [p for p in others if p.group not in groups]
    model = fit(teachers)
    return sure_of(judged_by_others(teachers)), [(p, odds(model, p.modelled, p.few)) for p in pairs]


def draws_of(pairs):
    """In the order in which they were drawn."""
    return list(dict.fromkeys(p.draw for p in pairs))


def by_draws_before(pairs):
    """(draw, sure, judged) of each draw by those before it."""
    draws = draws_of(pairs)
    for number in range(FEW_DRAWS, len(draws)):
        own = [p for p in pairs if p.draw == draws[number]]
        if own:
            yield draws[number], *draw_judged(own, [p for p in pairs if p.draw in draws[:number]])


def weighed(groups, draw=""):
    """Pairs of {group: [(modelled, measured, has few blocks)]}."""
    found = []
    for name, times in groups.items():
        for i, one in enumerate(times):
            for other in times[i + 1:]:
                found.append(Pair(name, draw, math.log(other[0] / one[0]), math.log(other[1] / one[1]), 2 / len(times), one[2] + other[2]))
    return found


def pairs_of_file(file):
    """Launches that the model says it has no ground for are left out, as `gpulab compare` leaves them undecided."""
    rows, _ = validate_programs.compared_rows([file], "")
    groups = collections.defaultdict(list)
    for row in rows:
        if row["modelled_us"] and not row["model"]["no_ground"]:
            groups[row["program"]].append((row["modelled_us"], row["measured_us"], math.prod(row["grid"]) < SMS))
    return weighed(groups, file.stem)


def foreign_pairs(without=None):
    """A pair is of one draw, of one GPU. Draws in order: by their seeds."""
    files = [file for file in (ROOT / "tests/data").glob("programs_*.json") if without is None or file.name != without.name]
    files.sort(key=lambda file: (json.loads(file.read_text()).get("seed", 0), file.name))
    return [pair for file in files for pair in pairs_of_file(file)]


def rung_pairs(gpulab):
    groups = collections.defaultdict(list)
    for measured_file, launches in (("timing_launches_h200.csv", "launches.txt"), ("timing_launches_other_h200.csv", "launches_other.txt")):
        with open(ROOT / "tests/data" / measured_file, encoding="utf-8") as file:
            measured = {(r["lab"], r["variant"], r["params"], r["block"]): float(r["median_ms"]) for r in csv.DictReader(file)}
        model = compare_model.matched(measured, compare_model.modelled(gpulab, "", "h200", ROOT / "tests/timing" / launches, ""))
        for key, ms in measured.items():
            if key in model and ms >= compare_model.SHORT_MS and not model[key].get("no_ground"):
                groups[(key[0], key[2], key[3])].append((model[key]["time_ms"], ms, model[key]["sms_used"] < SMS))
    return weighed(groups)


def described(name, pairs, gpu, group_of):
    judged = judged_by_others([p._replace(group=group_of(p)) for p in pairs])
    model = {**fit(pairs), "sure": sure_of(judged)}
    print(f"{name}: {len(pairs)} pairs of {len({p.group for p in pairs})} groups: {model}")
    for times in (1, 1.05, 1.1, 1.2, 1.3, 1.5, 2, 3):
        near = [p for p in pairs if abs(abs(p.modelled) - math.log(times)) < 0.05]
        order = sum((p.measured > 0) == (p.modelled > 0) for p in near)
        _, equal, slower = odds(model, math.log(times))
        print(f"  modelled {times:g} times as long: {slower:.0%} slower by more than 5 %, {equal:.0%} the same; both of few blocks: "
              f"{odds(model, math.log(times), 2)[2]:.0%} slower; near by: {order} of {len(near)} pairs in order, {sum(abs(p.measured) <= SAME for p in near)} within 5 %")
    print_reliability(judged)
    return {"measured_on": gpu, "pairs": len(pairs), "groups": len({p.group for p in pairs}), **model}, tally(judged, model["sure"])


def print_by_draws(pairs):
    made = list(by_draws_before(pairs))
    for draw, sure, judged in made:
        print(f"  {draw} by the draws before it, called from {sure:.0%} on: {tally(judged, sure)}")
    for name, some in ((f"all of these {len(made)} draws", made), (f"the last {RECENT_DRAWS} of them", made[-RECENT_DRAWS:])):
        whole = Tally()
        for _, sure, judged in some:
            for pair, chances in judged:
                whole.add(pair, chances, sure)
        print(f"  {name}: {whole}")
        print_reliability([one for _, _, judged in some for one in judged])


def judge_draw(file):
    pairs = pairs_of_file(file)
    sure, judged = draw_judged(pairs, foreign_pairs(without=file))
    print(f"{file.name} by the other draws, called from {sure:.0%} on: {tally(judged, sure)}")
    for pair, chances in judged:
        if max(chances[0], chances[2]) >= sure and not is_right(pair, chances):
            print(f"  wrong: {pair.group}: modelled {math.exp(pair.modelled):.2f} times as long, measured {math.exp(pair.measured):.2f}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpulab", nargs="?")
    parser.add_argument("--foreign", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--draw", metavar="FILE", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.draw:
        return judge_draw(arguments.draw)
    if not arguments.gpulab and not arguments.foreign:
        parser.error("GPULAB, --foreign, or --draw FILE")
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    new = {"about": "Errors of modelled ratios of two times, as Student's distribution of their logarithms: scripts/compare_odds.py writes this."}
    foreign = foreign_pairs()
    new["foreign"], made = described("foreign", foreign, "an H100 and an H200", lambda pair: pair.group)
    print("  each program by the others:", made)
    if not arguments.check:
        print_by_draws(foreign)
    if arguments.gpulab and not arguments.foreign:
        new["rungs"], made = described("rungs", rung_pairs(arguments.gpulab), "NVIDIA H200", lambda pair: pair.group[0])
        print("  each lab by the others:", made)
    if arguments.write:
        TABLE.write_text(json.dumps({**table, **new}, indent=2) + "\n")
    changed = [name for name in new if name != "about" and new[name] != table.get(name)]
    if arguments.check and changed:
        print(f"configs/odds.json is of other data: {', '.join(changed)}")
        return 1
    return 0


if __name__ == "__main__":
    piped.end(main)
