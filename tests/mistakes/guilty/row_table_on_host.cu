// mistake: rows are on the GPU, but the table of pointers to them is an array of the host.
// happens: the kernel follows a host address to find the row.
// to say: at BUG the table (argument 1) is host memory; copy the table of pointers to the GPU, too (BUG2).
#include <cstdio>

// how: plain
// says: host (memory|stack|heap|address|pointer|array)|on the host
__global__ void fillRows(float** rows, int width) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width) {
    rows[y][x] = y * 100.0f + x;  // BUG
  }
}

int main() {
  const int height = 4, width = 24;
  float** rows = new float*[height];
  for (int y = 0; y < height; ++y) cudaMalloc(&rows[y], width * sizeof(float));
  fillRows<<<height, 32>>>(rows, width);  // BUG2
  float last = -1;
  cudaError_t error = cudaMemcpy(&last, rows[3] + 23, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%s: %g (323 is right)\n", cudaGetErrorName(error), last);
  for (int y = 0; y < height; ++y) cudaFree(rows[y]);
  delete[] rows;
}
