// case: -- solver :: 0
// out: ^sum 71474\n$
// err: note: 4 of 8 launches ran uncounted
// case: --every-launch -- solver :: 0
// out: ^sum 71474\n$
// err: (?s)^(?!.*ran uncounted)
// case: --no-counters -- solver :: 0
// out: ^sum 71474\n$
// err: (?s)^(?!.*ran uncounted)
// case: --sanitize racecheck -- solver :: 0
// out: ^sum 71474\n$
// err: (?s)^(?!.*ran uncounted)
// case: -- larger :: 0
// err: (?s)^(?!.*ran uncounted)
// case: -- data :: 0
// out: ^sum 70295\n$
// err: (?s)^(?!.*ran uncounted)
// case: -- graph :: 0
// out: ^sum 71474\n$
// err: note: 4 of 8 launches ran uncounted
// case: -- managed :: 0
// out: ^sum 71474\n$
// err: note: 4 of 8 launches ran uncounted
// case: -- printed :: 0
// out: ^(p\n){8}$
// err: (?s)^(?!.*ran uncounted)
// case: -- fault :: 1
// out: ^$
// err: (?s)'cudaMalloc #1' has been freed in solve, block \(0,0,0\), thread \(\d+,0,0\).*note: 2 of 7 launches ran uncounted
// Launches over other data: their counts are an earlier one's where nothing but arguments and the grid's shape decides
// what is executed, and nobody can tell but by the note.
#include <cstdio>
#include <cstring>
#include <utility>

constexpr int n = 256;

/// `step` is worked with, and decides nothing.
__global__ void solve(const int* in, int* out, int count, int step) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const int left = i > 0 ? in[i - 1] : 0, right = i + 1 < count ? in[i + 1] : 0;
  out[i] = (left + right) / 2 + step;
}

/// Which elements are stored follows from what they are.
__global__ void only_odd(const int* in, int* out, int count, int step) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  if (in[i] % 2 != 0) out[i] = in[i] + 2 * step;
}

__global__ void say() {
  if (threadIdx.x == 0) printf("p\n");
}

int main(int, char** arguments) {
  const char* what = arguments[1];
  const auto is = [&](const char* word) { return std::strcmp(what, word) == 0; };
  int host[n], *a, *b;
  for (int i = 0; i < n; ++i) host[i] = 2 * i + i % 3;
  if (is("managed")) {
    cudaMallocManaged(&a, sizeof host);
    cudaMallocManaged(&b, sizeof host);
  } else {
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
  }
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (is("graph")) cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int step = 0; step < 8; ++step) {
    if (is("printed"))
      say<<<1, 32>>>();
    else if (is("data"))
      only_odd<<<n / 64, 64, 0, stream>>>(a, b, n, step);
    else
      solve<<<n / 64, 64, 0, stream>>>(a, b, is("larger") ? n - step : n, step);
    std::swap(a, b);
    if (is("fault") && step == 5) cudaFree(a);
  }
  if (is("graph")) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
  }
  cudaDeviceSynchronize();
  if (is("printed")) return 0;
  if (cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  long sum = 0;
  for (const int value : host) sum += value;
  std::printf("sum %ld\n", sum);
  return 0;
}
