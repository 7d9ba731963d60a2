// A stream's work as a graph, launched again and again; memory of a pool.
// long
// case: :: 0
// out: ^captured: x\[3\] = 0, 4 nodes\nlaunched: x\[3\] = 16, called 3 times\npool ok\nrefused: invalid argument\n$
// err: add_one +6
#include <cstdint>
#include <cstdio>

__global__ void add_one(int* x, int by) { x[threadIdx.x] += by; }

int main() {
  int *x, seen[8] = {}, called = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, sizeof seen);
  cudaMemset(x, 0, sizeof seen);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int by = 1; by < 3; ++by) add_one<<<1, 8, 0, stream>>>(x, by + by % 2 * 2);
  cudaMemcpyAsync(seen, x, sizeof seen, cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, [](void* count) { ++*static_cast<int*>(count); }, &called);
  cudaStreamEndCapture(stream, &graph);
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  std::printf("captured: x[3] = %d, %zu nodes\n", seen[3], nodes);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  std::printf("launched: x[3] = %d, called %d times\n", seen[3] + 1, called);
  cudaGraphDestroy(graph);
  cudaGraphExecDestroy(exec);
  cudaMemPool_t pool;
  uint64_t keep = 1 << 20, kept = 0;
  bool good = cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess;
  good &= cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep) == cudaSuccess;
  good &= cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess && kept == keep;
  int* y = nullptr;
  good &= cudaMallocFromPoolAsync(&y, 64, pool, stream) == cudaSuccess && cudaFreeAsync(y, stream) == cudaSuccess;
  std::printf("pool %s\n", good ? "ok" : "WRONG");
  std::printf("refused: %s\n", cudaGetErrorString(cudaGraphLaunch(exec, stream)));
  cudaStreamDestroy(stream);
  cudaFree(x);
}
