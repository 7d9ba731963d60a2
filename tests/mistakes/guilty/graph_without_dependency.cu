// mistake: two kernel nodes of a graph, the second uses what the first writes, and no edge between them.
// happens: only edges order nodes; the second may run first or at the same time.
// to say: nothing orders sum after fill within the graph; give the node at BUG a dependency on the first.
#include <cstdio>

// how: sanitize
// says: dependenc|depend|\bedge
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void sum(const int* x, int* total) { atomicAdd(total, x[threadIdx.x]); }  // BUG2

int main() {
  int *x, *total, result = -1;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  cudaMemset(total, 0, sizeof(int));
  cudaGraph_t graph;
  cudaGraphExec_t program;
  cudaGraphNode_t fillNode, sumNode;
  cudaGraphCreate(&graph, 0);
  void* fillArgs[] = {&x};
  cudaKernelNodeParams params = {};
  params.func = (void*)fill;
  params.gridDim = dim3(1);
  params.blockDim = dim3(64);
  params.kernelParams = fillArgs;
  cudaGraphAddKernelNode(&fillNode, graph, nullptr, 0, &params);
  void* sumArgs[] = {&x, &total};
  params.func = (void*)sum;
  params.kernelParams = sumArgs;
  cudaGraphAddKernelNode(&sumNode, graph, nullptr, 0, &params);  // BUG
  cudaGraphInstantiate(&program, graph, 0);
  cudaGraphLaunch(program, 0);
  cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d (2016 is right)\n", result);
  cudaGraphExecDestroy(program);
  cudaGraphDestroy(graph);
  cudaFree(x);
  cudaFree(total);
}
