// A program of one kernel, which doubles what memory holds.
__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  float* x = nullptr;
  constexpr int n = 1 << 20;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  twice<<<n / 256, 256>>>(x, n);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
