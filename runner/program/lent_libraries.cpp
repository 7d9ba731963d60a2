#include "runner/program/lent_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "common/cuda_api/static_runtime.h"
#include "common/embedded.h"
#include "runner/program/math_libraries.h"
#include "runner/program/process/kept_runtime.h"
#include "runner/program/python_program.h"
#include "runner/student_file/toolchain.h"

extern "C" const char _binary_cuda_runtime_library_start[], _binary_cuda_runtime_library_end[];
extern "C" const char _binary_cuda_driver_library_start[], _binary_cuda_driver_library_end[];
extern "C" const char _binary_nvrtc_library_start[], _binary_nvrtc_library_end[];
extern "C" const char _binary_nvjitlink_library_start[], _binary_nvjitlink_library_end[];

namespace gpulab {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const char* begin, const char* end) {
  std::ofstream(file, std::ios::binary).write(begin, end - begin);
}

/// "libcudart.so.13"
std::string of_toolkit(std::string_view name) {
  const auto version = toolkit_version();
  return fmt::format("{}.so.{}", name, version.substr(0, version.find('.')));
}

/// The sonames of cuBLAS and its kin. Python's packages open them by a path that they have looked for on disk, unless
/// one of that soname is loaded.
std::vector<std::string> all_math_libraries() {
  std::vector<std::string> sonames;
  for (const auto& library : math_libraries()) sonames.emplace_back(library.soname);
  return sonames;
}

/// NVIDIA's own libcurand, of which ours takes the tables that are NVIDIA's: the user's, or the toolkit's.
std::optional<fs::path> real_curand() {
  const MathLibrary* ours = nullptr;
  for (const auto& library : math_libraries())
    if (library.name == "curand") ours = &library;
  if (ours == nullptr) return std::nullopt;
  std::vector<fs::path> places;
  if (const char* named = std::getenv("GPULAB_CURAND"))
    places.emplace_back(named);
  else if (const auto nvcc = find_nvcc())
    for (const char* folder : {"lib64", "lib"}) places.push_back(fs::path(toolkit_of(*nvcc)) / folder / ours->soname);
  std::error_code failed;
  for (const auto& place : places)
    if (auto file = fs::canonical(place, failed); !failed) return file;
  return std::nullopt;
}

}  // namespace

std::string runtime_library_name() { return of_toolkit("libcudart"); }

std::string_view runtime_library() {
  return {_binary_cuda_runtime_library_start,
          static_cast<std::size_t>(_binary_cuda_runtime_library_end - _binary_cuda_runtime_library_start)};
}

LentLibraries lend_libraries(const fs::path& folder, const LibraryNeeds& needs) {
  LentLibraries lent;
  const auto kept = kept_runtime();
  const auto runtime = kept.value_or(folder) / runtime_library_name(), driver = folder / driver_library_name;
  if (kept)
    lent.readable.push_back(*kept);
  else
    put(runtime, _binary_cuda_runtime_library_start, _binary_cuda_runtime_library_end);
  put(driver, _binary_cuda_driver_library_start, _binary_cuda_driver_library_end);
  std::string preloaded = fmt::format("{}:{}", runtime.string(), driver.string());
  if (needs.interpreter) {
    const auto linker = folder / of_toolkit("libnvJitLink");
    put(linker, _binary_nvjitlink_library_start, _binary_nvjitlink_library_end);
    preloaded += ":" + linker.string();
    lent.environment = python_environment(folder.string());
    std::error_code failed;
    if (const auto nvcc = find_nvcc()) lent.readable.push_back(fs::canonical(toolkit_of(*nvcc), failed));
  }
  if (needs.compiler || needs.interpreter) {
    // NVIDIA's own compiles; the one with its name, which the program finds, is ours.
    const auto compiler = folder / of_toolkit("libnvrtc");
    put(compiler, _binary_nvrtc_library_start, _binary_nvrtc_library_end);
    preloaded += ":" + compiler.string();
    if (const auto real = find_nvrtc(find_nvcc())) {
      lent.environment.push_back("GPULAB_NVRTC=" + *real);
      std::error_code failed;
      lent.readable.push_back(fs::canonical(*real, failed).parent_path());
    }
  }
  const auto sonames = needs.interpreter ? all_math_libraries() : needs.linked;
  for (const auto& library : put_math_libraries(sonames, folder)) preloaded += ":" + library;
  const auto is_curand = [](const std::string& soname) { return soname.starts_with("libcurand.so"); };
  if (std::ranges::any_of(sonames, is_curand))
    if (const auto real = real_curand()) {
      lent.environment.push_back("GPULAB_CURAND=" + real->string());
      lent.readable.push_back(real->string());
    }
  if (needs.static_runtime) lent.environment.push_back(fmt::format("{}=1", cuda_api::kStaticVariable));
  lent.environment.push_back("LD_PRELOAD=" + preloaded);
  return lent;
}

}  // namespace gpulab
