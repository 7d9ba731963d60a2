"""An autograder for Classroom 50: grades the student's checkout by assignment.json beside this file, writes result.json.

Its runner sets CLASSROOM, ASSIGNMENT, SUBMISSION_TAG and the URLs. No result.json and an exit code other than 0: an error of
the autograder, and no score.
"""
import os
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
RESULT = pathlib.Path("result.json")


def main():
    RESULT.unlink(missing_ok=True)
    ran = subprocess.run(["gpulab", "grade", HERE / "assignment.json", "--submission", os.getcwd(),
                          *shlex.split(os.environ.get("GRADE_OPTIONS", "")), "--export", f"classroom50={RESULT}"])
    return ran.returncode or (0 if RESULT.exists() else 3)


if __name__ == "__main__":
    sys.exit(main())
