// What a program asks of a graph that it has captured or made: types, edges, parameters; nodes that are changed, switched off or
// destroyed; what may not be captured. An H100 prints the same (driver 580).
// long
// case: :: 0
// out: ^captured: 5 nodes, 5 edges, kernels 2, copies 1, fills 1, host 1, roots 1\nkernel: grid 1, block 8, by 10\nlaunched: 11 108 host 1\nadd 5: 6 103\noff: 1 103\nfork: unjoined\nwrong stream: unmatched\nmalloc: unsupported, then invalidated\nsynchronize: unsupported, then invalidated\nuncaptured event: isolation\nmade: 7 nodes, 5 edges, last waits for 2, first is waited for by 2\nsymbol 42 42, event 1, child 1 node, cooperative 1\ndestroyed: 6 nodes, 3 edges\nbox: 7 7 0 0 7 7 0 0\nother stream ran at once: 3\n$
// err: add +12
#include <cstdio>
#include <cstring>
#include <vector>

__device__ int variable;
__global__ void add(int* x, int by, int n) {
  if (threadIdx.x < n) x[threadIdx.x] += by;
}

static const char* short_name(cudaError_t error) {
  const char* name = cudaGetErrorName(error);
  if (const char* end = std::strstr(name, "StreamCapture")) return end + std::strlen("StreamCapture");
  return name;
}

static const char* lower(cudaError_t error) {
  static char texts[4][64];
  static int next = 0;
  char* text = texts[next++ % 4];
  std::snprintf(text, 64, "%s", short_name(error));
  text[0] |= 32;
  return text;
}

static int *x, *y, seen[8], called = 0;

static void captured(cudaStream_t a, cudaStream_t b) {
  cudaEvent_t fork, join;
  cudaEventCreate(&fork), cudaEventCreate(&join);
  cudaGraph_t graph;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(x, 0, 64, a);
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  add<<<1, 8, 0, a>>>(x, 10, 8);
  add<<<1, 8, 0, b>>>(y, 3, 8);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  cudaMemcpyAsync(seen, x, sizeof seen, cudaMemcpyDeviceToHost, a);
  cudaLaunchHostFunc(a, [](void*) { ++called; }, nullptr);
  cudaStreamEndCapture(a, &graph);
  size_t count = 0, edges = 0, roots = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cudaGraphGetRootNodes(graph, nullptr, &roots);
  std::vector<cudaGraphNode_t> nodes(count);
  cudaGraphGetNodes(graph, nodes.data(), &count);
  int of[16] = {};
  cudaGraphNode_t first = nullptr;
  for (auto node : nodes) {
    cudaGraphNodeType type;
    cudaGraphNodeGetType(node, &type);
    ++of[type];
    if (type == cudaGraphNodeTypeKernel && first == nullptr) first = node;
  }
  std::printf("captured: %zu nodes, %zu edges, kernels %d, copies %d, fills %d, host %d, roots %zu\n", count, edges, of[cudaGraphNodeTypeKernel],
              of[cudaGraphNodeTypeMemcpy], of[cudaGraphNodeTypeMemset], of[cudaGraphNodeTypeHost], roots);
  cudaKernelNodeParams kernel;
  cudaGraphKernelNodeGetParams(first, &kernel);
  std::printf("kernel: grid %u, block %u, by %d\n", kernel.gridDim.x, kernel.blockDim.x, *static_cast<int*>(kernel.kernelParams[1]));
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  int one = 1, eight = 8;
  add<<<1, 8>>>(y, 100, 8);
  auto run = [&](const char* what) {
    cudaGraphLaunch(exec, a);
    int other[8];
    cudaStreamSynchronize(a);
    cudaMemcpy(other, y, sizeof other, cudaMemcpyDeviceToHost);
    std::printf("%s: %d %d", what, seen[0] + one, other[7] + 5);
    cudaMemset(y, 0, 32);
    add<<<1, 8>>>(y, 95, 8);
  };
  run("launched");
  std::printf(" host %d\n", called);
  int five = 5;
  void* arguments[] = {&x, &five, &eight};
  kernel.kernelParams = arguments;
  cudaGraphExecKernelNodeSetParams(exec, first, &kernel);
  run("add 5");
  unsigned on = 7;
  cudaGraphNodeSetEnabled(exec, first, 0);
  cudaGraphNodeGetEnabled(exec, first, &on);
  run(on == 0 ? "\noff" : "\nWRONG");
  std::puts("");
}

static void refused(cudaStream_t a, cudaStream_t b) {
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaGraph_t graph;
  auto begin = [&] { cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); };
  auto fork = [&] { cudaEventRecord(event, a), cudaStreamWaitEvent(b, event, 0), add<<<1, 8, 0, b>>>(y, 3, 8); };
  begin(), fork();
  cudaError_t error = cudaStreamEndCapture(a, &graph);
  std::printf("fork: %s\n", lower(error));
  begin(), fork();
  std::printf("wrong stream: %s\n", lower(cudaStreamEndCapture(b, &graph)));
  error = cudaStreamEndCapture(a, &graph);
  if (error == cudaSuccess) std::puts("WRONG");
  begin();
  void* more;
  error = cudaMalloc(&more, 64);
  std::printf("malloc: %s, then %s\n", lower(error), lower(cudaStreamEndCapture(a, &graph)));
  begin();
  error = cudaStreamSynchronize(a);
  std::printf("synchronize: %s, then %s\n", lower(error), lower(cudaStreamEndCapture(a, &graph)));
  cudaEventRecord(event, b);
  begin();
  std::printf("uncaptured event: %s\n", lower(cudaStreamWaitEvent(a, event, 0)));
  cudaStreamEndCapture(a, &graph);
  cudaGetLastError();
}

static void made(cudaStream_t stream) {
  cudaGraph_t graph, child, inner;
  cudaGraphCreate(&graph, 0), cudaGraphCreate(&child, 0);
  int value = 42, back = 0, by = 1, n = 8;
  cudaEvent_t event;
  cudaEventCreate(&event);
  void* arguments[] = {&y, &by, &n};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphNode_t to, from, record, wait, launch, within, last, nodes[2];
  cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, variable, &value, 4, 0, cudaMemcpyHostToDevice);
  cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, &back, variable, 4, 0, cudaMemcpyDeviceToHost);
  cudaGraphAddEventRecordNode(&record, graph, &to, 1, event);
  cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event);
  cudaGraphAddKernelNode(&launch, graph, nullptr, 0, &kernel);
  cudaGraphNode_t both[] = {from, wait};
  cudaGraphAddEmptyNode(&last, graph, both, 2);
  cudaGraphAddKernelNode(&within, child, nullptr, 0, &kernel);
  cudaGraphAddChildGraphNode(&within, graph, nullptr, 0, child);
  size_t count = 0, edges = 0, before = 2, behind = 0, in_child = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cudaGraphNodeGetDependencies(last, nodes, nullptr, &before);
  cudaGraphNodeGetDependentNodes(to, nullptr, nullptr, &behind);
  std::printf("made: %zu nodes, %zu edges, last waits for %zu, first is waited for by %zu\n", count, edges, before, behind);
  cudaGraphChildGraphNodeGetGraph(within, &inner);
  cudaGraphGetNodes(inner, nullptr, &in_child);
  cudaLaunchAttributeValue set = {}, told = {};
  set.cooperative = 1;
  cudaGraphKernelNodeSetAttribute(launch, cudaLaunchAttributeCooperative, &set);
  cudaGraphKernelNodeGetAttribute(launch, cudaLaunchAttributeCooperative, &told);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  int held = 0;
  cudaMemcpyFromSymbol(&held, variable, 4);
  std::printf("symbol %d %d, event %d, child %zu node, cooperative %d\n", held, back, cudaEventQuery(event) == cudaSuccess, in_child, told.cooperative);
  cudaGraphDestroyNode(from);
  cudaGraphGetNodes(graph, nullptr, &count);
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  std::printf("destroyed: %zu nodes, %zu edges\n", count, edges);
}

int main() {
  cudaStream_t a, b, c;
  cudaStreamCreate(&a), cudaStreamCreate(&b), cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
  cudaMalloc(&x, 64), cudaMalloc(&y, 64);
  cudaMemset(y, 0, 64);
  captured(a, b);
  refused(a, b);
  made(a);
  cudaPitchedPtr box;
  unsigned char bytes[16];
  cudaMalloc3D(&box, make_cudaExtent(2, 4, 2));
  cudaMemset2D(box.ptr, box.pitch, 0, 2, 8);
  cudaMemset3D(box, 7, make_cudaExtent(2, 2, 2));
  cudaMemcpy2D(bytes, 2, box.ptr, box.pitch, 2, 8, cudaMemcpyDeviceToHost);
  std::printf("box:");
  for (int row = 0; row < 8; ++row) std::printf(" %d", bytes[2 * row + 1]);
  cudaGraph_t graph;
  cudaMemset(y, 0, 32);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
  add<<<1, 8, 0, c>>>(y, 3, 8);
  cudaMemcpyAsync(seen, y, 32, cudaMemcpyDeviceToHost, c);
  cudaStreamSynchronize(c);
  cudaStreamEndCapture(a, &graph);
  std::printf("\nother stream ran at once: %d\n", seen[0]);
}
