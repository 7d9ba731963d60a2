#!/usr/bin/env python3
"""A Python wheel of an installed gpulab: the program, the package scripts/python/gpulab, and configs/ (worked assignments) in it.

usage: scripts/wheel.py INSTALLED FOLDER      INSTALLED: the prefix of `cmake --install`
Prints the wheel's path. Needs objdump (another machine's by OBJDUMP) and no network; the same files give the same bytes. The platform tag says which C library the
program needs, by the versions of the symbols that it asks for.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What manylinux lets a program ask the system for (PEP 600 leaves the rest of the list to auditwheel's policies).
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6"}
MACHINES = {"x86-64": "x86_64", "x86_64": "x86_64", "aarch64": "aarch64"}


def objdump(option, program):
    return subprocess.run([os.environ.get("OBJDUMP", "objdump"), option, str(program)], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout


def platform_tag(program):
    """"manylinux_2_34_x86_64". Ends the script where the program needs more than such a system promises."""
    headers = objdump("-p", program)
    needed = re.findall(r"^\s+NEEDED\s+(\S+)", headers, re.M)
    others = [name for name in needed if name not in SYSTEM_LIBRARIES and not name.startswith("ld-linux")]
    if others:
        sys.exit(f"error: {program} needs {', '.join(others)}, which not every Linux has\n"
                 "  hint: configure with -DGPULAB_STATIC_LIBRARIES=ON, as scripts/package.sh does")
    machine = re.search(r"file format elf64-(?:little)?(\S+)", headers).group(1)
    versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)", objdump("-T", program))
    major, minor = max((int(major), int(minor)) for major, minor in versions)
    return f"manylinux_{major}_{minor}_{MACHINES[machine]}"


def version():
    return re.search(r"^project\(gpulab VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)


def metadata():
    return (f"Metadata-Version: 2.1\nName: gpulab\nVersion: {version()}\n"
            "Summary: A teaching lab for GPU programming: CUDA kernels on a GPU or on a SIMT simulator that needs none\n"
            "License: MIT\nKeywords: cuda,gpu,simulator,teaching\nRequires-Python: >=3.8\n"
            "Classifier: Intended Audience :: Education\nClassifier: Operating System :: POSIX :: Linux\n"
            "Description-Content-Type: text/markdown\nLicense-File: LICENSE\n\n" + (ROOT / "README.md").read_text(encoding="utf-8"))


def files_of(installed, info, data, tag):
    """(name in the wheel, its bytes, may it be executed) in the order in which they are written."""
    for path in sorted((ROOT / "scripts/python/gpulab").glob("*.py")):
        yield f"gpulab/{path.name}", path.read_bytes(), False
    yield f"{data}/scripts/gpulab", (installed / "bin/gpulab").read_bytes(), True
    # A wheel holds no links; pip leaves the place of a script to whoever starts it.
    yield f"{data}/scripts/gpulab-nvcc", b'#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/gpulab" nvcc "$@"\n', True
    # Within the package: pip would leave folders behind that it makes elsewhere. Completions are what the program prints.
    configs = installed / "share/gpulab/configs"
    for path in sorted(configs.rglob("*")):
        if path.is_file():
            yield f"gpulab/configs/{path.relative_to(configs).as_posix()}", path.read_bytes(), bool(path.stat().st_mode & 0o100)
    yield f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes(), False
    yield f"{info}/METADATA", metadata().encode(), False
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: gpulab\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode(), False


def write(installed, folder):
    tag = platform_tag(installed / "bin/gpulab")
    stem = f"gpulab-{version()}"
    info, data = f"{stem}.dist-info", f"{stem}.data"
    wheel = folder / f"{stem}-py3-none-{tag}.whl"
    folder.mkdir(parents=True, exist_ok=True)
    # One from before would stay under another version's name. Those of other machines stay: a release has several.
    machine = tag.split("_", 3)[3]
    for before in folder.glob(f"gpulab-*_{machine}.whl"):
        before.unlink()
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def add(name, content, executable):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")

        for name, content, executable in files_of(installed, info, data, tag):
            add(name, content, executable)
        listing = "\n".join([*record, f"{info}/RECORD,,", ""])
        entry = zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o100644 << 16
        archive.writestr(entry, listing)
    return wheel


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1].splitlines()[0])
    print(write(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
