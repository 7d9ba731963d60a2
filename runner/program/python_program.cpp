#include "runner/program/python_program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
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
                               "MPLCONFIGDIR=" + folder};
  if (std::getenv("PYTHONWARNINGS") == nullptr)  // that we lend no nvJitLink is no news
    all.emplace_back("PYTHONWARNINGS=ignore:libnvJitLink:RuntimeWarning");
  if (std::getenv("CUDA_HOME") == nullptr && std::getenv("CUDA_PATH") == nullptr)
    if (const auto nvcc = find_nvcc()) {
      const auto toolkit = toolkit_of(*nvcc);
      all.push_back("CUDA_HOME=" + toolkit);
      all.push_back("CUDA_PATH=" + toolkit);
    }
  return all;
}

}  // namespace gpulab
