// Graphs whose nodes decide which others run: if, while, switch; made node by node, and recorded.
#include <cstdio>

__global__ void set(cudaGraphConditionalHandle handle, const int* value) { cudaGraphSetConditional(handle, *value); }
__global__ void add(int* x, int by) { *x += by; }
__global__ void count_down(cudaGraphConditionalHandle handle, int* left) { cudaGraphSetConditional(handle, --*left); }

static int *value, *sum;

static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t* before, void* function, void** arguments) {
  cudaGraphNodeParams asked = {cudaGraphNodeTypeKernel};
  asked.kernel.func = function;
  asked.kernel.gridDim = asked.kernel.blockDim = dim3(1);
  asked.kernel.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  cudaGraphAddNode(&node, graph, before, nullptr, before == nullptr ? 0 : 1, &asked);
  return node;
}

static cudaGraph_t* decides(cudaGraph_t graph, const cudaGraphNode_t* before, cudaGraphConditionalHandle handle,
                            cudaGraphConditionalNodeType type, unsigned bodies) {
  cudaGraphNodeParams asked = {cudaGraphNodeTypeConditional};
  asked.conditional.handle = handle;
  asked.conditional.type = type;
  asked.conditional.size = bodies;
  cudaGraphNode_t node;
  const cudaError_t error = cudaGraphAddNode(&node, graph, before, nullptr, before == nullptr ? 0 : 1, &asked);
  if (error != cudaSuccess) {
    std::printf(" %s", cudaGetErrorString(error));
    cudaGetLastError();
    return nullptr;
  }
  cudaGraphNodeType is;
  cudaGraphNodeGetType(node, &is);
  if (is != cudaGraphNodeTypeConditional) std::printf(" WRONG");
  return asked.conditional.phGraph_out;
}

/// What the graph adds up for each of the values.
static void tell(const char* what, cudaGraph_t graph, int most) {
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  std::printf("%s:", what);
  for (int given = 0; given <= most; ++given) {
    int seen = 0;
    cudaMemcpy(value, &given, 4, cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, 4);
    cudaGraphLaunch(exec, nullptr);
    cudaMemcpy(&seen, sum, 4, cudaMemcpyDeviceToHost);
    std::printf(" %d", seen);
  }
  std::printf("\n");
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

/// `bodies` of them, of which the i-th adds 10 to the i-th.
static void choose(const char* what, cudaGraphConditionalNodeType type, unsigned bodies) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
  void* given[] = {&handle, &value};
  const cudaGraphNode_t first = kernel(graph, nullptr, reinterpret_cast<void*>(set), given);
  cudaGraph_t* body = decides(graph, &first, handle, type, bodies);
  for (int i = 0, by = 1; i < int(bodies); ++i, by *= 10) {
    void* arguments[] = {&sum, &by};
    kernel(body[i], nullptr, reinterpret_cast<void*>(add), arguments);
  }
  tell(what, graph, 3);
}

int main() {
  cudaMalloc(&value, 4);
  cudaMalloc(&sum, 4);
  choose("if", cudaGraphCondTypeIf, 1);
  choose("if and else", cudaGraphCondTypeIf, 2);
  choose("switch", cudaGraphCondTypeSwitch, 3);

  // A loop whose condition holds when the graph starts; its body is recorded.
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraph_t body = decides(graph, nullptr, handle, cudaGraphCondTypeWhile, 1)[0];
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
  add<<<1, 1, 0, stream>>>(sum, 1);
  add<<<1, 1, 0, stream>>>(value, 2);
  add<<<1, 1, 0, stream>>>(value, -2);
  count_down<<<1, 1, 0, stream>>>(handle, value);
  cudaStreamEndCapture(stream, nullptr);
  std::printf("%zu nodes before\n", nodes);
  int one = 1;  // 0 would count down for long
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  std::printf("while:");
  for (int given = one; given < 4; ++given) {
    int seen = 0;
    cudaMemcpy(value, &given, 4, cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, 4);
    cudaGraphLaunch(exec, stream);
    cudaMemcpy(&seen, sum, 4, cudaMemcpyDeviceToHost);
    std::printf(" %d", seen);
  }

  // Decided in the middle of what a stream records.
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* before;
  size_t count = 0;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, &count);
  std::printf("\nrecording %d, behind %zu", status == cudaStreamCaptureStatusActive, count);
  cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
  set<<<1, 1, 0, stream>>>(handle, value);
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &before, nullptr, &count);
  std::printf(", then %zu\n", count);
  body = decides(graph, before, handle, cudaGraphCondTypeIf, 1)[0];
  cudaGraphNode_t made[2];
  size_t known = 2;
  cudaGraphGetNodes(graph, made, &known);
  cudaStreamUpdateCaptureDependencies(stream, &made[1], nullptr, 1, cudaStreamSetCaptureDependencies);
  int by = 5;
  void* arguments[] = {&sum, &by};
  kernel(body, nullptr, reinterpret_cast<void*>(add), arguments);
  add<<<1, 1, 0, stream>>>(sum, 100);
  cudaStreamEndCapture(stream, &graph);
  tell("recorded", graph, 1);

  std::printf("refused:");
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
  decides(graph, nullptr, handle, cudaGraphCondTypeWhile, 2);
  decides(graph, nullptr, handle, cudaGraphCondTypeIf, 3);
  decides(graph, nullptr, 0, cudaGraphCondTypeIf, 1);
  std::printf("\n");
  cudaFree(value);
  cudaFree(sum);
}
