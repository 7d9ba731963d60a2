#include "runner/program/checked_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "common/cuda_api/program_file.h"
#include "common/cuda_api/static_runtime.h"
#include "common/error.h"
#include "runner/program/math_libraries.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_program_bytes = std::size_t{1} << 30;

std::string how_to_build() { return "build it with 'gpulab nvcc', or nvcc -cudart shared"; }

/// Structs of CUDA 12 are others than ours.
void check_static_runtime(const std::vector<cuda_api::StaticFunction>& functions, const std::string& name) {
  const auto is_of_12 = [](const auto& one) { return one.name == "cudaGetDeviceProperties_v2"; };
  const std::string major = runtime_library_name().substr(runtime_library_name().rfind('.') + 1);
  if (major == "12" || std::ranges::none_of(functions, is_of_12)) return;
  throw Error(
      ExitCode::missing,
      fmt::format("{} is linked statically with the runtime of CUDA 12; this gpulab has that of {}", name, major), {},
      how_to_build() + " of CUDA " + major);
}

/// One that nobody simulates, or of another version than ours.
[[noreturn]] void refuse_library(const std::string& name, const std::string& library) {
  const auto stem = library.substr(0, library.find(".so"));
  for (const auto& one : math_libraries())
    if (one.soname.starts_with(stem + ".so"))
      throw Error(ExitCode::missing, fmt::format("{} is linked with {}; this gpulab has {}", name, library, one.soname),
                  {}, how_to_build());
  throw Error(ExitCode::missing,
              fmt::format("unsupported: {} calls {}, a closed library that needs a GPU", name, library));
}

}  // namespace

LibraryNeeds check_program(const std::string& path, const std::string& name, bool may_lack_runtime) {
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  if (failed || !fs::is_regular_file(path)) throw usage_error(fmt::format("exec: no such file: {}", name));
  if (size > most_program_bytes)
    throw usage_error(fmt::format("exec: {} has {} bytes: no program is so large", name, size));
  const std::string bytes = read_file(path, "exec");
  const auto program = cuda_api::read_program(std::as_bytes(std::span(bytes)));
  if (!program)
    throw usage_error(fmt::format("exec: {} is neither a .cu file nor a program", name),
                      "gpulab exec FILE.cu, or a program that nvcc has linked");
  const std::string ours = runtime_library_name();
  for (const auto& library : program->libraries) {
    if (!library.starts_with("libcudart.so.") || library == ours) continue;
    throw Error(ExitCode::missing, fmt::format("{} is linked with {}; this gpulab has {}", name, library, ours), {},
                how_to_build() + " of CUDA " + ours.substr(ours.rfind('.') + 1));
  }
  LibraryNeeds needs;
  std::vector<std::string> others;
  for (const auto& library : program->libraries)
    (math_library(library) != nullptr ? needs.linked : others).push_back(library);
  if (const auto closed = cuda_api::closed_library(others); !closed.empty()) refuse_library(name, closed);
  needs.compiler = bytes.find("libnvrtc.so") != std::string::npos;
  if (std::ranges::find(program->libraries, ours) != program->libraries.end()) return needs;
  const auto functions = cuda_api::static_runtime_functions(std::as_bytes(std::span(bytes)));
  check_static_runtime(functions, name);
  needs.static_runtime = !functions.empty();
  // What has no runtime of its own may open the driver's API while it runs.
  if (needs.static_runtime || may_lack_runtime || bytes.find("libcuda.so") != std::string::npos) return needs;
  throw Error(ExitCode::missing, fmt::format("{} does not use the CUDA runtime", name), {}, how_to_build());
}

}  // namespace gpulab
