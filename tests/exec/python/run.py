#!/usr/bin/env python3
"""Kernels of Numba's by `gpulab exec`: `run.py BINARY [-k WORD] [-j JOBS]`.

numba-cuda is that of `python3`; where it has none, of an environment beside BINARY, which is made once, from PyPI. 77 where neither can
be had.
"""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import suite  # noqa: E402
from run import ENVIRONMENT, NVCC, Tests  # noqa: E402


def has_numba(python):
    return subprocess.run([python, "-c", "import numba.cuda"], capture_output=True, check=False).returncode == 0


def find_numba(beside):
    """The folder of an interpreter that has numba-cuda; nothing: there is none, nor can one be made."""
    if has_numba("python3"):
        return pathlib.Path(shutil.which("python3")).parent
    place = beside / "python_packages"
    python = place / "bin/python3"
    if not (python.exists() and has_numba(python)):
        for command in ([sys.executable, "-m", "venv", place],
                        [python, "-m", "pip", "--disable-pip-version-check", "install", "-q", "numba-cuda[cu13]"]):
            if subprocess.run(command, check=False).returncode != 0:
                return None
    return place / "bin"


class PythonTests(Tests):
    def kernels(self):
        """What is told of a kernel names its line of Python, and that of its launch."""
        shutil.copy(HERE / "kernels.py", self.folder)
        lines = (HERE / "kernels.py").read_text(encoding="utf-8").splitlines()

        def line(comment):
            return rf"kernels\.py:{next(i for i, text in enumerate(lines, 1) if f'# {comment}' in text)}"

        self.case("right", ["kernels.py", "--sanitize", "all", "--", "right"], 0, out=["right True"], err=["twice +1 "])
        self.case("race", ["kernels.py", "--sanitize", "all", "--", "race"], 1,
                  err=["racecheck: __main__::mirror: race in shared memory", rf"{line('the write')} write by block",
                       rf"{line('the read')} read by block"])
        self.case("past the end", ["kernels.py", "--", "beyond"], 1,
                  err=["out-of-bounds load of 4 bytes", rf"was allocated at \S*{line('the allocation')}",
                       rf"at +\S*{line('the load past the end')}", rf"called by \S*{line('the launch past the end')}"])
        self.case("slow", ["kernels.py", "--explain", "--", "slow"], 0, out=["sum 65536"],
                  err=[rf"{line('the slow access')} .*uncoalesced load: 32 lanes touch 32 sectors where 4 would"])

    def others(self):
        """What packages link and hold by themselves."""
        shutil.copy(HERE / "kernels.py", self.folder)
        self.case("blocks that wait for each other", ["kernels.py", "--sanitize", "racecheck", "--", "grid"], 0, out=["grid 195.0 6.0"])
        self.case("runtime of cuda-python", ["kernels.py", "--", "runtime"], 0, out=[r"runtime \[0, 0, 0, 0\] True"])
        self.case("several processes", ["kernels.py", "--", "processes"], 0, out=[r"processes \[\(1, 12.0\), \(2, 24.0\)\]"])


def jobs_of(tests, _long):
    return [(tests.kernels,), (tests.others,)]


if __name__ == "__main__":
    places = find_numba(pathlib.Path(sys.argv[1]).resolve().parent)
    if places is None:
        print("there is no numba-cuda here, and none could be installed")
        sys.exit(77)
    ENVIRONMENT["PATH"] = f"{places}:{os.environ['PATH']}"
    sys.exit(suite.main(NVCC, PythonTests, jobs_of))
