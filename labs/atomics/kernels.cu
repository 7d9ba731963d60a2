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

// --- 5: a private histogram per thread -------------------------------------------------------------------------------
// (Rung 4 is in kernels_sm75.cu.) What is a thread's own nobody else writes: no atomics, and data that all fall into
// one bin cost no more than others. 128 threads with 256 counters each have room on the SM if a counter is a byte; a
// byte holds 255, so every so often the block adds its bytes up. Four threads share a word of 32 bits, one of each
// warp: the lanes of a warp then count in 32 different banks, whatever their bins. And the elements come in vectors of
// four, eight vectors under way at a time: what is left to wait for is DRAM.
constexpr int bins_at_once = 256, counting_threads = 128, vectors_at_once = 4;

__global__ void __launch_bounds__(counting_threads, 6)
    histogram_thread_private(const int* in, int* counts, int n, int bins) {
  __shared__ unsigned fours[bins_at_once][32];  // of each bin, the bytes of the threads l, l + 32, l + 64, l + 96
  __shared__ int totals[bins_at_once];
  const int thread = threadIdx.x, lane = thread % 32;
  unsigned char* mine = reinterpret_cast<unsigned char*>(&fours[0][lane]) + thread / 32;

  // A thread adds up all bytes of a bin, two pairs of them at a time, and clears them; lanes start at different words.
  const auto add_up = [&] {
    __syncthreads();
    for (int bin = thread; bin < bins_at_once; bin += counting_threads) {
      unsigned pairs = 0;
      for (int i = 0; i < 32; ++i) {
        unsigned& four = fours[bin][(i + lane) % 32];
        pairs += (four & 0x00ff00ff) + (four >> 8 & 0x00ff00ff);  // at most 32 x 510 in either half
        four = 0;
      }
      totals[bin] += (pairs & 0xffff) + (pairs >> 16);
    }
    __syncthreads();
  };

  // There are counters for 256 bins; where there are more, the data is read again for each 256 of them.
  for (int first = 0; first < bins; first += bins_at_once) {
    for (int bin = thread; bin < bins_at_once; bin += counting_threads) totals[bin] = 0;
    for (int i = thread; i < bins_at_once * 32; i += counting_threads) fours[i / 32][i % 32] = 0;
    __syncthreads();
    const auto count = [&](int element) {
      const unsigned bin = element - first;
      if (bin < bins_at_once) ++mine[bin * counting_threads];
    };

    const int4* vectors = reinterpret_cast<const int4*>(in);
    const long whole = n / 4, stride = long(gridDim.x) * counting_threads;
    int counted = 0;  // by a thread, since the bytes were added up
    for (long at = long(blockIdx.x) * counting_threads; at < whole; at += vectors_at_once * stride) {
      int4 v[vectors_at_once];
#pragma unroll
      for (int k = 0; k < vectors_at_once; ++k) {
        if (at + thread + k * stride < whole) v[k] = vectors[at + thread + k * stride];
      }
#pragma unroll
      for (int k = 0; k < vectors_at_once; ++k) {
        if (at + thread + k * stride >= whole) break;
        count(v[k].x);
        count(v[k].y);
        count(v[k].z);
        count(v[k].w);
      }
      counted += 4 * vectors_at_once;
      if (counted + 4 * vectors_at_once < 255) continue;
      add_up();
      counted = 0;
    }
    if (blockIdx.x == 0 && thread < n % 4) count(in[4 * whole + thread]);
    add_up();
    for (int bin = thread; bin < bins - first && bin < bins_at_once; bin += counting_threads) {
      if (totals[bin] > 0) atomicAdd(&counts[first + bin], totals[bin]);
    }
    __syncthreads();
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
