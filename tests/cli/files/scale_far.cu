// y = 2 x, each lane 32 elements from the next: a sector for each.
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = int(32L * i % n + 32L * i / n);
  if (i < n) y[j] = 2 * x[j];
}

// The same with neighbours, and another one that is wrong at its end.
__global__ void scale_near(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2 * in[i];
}
__global__ void scale_wrong(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count - 1) out[i] = 2 * in[i];
}
