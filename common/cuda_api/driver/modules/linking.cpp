// cuLink: PTX texts become one (CUDA Driver API: Module Management). What comes out is PTX, which loading takes.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/modules/device_runtime.h"
#include "common/cuda_api/driver/modules/loaded_modules.h"
#include "common/cuda_api/link_ptx.h"
#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/error.h"
#include "common/ptx/parser.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

struct Linking {
  JitOptions jit;
  std::vector<std::string> texts;
  std::string linked;
};

std::map<CUlinkState, std::unique_ptr<Linking>>& all() {
  static auto& states = *new std::map<CUlinkState, std::unique_ptr<Linking>>;
  return states;
}

Reason no_state() { return {"there is no such CUlinkState, or it has been destroyed", {}, false, true}; }

/// The toolkit's library of functions for kernels that launch kernels: the simulator has them itself.
bool is_device_runtime(const char* name) {
  return name != nullptr && std::string_view(name).find("cudadevrt") != std::string_view::npos;
}

Linking* find(CUlinkState state) {
  const auto found = all().find(state);
  return found == all().end() ? nullptr : found->second.get();
}

/// Each text by itself first: an error is in the one that has it.
cudaError_t add(Session& s, Linking& linking, const void* data, std::size_t bytes, const JitOptions& jit,
                void* caller) {
  GivenPtx ptx;
  if (const auto e = take_ptx(s, data, bytes, ptx, caller); e != cudaSuccess) return e;
  try {
    (void)ptx::parse(ptx.text, "ptx", {}, ptx::TextOwner::caller);
  } catch (const Error& error) {
    return tell_wrong_ptx(s, error, {&jit, &linking.jit});
  }
  linking.texts.push_back(std::move(ptx.text));
  return cudaSuccess;
}

}  // namespace

extern "C" {

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  return driver_call("cuLinkCreate", Needs::context, [&](Session& s) {
    if (state == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the CUlinkState"));
    auto made = std::make_unique<Linking>();
    made->jit = JitOptions(count, options, values);
    *state = reinterpret_cast<CUlinkState>(made.get());
    all()[*state] = std::move(made);
    return cudaSuccess;
  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char* name,
                       unsigned count, CUjit_option* options, void** values) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuLinkAddData", Needs::context, [&](Session& s) {
    Linking* const linking = find(state);
    if (linking == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_state());
    if (type == CU_JIT_INPUT_LIBRARY && is_device_runtime(name)) return cudaSuccess;
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
      s.refuse(fmt::format("cuLinkAddData of machine code or a library ('{}')", name == nullptr ? "" : name), caller,
               "PTX (CU_JIT_INPUT_PTX) and fat binaries that hold it can be linked");
    return add(s, *linking, data, bytes, JitOptions(count, options, values), caller);
  });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned count, CUjit_option* options,
                       void** values) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuLinkAddFile", Needs::context, [&](Session& s) {
    Linking* const linking = find(state);
    if (linking == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_state());
    if (type == CU_JIT_INPUT_LIBRARY && is_device_runtime(path)) return cudaSuccess;
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
      s.refuse(fmt::format("cuLinkAddFile of machine code or a library ('{}')", path == nullptr ? "" : path), caller,
               "PTX (CU_JIT_INPUT_PTX) and fat binaries that hold it can be linked");
    std::string file;
    if (const auto e = read_given_file(s, path, file); e != cudaSuccess) return e;
    return add(s, *linking, file.data(), file.size(), JitOptions(count, options, values), caller);
  });
}

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  return driver_call("cuLinkComplete", Needs::context, [&](Session& s) {
    Linking* const linking = find(state);
    if (linking == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_state());
    if (image == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the image"));
    add_device_runtime(linking->texts);
    linking->linked = linking->texts.size() == 1 ? linking->texts.front() : link_ptx(linking->texts);
    linking->jit.tell_time();
    *image = linking->linked.data();
    if (bytes != nullptr) *bytes = linking->linked.size() + 1;
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return driver_call("cuLinkDestroy", Needs::context, [&](Session& s) {
    return all().erase(state) == 1 ? cudaSuccess : s.because(cudaErrorInvalidResourceHandle, no_state());
  });
}

}  // extern "C"
