// cuGetProcAddress: everything is asked by it (CUDA Driver API: Driver Entry Point Access).

#include "common/cuda_api/driver/procedures.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <string>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/modules/readable_memory.h"
#include "common/cuda_api/runtime/host/python_lines.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// Names that have meant something else since a version; those that are not here mean the same since CUDA 11.
struct Since {
  std::string_view name;
  int version;
  const char* suffix;
};
constexpr Since kSince[] = {
    {"cuCtxCreate", 12050, "_v4"},
    {"cuCtxCreate", 11040, "_v3"},
    {"cuCtxGetDevice", 13000, "_v2"},
    {"cuCtxSynchronize", 13000, "_v2"},
    {"cuMemPrefetchAsync", 12020, "_v2"},
    {"cuMemAdvise", 12020, "_v2"},
    {"cuStreamGetCtx", 12050, "_v2"},
    {"cuStreamGetCaptureInfo", 12030, "_v3"},
    {"cuStreamGetCaptureInfo", 11030, "_v2"},
    {"cuStreamUpdateCaptureDependencies", 12030, "_v2"},
    {"cuEventElapsedTime", 12080, "_v2"},
    {"cuGraphAddKernelNode", 12000, "_v2"},
    {"cuGraphKernelNodeGetParams", 12000, "_v2"},
    {"cuGraphKernelNodeSetParams", 12000, "_v2"},
    {"cuGraphExecKernelNodeSetParams", 12000, "_v2"},
    {"cuGraphExecUpdate", 12000, "_v2"},
    {"cuGraphGetEdges", 12030, "_v2"},
    {"cuGraphNodeGetDependencies", 12030, "_v2"},
    {"cuGraphNodeGetDependentNodes", 12030, "_v2"},
    {"cuGraphAddDependencies", 12030, "_v2"},
    {"cuGraphRemoveDependencies", 12030, "_v2"},
    {"cuGraphAddNode", 12030, "_v2"},
    {"cuGetProcAddress", 12000, "_v2"},
    {"cuMemcpyBatchAsync", 13000, "_v2"},
    {"cuMemcpy3DBatchAsync", 13000, "_v2"},
};

/// One of this library's; null where it has none.
void* own(const std::string& name) {
  static void* const library = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<void*>(&own), &info) == 0 ? nullptr : dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  return library == nullptr ? nullptr : dlsym(library, name.c_str());
}

void* with_stream_kind(const std::string& name, bool own_streams) {
  if (own_streams)
    for (const char* kind : {"_ptsz", "_ptds"})
      if (void* found = own(name + kind)) return found;
  return own(name);
}

/// A place in a library of the toolkit's: libnvrtc, libnvJitLink, libcublas …
bool is_of_nvidia(const void* place) {
  Dl_info info{};
  if (dladdr(place, &info) == 0 || info.dli_fname == nullptr) return false;
  std::string_view file(info.dli_fname);
  file = file.substr(file.rfind('/') + 1);
  return file.starts_with("libnv") || file.starts_with("libcu");
}

cudaError_t find(const char* name, void** function, int version, std::uint64_t flags,
                 CUdriverProcAddressQueryResult* status) {
  if (name == nullptr || function == nullptr) return cudaErrorInvalidValue;
  const bool own_streams = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *function = procedure(readable_text(name, 256), version, own_streams);
  const bool found = *function != nullptr;
  if (status == nullptr) return found ? cudaSuccess : cudaErrorSymbolNotFound;
  *status = found ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return cudaSuccess;
}

}  // namespace

void* gpulab::cuda_api::procedure(std::string_view name, int version, bool own_streams) {
  if (!name.starts_with("cu") || name.starts_with("cuda")) return nullptr;
  const std::string text(name);
  bool is_known = false;
  for (const auto& since : kSince) {
    if (since.name != name) continue;
    is_known = true;
    if (version < since.version) continue;
    if (void* found = with_stream_kind(text + since.suffix, own_streams)) return found;
  }
  if (!is_known || name == "cuCtxCreate")
    if (void* found = with_stream_kind(text + "_v2", own_streams)) return found;
  return with_stream_kind(text, own_streams);
}

extern "C" {

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status) {
  return driver_call("cuGetProcAddress", Needs::nothing,
                     [&](Session&) { return find(name, function, version, flags, status); });
}

#undef cuGetProcAddress
/// As CUDA 11 has it.
CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  return driver_call("cuGetProcAddress", Needs::nothing,
                     [&](Session&) { return find(name, function, version, flags, nullptr); });
}

/// Undocumented tables. NVIDIA's compilers ask for them, too, and do without; a runtime that is linked statically into
/// the program does not, and has no names that ours could take the place of (static_runtimes.cpp).
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuGetExportTable", Needs::nothing, [&](Session& s) {
    if (!is_of_nvidia(caller))
      s.refuse(
          "cuGetExportTable, which a CUDA runtime calls that is linked statically and stripped of its names", caller,
          python_line().empty() ? "link the program with the shared runtime (nvcc -cudart shared), or do not strip it"
                                : "a package's wheel holds it: configs/python.md says what of CuPy runs, and how");
    if (table != nullptr) *table = nullptr;
    return cudaErrorSymbolNotFound;
  });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* status) {
  return call("cudaGetDriverEntryPointByVersion", Waits::no, [&](Session&) {
    CUdriverProcAddressQueryResult told{};
    const auto error = find(name, function, static_cast<int>(version), flags, &told);
    if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(told);
    return error;
  });
}

#undef cudaGetDriverEntryPoint
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

}  // extern "C"
