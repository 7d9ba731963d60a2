// The host reads what a kernel has told it the address of: constants of the kernel's code, variables that no call has named.
// long
// build: -lcuda
// case: --sanitize all :: 0
// out: ^0\n0 1 1\n0 a text of a kernel\n0 a text of a kernel\n0 4\n0 2\n0 1\n$
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

__device__ int table[4] = {1, 2, 3, 4};
__global__ void tell(const char** text, int** numbers) {
  *text = "a text of a kernel";
  *numbers = table;
}

int main() {
  const char** text;
  int** numbers;
  cudaMallocManaged(&text, sizeof *text);
  cudaMallocManaged(&numbers, sizeof *numbers);
  tell<<<1, 1>>>(text, numbers);
  std::printf("%d\n", cudaDeviceSynchronize());
  CUdeviceptr base = 0;
  size_t bytes = 0;
  const int range = cuMemGetAddressRange(&base, &bytes, reinterpret_cast<CUdeviceptr>(*text));
  std::printf("%d %d %d\n", range, base == reinterpret_cast<CUdeviceptr>(*text), bytes == 19);
  char copy[19] = {};
  int copied = cudaMemcpy(copy, *text, sizeof copy, cudaMemcpyDeviceToHost);
  std::printf("%d %s\n", copied, copy);
  copied = cudaMemcpy(copy, *text, sizeof copy, cudaMemcpyDefault);
  std::printf("%d %s\n", copied, copy);
  int all[4] = {};
  copied = cudaMemcpy(all, *numbers, sizeof all, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", copied, all[3]);
  cudaPointerAttributes of{};
  const int asked = cudaPointerGetAttributes(&of, *text);
  std::printf("%d %d\n", asked, of.type);
  void* symbol = nullptr;
  const int named = cudaGetSymbolAddress(&symbol, table);
  std::printf("%d %d\n", named, symbol == *numbers);
  cudaFree(text), cudaFree(numbers);
}
