// right: the host never touches a __device__ variable by its name; it asks for its address and copies to that.
#include <cstdio>

__device__ int table[32];
__constant__ int offset;
__device__ int largest;

__global__ void use(int* out) {
  int v = table[threadIdx.x] + offset;
  atomicMax(&largest, v);
  out[threadIdx.x] = v;
}

int main() {
  int host[32], shift = 100, *out, *address, zero = 0, best = -1;
  for (int i = 0; i < 32; ++i) host[i] = (i * 11) % 32;
  cudaMalloc(&out, sizeof(host));
  cudaGetSymbolAddress((void**)&address, table);
  cudaMemcpy(address, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(offset, &shift, sizeof(int));
  cudaMemcpyToSymbol(largest, &zero, sizeof(int));
  use<<<1, 32>>>(out);
  cudaMemcpyFromSymbol(&best, largest, sizeof(int));
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d %d\n", host[1], best);
  cudaFree(out);
  return host[1] != 111 || best != 131;
}
