// Scans, from the simplest to those whose blocks wait for each other.

// right: scan scan warp_by_warp
__global__ void warp_by_warp(const int* in, int* out, int n) {
  // Each warp sums up all before its own elements by itself.
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, first = i - lane;
  int before = 0;
  for (int k = lane; k < first && k < n; k += 32) before += in[k];
  for (int d = 16; d > 0; d /= 2) before += __shfl_xor_sync(0xffffffff, before, d);
  int x = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    const int y = __shfl_up_sync(0xffffffff, x, d);
    if (lane >= d) x += y;
  }
  if (i < n) out[i] = before + x;
}

// right: scan scan whole_grid
__device__ int sums_of_blocks[4096];
__device__ unsigned arrived;
__global__ void whole_grid(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    const int x = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += x;
    __syncthreads();
  }
  if (t == 0) {
    atomicExch(&sums_of_blocks[blockIdx.x], s[blockDim.x - 1]);
    __threadfence();
    // A barrier of the grid that is as it was when all have left: up to G, and on to 2 G.
    const unsigned blocks = gridDim.x;
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < blocks) {
    }
    __threadfence();
  }
  __syncthreads();
  int before = 0;
  for (int b = 0; b < blockIdx.x; ++b) before += atomicAdd(&sums_of_blocks[b], 0);
  if (i < n) out[i] = before + s[t];
  __syncthreads();
  if (t == 0 && atomicAdd(&arrived, 1) == 2 * gridDim.x - 1) atomicExch(&arrived, 0);
}

// right: scan scan look_back
__device__ unsigned long long states[4096];
__device__ unsigned int tickets, finished_blocks;
__global__ void look_back(const int* in, int* out, int n) {
  extern __shared__ int s[];
  __shared__ unsigned tile;
  __shared__ int before;
  const int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(&tickets, 1);
  __syncthreads();
  const int i = tile * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    const int x = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += x;
    __syncthreads();
  }
  if (t == 0) {
    // A state is its kind (1: the tile's own sum, 2: of all up to it) beside the number, in one word.
    const unsigned sum = s[blockDim.x - 1];
    atomicExch(&states[tile], (tile == 0 ? 2ull : 1ull) << 32 | sum);
    unsigned prefix = 0;
    for (int b = int(tile) - 1; b >= 0;) {
      const unsigned long long state = atomicAdd(&states[b], 0ull);
      if (state >> 32 == 0) continue;
      prefix += unsigned(state);
      if (state >> 32 == 2) break;
      --b;
    }
    if (tile != 0) atomicExch(&states[tile], 2ull << 32 | (prefix + sum));
    before = prefix;
  }
  __syncthreads();
  if (i < n) out[i] = before + s[t];
  __shared__ bool last;
  if (t == 0) {
    __threadfence();
    last = atomicAdd(&finished_blocks, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int b = t; b < gridDim.x; b += blockDim.x) atomicExch(&states[b], 0ull);
  if (t == 0) atomicExch(&tickets, 0u), atomicExch(&finished_blocks, 0u);
}

// right: scan tile blelloch
__global__ void blelloch(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x, size = blockDim.x;
  s[t] = t < n ? in[t] : 0;
  const int own = s[t];
  int offset = 1;
  for (int d = size >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) s[size - 1] = 0;
  for (int d = 1; d < size; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int left = s[offset * (2 * t + 1) - 1];
      s[offset * (2 * t + 1) - 1] = s[offset * (2 * t + 2) - 1];
      s[offset * (2 * t + 2) - 1] += left;
    }
  }
  __syncthreads();
  if (t < n) out[t] = s[t] + own;
}

// right: scan tile by_warps
__global__ void by_warps(const int* in, int* out, int n) {
  __shared__ int sums[32];
  const int t = threadIdx.x, lane = t & 31, w = t >> 5;
  int x = t < n ? in[t] : 0;
  for (int d = 1; d < 32; d <<= 1) {
    const int y = __shfl_up_sync(0xffffffff, x, d);
    if (lane >= d) x += y;
  }
  if (lane == 31) sums[w] = x;
  __syncthreads();
  if (w == 0) {
    int total = sums[lane];
    for (int d = 1; d < 32; d <<= 1) {
      const int y = __shfl_up_sync(0xffffffff, total, d);
      if (lane >= d) total += y;
    }
    sums[lane] = total;
  }
  __syncthreads();
  if (w > 0) x += sums[w - 1];
  if (t < n) out[t] = x;
}

// right: scan tile one_thread
__global__ void one_thread(const int* in, int* out, int n) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) out[i] = sum += in[i];
}
