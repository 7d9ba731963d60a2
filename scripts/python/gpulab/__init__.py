"""gpulab from Python: the same runs as on the command line, their JSON as objects, tables and pictures in a notebook.

    import gpulab
    report = gpulab.run("reduce", variant=["warp", "shared_strided"], block=256)
    report.results[0].counters.warp_instructions
    gpulab.run("transpose", variant="all", image=True)     # in a notebook: its table and its picture
    gpulab.check("reduce", "mine.cu").passed
    gpulab.list("reduce").labs[0].variants

Options are those of the command line, with "_" for "-": a flag is True, a list is a sweep.
"""
import builtins
import json
import os
import pathlib
import subprocess
import tempfile

from ._program import environment, program
from ._report import Document, Record, Report, as_objects

__all__ = ["run", "check", "explain", "list", "command", "program", "Document", "Record", "Report",
           "Error", "UsageError", "MissingError", "LaunchError", "configs"]

#: Worked assignments, data sheets of GPUs, JSON Schemas: what the source tree has in configs/.
configs = pathlib.Path(__file__).resolve().parent / "configs"


class Error(RuntimeError):
    """gpulab refused or failed: exit_code, stderr, and where the program said so what, where, hint."""

    def __init__(self, words, exit_code, stdout, stderr):
        self.command, self.exit_code, self.stderr = words, exit_code, stderr
        try:
            said = json.loads(stdout).get("error") or {}
        except (ValueError, AttributeError):
            said = {}
        self.what, self.where, self.hint = (said.get(field, "") for field in ("what", "where", "hint"))
        text = "\n".join(filter(None, [self.what or stderr.strip() or f"gpulab ended with exit code {exit_code}", self.where,
                                       self.hint and f"hint: {self.hint}"]))
        super().__init__(f"{text} (exit code {exit_code})")


class UsageError(Error):
    """Exit code 2: the request is wrong."""


class MissingError(Error):
    """Exit code 3: this machine lacks something."""


class LaunchError(Error):
    """Exit code 4: a kernel could not be launched, or failed."""


def _words(options):
    """{"variant": ["a", "b"], "no_counters": True} as words of the command line."""
    words = []
    for name, value in options.items():
        option = f"-{name}" if len(name) == 1 and name.isupper() else "--" + name.replace("_", "-")
        repeated = name in ("arg", "set", "expect", "dump", "show", "I", "D", "submission", "export")
        values = value if repeated and isinstance(value, (builtins.list, tuple)) else [value]
        for one in values:
            if one is None or one is False:
                continue
            words.append(option)
            if isinstance(one, (builtins.list, tuple)):
                one = ",".join(map(str, one))
            if one is not True:
                words.append(os.fspath(one) if isinstance(one, os.PathLike) else str(one))
    return words


def command(*words, input=None):
    """Runs `gpulab WORDS…`; returns its exit code, standard output and standard error. Never raises for what it says."""
    done = subprocess.run([program(), *map(str, words)], input=input, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=None if input is not None else subprocess.DEVNULL, env=environment(), encoding="utf-8")
    return done.returncode, done.stdout, done.stderr


def _document(words, kind=Document):
    words = [*words, "--format", "json"]
    code, stdout, stderr = command(*words)
    try:
        read = json.loads(stdout, object_hook=Record)
    except ValueError:
        read = None
    # Exit code 1 is an answer: something was wrong with a result, and the document says what.
    if code not in (0, 1) and not (code == 4 and read is not None and "results" in read) or read is None or "error" in read:
        raise {2: UsageError, 3: MissingError, 4: LaunchError}.get(code, Error)(["gpulab", *words], code, stdout, stderr)
    return kind(read, exit_code=code, stderr=stderr, command=["gpulab", *words])


def _picture(words, image):
    """The document, with the picture that --image draws: .png where the lab paints, else .svg."""
    with tempfile.TemporaryDirectory(prefix="gpulab-") as folder:
        for ending in [image] if image in ("svg", "png") else ["svg", "png"]:
            path = os.path.join(folder, "image." + ending)
            try:
                document = _document([*words, "--image", path], Report)
            except UsageError:
                if ending == "png" or image == "svg":
                    raise
                continue
            if os.path.exists(path):
                with open(path, "rb") as file:
                    document.image, document.image_type = file.read(), "image/svg+xml" if ending == "svg" else "image/png"
            return document


def run(lab_or_file, image=False, **options):
    """`gpulab LAB` or, of a file that ends in .cu or .ptx, `gpulab run FILE`. image=True draws (also "svg", "png")."""
    name = os.fspath(lab_or_file)
    words = (["run", name] if name.endswith((".cu", ".ptx")) else [name]) + _words(options)
    return _picture(words, image) if image else _document(words, Report)


def check(lab, file, **options):
    """`gpulab check LAB FILE`: your own kernel judged. What fails is an answer, no exception: .passed, .exit_code."""
    return _document(["check", lab, os.fspath(file), *_words(options)])


def explain(lab_or_file, **options):
    """`gpulab explain`: each line of a kernel with its counters, and what makes it slow."""
    return _document(["explain", os.fspath(lab_or_file), *_words(options)])


def list(lab=None, **options):  # noqa: A001, as the command is called
    """`gpulab list`: the labs, or one, with variants, parameters and contracts; metrics=True: all counters."""
    return _document(["list", *([lab] if lab else []), *_words(options)])
