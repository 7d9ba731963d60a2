// A homework as a lecture shows it: allocate, copy, launch, check, print.
// case: :: 0
// out: ^n = 1000: right\n$
// err: gpulab: vector_sum.* on a simulated h200: exit code 0
// err: add +1 +4 +256 .* 100% +100%
// case: -- 100000 :: 0
// out: ^n = 100000: right\n$
// case: --profile t4 -- 1 7 :: 7
// out: n = 1: right
// err: on a simulated t4: exit code 7
// case: --print-gpu-summary :: 0
// err: ==gpulab== Times are modelled for h200, not measured
// err: GPU activities: +\d+\.\d+% +\d+\.\d+us +2 .*\[CUDA memcpy HtoD\]
// err: \d+\.\d+% +\d+\.\d+us +1 .* add\(float const \*, float const \*, float\*, int\)
// err: API calls: .* 1 .* cudaDeviceSynchronize
// case: --print-gpu-trace :: 0
// err: \(4 1 1\) +\(256 1 1\) .* add\(float const\*, float const\*, float\*, int\) \[1\]
// err: 3\.9062KB +\d+\.\d+GB/s .*\[CUDA memcpy DtoH\]
// case: --metrics gld_efficiency,inst_executed :: 0
// err: Kernel: add\(float const \*, float const \*, float\*, int\)
// err: 1 +gld_efficiency .* 100% +100% +100%
// err: 1 +inst_executed
// case: --metrics stall_memory_dependency :: 0
// err: 1 stall_memory_dependency share of the time of resident warps in which they wait for what global or local memory brings \d+\.\d%
// case: --kernel nothing :: 0
// err: ^gpulab: [^\n]* exit code 0\n$
// case: --no-counters :: 0
// out: right
// case: --metrics nonsense :: 2
// err: error: --metrics: unknown metric 'nonsense'
// case: --kernel [ :: 2
// err: error: --kernel: '\[' is no regular expression
// case: --device gpu :: 2
// err: error: exec: it always simulates
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
  float *da, *db, *dc;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
  bool right = true;
  for (int i = 0; i < n; ++i) right &= c[i] == 3 * i;
  std::printf("n = %d: %s\n", n, right ? "right" : "wrong");
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return argc > 2 ? std::atoi(argv[2]) : 0;
}
