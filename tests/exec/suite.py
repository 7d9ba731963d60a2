"""The command line of the suites of whole programs: run.py and driver/run.py."""
import argparse
import concurrent.futures
import os
import pathlib
import tempfile


def main(nvcc, make, jobs_of):
    """Runs jobs_of(tests), each a function and its arguments, side by side, and closes with 'N passed, N failed'. The exit code: 77
    where there is no nvcc that builds programs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("-k", default="")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--long", action="store_true")
    arguments = parser.parse_args()
    if not os.path.exists(nvcc) or b"nvrtc.py" in pathlib.Path(nvcc).read_bytes()[:512]:
        print("there is no nvcc here that builds programs")
        return 77
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        tests = make(str(pathlib.Path(arguments.binary).resolve()), arguments.k, folder)
        for job in [pool.submit(*job) for job in jobs_of(tests, arguments.long)]:
            job.result()
    print(f"{tests.passed} passed, {tests.failed} failed")
    return tests.failed > 0
