#include "runner/program/lent_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <span>

#include "common/cuda_api/program_file.h"
#include "common/cuda_api/static_runtime.h"
#include "common/embedded.h"
#include "runner/student_file/toolchain.h"

extern "C" const char _binary_cuda_runtime_library_start[], _binary_cuda_runtime_library_end[];
extern "C" const char _binary_cuda_driver_library_start[], _binary_cuda_driver_library_end[];
extern "C" const char _binary_nvrtc_library_start[], _binary_nvrtc_library_end[];

namespace gpulab {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const char* begin, const char* end) {
  std::ofstream(file, std::ios::binary).write(begin, end - begin);
}

std::string nvrtc_library_name() {
  const auto version = toolkit_version();
  return fmt::format("libnvrtc.so.{}", version.substr(0, version.find('.')));
}

}  // namespace

std::string runtime_library_name() {
  const auto version = toolkit_version();
  return fmt::format("libcudart.so.{}", version.substr(0, version.find('.')));
}

LentLibraries lend_libraries(const fs::path& folder, std::string_view program) {
  LentLibraries lent;
  const auto runtime = folder / runtime_library_name(), driver = folder / driver_library_name;
  put(runtime, _binary_cuda_runtime_library_start, _binary_cuda_runtime_library_end);
  put(driver, _binary_cuda_driver_library_start, _binary_cuda_driver_library_end);
  std::string preloaded = fmt::format("{}:{}", runtime.string(), driver.string());
  if (program.find("libnvrtc.so") != std::string_view::npos) {
    // NVIDIA's own compiles; the one with its name, which the program finds, is ours.
    const auto compiler = folder / nvrtc_library_name();
    put(compiler, _binary_nvrtc_library_start, _binary_nvrtc_library_end);
    preloaded += ":" + compiler.string();
    if (const auto real = find_nvrtc(find_nvcc())) {
      lent.environment.push_back("GPULAB_NVRTC=" + *real);
      std::error_code failed;
      lent.readable.push_back(fs::canonical(*real, failed).parent_path());
    }
  }
  const auto bytes = std::as_bytes(std::span(program));
  const auto file = cuda_api::read_program(bytes);
  const bool is_shared = file && std::ranges::find(file->libraries, runtime_library_name()) != file->libraries.end();
  if (!is_shared && !cuda_api::static_runtime_functions(bytes).empty())
    lent.environment.push_back(fmt::format("{}=1", cuda_api::kStaticVariable));
  lent.environment.push_back("LD_PRELOAD=" + preloaded);
  return lent;
}

}  // namespace gpulab
