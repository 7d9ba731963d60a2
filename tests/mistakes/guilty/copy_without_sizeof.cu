// mistake: cudaMemcpy is told the number of elements where it wants bytes.
// happens: only the first quarter of the input arrives; the kernel reads memory that nobody wrote.
// to say: elements 125.. are read and were never written; the copy at BUG has 500 bytes: n * sizeof(int).
#include <cstdio>
#include <vector>

// how: sanitize
// says: sizeof|a quarter|only the first|500 (of|bytes)|copies (only )?500|in bytes, not
__global__ void square(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];  // BUG2
}

int main() {
  const int n = 500;
  std::vector<int> host(n, 7);
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, host.data(), n, cudaMemcpyHostToDevice);  // BUG
  square<<<4, 128>>>(in, out, n);
  cudaMemcpy(host.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d (49 is right)\n", host[n - 1]);
  cudaFree(in);
  cudaFree(out);
}
