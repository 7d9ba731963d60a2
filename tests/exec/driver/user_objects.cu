// What a program ties to a graph is told once nobody refers to it: neither it, nor the graph, nor a copy or instance.
// Contexts and memory are asked what is rarely asked.
// long
// build: -lcuda
// case: :: 0
// out: ^0 0 0\nof a graph: 0\nof a copy and an instance: 0\nof the last: 1\nreleased: 2\n0 0 1 1\npopped: 0 1 201\nfree: 0 1, all: 0 1\nbeyond its bounds: 1\na range that goes on: 0 0\n$
#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

std::atomic<int> told{0};
void tell(void* by) { told += *static_cast<int*>(by); }

/// It is told by another thread.
int told_soon(int most) {
  for (int i = 0; i < 2000 && told < most; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return told;
}

int main() {
  int one = 1;
  cudaGraph_t graph, copy;
  cudaGraphExec_t exec;
  cudaUserObject_t object;
  cudaGraphCreate(&graph, 0);
  const int made = cudaUserObjectCreate(&object, &one, tell, 1, cudaUserObjectNoDestructorSync);
  const int tied = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
  const int instance = cudaGraphInstantiate(&exec, graph, 0);
  std::printf("%d %d %d\n", made, tied, instance);
  cudaGraphClone(&copy, graph);
  std::printf("of a graph: %d\n", told.load());
  cudaGraphDestroy(graph);
  std::printf("of a copy and an instance: %d\n", told.load());
  cudaGraphDestroy(copy);
  cudaGraphExecDestroy(exec);
  std::printf("of the last: %d\n", told_soon(1));

  CUuserObject other;
  cuUserObjectCreate(&other, &one, tell, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  cuUserObjectRetain(other, 1);
  cuUserObjectRelease(other, 2);
  std::printf("released: %d\n", told_soon(2));
  cudaGraphCreate(&graph, 0);
  cuUserObjectCreate(&other, &one, tell, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  const int kept = cuGraphRetainUserObject(graph, other, 1, 0), given = cuGraphReleaseUserObject(graph, other, 1);
  const int too_many = cuGraphReleaseUserObject(graph, other, 1), gone = cuUserObjectRelease(other, 3);
  std::printf("%d %d %d %d\n", kept, given, too_many, gone);

  // The runtime's calls have made the primary context current: it can be popped, once.
  CUcontext popped = nullptr;
  const int first = cuCtxPopCurrent(&popped), second = cuCtxPopCurrent(&popped);
  std::printf("popped: %d %d %d\n", first, popped != nullptr, second);
  size_t left = 0, all = 0;
  const int free_of = cudaMemGetInfo(&left, nullptr), all_of = cudaMemGetInfo(nullptr, &all);
  std::printf("free: %d %d, all: %d %d\n", free_of, left > 0, all_of, all > 0);
  CUmodule module;
  CUfunction function;
  cuModuleLoadData(&module, ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry bounded() .maxntid 128, 1, 1 { ret; }\n");
  cuModuleGetFunction(&function, module, "bounded");
  std::printf("beyond its bounds: %d\n", cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, nullptr, nullptr, nullptr));

  constexpr size_t chunk = 2 << 20;
  CUdeviceptr range = 0, next = 0;
  CUmemAllocationProp kind = {};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemAccessDesc access = {kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  cuMemAddressReserve(&range, 8 * chunk, 0, 0, 0);  // addresses that are free
  cuMemAddressFree(range, 8 * chunk);
  cuMemAddressReserve(&range, chunk, 0, range, 0);
  cuMemAddressReserve(&next, chunk, 0, range + chunk, 0);
  for (const CUdeviceptr place : {range, next}) {
    CUmemGenericAllocationHandle handle;
    cuMemCreate(&handle, chunk, &kind, 0);
    cuMemMap(place, chunk, 0, handle, 0);
    cuMemSetAccess(place, chunk, &access, 1);
    cuMemRelease(handle);
  }
  const int filled = cuMemsetD8(range, 1, 2 * chunk);
  std::printf("a range that goes on: %d %d\n", next != range + chunk, filled);
}
