// right: while a stream captures, a second one joins by an event and is joined again; the graph has the edges.
#include <cstdio>

__global__ void set(int* x, int v) { x[threadIdx.x] = v; }
__global__ void scale(int* x, int f) { x[threadIdx.x] *= f; }
__global__ void sum(const int* x, const int* y, int* z) { z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x]; }

int main() {
  int *x, *y, *z, host[32];
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&y, sizeof(host));
  cudaMalloc(&z, sizeof(host));
  cudaStream_t main, side;
  cudaEvent_t fork, join;
  cudaStreamCreate(&main);
  cudaStreamCreate(&side);
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  cudaGraph_t graph;
  cudaGraphExec_t program;
  cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal);
  set<<<1, 32, 0, main>>>(x, 3);
  set<<<1, 32, 0, main>>>(y, 4);
  cudaEventRecord(fork, main);
  cudaStreamWaitEvent(side, fork, 0);
  scale<<<1, 32, 0, main>>>(x, 10);
  scale<<<1, 32, 0, side>>>(y, 100);
  cudaEventRecord(join, side);
  cudaStreamWaitEvent(main, join, 0);
  sum<<<1, 32, 0, main>>>(x, y, z);
  cudaStreamEndCapture(main, &graph);
  cudaGraphInstantiate(&program, graph, 0);
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(program, main);
  cudaMemcpyAsync(host, z, sizeof(host), cudaMemcpyDeviceToHost, main);
  cudaStreamSynchronize(main);
  printf("%d\n", host[9]);
  cudaGraphExecDestroy(program);
  cudaGraphDestroy(graph);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(main);
  cudaStreamDestroy(side);
  return host[9] != 430;
}
