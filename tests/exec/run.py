#!/usr/bin/env python3
"""Whole programs by `gpulab exec`: `run.py BINARY [-k WORD] [-j JOBS] [--long]`.

Each .cu file here is built once, by `gpulab nvcc`, and says in its first lines what is to come of it:

    // case: OPTIONS [-- ARGUMENTS] :: CODE     a run, and its exit code
    // out: EXPRESSION                          what its standard output matches (any number)
    // err: EXPRESSION                          what the report on standard error matches, blanks counting as one
    // build: OPTIONS                           of nvcc, where it takes some
    // long                                     it takes more than a few seconds: run by --long, and by nothing else

There @TEXT@ is the number of the line that has TEXT. Files of homework/ are compiled by `gpulab exec` itself, case for case, as
students do it: OPTIONS are of that. Below are the cases that take more than a program: what cannot be run, and fat binaries that lie. NVIDIA's nvcc is needed.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

import courses
import several_gpus
import suite

HERE = pathlib.Path(__file__).resolve().parent
CASE = re.compile(r"^// case:(.*):: (\d+)$((?:\n// (?:out|err): .*)*)", re.M)
ENVIRONMENT = {**os.environ, "COLUMNS": "200"}
NVCC = os.environ.get("GPULAB_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=300, env=ENVIRONMENT,
                          check=False)


def wrong_in(ran, code, out, err):
    """What is not as it should be; empty: nothing."""
    said = re.sub(r"[ \n]+", " ", ran.stderr)
    if ran.returncode != code:
        return f"exit code {ran.returncode}, not {code}\n{ran.stdout[:1000]}{ran.stderr[:3000]}"
    for expression in out:
        if not re.search(expression, ran.stdout):
            return f"standard output has no /{expression}/\n{ran.stdout[:2000]}"
    for expression in err:
        if not re.search(expression, said) and not re.search(expression, ran.stderr):
            return f"standard error has no /{expression}/\n{ran.stderr[:4000]}"
    return ""


def expected_of(marks, text):
    """What a case expects, "out" and "err"; @TEXT@ is the number of the first line of code that has TEXT."""
    lines = [line if not line.startswith("//") else "" for line in text.splitlines()]

    def number_of(found):
        return str(next(i + 1 for i, line in enumerate(lines) if found.group(1).replace("\\", "") in line))

    marks = re.sub(r"@(.*?)@", number_of, marks)
    return {kind: re.findall(rf"^// {kind}: (.*)$", marks, re.M) for kind in ("out", "err")}


class Tests:
    def __init__(self, binary, word, folder):
        self.binary, self.word, self.folder = binary, word, pathlib.Path(folder)
        self.passed, self.failed = 0, 0
        self.built, self.one_asks = {}, threading.Lock()

    def note(self, name, wrong):
        if wrong:
            self.failed += 1
            print(f"FAILED {name}: {wrong}")
        else:
            self.passed += 1

    def build(self, file, *options, compiler=None):
        """The program; who else asks for the same waits for it, and gets that."""
        key = (file, compiler is None, frozenset(options))
        with self.one_asks:
            first = key not in self.built
            built = self.built.setdefault(key, concurrent.futures.Future())
        if first:
            try:
                built.set_result(self.build_anew(file, options, compiler))
            except Exception as error:
                built.set_exception(error)
        return built.result()

    def copied(self, file):
        """The file beside the programs."""
        with self.one_asks:
            copy = self.folder / file.name
            if not copy.exists():
                shutil.copy(file, copy)
        return copy

    def build_anew(self, file, options, compiler):
        program = self.folder / (file.stem + "".join(re.sub(r"\W", "_", o) for o in options))
        ran = run([*(compiler or [self.binary, "nvcc"]), str(file), "-o", str(program), *options], self.folder)
        if ran.returncode != 0:
            self.note(f"{file.name} builds", ran.stdout + ran.stderr)
        return program

    def case(self, name, command, code, out=(), err=()):
        if self.word in name:
            self.note(name, wrong_in(run([self.binary, "exec", *command], self.folder), code, out, err))

    def file(self, file):
        cases = CASE.findall(file.read_text(encoding="utf-8"))
        if not cases:
            self.note(file.name, "has no line '// case: …'")
        cases = [c for c in cases if self.word in f"{file.stem} {c[0]}"]
        if not cases:
            return
        # The source of lines that cases name is shown, where it lies beside the program.
        beside = any("@" in marks for _, _, marks in cases)
        options_of_nvcc = re.search(r"^// build: (.*)$", file.read_text(encoding="utf-8"), re.M)
        program = self.build(self.copied(file) if beside else file,
                             *(shlex.split(options_of_nvcc[1]) if options_of_nvcc else ()))
        for words, code, marks in cases:
            options, dashes, arguments = words.partition(" -- ")
            expected = expected_of(marks, file.read_text(encoding="utf-8"))
            ran = run([self.binary, "exec", program.name, *shlex.split(options), *([dashes.strip()] if dashes else []),
                       *shlex.split(arguments)], self.folder)
            self.note(f"{file.stem} {words.strip()}", wrong_in(ran, int(code), expected["out"], expected["err"]))

    def homework(self, file):
        """What a student does with a program: what the tool says is all that there is to go by."""
        text = file.read_text(encoding="utf-8")
        folder = self.folder / f"homework_{file.stem}"
        folder.mkdir()
        shutil.copy(file, folder)
        for words, code, marks in CASE.findall(text):
            if self.word not in f"homework {file.stem} {words}":
                continue
            expected = expected_of(marks, text)
            ran = run([self.binary, "exec", file.name, *shlex.split(words)], folder)
            self.note(f"homework {file.stem} {words.strip()}", wrong_in(ran, int(code), expected["out"], expected["err"]))

    def documents(self):
        """The JSON holds to its schema, whatever became of the program."""
        program = self.build(HERE / "mistakes.cu")
        for word, code in (("beyond", 4), ("prints", 0), ("mipmaps", 3), ("host_reads", 139), ("free_twice", 1)):
            target = self.folder / f"{word}.json"
            self.case(f"document {word}", [program.name, "--format", "json", "--output", target.name, "--", word], code)
            if not target.exists():
                continue
            with open(target, encoding="utf-8") as document:
                checked = subprocess.run([sys.executable, str(HERE.parent / "cli/check_schema.py"), self.binary, "exec"],
                                         stdin=document, capture_output=True, text=True, check=False)
            self.note(f"schema {word}", checked.stderr if checked.returncode else "")

    def explained(self):
        """The lines that cost the most, as data."""
        program, target = self.build(HERE / "vector_sum.cu"), self.folder / "explained.json"
        self.case("explained", [program.name, "--format", "json", "--output", target.name, "--explain"], 0)
        if target.exists():
            with open(target, encoding="utf-8") as document:
                checked = subprocess.run([sys.executable, str(HERE.parent / "cli/check_schema.py"), self.binary, "exec"],
                                         stdin=document, capture_output=True, text=True, check=False)
            self.note("explained: the schema", checked.stderr if checked.returncode else "")
            told = json.loads(target.read_text())["kernels"][0]["explain"]
            good = told["file"].endswith("vector_sum.cu") and not told["ptx_lines"] and told["marks"] == []
            self.note("explained: what it says", "" if good else str(told))
        slow, advice = self.build(self.copied(HERE / "advice.cu")), self.folder / "advice.json"
        self.case("explained advice", [slow.name, "--format", "json", "--output", advice.name, "--explain", "--", "copies"], 0)
        if advice.exists():
            with open(advice, encoding="utf-8") as document:
                checked = subprocess.run([sys.executable, str(HERE.parent / "cli/check_schema.py"), self.binary, "exec"],
                                         stdin=document, capture_output=True, text=True, check=False)
            self.note("explained advice: the schema", checked.stderr if checked.returncode else "")
            told = json.loads(advice.read_text())["advice"]
            good = [one["kind"] for one in told] == ["needless_copy"] and told[0]["where"].startswith("advice.cu:") and told[0]["cost_ms"] > 0
            self.note("explained advice: what it says", "" if good else str(told))
        bare = self.build(HERE / "vector_sum.cu", "-arch=compute_90", "-code=compute_90", "-cudart=shared", compiler=[NVCC])
        self.case("explained without lines", [bare.name, "--explain"], 0,
                  err=["add: the program names no lines of it; build it with 'gpulab nvcc', or nvcc -lineinfo"])

    def sources(self):
        """A file is compiled, where it can be."""
        (self.folder / "good.cu").write_text('#include "good.h"\nint main(int n, char**) { return CODE + n; }\n')
        (self.folder / "good.h").write_text("#include <cuda_runtime.h>\n")
        (self.folder / "bad.cu").write_text("int main() { return nothing; }\n")
        self.case("source", ["good.cu", "--nvcc", "-DCODE=4", "--", "one", "two"], 7)
        self.case("source wrong", ["bad.cu"], 1, err=[r"identifier \"nothing\" is undefined", "bad.cu on a simulated h200: exit code 1"])
        self.case("source missing", ["none.cu"], 2, err=[r"error: exec: no such file: none\.cu"])
        self.case("program missing", ["none"], 2, err=["error: exec: no such file: none"])
        self.case("arguments", ["good", "more"], 2, err=["error: exec: arguments of the program stand behind --"])
        self.case("arguments of files", ["good.cu", "more"], 2, err=["error: exec: 'more' is no source file"])
        self.case("text", ["good.h"], 2, err=[r"error: exec: good\.h is neither a \.cu file nor a program"])

    def build_errors(self, that_build=False):
        """What a build's errors mean, where their own words do not tell; of programs that build all the same: what is told when they run."""
        kernel = "__global__ void k(float* x) { x[threadIdx.x] = helper(x[threadIdx.x]); }\nint main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize(); }\n"
        programs = {
            "unresolved": ("extern __device__ float helper(float x);\n" + kernel, [], 1,
                           r"  hint: the device function helper\(float\) is declared \(unresolved\.cu:1\) and defined in none of these files"),
            "for_the_host": ("float helper(float x) { return x; }\n" + kernel, [], 1, r"  hint: helper\(float\) \(for_the_host\.cu:1\) is compiled for the host alone"),
            "too_much": ("__global__ void k(float* x) {\n  __shared__ float s[16384];\n  for (int i = threadIdx.x; i < 16384; i += 32) s[i] = i;\n"
                         "  __syncthreads();\n  *x = s[threadIdx.x];\n}\nint main() { k<<<1, 32>>>(nullptr); }\n", [], 1,
                         r"  hint: k\(float\*\) has 65536 bytes of static shared memory \(too_much\.cu:2\), and 49152 are the most"),
            "not_linked": ("extern __device__ int helper(float* x);\n__global__ void k(float* x) { if (helper(x)) __nanosleep(1); }\n"
                           "int main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() == cudaSuccess; }\n", ["-rdc=true"], 4,
                           r"error: the device function helper\(float\*\) is declared, and no file of the program defines it in k, block"),
            "no_asserts": ("#include <cassert>\n__global__ void k(int* x) {  assert(x); }\nint main() { k<<<1, 1>>>(nullptr); }\n", ["-DNDEBUG"], 0,
                           r"gpulab: no_asserts\.cu: assert\(\) checks nothing, in kernels neither, for NDEBUG is defined\n")}
        for name, (text, options, code, said) in programs.items():
            if that_build != (code != 1):
                continue
            (self.folder / f"{name}.cu").write_text(text)
            self.case(f"build errors {name}", [f"{name}.cu", *(f"--nvcc={o}" for o in options)], code, err=[said])
        if self.word in "build errors" and not that_build:
            ran = run([self.binary, "nvcc", "too_much.cu", "-o", "too_much"], self.folder)
            self.note("build errors of nvcc", "" if ran.returncode != 0 and "  hint: k(float*) has 65536 bytes" in ran.stderr else ran.stderr)

    def streams(self):
        """What goes in and out of a program, also of one that is killed."""
        (self.folder / "waits.cu").write_text("""#include <cstdio>
__global__ void loop(int* x, int n) {
  int i = threadIdx.x;
  while (i < n) x[i] += 1;
}
int main(int, char** argv) {
  int n = 0;
  if (std::scanf("%d", &n) == 1) std::printf("read %d\\n", n);
  std::printf("no end of line");
  int* x = nullptr;
  cudaMalloc(&x, 4), cudaMemset(&n, 1, 4);
  loop<<<1, 32>>>(x, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
""")
        program = self.build(self.folder / "waits.cu")
        if self.word not in "streams":
            return
        (self.folder / "private").mkdir()
        for number in (signal.SIGTERM, signal.SIGINT):
            child = subprocess.Popen([self.binary, "exec", program.name, "--budget", "100G"], cwd=self.folder, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env={**ENVIRONMENT, "TMPDIR": str(self.folder / "private")})
            child.stdin.write("7\n")
            child.stdin.flush()
            time.sleep(0.7)
            child.send_signal(number)
            start = time.monotonic()
            out, err = child.communicate(timeout=60)
            name = f"streams {number.name}"
            self.note(name, "" if (child.returncode, out) == (130, "read 7\nno end of line") and re.search(": interrupted.*waits.cu:", err, re.S)
                      else f"{child.returncode} {out} {err}")
            time.sleep(0.2)  # the housekeeper sees that we are gone
            self.note(name + " leaves nothing", ", ".join(os.listdir(self.folder / "private")))
            self.note(name + " at once", "" if time.monotonic() - start < 10 else "seconds later")

    def cached(self):
        """What did not change is not compiled again."""
        folder = self.folder / "cached"
        folder.mkdir()
        (folder / "one.cu").write_text('#include "one.h"\nint main() { return CODE; }\n')
        environment = {**ENVIRONMENT, "XDG_CACHE_HOME": str(folder / "cache")}
        seconds = []
        for code in (3, 3, 4):
            if code != 3 or not seconds:
                (folder / "one.h").write_text(f"#define CODE {code}\n#warning told\n")
            start = time.monotonic()
            ran = subprocess.run([self.binary, "exec", "one.cu"], cwd=folder, capture_output=True, text=True, env=environment, check=False)
            seconds.append(time.monotonic() - start)
            self.note(f"cached {code}", "" if ran.returncode == code and "told" in ran.stderr else f"{ran.returncode} {ran.stderr}")
        self.note("cached is quick", "" if seconds[1] < min(seconds[0], seconds[2]) / 2 else str(seconds))

    def traced(self):
        """Launches and copies for a browser, with the lines that asked for them."""
        program = self.build(HERE / "vector_sum.cu")
        self.case("chrome trace", [program.name, "--chrome-trace", "trace.json", "--", "1000"], 0, out=["right"])
        if not (self.folder / "trace.json").exists():
            return
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        launches = [e for e in events if e.get("cat") == "kernel"]
        copies = [e for e in events if e.get("cat") == "copy"]
        good = launches and copies and all(re.fullmatch(r"vector_sum\.cu:\d+", e["args"]["called_by"]) and e["dur"] > 0 for e in launches)
        self.note("chrome trace names lines", "" if good else str(events)[:500])

    def stepped(self):
        """One launch, step by step; of what the program's process tells of it nothing is trusted."""
        shutil.copy(HERE / "vector_sum.cu", self.folder / "steps.cu")
        self.case("steps", ["steps.cu", "--trace-page", "page.html", "--", "1000"], 0, out=["right"])
        self.case("steps as data", ["steps.cu", "--trace-page", "page.json", "--blocks", "3", "--", "1000"], 0)
        self.case("steps as text", ["steps.cu", "--trace-page", "page.txt", "--warps", "1", "--events", "20", "--", "1000"], 0)
        if self.word in "steps":
            page, text = (self.folder / "page.html").read_text(), (self.folder / "page.txt").read_text()
            self.note("steps: the page", "" if "<h1>steps.cu</h1>" in page and '"model":{"gpu":"h200"}' in page and "http" not in re.sub(r'http-equiv|http://www\.w3\.org/2000/svg', "", page) else page[:2000])
            document = json.loads((self.folder / "page.json").read_text())
            good = document["kernel"] == "add" and document["window"]["warps"][0]["block"] == 3 and document["model_unavailable"] == "the model does not follow these warps"
            self.note("steps: the data", "" if good else str(document)[:2000])
            self.note("steps: the source", "" if any("a[i] + b[i]" in line for _, line in document["source"]["lines"]) else str(document["source"]))
            good = re.search(r"block 0, warp 1  steps\.cu:\d+", text) and "loads from global memory, cudaMalloc #1[32] to cudaMalloc #1[63]" in re.sub(r"\s+", " ", text)
            self.note("steps: the text", "" if good else text[:3000])
            with open(self.folder / "page.json", encoding="utf-8") as file:
                checked = subprocess.run([sys.executable, str(HERE.parent / "cli/check_schema.py"), self.binary, "trace"], stdin=file,
                                         capture_output=True, text=True, check=False)
            self.note("steps: the schema", checked.stderr if checked.returncode else "")
        self.case("steps of no launch", ["steps.cu", "--trace-page", "none.html", "--launch", "9"], 2,
                  err=["error: --trace-page: launch 9 never ran; the program had 1 hint: --launch N takes another"])
        self.case("steps of no block", ["steps.cu", "--trace-page", "none.html", "--blocks", "99"], 2,
                  err=["error: --trace-page: the launch has no such block or warp"])
        self.case("steps without a page", ["steps.cu", "--launch", "1"], 2,
                  err=["error: --launch chooses what --trace-page shows hint: add --trace-page FILE.html"])
        if self.word in "steps":
            self.note("steps: nothing is left", "none.html" if (self.folder / "none.html").exists() else "")
        # The source of a program that was built elsewhere is not read for it, whatever its lines say; nor behind a link.
        elsewhere = self.build(HERE / "vector_sum.cu")
        self.case("steps of elsewhere", [elsewhere.name, "--trace-page", "elsewhere.json"], 0)
        if self.word in "steps":
            source = json.loads((self.folder / "elsewhere.json").read_text())["source"]
            self.note("steps: no source of elsewhere", "" if source == {"name": "", "lines": []} else str(source)[:500])
        (self.folder / "secret").mkdir()
        (self.folder / "links").mkdir()
        shutil.copy(HERE / "vector_sum.cu", self.folder / "secret/kernel.cu")
        shutil.copy(HERE / "vector_sum.cu", self.folder / "links/kernel.cu")
        linked = self.build(self.folder / "links/kernel.cu")
        linked.rename(self.folder / "links/program")
        for form, shown in (("plain", True), ("link", False)):
            if not shown:
                (self.folder / "links/kernel.cu").unlink()
                (self.folder / "links/kernel.cu").symlink_to(self.folder / "secret/kernel.cu")
            ran = run([self.binary, "exec", "program", "--trace-page", "steps.json"], self.folder / "links")
            lines = json.loads((self.folder / "links/steps.json").read_text())["source"]["lines"] if ran.returncode == 0 else ran.stderr
            self.note(f"steps: the source, {form}", "" if ran.returncode == 0 and bool(lines) == shown else str(lines)[:500])
        (self.folder / "forged.cu").write_text("""#include <cstdio>
#include <cstdlib>
#include <string>
__global__ void one(int* x) { x[threadIdx.x] = 1; }
__global__ void two(int* x) { x[threadIdx.x] += 2; }
int main(int n, char** argv) {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  one<<<1, 64>>>(x);
  two<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
  if (n < 2) return 0;
  const std::string name = std::string(std::getenv("TMPDIR")) + "/record.json.steps";
  std::FILE* file = std::fopen(name.c_str(), argv[1][0] == 'a' ? "a" : "w");
  std::fputs(argv[1], file);
  return std::fclose(file);
}
""")
        self.case("steps of the second", ["forged.cu", "--trace-page", "two.txt", "--launch", "2", "--no-counters"], 0)
        if self.word in "steps":
            text = (self.folder / "two.txt").read_text()
            self.note("steps: the second launch", "" if ": two\n" in text and "Launch 2 of 2" in text and "cudaMalloc #1[0] to cudaMalloc #1[31]" in text else text[:2000])
        for forged in ("nonsense", "[[]]", "a more"):
            self.case(f"steps forged {forged}", ["forged.cu", "--trace-page", "none.html", "--", forged], 3,
                      err=["error: what the program's process kept of a launch cannot be read"])

    def pages(self):
        """The report as a page: what is wrong, kernels, copies, launches."""
        program = self.build(HERE / "mistakes.cu")
        for word, code, there in (("beyond", 4, "out-of-bounds"), ("prints", 0, "What the program launched"), ("free_twice", 1, "What was found")):
            target = self.folder / f"{word}.html"
            self.case(f"page {word}", [program.name, "--format", "html", "--output", target.name, "--", word], code)
            if target.exists():
                text = target.read_text()
                self.note(f"page {word} says", "" if there in text and text.startswith("<!doctype html>") else text[-3000:])

    def linked(self):
        """Files that are linked on the device's side, too, here at once and there by object files."""
        files = [str(HERE / "linked/main.cu"), str(HERE / "linked/other.cu")]
        said = ["^12 23 35 47 19 31 543 1062 113 no error\n$"]
        self.case("linked", [*files, "--nvcc", "-rdc=true"], 0, out=said, err=["kernel +1 .*", "other +1 "])
        said = ["^if: 0 1 1 1\nif and else: 10 1 1 1\nswitch: 1 10 100 0\n0 nodes before\nwhile: 1 2 3\nrecording 1, behind 0, then 1\n"
                "recorded: 100 105\nrefused: invalid argument invalid argument invalid argument\n$"]
        if subprocess.run([NVCC, "--version"], capture_output=True, text=True, check=False).stdout.find("release 12") < 0:
            self.case("linked conditions", [str(HERE / "linked/conditions.cu"), "--nvcc", "-rdc=true", "--sanitize", "all"], 0, out=said)

    def unlooked(self):
        """What programs drop is known of all their files, however they are built; what nvcc says is the user's alone."""
        if self.word not in "unlooked":
            return
        folder = self.folder / "unlooked"
        folder.mkdir()
        (folder / "copy.cu").write_text("""int mine() __attribute__((warn_unused_result));
int mine() { return 1; }
void copy(int* d, int* h) {
  cudaMemcpy(d, h, 68, cudaMemcpyHostToDevice);
  mine();
}
""")
        (folder / "main.cu").write_text("""void copy(int*, int*);
int main() {
  int h[32] = {}, *d;
  if (cudaMalloc(&d, 64)) return 1;
  copy(d, h);
  return cudaMemset(d, 0, 68) == cudaSuccess;
}
""")
        finding = r"error: api: cudaMemcpy: 68 bytes, but the destination, 'cudaMalloc #1', has 64 .*\(called by copy\.cu:4;"
        looked = r"note: api: cudaMemset: 68 bytes, .*\(called by main\.cu:6; cudaErrorInvalidValue, which the call returned\)"
        ours = re.compile("cudaM|gpulab_|nodiscard|In function .int main")
        for compiler in ([self.binary, "nvcc"], [NVCC, "-cudart=shared", "-Xcompiler", "-g1", "-gencode=arch=compute_90,code=compute_90"]):
            is_ours = compiler[0] == self.binary
            name = "by us" if is_ours else "by others"
            for file in ("copy", "main"):
                said = run([*compiler, "-c", f"{file}.cu", "-MD", "-MT", f"{file}.o", "-MF", f"{file}.d"], folder)
                self.note(f"unlooked {name} {file}", wrong_in(said, 0, [], ["Wunused-result"] if file == "copy" else []))
                words = said.stderr + (folder / f"{file}.d").read_text()
                self.note(f"unlooked {name} {file}: no word of ours", words if ours.search(words.replace("cuda_runtime", "")) else "")
            run([*compiler, "copy.o", "main.o", "-o", "program"], folder)
            ran = run([self.binary, "exec", "program"], folder)
            self.note(f"unlooked {name}", wrong_in(ran, 1, [], [finding, looked] if is_ours else ["error: api: cudaMemcpy: 68 bytes", "error: api: cudaMemset"]))
        ran = run([self.binary, "exec", "copy.cu", "main.cu"], folder)
        self.note("unlooked, compiled by exec", wrong_in(ran, 1, [], [finding, looked, "Wunused-result"]) or ("" if "nodiscard" not in ran.stderr else ran.stderr))
        strict = run([self.binary, "nvcc", "-Xcompiler", "-Werror", "main.cu", "-c"], folder)
        self.note("unlooked, warnings are errors", wrong_in(strict, 0, [], []))

    def foreign(self):
        """Programs that are built otherwise."""
        file = HERE / "vector_sum.cu"
        machine = self.build(file, "-cudart=shared", "-gencode=arch=compute_90,code=sm_90", compiler=[NVCC])
        self.case("no PTX", [machine.name], 3, err=["error: unsupported: the program holds no PTX for its kernels, called by", "hint: build it with 'gpulab nvcc'"])
        packed = self.build(file, "-cudart=shared", "-arch=compute_90", "-code=compute_90", compiler=[NVCC])
        self.case("compressed", [packed.name], 0, out=["right"])
        self.case("no runtime", ["/bin/true"], 3, err=["/bin/true does not use the CUDA runtime"])
        bytes_of = self.build(file).read_bytes()
        other = self.folder / "other"
        other.write_bytes(re.sub(rb"libcudart\.so\.1[23]\0", b"libcudart.so.11\0", bytes_of))
        other.chmod(0o755)
        self.case("other runtime", ["other"], 3, err=[r"other is linked with libcudart\.so\.11; this gpulab has libcudart\.so\.1[23]"])
        cut = self.folder / "cut"
        for size in (0, 10, 64, 500, 5000):
            cut.write_bytes(bytes_of[:size])
            self.note(f"cut at {size}", "" if run([self.binary, "exec", "cut"], self.folder).returncode in (2, 3) else "no clean refusal")

    def lies(self):
        """Fat binaries whose sizes are not so: told, never a crash."""
        plain = ["-cudart=shared", "-arch=compute_90", "-code=compute_90", "--no-compress"]  # one image, which is PTX
        program = self.build(HERE / "vector_sum.cu", *plain, compiler=[NVCC]).read_bytes()
        starts = [m.start() for m in re.finditer(re.escape(struct.pack("<IHH", 0xba55ed50, 1, 16)), program)]
        start = next(s for s in starts if struct.unpack_from("<Q", program, s + 8)[0] > 100)
        lying = {"length 0": (8, "<Q", 0), "length of all": (8, "<Q", 2**64 - 1), "length beyond": (8, "<Q", 2**40),
                 "header 0": (6, "<H", 0), "header long": (6, "<H", 65535), "no magic": (0, "<I", 7),
                 "image header 0": (20, "<I", 0), "image header long": (20, "<I", 2**32 - 1),
                 "image of all": (24, "<Q", 2**64 - 1), "image beyond": (24, "<Q", 2**33), "kind": (16, "<H", 9),
                 "compressed": (56, "<Q", 0x8000), "lz4": (56, "<Q", 0x2000)}
        for name, (offset, form, value) in lying.items():
            lie = bytearray(program)
            struct.pack_into(form, lie, start + offset, value)
            (self.folder / "lie").write_bytes(lie)
            (self.folder / "lie").chmod(0o755)
            said = ["the program's device code is damaged|holds no PTX|cannot be read"]
            self.case(f"lie {name}", ["lie"], 3, err=said)

    def confined(self):
        """What a program may do: write where it was started, and in its TMPDIR."""
        (self.folder / "writes.cu").write_text("""#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/socket.h>
int main(int, char** argv) {
  int* x = nullptr;
  cudaMalloc(&x, 4);
  cudaFree(x);
  std::FILE* here = std::fopen("written", "w");
  std::FILE* there = std::fopen((std::string(argv[1]) + "/written").c_str(), "w");
  std::FILE* own = std::fopen((std::string(std::getenv("TMPDIR")) + "/written").c_str(), "w");
  std::printf("%d %d %d %d\\n", here != nullptr, there != nullptr, own != nullptr, socket(AF_INET, SOCK_STREAM, 0) >= 0);
}
""")
        program = self.build(self.folder / "writes.cu")
        with tempfile.TemporaryDirectory() as elsewhere:
            self.case("confined", [program.name, "--", elsewhere], 0, out=["^1 0 1 0\n$"])
            self.case("not confined", [program.name, "--no-isolation", "--", elsewhere], 0, out=["^1 1 1 1\n$"])


def chosen(folder, long):
    """Programs that say `long`, or those that do not: each takes nvcc seconds, so that scripts/test.sh runs one of a kind."""
    return [file for file in sorted(folder.glob("*.cu")) if (re.search(r"^// long$", file.read_text(encoding="utf-8"), re.M) is not None) == long]


def jobs_of(tests, long):
    jobs = [(tests.file, file) for file in chosen(HERE, long)] + [(tests.homework, file) for file in chosen(HERE / "homework", long)]
    if long:
        return jobs + [(tests.unlooked,), (tests.build_errors, True)] + [(job, tests, run, wrong_in) for job in courses.LONG]
    jobs += [(job,) for job in (tests.documents, tests.explained, tests.sources, tests.linked, tests.traced, tests.stepped, tests.pages, tests.build_errors, tests.streams, tests.cached, tests.foreign, tests.lies, tests.confined)]
    jobs.append((several_gpus.labs, tests, run, ENVIRONMENT))
    return jobs + [(job, tests, run, wrong_in) for job in courses.QUICK]


if __name__ == "__main__":
    sys.exit(suite.main(NVCC, Tests, jobs_of))
