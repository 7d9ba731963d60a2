// Atomics: a histogram, the smallest program whose threads must write where others write, and an image whose pixels
// pile up in columns. in[i] is the bin of element i, counts starts with zeros.

// --- 1: racy ---------------------------------------------------------------------------------------------------------
// One thread per element adds one to its element's bin. What looks like one operation is three: load, add, store. Two
// threads of the same bin that load before either has stored both store the same count, and one element is lost. The
// lanes of a warp load together, so a warp whose 32 elements share a bin counts one of them.
__global__ void histogram_racy(const int* in, int* counts, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) counts[in[i]] += 1;
}

// --- 2: global atomics -----------------------------------------------------------------------------------------------
// atomicAdd makes the three one: the L2 cache does the addition itself, and nobody comes in between. Right, but all
// blocks queue at the same few words, and L2 serves one address after the other: the more elements share a bin, the
// longer its queue.
__global__ void histogram_global_atomic(const int* in, int* counts, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[in[i]], 1);
}

// --- 3: a private histogram per block --------------------------------------------------------------------------------
// Every block counts in a histogram of its own in shared memory, where only its own threads queue and the queue is on
// the SM, and adds it to the result once: a block's worth of updates of a bin becomes one. Few blocks that stride over
// the grid keep the price low: filling with zeros and adding up cost every block as much as it has bins.
__global__ void histogram_shared_private(const int* in, int* counts, int n, int bins) {
  extern __shared__ int own[];
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) own[bin] = 0;
  __syncthreads();

  const long stride = long(gridDim.x) * blockDim.x;
  for (long i = long(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&own[in[i]], 1);
  __syncthreads();

  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    if (own[bin] > 0) atomicAdd(&counts[bin], own[bin]);
  }
}

// --- The image -------------------------------------------------------------------------------------------------------
// One thread per pixel adds its pixel to all words of its column of `out`, so that each column ends up filled with its
// sum. `side` threads, one per row, update each word: those of a block's other rows, and of other blocks.
__global__ void image_racy(const float* image, float* out, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  for (int k = 0; k < side; ++k) out[k * side + x] += image[y * side + x];
}

// The same with atomics. The block's shape decides how many lanes of one warp meet on a word: none where a warp lies
// in one row of the image (32x8), two where it covers two (16x16), all 32 where it is a column (1x256).
__global__ void image_atomic(const float* image, float* out, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  for (int k = 0; k < side; ++k) atomicAdd(&out[k * side + x], image[y * side + x]);
}
