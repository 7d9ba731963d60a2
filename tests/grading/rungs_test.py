#!/usr/bin/env python3
"""Rungs of ours as students' kernels: `rungs_test.py BINARY [--write]`. Each rung whose kernel has the signature of a contract of its lab is
judged by `gpulab check`. Which of them are right stands in rungs.txt, and why the others are not: they do another work (a part of the
reduction, a copy), or are launched in another way. --write renews the list, without reasons.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LABS = HERE.parent.parent / "labs"
VALUES = {"{Op}": "Sum", "{block}": "256", "{tile}": "32", "{Kind}": "Inclusive", "{print}": "false"}


def instance(pattern, signature):
    """ "reduce_warp<int, Sum>" of "reduce_warp<{type}, {Op}>": of the contract's own type, int for T."""
    first = signature[1:].split("*")[0].removeprefix("const ").strip()
    for name, value in {"{type}": "float" if "float" in signature.split(",")[0] or first == "float" else "int", **VALUES}.items():
        pattern = pattern.replace(name, value)
    return pattern


def rungs(binary):
    listed = json.loads(subprocess.run([binary, "list", "--format", "json"], capture_output=True, text=True, check=True).stdout)
    for lab in listed["labs"]:
        for contract in lab["contracts"]:
            seen = set()
            for variant in lab["variants"]:
                if variant["file"] != "kernels.cu" or not variant["kernel"]:
                    continue
                kernel = instance(variant["kernel"], contract["signature"])
                if kernel not in seen:
                    seen.add(kernel)
                    yield lab["name"], contract["name"], kernel


def judge(binary, rung):
    """"right", "wrong", or nothing where the signature is another one."""
    lab, contract, kernel = rung
    ran = subprocess.run([binary, "check", lab, LABS / lab / "kernels.cu", "--contract", contract, "--kernel", kernel, "--nvcc", f"-I{LABS / lab}",
                          "--format", "json"], capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        return ran.stderr.splitlines()[0]
    items = {item["name"]: item["status"] for item in json.loads(ran.stdout)["items"]}
    if items["signature"] != "passed":
        return ""
    return "right" if ran.returncode == 0 else "wrong"


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    with concurrent.futures.ThreadPoolExecutor(2) as pool, tempfile.TemporaryDirectory():
        every = list(rungs(binary))
        found = [(" ".join(rung[:2]) + " " + rung[2].replace(" ", ""), verdict)
                 for rung, verdict in zip(every, pool.map(lambda rung: judge(binary, rung), every)) if verdict]
    path = HERE / "rungs.txt"
    if "--write" in sys.argv:
        path.write_text("".join(f"{verdict} {name}\n" for name, verdict in found))
        return 0
    known = {}
    for line in path.read_text().splitlines():
        verdict, name = line.split(" :: ")[0].split(" ", 1)
        known[name] = verdict
    failed = 0
    for name, verdict in found:
        if known.pop(name, None) != verdict:
            failed += 1
            print(f"FAILED {name} is {verdict}, and rungs.txt does not say so")
    for name in known:
        failed += 1
        print(f"FAILED rungs.txt names {name}, which is no rung of a contract's signature")
    print(f"{len(found) - min(failed, len(found))} passed, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
