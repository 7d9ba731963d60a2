#include "common/device/gpu/driver_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "common/error.h"
#include "common/launch_error.h"

namespace gpulab {
namespace {

struct LoadedDriver {
  DriverApi api;
  std::string problem;  ///< empty: usable
};

std::string dl_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown error of the dynamic loader";
}

/// The first entry point that the driver lacks, or empty.
std::string bind(void* library, DriverApi& api) {  // NOLINT(readability-function-size): a table
#define GPULAB_TEXT(name) #name
#define GPULAB_BIND(function)                                                  \
  if (void* symbol = dlsym(library, GPULAB_TEXT(function)); symbol != nullptr) \
    api.function = reinterpret_cast<decltype(api.function)>(symbol);           \
  else                                                                         \
    return GPULAB_TEXT(function);
  GPULAB_DRIVER_FUNCTIONS(GPULAB_BIND)
#undef GPULAB_BIND
#undef GPULAB_TEXT
  return {};
}

LoadedDriver load_driver() {
  LoadedDriver loaded;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // stays loaded: the driver does not unload cleanly
  if (library == nullptr) {
    loaded.problem = dl_error();
    return loaded;
  }
  const std::string missing = bind(library, loaded.api);
  if (!missing.empty()) {
    loaded.problem = fmt::format("libcuda.so.1 lacks {}: the driver is older than the CUDA {}.{} that built this",
                                 missing, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    return loaded;
  }
  const CUresult result = loaded.api.cuInit(0);
  if (result != CUDA_SUCCESS) loaded.problem = loaded.api.describe(result);
  return loaded;
}

const LoadedDriver& loaded_driver() {
  static const LoadedDriver loaded = load_driver();
  return loaded;
}

/// Errors that kernels cause; the context is unusable after most of them.
bool is_fault(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string DriverApi::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr)
    return fmt::format("CUDA error {}", static_cast<int>(result));
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) return name;
  return fmt::format("{}: {}", name, text);
}

void DriverApi::check(CUresult result, DriverUse use, const std::string& where, const std::string& hint) const {
  if (result == CUDA_SUCCESS) return;
  const std::string what = describe(result);
  const std::string advice = hint.empty() ? std::string(fault_hint(result)) : hint;
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw LaunchError(LaunchFailure::out_of_memory, what, where, advice);
  if (result == CUDA_ERROR_LAUNCH_TIMEOUT) throw LaunchError(LaunchFailure::hung, what, where, advice);
  if (is_fault(result) || use == DriverUse::launch) throw LaunchError(LaunchFailure::fault, what, where, advice);
  if (use == DriverUse::start) throw Error(ExitCode::missing, what, where, advice);
  throw Error(ExitCode::launch_failed, what, where, advice);
}

const DriverApi* driver() { return loaded_driver().problem.empty() ? &loaded_driver().api : nullptr; }

const std::string& driver_problem() { return loaded_driver().problem; }

std::string_view fault_hint(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "'--device sim --sanitize memcheck' names the line, the thread and the address";
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return "an access of 8 or 16 bytes needs an address that is a multiple of its size; '--device sim' names the "
             "line";
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      return "'--device sim --sanitize all' runs the same kernel with every check";
    case CUDA_ERROR_ASSERT:
      return "an assert() in the kernel failed; the kernel's output says which";
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return "a GPU that drives a display ends kernels after some seconds: choose a smaller n";
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return "the block needs more registers or shared memory than the GPU has: choose a smaller --block";
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return "a cooperative grid must be resident at once: choose a smaller --grid";
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "the driver is older than the CUDA Toolkit of this build: update the driver, or build with an older "
             "Toolkit";
    default:
      return {};
  }
}

}  // namespace gpulab
