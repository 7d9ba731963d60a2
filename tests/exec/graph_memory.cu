// Memory that graphs allocate and free: captured, made node by node, used behind the graph.
// case: :: 0
// out: ^captured: 30 31 32 33\nagain: 30 31 32 33\nmade: 30 31 32 33 at one address\nkept: 10 11 12 13, then invalid argument\nfreed: no error, no error\nby another graph: no error, then invalid argument\nfirst freed: no error, no error\nheld: 16 bytes, 32 at most; trimmed 16\nset back: 16, no error\nasked: 16 bytes, the same address twice\n$
// err: never freed: cudaGraphAddMemAllocNode #\d \(16 bytes\)
// case: --sanitize all :: 0
// err: warning: leakcheck: cudaGraphAddMemAllocNode #\d, 16 bytes, is never freed \(called by graph_memory\.cu:\d+\)
// case: --sanitize initcheck -- unwritten :: 1
// err: error: initcheck: add: global memory is read before anything was written there; initialise it first .* was allocated at graph_memory\.cu:\d+
#include <cstdint>
#include <cstdio>

__global__ void fill(int* x, int by) { x[threadIdx.x] = by + threadIdx.x; }
__global__ void add(int* x, const int* y) { x[threadIdx.x] += y[threadIdx.x]; }

constexpr int kBytes = 16;
static int seen[4];
static cudaStream_t stream;

static void show(const char* what, const char* end = "\n") {
  cudaStreamSynchronize(stream);
  std::printf("%s: %d %d %d %d%s", what, seen[0], seen[1], seen[2], seen[3], end);
  for (int& one : seen) one = 0;
}

static void captured() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int *x, *y;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&x, kBytes, stream);
  cudaMallocAsync(&y, kBytes, stream);
  fill<<<1, 4, 0, stream>>>(x, 10);
  cudaMemsetAsync(y, 0, kBytes, stream);
  for (int i = 0; i < 2; ++i) add<<<1, 1, 0, stream>>>(y, x);
  fill<<<1, 4, 0, stream>>>(y, 20);
  add<<<1, 1, 0, stream>>>(x, y);
  fill<<<1, 4, 0, stream>>>(x, 30);
  cudaFreeAsync(y, stream);
  cudaMemcpyAsync(seen, x, kBytes, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(x, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  show("captured");
  cudaGraphLaunch(exec, stream);
  show("again");
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

/// Nodes that allocate, fill with `by`, copy to `seen`, and free where that is asked for.
static cudaGraphExec_t made(int by, bool frees, unsigned long long flags, int** where) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t allocates, fills, copies, last;
  cudaMemAllocNodeParams asked = {};
  asked.bytesize = kBytes;
  asked.poolProps.allocType = cudaMemAllocationTypePinned;
  asked.poolProps.location = {cudaMemLocationTypeDevice, 0};
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemAllocNode(&allocates, graph, nullptr, 0, &asked);
  *where = static_cast<int*>(asked.dptr);
  void* arguments[] = {where, &by};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(fill);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(4);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&fills, graph, &allocates, 1, &kernel);
  cudaGraphAddMemcpyNode1D(&copies, graph, &fills, 1, seen, *where, kBytes, cudaMemcpyDeviceToHost);
  if (frees) cudaGraphAddMemFreeNode(&last, graph, &copies, 1, *where);
  cudaGraphInstantiate(&exec, graph, flags);
  cudaGraphDestroy(graph);
  return exec;
}

static const char* text(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorString(error);
}

static std::uint64_t held(cudaGraphMemAttributeType attribute) {
  std::uint64_t bytes = 0;
  cudaDeviceGetGraphMemAttribute(0, attribute, &bytes);
  return bytes;
}

static void unwritten() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int* x;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&x, kBytes, stream);
  add<<<1, 1, 0, stream>>>(x, x);
  cudaFreeAsync(x, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
}

int main(int count, char**) {
  cudaStreamCreate(&stream);
  if (count > 1) {
    unwritten();
    return 0;
  }
  captured();
  int *x, *kept, *other;
  cudaGraphExec_t exec = made(30, true, 0, &x);
  cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
  show("made", " at one address\n");

  cudaGraphExec_t keeps = made(10, false, 0, &kept);
  cudaGraphLaunch(keeps, stream);
  show("kept", ", ");
  std::printf("then %s\n", text(cudaGraphLaunch(keeps, stream)));  // which has not been freed
  std::printf("freed: %s, ", text(cudaFree(kept)));
  cudaGraphLaunch(keeps, stream);
  std::printf("%s\n", text(cudaFreeAsync(kept, stream)));

  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t frees;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, kept);
  cudaGraphInstantiate(&frees, graph, 0);
  cudaGraphLaunch(keeps, stream);
  std::printf("by another graph: %s, ", text(cudaGraphLaunch(frees, stream)));
  std::printf("then %s\n", text(cudaGraphLaunch(frees, stream)));

  cudaGraphExec_t frees_first = made(10, false, cudaGraphInstantiateFlagAutoFreeOnLaunch, &other);
  std::printf("first freed: %s, ", text(cudaGraphLaunch(frees_first, stream)));
  std::printf("%s\n", text(cudaGraphLaunch(frees_first, stream)));
  cudaStreamSynchronize(stream);
  std::printf("held: %d bytes, %d at most; ", int(held(cudaGraphMemAttrUsedMemCurrent)), int(held(cudaGraphMemAttrUsedMemHigh)));
  cudaDeviceGraphMemTrim(0);
  std::printf("trimmed %d\n", int(held(cudaGraphMemAttrReservedMemCurrent)));
  std::uint64_t none = 0;
  const cudaError_t set = cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &none);
  std::printf("set back: %d, %s\n", int(held(cudaGraphMemAttrReservedMemHigh)), text(set));

  cudaMemAllocNodeParams asked = {};
  asked.bytesize = kBytes;
  void* freed = nullptr;
  cudaGraphNode_t allocates;
  cudaGraphAddMemAllocNode(&allocates, graph, nullptr, 0, &asked);
  cudaGraphAddMemFreeNode(&node, graph, &allocates, 1, asked.dptr);
  cudaMemAllocNodeParams told = {};
  cudaGraphMemAllocNodeGetParams(allocates, &told);
  cudaGraphMemFreeNodeGetParams(node, &freed);
  std::printf("asked: %d bytes, the same address %s\n", int(told.bytesize), told.dptr == asked.dptr && freed == asked.dptr ? "twice" : "WRONG");
  return 0;
}
