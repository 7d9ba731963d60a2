"""Where the program is that this package was installed with, and the compiler that pip may have put beside it."""
import glob
import importlib.util
import os
import shutil
import sys
import sysconfig


def program():
    """The path of gpulab: GPULAB_PROGRAM, else where pip puts scripts, else the one on the PATH."""
    named = os.environ.get("GPULAB_PROGRAM")
    if named:
        return named
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [sysconfig.get_path("scripts"), os.path.join(package, "bin")]  # `pip install --target` has bin beside the package
    user = f"{os.name}_user"
    if user in sysconfig.get_scheme_names():
        folders.append(sysconfig.get_path("scripts", user))
    folders.append(os.path.dirname(sys.executable or ""))
    # pip on Debian installs below /usr/local, whatever Python's own scheme says.
    folders.append(os.path.normpath(os.path.join(package, "..", "..", "..", "bin")))
    for folder in folders:
        path = os.path.join(folder, "gpulab")
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    found = shutil.which("gpulab")
    if found is None:
        raise FileNotFoundError("gpulab's program is not beside its Python package, nor on the PATH; "
                                "install the wheel again, or set GPULAB_PROGRAM=/path/to/gpulab")
    return found


def environment():
    """This process's, with NVRTC of the wheel nvidia-cuda-nvrtc where that is installed: gpulab has it from GPULAB_NVRTC."""
    spec = None if os.environ.get("GPULAB_NVRTC") else importlib.util.find_spec("nvidia")
    places = list(spec.submodule_search_locations or []) if spec else []
    found = sorted(library for place in places for library in glob.glob(os.path.join(place, "*", "lib", "libnvrtc.so.1[0-9]")))
    return {**os.environ, "GPULAB_NVRTC": found[-1]} if found else dict(os.environ)
