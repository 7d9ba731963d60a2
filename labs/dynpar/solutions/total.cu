// The reference: each block has its part added up by children, each of which launches one of half its threads.
//! item {"name": "children", "kind": "static", "points": 30, "want": ["child_launches"]}
__global__ void fold(int* data, int half, int size, int* out) {
  const int i = threadIdx.x;
  if (i < half && i + half < size) data[i] += data[i + half];
  //! correct leaves_the_rest: if (i < half && i + half < size - 1) data[i] += data[i + half];
  __syncthreads();
  if (i != 0) return;
  if (half == 1)
    atomicAdd(out, data[0]);
  else
    fold<<<1, half / 2, 0, cudaStreamTailLaunch>>>(data, half / 2, half, out);
}

__global__ void total(int* data, int* out, int n) {
  const int first = blockIdx.x * blockDim.x, size = min(int(blockDim.x), n - first);
  //! correct whole_blocks: const int first = blockIdx.x * blockDim.x, size = blockDim.x;
  if (threadIdx.x != 0 || size <= 0) return;
  //! correct everyone_launches: if (size <= 0) return;
  int half = 1;
  while (2 * half < size) half *= 2;
  fold<<<1, half, 0, cudaStreamFireAndForget>>>(data + first, half, size, out);
  //! children alone: for (int k = 0; k < size; ++k) atomicAdd(out, data[first + k]);
}
