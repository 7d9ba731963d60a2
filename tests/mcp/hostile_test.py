#!/usr/bin/env python3
"""The sources of tests/hostile as an agent sends them: one server of `gpulab mcp` answers each of them, as the command line ends, and lives on.

usage: hostile_test.py GPULAB [EVERY]     each so many of them
"""
import json
import os
import pathlib
import re
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "hostile")]
import run as hostile  # noqa: E402 (the path comes first)
from server import Server  # noqa: E402

LAUNCH = {"kernel": "k", "grid": "1", "block": "32"}  # as hostile.SIM has it
MOST_WAIT, MOST_MEMORY = 100, 300  # seconds of an answer, MiB of the server
REFUSED = 2  # the exit code of a request that is wrong: `isError` here


def cases():
    """(case, its arguments) of those whose one file is launched as run_kernel launches."""
    for one in hostile.CASES:
        if len(one.files) != 1 or one.environment or not one.command[:1] == ["run"] or one.command[2:2 + len(hostile.SIM)] != hostile.SIM:
            continue
        (source,) = one.files.values()
        more = one.command[2 + len(hostile.SIM):]
        # JSON is text: bytes that are none do not come this way.
        if not isinstance(source, str) or len(source) > 1 << 20 or more[::2] != ["--arg"] * (len(more) // 2) or any("@" in arg for arg in more[1::2]):
            continue
        yield one, source, more[1::2]


def wrong(server, one, source, arguments):
    """What is not as it must be."""
    began = time.monotonic()
    answer = server.answer(server.request("tools/call", {"name": "run_kernel", "arguments": {"source": source, "arguments": arguments, "sanitize": [], **LAUNCH}}),
                           MOST_WAIT)
    took = time.monotonic() - began
    if "result" not in answer:
        return f"no result: {json.dumps(answer)[:300]}"
    result, text = answer["result"], json.dumps(answer, ensure_ascii=False)
    if took > MOST_WAIT:
        return f"it took {took:.0f} s"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "".join(part.get("text", "") for part in result["content"])):
        return "characters that a terminal obeys"
    said = [never for never in one.never if re.search(never, text)]
    if said:
        return f"it says {said}"
    if result["isError"]:
        code = REFUSED if "structuredContent" not in result else None
    else:
        code = result["structuredContent"]["exit_code"]
    if code not in one.exit:
        return f"exit code {code}, not {one.exit}: {text[:400]}"
    return ""


def memory(server):
    """The server's, MiB."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status).group(1)) / 1024


def main():
    hostile.topics([])
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chosen = list(cases())[::every]
    failed = 0
    with tempfile.TemporaryDirectory() as cache, Server(os.path.abspath(sys.argv[1]), environment={"XDG_CACHE_HOME": cache}) as server:
        for one, source, arguments in chosen:
            problem = wrong(server, one, source, arguments)
            if problem:
                failed += 1
                print(f"FAILED {one.name}: {problem}")
        alive = server.call("capabilities")
        if alive["isError"] or memory(server) > MOST_MEMORY:
            failed += 1
            print(f"FAILED the server answers behind them, in {memory(server):.0f} MiB")
        print(f"the server took {memory(server):.0f} MiB")
    print(f"{len(chosen) + 1 - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
