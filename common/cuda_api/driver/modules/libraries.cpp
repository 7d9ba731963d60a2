// Libraries: modules that no context owns, and their kernels (CUDA Driver API: Library Management).

#include <cuda_runtime_api.h>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/modules/loaded_modules.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

void** as_handle(CUlibrary* library) { return reinterpret_cast<void**>(library); }

/// A library is every context's: it ends with none but the primary one.
cudaError_t owned_by_all(cudaError_t error, CUlibrary* library) {
  if (error == cudaSuccess) loaded_module(*library)->context = 0;
  return error;
}

cudaError_t count_kernels(unsigned* count, CUlibrary library) {
  const LoadedModule* mine = loaded_module(library);
  if (mine == nullptr || count == nullptr) return cudaErrorInvalidValue;
  *count = static_cast<unsigned>(mine->kernels.size());
  return cudaSuccess;
}

cudaError_t list_kernels(Session& s, CUkernel* kernels, unsigned count, CUlibrary library) {
  const LoadedModule* mine = loaded_module(library);
  if (mine == nullptr || kernels == nullptr) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < mine->kernels.size() && i < count; ++i)
    kernels[i] = reinterpret_cast<CUkernel>(&s.modules.function_of(mine->number, mine->kernels[i]));
  return cudaSuccess;
}

}  // namespace

extern "C" {

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options, void** values, unsigned count,
                           CUlibraryOption*, void**, unsigned) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuLibraryLoadData", Needs::driver, [&](Session& s) {
    return owned_by_all(load_image(s, code, JitOptions(count, options, values), as_handle(library), caller), library);
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* options, void** values,
                               unsigned count, CUlibraryOption*, void**, unsigned) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuLibraryLoadFromFile", Needs::driver, [&](Session& s) {
    return owned_by_all(load_file(s, path, JitOptions(count, options, values), as_handle(library), caller), library);
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return driver_call("cuLibraryUnload", Needs::driver, [&](Session& s) { return unload(s, library); });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return driver_call("cuLibraryGetKernel", Needs::driver, [&](Session& s) {
    return find_function(s, library, name, reinterpret_cast<FunctionEntry**>(kernel));
  });
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return driver_call("cuLibraryGetKernelCount", Needs::driver, [&](Session&) { return count_kernels(count, library); });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  return driver_call("cuLibraryEnumerateKernels", Needs::driver,
                     [&](Session& s) { return list_kernels(s, kernels, count, library); });
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return driver_call("cuLibraryGetModule", Needs::context, [&](Session&) {
    if (loaded_module(library) == nullptr || module == nullptr) return cudaErrorInvalidResourceHandle;
    *module = reinterpret_cast<CUmodule>(library);
    return cudaSuccess;
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name) {
  return driver_call("cuLibraryGetGlobal", Needs::context,
                     [&](Session& s) { return find_global(s, library, name, address, bytes); });
}

CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name) {
  return driver_call("cuLibraryGetManaged", Needs::context,
                     [&](Session& s) { return find_global(s, library, name, address, bytes); });
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return driver_call("cuKernelGetFunction", Needs::context, [&](Session& s) {
    if (s.modules.function(kernel) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
    *function = reinterpret_cast<CUfunction>(kernel);
    return cudaSuccess;
  });
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return driver_call("cuKernelGetLibrary", Needs::driver, [&](Session& s) {
    const FunctionEntry* entry = s.modules.function(kernel);
    if (entry == nullptr || library == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
    *library = reinterpret_cast<CUlibrary>(const_cast<void*>(module_handle_of(*entry)));
    return cudaSuccess;
  });
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return by_runtime("cuKernelGetName", [&] { return cudaFuncGetName(name, kernel); });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return cuFuncGetAttribute(value, attribute, reinterpret_cast<CUfunction>(kernel));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), attribute, value);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache, CUdevice) {
  return by_runtime("cuKernelSetCacheConfig", [&] { return cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferNone); });
}

#if CUDA_VERSION >= 12080
// The same by the runtime's API (CUDA Runtime API: Library Management).

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  void* const caller = __builtin_return_address(0);
  return call("cudaLibraryLoadData", Waits::no, [&](Session& s) {
    auto* const made = reinterpret_cast<CUlibrary*>(library);
    return owned_by_all(load_image(s, code, JitOptions(0, nullptr, nullptr), as_handle(made), caller), made);
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*, void**, unsigned,
                                    cudaLibraryOption*, void**, unsigned) {
  void* const caller = __builtin_return_address(0);
  return call("cudaLibraryLoadFromFile", Waits::no, [&](Session& s) {
    auto* const made = reinterpret_cast<CUlibrary*>(library);
    return owned_by_all(load_file(s, path, JitOptions(0, nullptr, nullptr), as_handle(made), caller), made);
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return call("cudaLibraryUnload", Waits::no,
              [&](Session& s) { return unload(s, reinterpret_cast<CUlibrary>(library)); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return call("cudaLibraryGetKernel", Waits::no, [&](Session& s) {
    return find_function(s, reinterpret_cast<CUlibrary>(library), name, reinterpret_cast<FunctionEntry**>(kernel));
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return call("cudaLibraryGetKernelCount", Waits::no,
              [&](Session&) { return count_kernels(count, reinterpret_cast<CUlibrary>(library)); });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
  return call("cudaLibraryEnumerateKernels", Waits::no, [&](Session& s) {
    return list_kernels(s, reinterpret_cast<CUkernel*>(kernels), count, reinterpret_cast<CUlibrary>(library));
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return call("cudaLibraryGetGlobal", Waits::no, [&](Session& s) {
    return find_global(s, reinterpret_cast<CUlibrary>(library), name, reinterpret_cast<CUdeviceptr*>(address), bytes);
  });
}

cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return call("cudaLibraryGetManaged", Waits::no, [&](Session& s) {
    return find_global(s, reinterpret_cast<CUlibrary>(library), name, reinterpret_cast<CUdeviceptr*>(address), bytes);
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}
#endif

/// Both APIs know a function by the same handles.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return call("cudaGetFuncBySymbol", Waits::no, [&](Session& s) {
    if (function == nullptr || s.modules.function(symbol) == nullptr)
      return s.because(cudaErrorInvalidDeviceFunction, no_kernel());
    *function = static_cast<cudaFunction_t>(const_cast<void*>(symbol));
    return cudaSuccess;
  });
}

#if CUDA_VERSION >= 12040
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
  return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset, size);
}
#endif

}  // extern "C"
