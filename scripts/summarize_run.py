#!/usr/bin/env python3
"""One line per result of gpulab.run.v1 documents, and whether all is well.

usage: summarize_run.py [--quiet] FILE.json…
A result is verified and, on a GPU, timed by its clock; or it may be other than that: what a calculator works out
launches nothing, a variant that races on purpose may be wrong, a combination that a variant refuses is skipped. A
document in which nothing was verified is not as it must be. --quiet shows only what is not. Exits 1 if anything is not,
and 77 (what ctest calls skipped), with the reason in the last line, where this machine has too few GPUs for all of it.
"""
import json
import re
import sys

import piped


class Lacks(Exception):
    """What this machine has too few of."""


def lacks_gpus(result):
    return result["status"] == "skipped" and re.match(r"it takes \d+ GPUs, ", result["message"])


def calculates(result):
    """Arithmetic alone: nothing was launched, nothing run, nothing to verify."""
    return result["status"] == "ok" and all(result[part] is None for part in ("kernel", "launch", "timing", "verification"))


def exempt(result):
    """Why a result need not be verified; None where it must be."""
    if result["status"] == "skipped":
        return f"skipped: {result['message']}"
    if calculates(result):
        return "calculated"
    if result.get("racy") and result["status"] in ("wrong", "finding"):
        return f"races on purpose: {result['message']}"
    return None


def verified(result):
    return result["status"] == "ok" and (result["verification"] or {}).get("status") == "passed"


def defect(result, kind):
    if result["status"] != "ok":
        return f"{result['status']}: {result['message']}"
    if not verified(result):
        return "not verified"
    timing = result["timing"] or {}
    if kind == "gpu" and timing.get("source") not in ("cuda_events", "cpu_wall"):
        return f"timed by {timing.get('source')}"
    if kind == "gpu" and not timing.get("median_ms", 0) > 0:
        return "took no time"
    return None


def line(result):
    metrics = result["metrics"] or {}
    timing = result["timing"] or {}
    text = f"  {result['variant']:<24}{timing.get('median_ms', 0) * 1000:>12.2f} us"
    bandwidth = (metrics.get("bandwidth") or {}).get("value")
    if bandwidth is not None:
        text += f"{bandwidth:>10.1f} GB/s"
    return text + f"  {timing.get('source', '')} {timing.get('mode') or ''} x{timing.get('samples', 0)}"


def named(result, what):
    return f"  {result['variant']:<24}{result['params']}  {what}"


def summarize(path, quiet):
    """How many results are not as they must be, or 1 where nothing was verified."""
    with open(path) as file:
        document = json.load(file)
    kind, results = document["device"]["kind"], document["results"]
    bad = 0
    print(f"{path.rsplit('/', 1)[-1]}: {document['lab']} on {document['device']['name']}, {len(results)} results")
    for result in results:
        reason = exempt(result)
        problem = None if reason else defect(result, kind)
        bad += problem is not None
        if problem:
            print(named(result, f"BAD: {problem}"))
        elif not quiet:
            print(named(result, reason) if reason else line(result))
    good = sum(verified(result) for result in results)
    print(f"  {good} verified, {bad} bad, {len(results) - good - bad} need not be")
    if results and all(lacks_gpus(result) for result in results):
        raise Lacks(results[0]["message"])
    return bad or not good


def main(arguments):
    quiet = "--quiet" in arguments
    files = [a for a in arguments if a != "--quiet"]
    if not files:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        return 1 if sum(summarize(path, quiet) for path in files) else 0
    except Lacks as lacks:
        print(lacks)
        return 77


if __name__ == "__main__":
    piped.end(lambda: main(sys.argv[1:]))
