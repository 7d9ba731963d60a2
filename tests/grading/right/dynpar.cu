// right: dynpar total parent
// Each block halves its part by children that it launches, one after the other.
__global__ void fold(int* data, int half, int size, int* out) {
  const int i = threadIdx.x;
  if (i < half && i + half < size) data[i] += data[i + half];
  __syncthreads();
  if (i != 0) return;
  if (half == 1) {
    atomicAdd(out, data[0]);
  } else {
    fold<<<1, half / 2, 0, cudaStreamTailLaunch>>>(data, half / 2, half, out);
  }
}

__global__ void parent(int* data, int* out, int n) {
  const int first = blockIdx.x * blockDim.x, size = min(int(blockDim.x), n - first);
  if (threadIdx.x == 0 && size > 0) {
    int half = 1;
    while (2 * half < size) half *= 2;
    fold<<<1, half, 0, cudaStreamFireAndForget>>>(data + first, half, size, out);
  }
}

// right: dynpar total without_children
__global__ void without_children(int* data, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, data[i]);
}
