#!/usr/bin/env python3
"""CUDA 12's compiler for machines whose driver is of CUDA 12: NVRTC behind the few nvcc options that the build uses.

NVIDIA's Python wheels have nvcc itself from version 13 on, whose PTX no CUDA 12 driver takes. The wheels of 12.x have
NVRTC, ptxas and the headers, which is all that kernels.cu needs. What NVRTC cannot do is compile host code, so
vendor.cu is left out of such a build.

usage: nvcc -ptx [-std=…] [-arch=compute_NN] [-lineinfo|-G] [-I dir] -o out.ptx in.cu
       nvcc --version | --help | --list-gpu-arch | --list-gpu-code
"""
import argparse
import collections
import ctypes
import re
import sys
from pathlib import Path

# The host's headers are not for device code, and NVRTC has none. Those of C are built in (printf, assert, math) or
# defined here; those of the C++ library come from libcu++, whose names are put where C++ has them.
BUILT_IN = ("cstdio", "stdio.h", "cstdlib", "stdlib.h", "cmath", "math.h", "cassert", "assert.h", "stddef.h", "cuda_runtime.h")
INTEGERS = "".join(f"typedef {'signed' if not u else 'unsigned'} {kind} {u}int{bits}_t;\n" for u in ("", "u")
                   for kind, bits in (("char", 8), ("short", 16), ("int", 32), ("long", 64)))
FROM_LIBCUDACXX = "#include <cuda/std/{0}>\nnamespace std {{ using namespace cuda::std; }}\n"


def host_headers(wheels):
    library = (wheels / "cuda_cccl/include/cuda/std").iterdir()
    headers = {path.name: FROM_LIBCUDACXX.format(path.name) for path in library if path.is_file()}
    headers.update({name: "" for name in BUILT_IN})
    headers["stdint.h"] = f"#pragma once\n{INTEGERS}"
    return headers


class Nvrtc:
    def __init__(self, wheels):
        libraries = sorted(wheels.glob("cuda_nvrtc/lib/libnvrtc.so.*"))
        if not libraries:
            sys.exit(f"nvrtc.py: no libnvrtc.so in {wheels}/cuda_nvrtc/lib")
        ctypes.CDLL(str(next(wheels.glob("cuda_nvrtc/lib/libnvrtc-builtins.so.*"))))
        self.library = ctypes.CDLL(str(libraries[0]))
        self.library.nvrtcGetErrorString.restype = ctypes.c_char_p
        self.headers = host_headers(wheels)

    def check(self, status, what=""):
        if status:
            sys.exit(f"nvrtc.py: {self.library.nvrtcGetErrorString(status).decode()}{what}")

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check(self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        return f"{major.value}.{minor.value}"

    def architectures(self):
        count = ctypes.c_int()
        self.check(self.library.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
        values = (ctypes.c_int * count.value)()
        self.check(self.library.nvrtcGetSupportedArchs(values))
        return sorted(values)

    def text(self, size_of, get, program):
        size = ctypes.c_size_t()
        self.check(size_of(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self.check(get(program, buffer))
        return buffer.value.decode()

    def compile(self, source, name, options):
        """PTX of a source text; the compiler's messages go to stderr."""
        api, program = self.library, ctypes.c_void_p()
        count = len(self.headers)
        names = (ctypes.c_char_p * count)(*(n.encode() for n in self.headers))
        texts = (ctypes.c_char_p * count)(*(t.encode() for t in self.headers.values()))
        self.check(api.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), count, texts, names))
        flags = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        status = api.nvrtcCompileProgram(program, len(options), flags)
        sys.stderr.write(self.text(api.nvrtcGetProgramLogSize, api.nvrtcGetProgramLog, program))
        self.check(status, f": {name}")
        return self.text(api.nvrtcGetPTXSize, api.nvrtcGetPTX, program)


def without_host_data(ptx):
    """PTX as nvcc makes it: without what host code alone refers to, and with visible kernels.

    With host code taken as device code, its constants come too (tables of kernel addresses, libcu++'s traits), and
    each kernel that they name is declared ahead of its definition.
    """
    ptx = re.sub(r"^\.weak \.entry \S+\n\([^)]*\)\n;\n", "", ptx, flags=re.MULTILINE)
    ptx = re.sub(r"^\.weak \.entry", ".visible .entry", ptx, flags=re.MULTILINE)
    variable = re.compile(r"^\.(?:global|const)[^=;]*?([\w$]+)(?:\[\d*\])*(?: = .*)?;\n", re.MULTILINE)
    while True:
        uses = collections.Counter(re.findall(r"[\w$]+", ptx))
        used = variable.sub(lambda match: match.group(0) if uses[match.group(1)] > 1 else "", ptx)
        if used == ptx:
            return ptx
        ptx = used


def main():
    # .cuda/12.4/bin/nvcc calls this file with the folder of its wheels.
    place, *arguments = sys.argv[1:]
    wheels = next(Path(place).glob("lib/python3*/site-packages/nvidia"), None)
    if not wheels:
        sys.exit(f"nvrtc.py: no NVIDIA wheels in {place}")
    nvrtc = Nvrtc(wheels)
    if "--version" in arguments:
        print(f"NVRTC behind nvcc's options (scripts/nvrtc.py)\nCuda compilation tools, release {nvrtc.version()}, V{nvrtc.version()}.0")
    elif "--list-gpu-arch" in arguments:
        print("\n".join(f"compute_{a}" for a in nvrtc.architectures()))
    elif "--list-gpu-code" in arguments:
        print("\n".join(f"sm_{a}" for a in nvrtc.architectures()))
    elif "--help" in arguments:
        print(__doc__)
    else:
        compile_file(nvrtc, wheels, arguments)


def compile_file(nvrtc, wheels, arguments):
    parser = argparse.ArgumentParser(prog="nvrtc.py", allow_abbrev=False)
    parser.add_argument("-ptx", action="store_true", required=True)
    parser.add_argument("-lineinfo", action="store_true")
    parser.add_argument("-G", action="store_true")
    parser.add_argument("-std", default="c++17")
    parser.add_argument("-arch", default="compute_75")
    parser.add_argument("-I", action="append", default=[])
    parser.add_argument("-o", required=True)
    parser.add_argument("source", type=Path)
    options = parser.parse_args([a for a in arguments if not a.startswith("-Wno-")])
    includes = [*options.I, str(options.source.parent), *(str(wheels / w / "include") for w in
                                                         ("cuda_runtime", "cuda_nvcc", "cuda_cccl"))]
    # NVRTC refuses host functions, so those of kernels.cu (they only name what to instantiate) become device functions
    # that nobody calls. It lacks g++'s builtins.
    flags = ["--device-as-default-execution-space", "-D__builtin_huge_val()=(1.0/0.0)",
             f"--gpu-architecture={options.arch}", f"--std={options.std}", *(f"-I{i}" for i in includes)]
    if options.lineinfo:
        flags.append("--generate-line-info")
    if options.G:
        flags.append("--device-debug")
    ptx = nvrtc.compile(options.source.read_text(encoding="utf-8"), str(options.source), flags)
    Path(options.o).write_text(without_host_data(ptx), encoding="utf-8")


if __name__ == "__main__":
    main()
