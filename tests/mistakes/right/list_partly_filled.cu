// right: the list has room for all, the kernel fills a part; all of it is copied home, and only the part is looked at.
#include <cstdio>
#include <vector>

__global__ void collect(const float* x, int n, int* list, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.9f) list[atomicAdd(count, 1)] = i;
}

int main() {
  const int n = 512;
  std::vector<float> x(n);
  std::vector<int> list(n, -1);
  for (int i = 0; i < n; ++i) x[i] = (i * 37 % 100) * 0.01f;
  float* deviceX;
  int *deviceList, *deviceCount, count = 0;
  cudaMalloc(&deviceX, n * sizeof(float));
  cudaMalloc(&deviceList, n * sizeof(int));
  cudaMalloc(&deviceCount, sizeof(int));
  cudaMemset(deviceCount, 0, sizeof(int));
  cudaMemcpy(deviceX, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  collect<<<4, 128>>>(deviceX, n, deviceList, deviceCount);
  cudaMemcpy(&count, deviceCount, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(list.data(), deviceList, n * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = count == 0;
  for (int k = 0; k < count; ++k) wrong += x[list[k]] <= 0.9f;
  printf("%d found, %d wrong\n", count, wrong);
  cudaFree(deviceX);
  cudaFree(deviceList);
  cudaFree(deviceCount);
  return wrong;
}
