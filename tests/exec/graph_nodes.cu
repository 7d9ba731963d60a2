// Graphs made node by node, changed, and launched again.
// long
// case: :: 0
// out: ^made: 6 nodes, 2 roots, a kernel\n1: 12 12 7 host 1\n2: 112 10 7 host 2\n3: 112 10 7 host 12\nclone: 7 7 2 host 22\nupdate: no error\nupdated: 7 7 2 host 32\nchanged: cudaErrorGraphExecUpdateFailure\n$
// err: add +10
#include <cstdio>

__global__ void add(int* x, int by, int n) {
  if (threadIdx.x < n) x[threadIdx.x] += by;
}

static int *x, seen[8], called = 0, step = 1;

static cudaKernelNodeParams kernel(void** arguments) {
  cudaKernelNodeParams node = {};
  node.func = reinterpret_cast<void*>(add);
  node.gridDim = dim3(1);
  node.blockDim = dim3(32);
  node.kernelParams = arguments;
  return node;
}

static void show(const char* name, cudaGraphExec_t exec, cudaStream_t stream) {
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  std::printf("%s: %d %d %d host %d\n", name, seen[0], seen[1], seen[7], called);
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, sizeof seen);
  cudaGraph_t graph, child, clone;
  cudaGraphCreate(&graph, 0);
  cudaGraphCreate(&child, 0);
  cudaGraphNode_t fill, first, inner, both, back, host, empty;
  cudaMemsetParams set = {};
  set.dst = x;
  set.elementSize = 4;
  set.value = 7;
  set.width = 8;
  set.height = 1;
  cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &set);
  int by = 3, n = 2;
  void* arguments[] = {&x, &by, &n};
  const cudaKernelNodeParams adds = kernel(arguments);
  cudaGraphAddKernelNode(&inner, child, nullptr, 0, &adds);
  cudaGraphAddEmptyNode(&empty, graph, nullptr, 0);
  // Added before what it waits for.
  cudaGraphAddMemcpyNode1D(&back, graph, nullptr, 0, seen, x, sizeof seen, cudaMemcpyDeviceToHost);
  cudaGraphAddChildGraphNode(&both, graph, &fill, 1, child);
  by = 2;
  cudaGraphAddKernelNode(&first, graph, &both, 1, &adds);
  by = 1000;  // kept as it was
  const cudaGraphNode_t from[] = {first, empty}, to[] = {back, back};
#if CUDART_VERSION >= 13000
  cudaGraphAddDependencies(graph, from, to, nullptr, 2);
#else
  cudaGraphAddDependencies(graph, from, to, 2);
#endif
  cudaHostNodeParams call = {};
  call.fn = [](void* by) { called += *static_cast<int*>(by); };
  call.userData = &step;
  cudaGraphAddHostNode(&host, graph, &back, 1, &call);
  size_t nodes = 0, roots = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetRootNodes(graph, nullptr, &roots);
  cudaGraphNodeType type;
  cudaGraphNodeGetType(first, &type);
  std::printf("made: %zu nodes, %zu roots, %s\n", nodes, roots, type == cudaGraphNodeTypeKernel ? "a kernel" : "?");
  cudaGraphExec_t exec, other;
  cudaGraphInstantiate(&exec, graph, 0);
  show("1", exec, stream);
  by = 102, n = 1;
  cudaGraphExecKernelNodeSetParams(exec, first, &adds);
  show("2", exec, stream);
  set.value = 2;
  step = 10;
  cudaGraphMemsetNodeSetParams(fill, &set);  // of the graph: the instance stays
  show("3", exec, stream);
  cudaGraphClone(&clone, graph);
  cudaGraphInstantiate(&other, clone, 0);
  show("clone", other, stream);
  cudaGraphExecUpdateResultInfo told;
  std::printf("update: %s\n", cudaGetErrorString(cudaGraphExecUpdate(exec, graph, &told)));
  show("updated", exec, stream);
  cudaGraphAddEmptyNode(&empty, graph, nullptr, 0);
  std::printf("changed: %s\n", cudaGetErrorName(cudaGraphExecUpdate(exec, graph, &told)));
  cudaFree(x);
}
