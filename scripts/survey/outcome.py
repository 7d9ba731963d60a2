"""What became of a program, in a word; and whether two runs printed the same."""
import re

FAILED = re.compile(r"\bFAIL(?:ED|URE|S)?\b|\bfail(?:ed|ure)\b|\bmis-?match\b(?!es?\s*[:=]?\s*0\b)|\bincorrect\b|\bnot correct\b|\bdoes(?: not|n't) match\b|\bis wrong\b"
                    r"|\bverification error\b|\bnot equal\b", re.I)
NONE_FAILED = re.compile(r"\b(?:0|no|zero)\s+(?:fail\w*|mismatch\w*|errors?)|(?:fail\w*|mismatch\w*|errors?)\s*[:=]\s*0\b(?!\.)", re.I)
PASSED = re.compile(r"\bPASS(?:ED|ES)?\b|\bSUCCE(?:SS|EDED|SSFUL\w*)\b|\bcorrect\b|\bverified\b|\bOK\b|\btest(?:s)? passed\b|\bmatch(?:es)?\b", re.I)
NO_DATA = re.compile(r"no such file|cannot open|could ?n[o']t open|failed to open|unable to open|can't open|error opening|fopen|open.{0,20}fail", re.I)
USAGE = re.compile(r"\busage\b|command line (?:arguments|options)", re.I)
TEXTURES = re.compile(r"Array\b|Texture|Surface|Mipmap|\btex\.|\bsuld|\bsust|\btexref|\btld4|ChannelDesc", re.I)


def own_check(text):
    plain = NONE_FAILED.sub(" ", text)
    if FAILED.search(plain):
        return "check failed"
    return "passed" if PASSED.search(plain) else "ended"


def findings_of(document):
    kernels = [(k["name"].split("(")[0], f) for k in document.get("kernels", []) for f in k.get("findings", [])]
    listed = kernels + [("host", f) for f in document.get("findings", [])]
    return [f"{f['severity']} {f['tool']} in {where}: {f['message']}" for where, f in listed]


def judge(code, out, err, document):
    """class, detail, and what the document counts."""
    outcome = {"exit_code": code, "class": "", "detail": "", "findings": findings_of(document)}
    kernels = document.get("kernels", [])
    outcome["launches"] = sum(k["launches"] for k in kernels)
    outcome["warp_instructions"] = sum(k.get("counters", {}).get("warp_instructions", 0) for k in kernels)
    status, own = document.get("status", ""), document.get("exit_code")
    unsupported = document.get("unsupported") or {}
    faults = [f for f in document.get("faults", []) if f["failure"] != "refused"]

    def say(name, detail=""):
        outcome["class"], outcome["detail"] = name, detail
        return outcome

    if unsupported:
        what = unsupported["what"]
        kind = "texture" if TEXTURES.search(what) else "cluster" if re.search("cluster", what, re.I) else "closed library" if "closed library" in what else "unsupported"
        return say(kind, what)
    if code is None:
        return say("time", f"{outcome['launches']} launches ended")
    if not document:
        last = err.strip().splitlines()
        said = last[0] if last else f"exit code {code}"
        return say("closed library" if "closed library" in said else "texture" if TEXTURES.search(said) else "unsupported", said)
    if faults:
        first = faults[0]
        if first["failure"] == "hung" and "long or without end" in first["message"]:
            return say("time", "a block ran longer than exec waits unless asked")
        if first["failure"] == "hung":
            return say("hung", f"{first['kernel'].split('(')[0]}: {first['message']}")
        return say("out of memory" if first["failure"] == "out_of_memory" else "fault", f"{first['kernel'].split('(')[0]}: {first['message']} {first.get('where') or ''}")
    if document.get("signal"):
        return say("crash", f"signal {document['signal']} {document.get('crash') or ''}")
    said = out + err.split("gpulab: ")[0]
    if own != 0:
        if NO_DATA.search(said):
            return say("needs data", NO_DATA.search(said).group(0))
        if USAGE.search(said):
            return say("needs data", "arguments that the Makefile does not say")
        return say("own exit code", f"{own}: {said.strip()[-120:]}")
    if NO_DATA.search(said):
        return say("needs data", NO_DATA.search(said).group(0))
    outcome["class"] = own_check(said)
    if status == "finding":
        outcome["detail"] = "findings"
    return outcome


TIMED = re.compile(r"\b(?:[mun]?s|sec\w*|time\w*|millisec\w*|speed\w*|[GMT]B/s\w*|[GMT]iB/s|[GMTK]?FLOP\S*|bandwidth|throughput|elapsed|latency|cycles?|per second|/s|us|average|rate|fps|GPU Device|Device \d|device name|clock|compute capability|multiprocessors?)\b|\bin [\d.]+ ?\(", re.I)
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")


def lines_of(text):
    kept = []
    for line in text.splitlines():
        if line.strip() and not TIMED.search(line):
            kept.append(re.sub(r"0x[0-9a-fA-F]{6,}", "ADDRESS", line.strip()))
    return kept


def close(one, other):
    """The same words, and numbers that differ by rounding."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)):
        if a != b and abs(float(a) - float(b)) > 1e-3 * max(abs(float(a)), abs(float(b)), 1e-3):
            return False
    return True


def compare(one, other):
    """("equal" | "equal but for rounding" | "differs", differences) of what was printed, lines that speak of time left out."""
    left, right = lines_of(one), lines_of(other)
    if left == right:
        return "equal", []
    differing = [(a, b) for a, b in zip(left, right) if a != b]
    if len(left) != len(right):
        return "differs", [f"{len(left)} lines, {len(right)} on the GPU"] + [f"{a} | {b}" for a, b in differing[:3]]
    far = [f"{a} | {b}" for a, b in differing if not close(a, b)]
    return ("differs", far[:4]) if far else ("equal but for rounding", [f"{a} | {b}" for a, b in differing[:2]])
