// Memory without an address, and how other processes get it: by a descriptor of its file.

#include "common/cuda_api/driver/memory/physical_memory.h"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <utility>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/runtime/failures/reasons.h"

namespace gpulab::cuda_api {
namespace {

/// Nobody who has the file makes it shorter, and with that the memory of others. No other memory here is sealed so.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

struct Handles {
  std::map<CUmemGenericAllocationHandle, std::shared_ptr<Physical>> all;
  CUmemGenericAllocationHandle last = 0;
};
Handles& handles() {
  static auto& all = *new Handles;
  return all;
}

Reason no_such_memory() { return {"there is no memory of this handle"}; }

}  // namespace

Physical::Physical(std::size_t size, const CUmemAllocationProp& asked)
    : bytes(size), properties(asked), file(memfd_create("gpulab", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (file < 0 || (ftruncate(file, static_cast<off_t>(size)) == 0 && fcntl(file, F_ADD_SEALS, kSeals) == 0)) return;
  close(file);
  file = -1;
}

Physical::Physical(int descriptor, std::size_t size, const CUmemAllocationProp& said)
    : bytes(size), properties(said), file(descriptor) {}

Physical::~Physical() {
  if (file >= 0) close(file);
}

std::shared_ptr<Physical> physical_memory(CUmemGenericAllocationHandle handle) {
  const auto found = handles().all.find(handle);
  return found == handles().all.end() ? nullptr : found->second;
}

CUmemGenericAllocationHandle handle_of(std::shared_ptr<Physical> memory) {
  for (const auto& [known, one] : handles().all)
    if (one == memory) {
      ++one->handles;
      return known;
    }
  memory->handles = 1;
  handles().all[++handles().last] = std::move(memory);
  return handles().last;
}

bool release_handle(CUmemGenericAllocationHandle handle) {
  const auto found = handles().all.find(handle);
  if (found == handles().all.end()) return false;
  if (--found->second->handles == 0) handles().all.erase(found);
  return true;
}

Reason other_handle_types() {
  return {"memory can be shared by CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, and by no other type of handle"};
}

}  // namespace gpulab::cuda_api

using namespace gpulab::cuda_api;

extern "C" {

CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  return driver_call("cuMemExportToShareableHandle", Needs::driver, [&](Session& s) {
    if (shareable == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the descriptor"));
    if (flags != 0) return cudaErrorInvalidValue;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return s.because(cudaErrorInvalidValue, other_handle_types());
    const auto memory = physical_memory(handle);
    if (memory == nullptr) return s.because(cudaErrorInvalidValue, no_such_memory());
    if (memory->properties.requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
      return s.because(cudaErrorInvalidValue, {"the memory was made without a type of handle that it is shared by",
                                               "set requestedHandleTypes of what cuMemCreate is given"});
    const int file = fcntl(memory->file, F_DUPFD_CLOEXEC, 0);
    if (file < 0) return s.because(cudaErrorOperatingSystem, {"this process may open no further file"});
    *static_cast<int*>(shareable) = file;
    return cudaSuccess;
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable,
                                        CUmemAllocationHandleType type) {
  return driver_call("cuMemImportFromShareableHandle", Needs::driver, [&](Session& s) {
    if (handle == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the handle"));
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return s.because(cudaErrorInvalidValue, other_handle_types());
    const int given = static_cast<int>(reinterpret_cast<std::uintptr_t>(shareable));
    struct stat found {};
    if (fcntl(given, F_GET_SEALS) != kSeals || fstat(given, &found) != 0)
      return s.because(cudaErrorUnknown, {"the descriptor is none that cuMemExportToShareableHandle gave",
                                          "pass the number itself as the pointer: (void*)(uintptr_t)descriptor"});
    CUmemAllocationProp said{};
    said.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    said.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    said.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    *handle = handle_of(
        std::make_shared<Physical>(fcntl(given, F_DUPFD_CLOEXEC, 0), static_cast<std::size_t>(found.st_size), said));
    return cudaSuccess;
  });
}

}  // extern "C"
