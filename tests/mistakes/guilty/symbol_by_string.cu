// mistake: cudaMemcpyToSymbol is given the name of the variable as a string, as in old books.
// happens: the string's address is no symbol; the call fails (cudaErrorInvalidSymbol), nobody looks.
// to say: the call at BUG failed: pass the variable itself, weights, not "weights".
#include <cstdio>

// how: plain
// says: string|quotes|variable itself|the name|not a (device )?symbol|__constant__|by name
__constant__ float weights[16];

__global__ void weigh(float* x) { x[threadIdx.x] *= weights[threadIdx.x % 16]; }

int main() {
  float host[16], values[32], *x;
  for (int i = 0; i < 16; ++i) host[i] = i + 1;
  for (int i = 0; i < 32; ++i) values[i] = 2;
  cudaMalloc(&x, sizeof(values));
  cudaMemcpy(x, values, sizeof(values), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol("weights", host, sizeof(host));  // BUG
  weigh<<<1, 32>>>(x);
  cudaMemcpy(values, x, sizeof(values), cudaMemcpyDeviceToHost);
  printf("%g (32 is right)\n", values[15]);
  cudaFree(x);
}
