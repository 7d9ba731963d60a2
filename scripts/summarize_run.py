#!/usr/bin/env python3
"""One line per result of gpulab.run.v1 documents, and whether all is well.

usage: summarize_run.py [--quiet] FILE.json…
Every result must be `ok` and verified; on a GPU also timed by CUDA events. --quiet shows only what is not. Exits 1 if
a result is not as it must be.
"""
import json
import sys


def defect(result, kind):
    if result["status"] != "ok":
        return f"{result['status']}: {result.get('message', '')}"
    if (result.get("verification") or {}).get("status") != "passed":
        return "not verified"
    timing = result.get("timing") or {}
    if kind == "gpu" and timing.get("source") not in ("cuda_events", "cpu_wall"):
        return f"timed by {timing.get('source')}"
    if kind == "gpu" and not timing.get("median_ms", 0) > 0:
        return "took no time"
    return None


def line(result):
    metrics = result.get("metrics") or {}
    timing = result.get("timing") or {}
    text = f"  {result['variant']:<24}{timing.get('median_ms', 0) * 1000:>12.2f} us"
    bandwidth = (metrics.get("bandwidth") or {}).get("value")
    if bandwidth is not None:
        text += f"{bandwidth:>10.1f} GB/s"
    return text + f"  {timing.get('source', '')} {timing.get('mode') or ''} x{timing.get('samples', 0)}"


def summarize(path, quiet):
    with open(path) as file:
        document = json.load(file)
    kind = document["device"]["kind"]
    bad = 0
    print(f"{path.rsplit('/', 1)[-1]}: {document['lab']} on {document['device']['name']}, "
          f"{len(document['results'])} results")
    for result in document["results"]:
        problem = defect(result, kind)
        bad += problem is not None
        if problem:
            print(f"  {result['variant']:<24}{result.get('params', {})}  {problem}")
        elif not quiet:
            print(line(result))
    return bad


def main(arguments):
    quiet = "--quiet" in arguments
    files = [a for a in arguments if a != "--quiet"]
    if not files:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    return 1 if sum(summarize(path, quiet) for path in files) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
