// Mistakes with headers of CUDA that take long to compile, whose remedy is not the usual one: each has its sentence.
// long
// case: -- grid_sync :: 4
// err: error: grid\.sync\(\) in a launch that is not cooperative in two_phases, block
// err: hint: launch the kernel by cudaLaunchCooperativeKernel, not by <<<>>>
// case: -- thrust_writes :: 139
// err: copy it with cudaMemcpy first \(at remedies_headers\.cu:\d+\); thrust takes a raw pointer for the host's: give thrust::device as the first argument, or thrust::device_pointer_cast\(p\)
#include <cooperative_groups.h>
#include <thrust/fill.h>
#include <thrust/execution_policy.h>

#include <cstdio>
#include <cstring>

__global__ void two_phases(int* x) {
  x[threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();
  x[threadIdx.x] += 1;
}

int main(int, char** argv) {
  const auto is = [&](const char* word) { return std::strcmp(argv[1], word) == 0; };
  int* x = nullptr;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  if (is("grid_sync")) two_phases<<<4, 64>>>(x);
  if (is("thrust_writes")) thrust::fill(thrust::host, x, x + 10, 1);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(x);
}
