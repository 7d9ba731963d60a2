// mistake: cudaMemset(x, 1, ...) to set an array of ints to 1.
// happens: it sets bytes: each int is 0x01010101, 16843009.
// to say: the value at BUG is a byte's; ints of 1 take a kernel or thrust::fill (0 and 0xff work by luck).
#include <cstdio>

// how: explain
// says: byte|16843009|0x0?1010101
__global__ void multiply(int* product, const int* factors, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) product[i] *= factors[k];
}

int main() {
  int factors[3] = {2, 3, 7}, host[32], *product, *deviceFactors;
  cudaMalloc(&product, sizeof(host));
  cudaMalloc(&deviceFactors, sizeof(factors));
  cudaMemset(product, 1, sizeof(host));  // BUG
  cudaMemcpy(deviceFactors, factors, sizeof(factors), cudaMemcpyHostToDevice);
  multiply<<<1, 32>>>(product, deviceFactors, 3);
  cudaMemcpy(host, product, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d (42 is right)\n", host[0]);
  cudaFree(product);
  cudaFree(deviceFactors);
}
