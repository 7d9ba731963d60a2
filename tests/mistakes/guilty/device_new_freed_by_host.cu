// mistake: memory from new in a kernel is given back with cudaFree on the host.
// happens: it belongs to the kernels' heap; cudaFree fails, nobody looks, and the memory stays taken.
// to say: cudaFree at BUG failed: the pointer is of the device's heap; delete[] it in a kernel.
#include <cstdio>

// how: plain
// says: heap|in a kernel|\bnew\b|\bmalloc\b
__global__ void makeTable(int** slot) {
  int* table = new int[32];
  if (table) {
    for (int i = 0; i < 32; ++i) table[i] = i * i;
  }
  *slot = table;
}
__global__ void readTable(int** slot, int* out) { out[threadIdx.x] = (*slot)[threadIdx.x]; }

int main() {
  int **slot, *table, *out, host[32];
  cudaMalloc(&slot, sizeof(int*));
  cudaMalloc(&out, sizeof(host));
  makeTable<<<1, 1>>>(slot);
  readTable<<<1, 32>>>(slot, out);
  cudaMemcpy(&table, slot, sizeof(int*), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(table);  // BUG
  printf("%d (961 is right)\n", host[31]);
  cudaFree(slot);
  cudaFree(out);
}
