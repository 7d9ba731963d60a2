// What the code that nvcc adds to a program calls before main, and around each launch.

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <vector>

#include "common/cuda_api/runtime/host/clock/host_clock.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  void* caller = nullptr;  ///< the line with <<<>>>; what calls us to launch is a function that nvcc makes
};

/// Never destroyed: what a program has in static storage may launch when its end has destroyed a thread's own objects.
std::vector<Configuration>& configurations() {
  thread_local auto* const pushed = new std::vector<Configuration>;
  return *pushed;
}

/// Handles are the numbers of modules, from 1.
std::size_t module_of(void** handle) { return reinterpret_cast<std::size_t>(handle) - 1; }

/// Managed variables: the host has a pointer to each, which is to be set before it is used.
void place_managed(Session& session, std::size_t module) {
  if (session.modules.at(module).placed) return;
  session.modules.at(module).placed = true;
  for (const auto& variable : session.modules.variables())
    if (variable.module == module && variable.managed != nullptr)
      // NOLINTNEXTLINE(performance-no-int-to-ptr): one address for both
      *variable.managed = reinterpret_cast<void*>(session.place_of(variable).address);
}

}  // namespace

void*& gpulab::cuda_api::configured_by() {
  thread_local void* caller = nullptr;
  return caller;
}

// NOLINTBEGIN(bugprone-reserved-identifier): NVIDIA's names
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const host_clock::Stopped stopped;
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number that the program gives back
  return reinterpret_cast<void**>(session.modules.add(wrapper) + 1);
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}  // at the program's end, when others may still call us

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  session.modules.add_function(module_of(handle), host, name);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t bytes, int, int) {
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  session.modules.add_variable({host, name, module_of(handle), bytes, nullptr});
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t bytes, int, int) {
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  session.modules.add_variable({host, name, module_of(handle), bytes, host});
}

char __cudaInitModule(void** handle) {
  const host_clock::Stopped stopped;
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  try {
    place_managed(session, module_of(handle));
  } catch (const Error& error) {
    session.refuse(error, __builtin_return_address(0));
  }
  return 1;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  configurations().push_back({grid, block, shared_bytes, stream, __builtin_return_address(0)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  auto& pushed = configurations();
  if (pushed.empty()) return cudaErrorMissingConfiguration;
  *grid = pushed.back().grid;
  *block = pushed.back().block;
  *shared_bytes = pushed.back().shared_bytes;
  *static_cast<cudaStream_t*>(stream) = pushed.back().stream;
  configured_by() = pushed.back().caller;
  pushed.pop_back();
  return cudaSuccess;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
