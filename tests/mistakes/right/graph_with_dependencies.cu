// right: nodes by hand: two fills without an edge between them, on different buffers, and one kernel after both.
#include <cstdio>

__global__ void fill(int* x, int v) { x[threadIdx.x] = v + threadIdx.x; }
__global__ void add(int* x, const int* y) { x[threadIdx.x] += y[threadIdx.x]; }

static cudaGraphNode_t node(cudaGraph_t graph, void* kernel, void** args, const cudaGraphNode_t* after, int count) {
  cudaKernelNodeParams params = {};
  params.func = kernel;
  params.gridDim = dim3(1);
  params.blockDim = dim3(32);
  params.kernelParams = args;
  cudaGraphNode_t added;
  cudaGraphAddKernelNode(&added, graph, after, count, &params);
  return added;
}

int main() {
  int *x, *y, host[32], three = 3, fifty = 50;
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&y, sizeof(host));
  cudaGraph_t graph;
  cudaGraphExec_t program;
  cudaGraphCreate(&graph, 0);
  void *fillX[] = {&x, &three}, *fillY[] = {&y, &fifty}, *both[] = {&x, &y};
  cudaGraphNode_t fills[2];
  fills[0] = node(graph, (void*)fill, fillX, nullptr, 0);
  fills[1] = node(graph, (void*)fill, fillY, nullptr, 0);
  node(graph, (void*)add, both, fills, 2);
  cudaGraphInstantiate(&program, graph, 0);
  cudaGraphDestroy(graph);
  cudaGraphLaunch(program, 0);
  cudaGraphLaunch(program, 0);
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d\n", host[2]);
  cudaGraphExecDestroy(program);
  cudaFree(x);
  cudaFree(y);
  return host[2] != 57;
}
