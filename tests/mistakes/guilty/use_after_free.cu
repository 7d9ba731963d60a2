// mistake: a buffer is freed after the first of two kernels that use it.
// happens: the second reads memory that is no longer the program's.
// to say: the read at BUG is of memory that was freed at BUG2.
#include <cstdio>

// how: plain
// says: freed|cudaFree|after free
__global__ void prepare(float* table) { table[threadIdx.x] = threadIdx.x * 0.1f; }
__global__ void apply(const float* table, float* out) {
  out[threadIdx.x] = table[threadIdx.x] + 1.0f;  // BUG
}

int main() {
  float *table, *out, host[50];
  cudaMalloc(&table, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  prepare<<<1, 50>>>(table);
  cudaDeviceSynchronize();
  cudaFree(table);  // BUG2
  apply<<<1, 50>>>(table, out);
  cudaError_t error = cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%s: %g (5.9 is right)\n", cudaGetErrorName(error), host[49]);
  cudaFree(out);
}
