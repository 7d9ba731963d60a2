// Kernels with host code beside them: a template, a plain kernel, one without C++ linkage.
#include <cstdio>
#include <iostream>

template <typename T>
__global__ void scale(T* x, T factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

extern "C" __global__ void fill(float* out, unsigned n, double value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<float>(value);
}

int main() {
  int* x = nullptr;
  cudaMalloc(&x, 4 * sizeof(int));
  scale<int><<<1, 4>>>(x, 2, 4);
  std::cout << cudaGetErrorString(cudaDeviceSynchronize()) << '\n';
}
