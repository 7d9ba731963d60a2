#!/usr/bin/env python3
"""Programs by the driver's API, with NVRTC, and statically linked ones, by `gpulab exec`: `run.py BINARY [-k WORD] [-j JOBS] [--long]`.

The .cu files here say in their first lines what is to come of them, as those of ../run.py do. NVIDIA's nvcc is needed, and for one
case its NVRTC.
"""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import suite  # noqa: E402
from run import NVCC, Tests, chosen  # noqa: E402


class DriverTests(Tests):
    def statically_linked(self):
        """nvcc's default: the runtime's functions in the program's own file become ours, where they have names."""
        static = self.build(HERE.parent / "vector_sum.cu", "-cudart=static", compiler=[NVCC])
        self.case("static", [static.name], 0, out=["right"], err=[r"add \(|add +1 "])
        stripped = self.folder / "stripped"
        subprocess.run(["strip", "-o", str(stripped), str(static)], check=True)
        self.case("static and stripped", ["stripped"], 3,
                  err=["error: unsupported: cuGetExportTable, which a CUDA runtime calls that is linked statically and stripped of its names",
                       r"hint: link the program with the shared runtime \(nvcc -cudart shared\), or do not strip it"])

    def scripts(self):
        """Python: what is told names its lines."""
        lines = (HERE / "script.py").read_text(encoding="utf-8").splitlines()
        launch = 1 + next(i for i, line in enumerate(lines) if "# the launch" in line)
        allocation = 1 + next(i for i, line in enumerate(lines) if "cuMemAlloc_v2" in line)
        shutil.copy(HERE / "script.py", self.folder)
        self.case("script", ["script.py"], 0, out=["twice 21 is 42"], err=["twice +1 ", "gpulab: script.py on a simulated h200: exit code 0"])
        self.case("script that goes beyond", ["script.py", "--", "beyond"], 4, out=["CUDA_ERROR_ILLEGAL_ADDRESS"],
                  err=["out-of-bounds load of 4 bytes at", rf"cuMemAlloc #1 was allocated at \S*script\.py:{allocation}",
                       rf"called by \S*script\.py:{launch}"])
        self.case("module", ["-m", "script"], 0, out=["twice 21 is 42"], err=["gpulab: script on a simulated h200: exit code 0"])
        names = ("cublasCreate_v2", "cublasLtCreate", "cufftExecC2C", "curandCreateGenerator", "cusolverDnCreate", "cusparseCreate")
        (self.folder / "libraries.py").write_text(f"import ctypes\nprint([hasattr(ctypes.CDLL(None), name) for name in {names}])\n", encoding="utf-8")
        self.case("libraries of ours are loaded before packages look for NVIDIA's", ["libraries.py"], 0,
                  out=[r"\[True, True, True, True, True, True\]"])
        (self.folder / "compiler.py").write_text("import pathlib, subprocess\npathlib.Path('k.cu').write_text('__global__ void k() {}')\n"
                                                 "subprocess.run(['nvcc', '--cubin', 'k.cu'], check=True)\n"
                                                 "print('.visible .entry' in pathlib.Path('k.cubin').read_text())\n", encoding="utf-8")
        self.case("nvcc of a package gives PTX for machine code", ["compiler.py"], 0, out=["True"])
        (self.folder / "triton_tools.py").write_text(
            "import os, pathlib, subprocess\npathlib.Path('k.ptx').write_text('.version 8.0')\n"
            "for tool in (os.environ['TRITON_PTXAS_PATH'], os.environ['TRITON_PTXAS_BLACKWELL_PATH']):\n"
            "    print(subprocess.check_output([tool, '--version'], text=True).split('release ')[1].split(',')[0])\n"
            "    subprocess.run([tool, '-v', '--gpu-name=sm_90a', 'k.ptx', '-o', 'k.cubin'], check=True)\n"
            "    print(pathlib.Path('k.cubin').read_text())\n"
            "print((pathlib.Path(os.environ['TRITON_LIBCUDA_PATH']) / 'libcuda.so.1').exists(), pathlib.Path(os.environ['TRITON_CACHE_DIR']).is_dir())\n",
            encoding="utf-8")
        self.case("Triton's ptxas hands PTX on", ["triton_tools.py"], 0, out=[r"13\.0\n\.version 8\.0\n13\.0\n\.version 8\.0\nTrue True"])
        libraries = (self.folder / "compiler.py").read_text(encoding="utf-8").replace(
            "print('.visible", "print((pathlib.Path(shutil.which('nvcc')).parent / '../lib64/libcudadevrt.a').exists())\nprint('.visible").replace("import pathlib", "import pathlib, shutil")
        (self.folder / "beside.py").write_text(libraries, encoding="utf-8")
        self.case("the toolkit's libraries lie beside nvcc's folder", ["beside.py"], 0, out=[r"True\nTrue"])
        (self.folder / "nameless.py").write_text("import ctypes\nctypes.CDLL('libcuda.so.1').cuGetExportTable(None, None)\n", encoding="utf-8")
        self.case("wheel with a nameless runtime", ["nameless.py"], 3,
                  err=[r"hint: a package's wheel holds it: configs/python\.md says what of CuPy runs, and how"])
        self.case("script missing", ["none.py"], 2, err=[r"error: exec: no such file: none\.py"])
        self.case("module and more", ["-m", "script", "more"], 2, err=["error: exec: arguments of the module stand behind --"])


def jobs_of(tests, long):
    return [(tests.file, file) for file in chosen(HERE, long)] + ([] if long else [(tests.statically_linked,), (tests.scripts,)])


if __name__ == "__main__":
    sys.exit(suite.main(NVCC, DriverTests, jobs_of))
