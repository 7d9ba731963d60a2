#include "runner/program/python_program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/child/captured_run.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// The interpreter's own file, then folders: of what it is made of, of an environment around it, of packages.
constexpr const char* question =
    "import sys\n"
    "print(sys.executable)\n"
    "for place in [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *sys.path]: print(place)\n";

/// Run by the interpreter before the program. cuda-python's wheel holds a CUDA runtime whose functions have no names;
/// the module that wraps it offers them to the package's others by name (Cython's __pyx_capi__), and takes ours there.
constexpr const char* customization = R"(import ctypes, importlib.machinery, os, sys

def take_ours(module):
    known = ctypes.CDLL(None)
    name_of, make = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_New
    name_of.restype, name_of.argtypes = ctypes.c_void_p, [ctypes.py_object]
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    offered = module.__pyx_capi__
    for name, capsule in list(offered.items()):
        ours = getattr(known, name.removeprefix('_'), None)
        if ours is not None:
            offered[name] = make(ctypes.cast(ours, ctypes.c_void_p), name_of(capsule), None)

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != 'cuda.bindings._internal.runtime':
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (run(module), take_ours(module))
        return spec

sys.meta_path.insert(0, Finder)
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [place for place in sys.path if place != here]
mine = sys.modules.pop('sitecustomize')
try:  # this machine's own
    import sitecustomize
except ModuleNotFoundError:
    pass
sys.modules.setdefault('sitecustomize', mine)
)";

/// Where the interpreter finds it: the value of PYTHONPATH.
std::string put_customization(const std::string& folder) {
  const auto place = fs::path(folder) / "python";
  fs::create_directories(place);
  std::ofstream(place / "sitecustomize.py") << customization;
  const char* const before = std::getenv("PYTHONPATH");
  return place.string() + (before == nullptr || *before == '\0' ? "" : std::string(":") + before);
}

/// Stands before nvcc in the PATH: PyCUDA compiles by it. Whoever asks for machine code gets PTX, with lines.
constexpr const char* compiler_words = R"(asks= names= file=
for word do
  case $word in
    -cubin | --cubin) asks=yes ;;
    -o* | --output-file*) names=yes ;;
    *.cu) file=$word ;;
  esac
done
[ -n "$asks" ] || exec "$nvcc" "$@"
for word do
  shift
  case $word in
    -cubin | --cubin) word=--ptx ;;
  esac
  set -- "$@" "$word"
done
[ -n "$names" ] || set -- "$@" -o "$(basename "$file" .cu).cubin"
exec "$nvcc" -lineinfo "$@"
)";

/// The value of PATH that finds it.
std::string put_compiler(const std::string& folder, const std::string& nvcc) {
  const auto place = fs::path(folder) / "compiler";
  fs::create_directories(place);
  std::ofstream(place / "nvcc") << "#!/bin/sh\nnvcc='" << nvcc << "'\n" << compiler_words;
  fs::permissions(place / "nvcc", fs::perms::owner_all);
  std::error_code there_already;  // PyCUDA looks for the toolkit's libraries beside the compiler's folder
  fs::create_directory_symlink(fs::path(toolkit_of(nvcc)) / "lib64", fs::path(folder) / "lib64", there_already);
  const char* const before = std::getenv("PATH");
  return place.string() + ":" + (before == nullptr ? "/usr/bin:/bin" : before);
}

/// Stands for the ptxas of Triton, which would make machine code of its PTX: hands that on.
constexpr const char* ptxas_words = R"(#!/bin/sh
into= next=
for word do
  [ "$word" != --version ] || { echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit; }
  [ -z "$next" ] || { into=$word; next=; continue; }
  case $word in
    -o) next=yes ;;
    *.ptx) from=$word ;;
  esac
done
exec cp "$from" "$into"
)";

/// What Triton is given: tools, a place to keep what it makes, and the driver that its own library is linked with.
std::vector<std::string> triton_environment(const std::string& folder) {
  const auto place = fs::path(folder) / "triton";
  fs::create_directories(place);
  std::ofstream(place / "ptxas") << ptxas_words;
  fs::permissions(place / "ptxas", fs::perms::owner_all);
  const auto ptxas = (place / "ptxas").string();
  std::vector<std::string> all;
  for (const auto& [name, value] : {std::pair{"TRITON_PTXAS_PATH", ptxas},
                                    {"TRITON_PTXAS_BLACKWELL_PATH", ptxas},
                                    {"TRITON_LIBCUDA_PATH", folder},
                                    {"TRITON_CACHE_DIR", place.string()}})
    if (std::getenv(name) == nullptr) all.push_back(std::string(name) + "=" + value);
  return all;
}

}  // namespace

bool is_python(const std::string& file) { return fs::path(file).extension() == ".py"; }

PythonProgram find_python() {
  const auto python = find_in_path("python3");
  if (!python)
    throw Error(ExitCode::missing, "exec: there is no python3 on this machine", {}, "install Python, or set PATH");
  const auto run = run_captured({*python, "-c", question});
  const auto lines = split(run.output, '\n');
  if (run.exit_code != 0 || lines.empty() || !fs::exists(lines.front()))
    throw Error(ExitCode::missing, fmt::format("exec: {} cannot be asked where it lies", *python), run.output);
  PythonProgram program;
  program.interpreter = lines.front();
  std::set<std::string> places;
  for (const auto& line : lines) {
    std::error_code failed;
    const auto place = fs::canonical(line, failed);
    if (!failed && place != "/") places.insert(place.string());
  }
  program.readable.assign(places.begin(), places.end());
  return program;
}

std::vector<std::string> python_environment(const std::string& folder) {
  std::vector<std::string> all{"NUMBA_CACHE_DIR=" + folder, "CUPY_CACHE_DIR=" + folder, "CUDA_CACHE_PATH=" + folder,
                               "MPLCONFIGDIR=" + folder, "PYTHONPATH=" + put_customization(folder)};
  if (std::getenv("XDG_CACHE_HOME") == nullptr) all.push_back("XDG_CACHE_HOME=" + folder);  // PyCUDA's
  // CUB's kernels of CuPy's wheel are called by a runtime without names; CuPy has others for the same sums.
  if (std::getenv("CUPY_ACCELERATORS") == nullptr) all.emplace_back("CUPY_ACCELERATORS=");
  if (std::getenv("PYTHONWARNINGS") == nullptr)  // that we lend no nvJitLink is no news
    all.emplace_back("PYTHONWARNINGS=ignore:libnvJitLink:RuntimeWarning");
  for (auto& one : triton_environment(folder)) all.push_back(std::move(one));
  if (const auto nvcc = find_nvcc()) {
    if (nvcc->find('\'') == std::string::npos) all.push_back("PATH=" + put_compiler(folder, *nvcc));
    if (std::getenv("CUDA_HOME") == nullptr && std::getenv("CUDA_PATH") == nullptr) {
      const auto toolkit = toolkit_of(*nvcc);
      all.push_back("CUDA_HOME=" + toolkit);
      all.push_back("CUDA_PATH=" + toolkit);
    }
  }
  return all;
}

}  // namespace gpulab
