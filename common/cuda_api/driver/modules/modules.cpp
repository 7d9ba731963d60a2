// Modules (CUDA Driver API: Module Management).

#include <cuda_runtime_api.h>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/modules/loaded_modules.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

void** as_handle(CUmodule* module) { return reinterpret_cast<void**>(module); }

[[gnu::always_inline]] inline CUresult load(const char* name, CUmodule* module, const void* image,
                                            const JitOptions& jit) {
  void* const caller = __builtin_return_address(0);
  return driver_call(name, Needs::context,
                     [&](Session& s) { return load_image(s, image, jit, as_handle(module), s.caller_of(caller)); });
}

}  // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuModuleLoad", Needs::context,
                     [&](Session& s) { return load_file(s, path, {}, as_handle(module), caller); });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) { return load("cuModuleLoadData", module, image, {}); }

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
  return load("cuModuleLoadDataEx", module, image, JitOptions(count, options, values));
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return load("cuModuleLoadFatBinary", module, image, {});
}

CUresult cuModuleUnload(CUmodule module) {
  return driver_call("cuModuleUnload", Needs::context, [&](Session& s) { return unload(s, module); });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return driver_call("cuModuleGetLoadingMode", Needs::nothing, [&](Session&) {
    if (mode == nullptr) return cudaErrorInvalidValue;
    *mode = CU_MODULE_LAZY_LOADING;
    return cudaSuccess;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return driver_call("cuModuleGetFunction", Needs::context, [&](Session& s) {
    return find_function(s, module, name, reinterpret_cast<FunctionEntry**>(function));
  });
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  return driver_call("cuModuleGetFunctionCount", Needs::context, [&](Session&) {
    const LoadedModule* mine = loaded_module(module);
    if (mine == nullptr || count == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(mine->kernels.size());
    return cudaSuccess;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  return driver_call("cuModuleEnumerateFunctions", Needs::context, [&](Session& s) {
    const LoadedModule* mine = loaded_module(module);
    if (mine == nullptr || functions == nullptr) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < mine->kernels.size() && i < count; ++i)
      functions[i] = reinterpret_cast<CUfunction>(&s.modules.function_of(mine->number, mine->kernels[i]));
    return cudaSuccess;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  return driver_call("cuModuleGetGlobal", Needs::context,
                     [&](Session& s) { return find_global(s, module, name, address, bytes); });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return driver_call("cuFuncGetModule", Needs::context, [&](Session& s) {
    const FunctionEntry* entry = s.modules.function(function);
    if (entry == nullptr || module == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
    *module = reinterpret_cast<CUmodule>(const_cast<void*>(module_handle_of(*entry)));
    return cudaSuccess;
  });
}

}  // extern "C"
