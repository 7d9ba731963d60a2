// Kernels that launch kernels.
// right: dynpar total halves
__global__ void leaf(int* data, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, data[i]);
}
__global__ void halves(int* data, int* out, int n) {
  const int first = blockIdx.x * blockDim.x;
  if (threadIdx.x == 0 && first < n) leaf<<<(min(int(blockDim.x), n - first) + 31) / 32, 32>>>(data + first, out, min(int(blockDim.x), n - first));
}

// right: dynpar total one_launches_all
__global__ void strides(const int* data, int* out, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += data[i];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
__global__ void one_launches_all(int* data, int* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0 && n > 0) strides<<<4, 128, 0, cudaStreamTailLaunch>>>(data, out, n);
}
