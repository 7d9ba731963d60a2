// right: past the last row whole warps return, never a part of one; the shuffles with the full mask are all met.
#include <cstdio>
#include <vector>

__global__ void sumRows(const int* matrix, int height, int width, int* sums) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= height) return;
  int sum = 0;
  for (int x = lane; x < width; x += 32) sum += matrix[row * width + x];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) sums[row] = sum;
}

int main() {
  const int height = 13, width = 50;
  std::vector<int> matrix(height * width, 2), sums(height);
  int *deviceMatrix, *deviceSums;
  cudaMalloc(&deviceMatrix, matrix.size() * sizeof(int));
  cudaMalloc(&deviceSums, height * sizeof(int));
  cudaMemcpy(deviceMatrix, matrix.data(), matrix.size() * sizeof(int), cudaMemcpyHostToDevice);
  sumRows<<<4, 128>>>(deviceMatrix, height, width, deviceSums);
  cudaMemcpy(sums.data(), deviceSums, height * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int s : sums) wrong += s != 2 * width;
  printf("wrong rows: %d\n", wrong);
  cudaFree(deviceMatrix);
  cudaFree(deviceSums);
  return wrong;
}
