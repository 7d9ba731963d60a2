// right: cudaMemset works on bytes, and 0xff in each byte is -1 in an int: the usual mark of an empty slot.
#include <cstdio>

__global__ void insert(const int* keys, int* table, int slots) {
  int key = keys[threadIdx.x], slot = key % slots;
  while (atomicCAS(&table[slot], -1, key) != -1) slot = (slot + 1) % slots;
}

int main() {
  const int slots = 64;
  int host[slots], *keys, *table;
  for (int i = 0; i < 40; ++i) host[i] = 3 + i * 16;
  cudaMalloc(&keys, 40 * sizeof(int));
  cudaMalloc(&table, sizeof(host));
  cudaMemset(table, 0xff, sizeof(host));
  cudaMemcpy(keys, host, 40 * sizeof(int), cudaMemcpyHostToDevice);
  insert<<<1, 40>>>(keys, table, slots);
  cudaMemcpy(host, table, sizeof(host), cudaMemcpyDeviceToHost);
  int kept = 0;
  for (int key : host) kept += key >= 0;
  printf("%d\n", kept);
  cudaFree(keys);
  cudaFree(table);
  return kept != 40;
}
