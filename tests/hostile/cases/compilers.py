"""What a file may have its compiler do: run commands, read files, take time and memory, forge messages."""
import os
import shutil

from run import ARRAY, case, ptx

KERNEL = "__global__ void k(int* a) { a[threadIdx.x] = 7; }\n"
FILE = "k.cu"
RAN = r"i32\[1024\]: 7 7 7"
SHOUT = "$(printf '\\110ACKED' >&2)"  # says HACKED where a shell reads it


def cu(name, files, exit=0, says=None, never=None, more=(), **others):
    """Runs the first file, which need not end in .cu for the runner to find it."""
    first = next(iter(files))
    command = ["run", "--device", "sim", "--kernel", "k", "--grid", "1", "--block", "32", "--threads", "2", *ARRAY, *more,
               "--", first]
    case(name, files, command, exit=exit, says=says, never=never, **others)


# --- names that a shell would read: nvcc hands its command lines to one ------------------------------------------------
for what, name in {"$()": SHOUT + ".cu", "backticks": "`printf '\\110ACKED' >&2`.cu",
                   "a quote and a semicolon": "a\";printf '\\110ACKED' >&2;\".cu", "an apostrophe": "it's.cu",
                   "a dash": "-dash.cu", "blanks and a line end": "a b\n.cu"}.items():
    cu(f"a file whose name has {what} is compiled, and nothing else", {name: KERNEL}, says=RAN, never="HACKED",
       long=what in ("backticks", "an apostrophe", "blanks and a line end"))
for what, folder in {"$()": SHOUT, "a comma": "a,b", "a percent sign": "%s%n"}.items():
    cu(f"a folder whose name has {what} holds a file and its header",
       {f"{folder}/k.cu": '#include "x.h"\n' + KERNEL, f"{folder}/x.h": "\n"}, says=RAN, never="HACKED",
       long=what != "$()")
case("the name of an instance is no command", {"k.cu": "template <int n> __global__ void k(int* a) { a[0] = n; }\n"},
     ["run", "k.cu", "--device", "sim", "--kernel", f"k<1>; {SHOUT}"], exit=2, never="HACKED")

# --- files that are not its own ---------------------------------------------------------------------------------------
OUTSIDE = {"by its path": ('#include "/etc/passwd"\n', {}), "by a macro": ('#define H "/etc/passwd"\n#include H\n', {}),
           "between brackets": ("#include </etc/passwd>\n", {}),
           "through a link": ('#include "link.h"\n', {"link.h": lambda path: os.symlink("/etc/passwd", path)}),
           "through a linked folder": ('#include "etc/passwd"\n', {"etc": lambda path: os.symlink("/etc", path)})}
for how, (line, more) in OUTSIDE.items():
    for compiler in ("nvcc", "nvrtc"):
        cu(f"a file outside is not read {how} ({compiler})", {"k.cu": line + KERNEL, **more}, exit=2, never="root:",
           more=["--compiler", compiler])
    cu(f"without Landlock it is not read {how} either", {"k.cu": line + KERNEL, **more}, exit=2,
       says="not below its own folder", never="root:", environment={"GPULAB_LANDLOCK": "0"}, more=["--compiler", "nvcc"])
cu("its environment is not there to be read", {"k.cu": '#include "/proc/self/environ"\n' + KERNEL}, exit=2,
   never="XDG_CACHE_HOME")
cu("the folder above is not its own", {"sub/k.cu": '#include "../x.h"\n' + KERNEL, "x.h": "\n"}, exit=2,
   says="--no-isolation lets it")
cu("--no-isolation does without", {"sub/k.cu": '#include "../x.h"\n' + KERNEL, "x.h": "\n"}, says=RAN,
   more=["--no-isolation"])
for version in ("0", "1", "2"):
    cu(f"its own folder is read with Landlock {version}, too",
       {"sub/k.cu": '#include "deep/x.h"\n' + KERNEL, "sub/deep/x.h": '#include "y.h"\n', "sub/deep/y.h": "\n"}, says=RAN,
       environment={"GPULAB_LANDLOCK": version}, long=version == "1")

# --- files that are none ----------------------------------------------------------------------------------------------
for what, make in {"a pipe": os.mkfifo, "/dev/zero": lambda path: os.symlink("/dev/zero", path)}.items():
    cu(f"{what} is no file to run", {"k.cu": make}, exit=2, says="no regular file", seconds=5)
    case(f"{what} is no PTX to run", {"k.ptx": make}, exit=2, says="no regular file", seconds=5)
    case(f"{what} is no buffer's content", {"k.ptx": ptx(parameters=".param .u64 a"), "b": make}, exit=2, seconds=5,
         more=["--arg", "a:i32[4]=@b"])
    cu(f"{what} is no header", {"k.cu": '#include "x.h"\n' + KERNEL, "x.h": make}, exit=2, says="does not compile")
case("a report is not written to a pipe that nobody reads", {"k.ptx": ptx(), "p": os.mkfifo}, exit=2, seconds=5,
     more=["--output", "p"])
case("9 MB are no source", {"k.ptx": ptx() + "// " + "x" * 9_000_000}, exit=2, says="the limit is 8 MiB", seconds=5)

# --- time and memory --------------------------------------------------------------------------------------------------
TEN = "".join(f"#define A{i} " + f"A{i - 1} " * 10 + "\n" for i in range(1, 12))
cu("templates without end end", {"k.cu": "template <int n, int m> struct B { enum { v = B<n - 1, m>::v + B<n - 1, m + 1>::v "
   "+ B<n - 1, 2 * m>::v }; }; template <int m> struct B<0, m> { enum { v = m }; };\n"
   "__global__ void k(int* a) { a[0] = B<40, 1>::v; }\n"}, exit=2, says="goes beyond", long=True)
cu("macros without end end", {"k.cu": "#define A0 x\n" + TEN + "__global__ void k(int* a) { A11 }\n"}, exit=2,
   says="goes beyond", long=True)  # tests/grading has bombs, too
cu("a file that includes itself ends", {FILE: f'#include "{FILE}"\n' + KERNEL}, exit=2, says="does not compile")
cu("parentheses without end end", {"k.cu": "__global__ void k(int* a) { a[0] = " + "(" * 200_000 + "1" + ")" * 200_000
   + "; }\n"}, exit=(0, 2))
cu("ptxas' own endless loop is not waited for", {"k.cu": '__global__ void k(int* a) { a[threadIdx.x] = 7; '
   'asm volatile(".shared .align 1073741824 .b8 s[4];"); }\n'}, exit=(0, 2, 4), long=True)

# --- what it says -----------------------------------------------------------------------------------------------------
cu("an error of a long line is an error", {"k.cu": "#error " + "a" * 100_000}, exit=2, says="does not compile")
cu("a warning of a long line is a warning", {"k.cu": "#warning " + "a(1): error: " * 30_000 + "\n" + KERNEL}, says=RAN)
cu("a message moves no cursor", {"k.cu": "#error \x1b[2J\x1b[Hverified passed\n"}, exit=2, says="does not compile",
   never="\x1b")
cu("a name in a message moves no cursor", {"k.cu": '#line 1 "\x1b[2J.cu"\n__global__ void k(int* a) { x; }\n'}, exit=2,
   never="\x1b")
NAMED = "e\x1b[2J.ptx"
for command in (["explain", NAMED], ["trace", NAMED, "--text"], ["run", NAMED], ["run", NAMED, "--format", "markdown"],
                ["run", NAMED, "--block", "32,64"]):
    case(f"a file's own name moves no cursor: {' '.join(w for w in command if w != NAMED)}", {NAMED: ptx("ret;")}, exit=0,
         command=[*command, "--device", "sim", "--kernel", "k", "--grid", "1",
                  *([] if "--block" in command else ["--block", "32"])], never="\x1b")

# --- what is around it ------------------------------------------------------------------------------------------------
for what, variable in {"PATH": "PATH", "CUDA_HOME": "CUDA_HOME"}.items():
    path = "loop:/usr/local/cuda/bin:/usr/bin:/bin" if variable == "PATH" else "loop"
    cu(f"a folder of {what} that cannot be looked at is passed over",
       {"k.cu": KERNEL, "loop": lambda path: os.symlink("loop", path)}, says=RAN, environment={variable: path},
       long=variable == "CUDA_HOME")
def wrapper(path):
    """A script that runs the real one, as Debian's nvcc, compiler caches and environment modules do."""
    real = os.path.join(os.path.dirname(os.environ.get("GPULAB_NVCC") or shutil.which("nvcc")), path.name)
    path.write_text(f'#!/bin/sh\nexec {real} "$@"\n')
    path.chmod(0o755)


REGISTERS = r"resources [0-9]+ registers per thread"
for how, path in {"": "/usr/bin:/bin", ", though PATH has a loop": "loop:/usr/bin:/bin"}.items():
    cu(f"a wrapper of nvcc compiles, and its ptxas counts registers{how}",
       {"k.cu": KERNEL, "loop": lambda path: os.symlink("loop", path), "wrapped/nvcc": wrapper, "wrapped/ptxas": wrapper}, says=[RAN, REGISTERS],
       environment={"PATH": path, "GPULAB_NVCC": "wrapped/nvcc", "CUDA_HOME": "", "CUDA_PATH": ""}, long=how == "")
cu("variables of the compilers are not passed on", {"k.cu": KERNEL + "#ifdef FROM_OUTSIDE\n#error seen\n#endif\n"}, says=RAN,
   environment={"NVCC_APPEND_FLAGS": "-DFROM_OUTSIDE", "NVCC_PREPEND_FLAGS": "-DFROM_OUTSIDE", "CPATH": "/nowhere"})
for what, make in {"a file": lambda path: path.write_text("x"), "a pipe": os.mkfifo,
                   "a link to itself": lambda path: os.symlink(path.name, path)}.items():
    cu(f"a cache that is {what} is done without", {"k.cu": KERNEL, ".cache": make}, says=RAN, long=what == "a file")

# --- what it can still learn (LEARN.md) -------------------------------------------------------------------------------
for path, said in {"/etc/passwd": "Permission denied", "/etc/no-such-file": "No such file"}.items():
    cu(f"a path that exists is told from one that does not: {path}", {"k.cu": f'#include "{path}"\n' + KERNEL}, exit=2,
       says=said)
cu("__has_include of a path that exists ends the compiler, which names it", {"k.cu": '#if __has_include("/etc/passwd")\n#endif\n' + KERNEL},
   exit=2, says="k.cu does not compile: /etc/passwd: Permission denied")
cu("and of one that does not exist goes on", {"k.cu": '#if __has_include("/etc/no-such-file")\n#error seen\n#endif\n' + KERNEL}, says=RAN)
cu("the date is no secret", {"k.cu": '#ifndef __DATE__\n#error none\n#endif\n' + KERNEL}, says=RAN)
