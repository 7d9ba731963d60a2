// mistake: a hash in int: the product overflows, and % of a negative number is negative.
// happens: half of the keys go to slots before the table.
// to say: at BUG a negative index; the product at BUG2 overflows int: unsigned or 64 bits.
#include <cstdio>

// how: plain
// says: overflow|negative|unsigned|64.bits?|long long|size_t|wrap
__global__ void insert(const int* keys, int n, int* table, int slots) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int slot = keys[i] * 1000003 % slots;  // BUG2
    atomicAdd(&table[slot], 1);            // BUG
  }
}

int main() {
  const int n = 400, slots = 64;
  int host[n], *keys, *table;
  for (int i = 0; i < n; ++i) host[i] = 1500 + 7 * i;
  cudaMalloc(&keys, sizeof(host));
  cudaMalloc(&table, slots * sizeof(int));
  cudaMemset(table, 0, slots * sizeof(int));
  cudaMemcpy(keys, host, sizeof(host), cudaMemcpyHostToDevice);
  insert<<<4, 100>>>(keys, n, table, slots);
  cudaError_t error = cudaMemcpy(host, table, slots * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int i = 0; i < slots; ++i) sum += host[i];
  printf("%s: %d keys (%d are right)\n", cudaGetErrorName(error), sum, n);
  cudaFree(keys);
  cudaFree(table);
}
