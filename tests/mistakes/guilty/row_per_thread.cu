// mistake: each thread sums a row of a row-major matrix.
// happens: neighbouring threads read addresses 512 bytes apart: 32 sectors for each load of a warp.
// to say: the load at BUG is not coalesced; a warp for each row, or the columns to the threads.
#include <cstdio>
#include <vector>

// how: explain
// says: coalesc|sector|neighbou?r|consecutive|apart|stride
__global__ void sumRows(const float* matrix, float* sums, int height, int width) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  float sum = 0;
  for (int x = 0; x < width; ++x) {
    sum += matrix[y * width + x];  // BUG
  }
  sums[y] = sum;
}

int main() {
  const int height = 512, width = 128;
  std::vector<float> host(height * width);
  for (int i = 0; i < height * width; ++i) host[i] = i % 5;
  float *matrix, *sums;
  cudaMalloc(&matrix, host.size() * sizeof(float));
  cudaMalloc(&sums, height * sizeof(float));
  cudaMemcpy(matrix, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  sumRows<<<4, 128>>>(matrix, sums, height, width);
  cudaMemcpy(host.data(), sums, height * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g (253 is right)\n", host[0]);
  cudaFree(matrix);
  cudaFree(sums);
}
