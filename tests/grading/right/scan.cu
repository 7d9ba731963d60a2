// right: scan scan every_one_by_itself
__global__ void every_one_by_itself(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k <= i; ++k) sum += in[k];
  out[i] = sum;
}

// right: scan scan tile_after_tile
__global__ void tile_after_tile(const int* in, int* out, int n) {
  if (blockIdx.x != 0) return;
  __shared__ int s[1024];
  __shared__ int before;
  const int t = threadIdx.x;
  if (t == 0) before = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    s[t] = first + t < n ? in[first + t] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
      const int left = t >= d ? s[t - d] : 0;
      __syncthreads();
      s[t] += left;
      __syncthreads();
    }
    if (first + t < n) out[first + t] = before + s[t];
    __syncthreads();
    if (t == 0) before += s[blockDim.x - 1];
    __syncthreads();
  }
}

// Each block waits for the one before it, in the order in which they start; the last one makes all as it was.
// right: scan scan chained
__device__ unsigned started, finished;
__device__ int carried;
__global__ void chained(const int* in, int* out, int n) {
  extern __shared__ int s[];
  __shared__ unsigned mine;
  __shared__ int carry;
  const int t = threadIdx.x;
  if (t == 0) mine = atomicAdd(&started, 1);
  __syncthreads();
  const int i = mine * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    const int left = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += left;
    __syncthreads();
  }
  if (t == 0) {
    while (atomicAdd(&finished, 0) != mine) {
    }
    __threadfence();
    carry = atomicAdd(&carried, s[blockDim.x - 1]);
    __threadfence();
    if (mine + 1 == gridDim.x) {
      started = 0;
      atomicExch(&carried, 0);
      atomicExch(&finished, 0);
    } else {
      atomicAdd(&finished, 1);
    }
  }
  __syncthreads();
  if (i < n) out[i] = carry + s[t];
}

// right: scan tile two_buffers
__global__ void two_buffers(const int* in, int* out, int n) {
  extern __shared__ int s[];
  int from = 0, to = blockDim.x;
  const int t = threadIdx.x;
  s[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    s[to + t] = s[from + t] + (t >= d ? s[from + t - d] : 0);
    const int old = from;
    from = to, to = old;
    __syncthreads();
  }
  if (t < n) out[t] = s[from + t];
}
