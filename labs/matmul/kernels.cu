// Matrix multiplication: c = a b, a has m x k elements, b k x n, c m x n, all row after row. Any sizes, 0 included:
// with k = 0 every sum is empty, and c is all zeros.
//
// 2 m n k operations on m k + k n + m n elements: the larger the matrices, the more often each element is used. All
// rungs do the same arithmetic. What changes is where the operands come from: global memory, shared memory, registers;
// and how many multiply-adds each load serves.
#include <cuda_fp16.h>

#include "block_tile.cuh"

// Sums are kept in the type itself, those of halves in float: 11 bits are too few to add hundreds of products.
template <typename T>
struct SumOf {
  using type = T;
};
template <>
struct SumOf<__half> {
  using type = float;
};
template <typename T>
using Sum = typename SumOf<T>::type;

// --- 1: the definition -----------------------------------------------------------------------------
// One thread per element of c, a row of a times a column of b. threadIdx.x counts rows here, as i comes before j in
// c[i][j]: neighbouring lanes read elements of a that lie k apart, and write elements of c that lie n apart. Each of
// those is a sector of its own, 32 for a warp; of its 32 bytes 4 are used.
template <typename T>
__global__ void matmul_naive(const T* a, const T* b, T* c, int m, int n, int k) {
  const long row = long(blockIdx.x) * blockDim.x + threadIdx.x;
  const long col = long(blockIdx.y) * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  Sum<T> sum = 0;
  for (int i = 0; i < k; ++i) sum += Sum<T>(a[row * k + i]) * Sum<T>(b[long(i) * n + col]);
  c[row * n + col] = T(sum);
}

// --- 2: coalesced ----------------------------------------------------------------------------------
// x and y change places, nothing else: neighbouring lanes now have neighbouring columns. They share one element of a (a
// broadcast, one sector), and read 32 neighbours of b, four sectors. 5 sectors instead of 33. Still, two loads for one
// multiply-add.
template <typename T>
__global__ void matmul_coalesced(const T* a, const T* b, T* c, int m, int n, int k) {
  const long row = long(blockIdx.y) * blockDim.y + threadIdx.y;
  const long col = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  Sum<T> sum = 0;
  for (int i = 0; i < k; ++i) sum += Sum<T>(a[row * k + i]) * Sum<T>(b[long(i) * n + col]);
  c[row * n + col] = T(sum);
}

// --- 3: tiles in shared memory ---------------------------------------------------------------------
// The threads of a block need the same rows of a and columns of b. So the block brings a square of each into shared
// memory, every thread one element of both, and then each thread takes 2 x tile operands from there: every element that
// was loaded is used `tile` times. What lies outside the matrices is loaded as zero. Two barriers per tile: nobody
// reads before all have written, nobody writes the next tile before all have read this one.
//
// --- 4: padded -------------------------------------------------------------------------------------
// With pad = 1 the rows of the tiles are a word longer, the cure for bank conflicts of the transpose. But no warp reads
// down a column here: a_tile[y][i] is a broadcast, b_tile[i][x] a row. With tiles of 32 there is nothing to cure. With
// 16 and 8 a warp stores two and four rows at once: without padding they follow each other and fill the 32 banks
// exactly, with it they overlap. The padding *makes* conflicts. Count before you pad.
template <typename T, int tile, int pad>
__global__ void matmul_tiled(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ T a_tile[tile][tile + pad], b_tile[tile][tile + pad];
  const int x = threadIdx.x, y = threadIdx.y;
  const long row = blockIdx.y * long(tile) + y, col = blockIdx.x * long(tile) + x;

  Sum<T> sum = 0;
  for (int first = 0; first < k; first += tile) {
    a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : T(0);
    b_tile[y][x] = first + y < k && col < n ? b[long(first + y) * n + col] : T(0);
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += Sum<T>(a_tile[y][i]) * Sum<T>(b_tile[i][x]);
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = T(sum);
}

// --- 5: a column of results per thread -------------------------------------------------------------
// Shared memory is the next limit: two loads for each multiply-add. A thread that computes 8 elements, one below the
// other, uses each element of b eight times from a register: 9 loads for 8 multiply-adds. 64 x 64 elements of c per
// block, 512 threads, slices of 8 along k: small enough for each thread to bring one element of a and one of b.
template <typename T>
__global__ void matmul_register_1d(const T* a, const T* b, T* c, int m, int n, int k) {
  constexpr int tile = 64, per_thread = 8;
  __shared__ T a_tile[tile][slice], b_tile[slice][tile];
  const long row = blockIdx.y * long(tile);
  const int col = blockIdx.x * tile, t = threadIdx.x;
  const int x = t % tile, y = t / tile * per_thread;  // of the thread's elements in the tile

  Sum<T> sum[per_thread] = {};
  for (int first = 0; first < k; first += slice) {
    const int a_row = t / slice, a_col = t % slice, b_row = t / tile;
    a_tile[a_row][a_col] = row + a_row < m && first + a_col < k ? a[(row + a_row) * k + first + a_col] : T(0);
    b_tile[b_row][x] = first + b_row < k && col + x < n ? b[long(first + b_row) * n + col + x] : T(0);
    __syncthreads();
    for (int i = 0; i < slice; ++i) {
      const Sum<T> right = Sum<T>(b_tile[i][x]);
      for (int r = 0; r < per_thread; ++r) sum[r] += Sum<T>(a_tile[y + r][i]) * right;
    }
    __syncthreads();
  }
  for (int r = 0; r < per_thread; ++r) {
    if (row + y + r < m && col + x < n) c[(row + y + r) * n + col + x] = T(sum[r]);
  }
}

// --- 6: a square of results per thread -------------------------------------------------------------
// 8 x 8 elements: 16 loads into registers serve 64 multiply-adds, a quarter of a load for each. And the block's tile
// grows to 128 x 128 with 256 threads: each element from global memory is used 128 times. The price: 64 registers for
// sums, so fewer warps, whose 64 independent multiply-adds hide the latency instead; and bank conflicts, since
// neighbouring threads now read words 8 apart.
template <typename T>
__global__ void matmul_register_2d(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ T a_tile[block_rows][slice], b_tile[slice][block_cols];
  const long row = blockIdx.y * long(block_rows);
  const int col = blockIdx.x * block_cols;
  const int x = threadIdx.x % 16 * 8, y = threadIdx.x / 16 * 8;

  Sum<T> sum[8][8] = {};
  for (int first = 0; first < k; first += slice) {
    for (int e = threadIdx.x; e < block_rows * slice; e += 256) {
      const int a_row = e / slice, a_col = e % slice, b_row = e / block_cols, b_col = e % block_cols;
      a_tile[a_row][a_col] = row + a_row < m && first + a_col < k ? a[(row + a_row) * k + first + a_col] : T(0);
      b_tile[b_row][b_col] = first + b_row < k && col + b_col < n ? b[long(first + b_row) * n + col + b_col] : T(0);
    }
    __syncthreads();
    for (int i = 0; i < slice; ++i) {
      Sum<T> left[8], right[8];
      for (int r = 0; r < 8; ++r) left[r] = Sum<T>(a_tile[y + r][i]);
      for (int s = 0; s < 8; ++s) right[s] = Sum<T>(b_tile[i][x + s]);
      for (int r = 0; r < 8; ++r) {
        for (int s = 0; s < 8; ++s) sum[r][s] += left[r] * right[s];
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r) {
    for (int s = 0; s < 8; ++s) {
      if (row + y + r < m && col + x + s < n) c[(row + y + r) * n + col + x + s] = T(sum[r][s]);
    }
  }
}

// --- 7: vectors ------------------------------------------------------------------------------------
// Four elements per load, from global as from shared memory: a quarter of the load instructions. For that the eight
// elements of a that a thread wants must be neighbours: the slice of a is turned on its way in, [k][row]. Its rows are
// four elements longer, or the turned stores would meet in one bank; four, so that they still start on 16 bytes.
template <typename T>
__global__ void matmul_vectorized(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ alignas(16) T a_tile[slice][block_rows + 4];
  __shared__ alignas(16) T b_tile[slice][block_cols];
  const long row = blockIdx.y * long(block_rows);
  const int col = blockIdx.x * block_cols;
  const int x = threadIdx.x % 16 * 8, y = threadIdx.x / 16 * 8;
  const int a_row = threadIdx.x / 2, a_col = threadIdx.x % 2 * 4;  // of the four elements that this thread brings
  const int b_row = threadIdx.x / 32, b_col = threadIdx.x % 32 * 4;

  Sum<T> sum[8][8] = {};
  for (int first = 0; first < k; first += slice) {
    const Vec4<T> from_a = load4(a, row + a_row, first + a_col, m, k);
    for (int i = 0; i < 4; ++i) a_tile[a_col + i][a_row] = from_a.at[i];
    *reinterpret_cast<Vec4<T>*>(&b_tile[b_row][b_col]) = load4(b, first + b_row, col + b_col, k, n);
    __syncthreads();
    for (int i = 0; i < slice; ++i) {
      Vec4<T> left[2], right[2];
      for (int h = 0; h < 2; ++h) left[h] = *reinterpret_cast<const Vec4<T>*>(&a_tile[i][y + 4 * h]);
      for (int h = 0; h < 2; ++h) right[h] = *reinterpret_cast<const Vec4<T>*>(&b_tile[i][x + 4 * h]);
      for (int r = 0; r < 8; ++r) {
        for (int s = 0; s < 8; ++s) sum[r][s] += Sum<T>(left[r / 4].at[r % 4]) * Sum<T>(right[s / 4].at[s % 4]);
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r) {
    store4(c, row + y + r, col + x, m, n, &sum[r][0]);
    store4(c, row + y + r, col + x + 4, m, n, &sum[r][4]);
  }
}

// --- 8: tiles of warps -----------------------------------------------------------------------------
// The same loads, other lanes. Before, the 32 lanes of a warp took two rows of 16 squares: their vectors of b lay 32
// bytes apart, two to a bank. Now a warp has a tile of its own, 64 x 32, and its lanes stand 8 x 4 in it, with vectors
// side by side (block_tile.cuh): no conflict is left.
template <typename T>
__global__ void matmul_warp_tiled(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ alignas(16) T a_tile[slice][block_rows + 4];
  __shared__ alignas(16) T b_tile[slice][block_cols];
  const long row = blockIdx.y * long(block_rows);
  const int col = blockIdx.x * block_cols;
  const int a_row = threadIdx.x / 2, a_col = threadIdx.x % 2 * 4;
  const int b_row = threadIdx.x / 32, b_col = threadIdx.x % 32 * 4;
  const Place at = place_of_lane();

  Sum<T> sum[8][8] = {};
  for (int first = 0; first < k; first += slice) {
    const Vec4<T> from_a = load4(a, row + a_row, first + a_col, m, k);
    for (int i = 0; i < 4; ++i) a_tile[a_col + i][a_row] = from_a.at[i];
    *reinterpret_cast<Vec4<T>*>(&b_tile[b_row][b_col]) = load4(b, first + b_row, col + b_col, k, n);
    __syncthreads();
    multiply_slice(a_tile, b_tile, at, sum);
    __syncthreads();
  }
  store_sums(c, row, col, at, m, n, sum);
}

// --- 9: prefetched ---------------------------------------------------------------------------------
// What is left of warp_tiled's time is waiting: for the next slice, for the barriers, for shared memory. So everything
// is asked for one step before it is used. While the threads compute with one slice, the next one is on its way from
// global memory to registers; it then goes to a second pair of tiles, and one barrier per slice is left. In the same
// way the vectors of the next step along k come from shared memory during the multiply-adds of this one. Each thread
// has 16 x 8 elements: 6 loads of vectors serve 128 multiply-adds instead of 4 serving 64. That takes 230 of its 255
// registers: 8 warps are resident on an SM, not 16, and need no more, since a warp hardly ever waits. Blocks take
// tiles in an order in which their slices of a and b are found in L2 (place_of_tile).
constexpr int prefetched_threads = 128, wide = 64, band = 8;  // 2 x 2 warps, each with 64 x 64 elements

// Two vectors of a and two of b: a thread's share of a slice.
struct Share {
  Vec4<float> a[2], b[2];
};

// The share of the slice that starts at `first`, by threadIdx.x; zeros outside.
__device__ inline Share load_share(const float* a, const float* b, long row, int col, int first, int m, int n, int k) {
  Share share;
  for (int i = 0; i < 2; ++i) {
    const int e = threadIdx.x + i * prefetched_threads;
    share.a[i] = load4(a, row + e / 2, first + e % 2 * 4, m, k);
    share.b[i] = load4(b, first + e / 32, col + e % 32 * 4, k, n);
  }
  return share;
}
// The same inside the matrices, where rows start on 16 bytes: the second vectors lie 64 rows of a and 4 of b further
// on.
__device__ inline Share load_inner_share(const float* from_a, const float* from_b, long n, long k) {
  Share share;
  for (int i = 0; i < 2; ++i) {
    share.a[i] = *reinterpret_cast<const Vec4<float>*>(from_a + i * 64 * k);
    share.b[i] = *reinterpret_cast<const Vec4<float>*>(from_b + i * 4 * n);
  }
  return share;
}

struct Tiles {
  float a[slice][block_rows + 4];  // turned, as before
  float b[slice][block_cols];
};
__device__ inline void keep_share(const Share& share, Tiles& to) {
  for (int i = 0; i < 2; ++i) {
    const int e = threadIdx.x + i * prefetched_threads;
    for (int j = 0; j < 4; ++j) to.a[e % 2 * 4 + j][e / 2] = share.a[i].at[j];
    *reinterpret_cast<Vec4<float>*>(&to.b[e / 32][e % 32 * 4]) = share.b[i];
  }
}

// What a lane multiplies in one step along k. In a warp 4 x 8 lanes stand beside each other; a lane's rows are four
// squares of 4 x 4, 16 apart, its columns two, 32 apart.
struct Fragment {
  Vec4<float> a[4], b[2];
};
__device__ inline Fragment load_fragment(const Tiles& from, int i, Place at) {
  Fragment f;
  for (int q = 0; q < 4; ++q) f.a[q] = *reinterpret_cast<const Vec4<float>*>(&from.a[i][at.row + 16 * q]);
  for (int q = 0; q < 2; ++q) f.b[q] = *reinterpret_cast<const Vec4<float>*>(&from.b[i][at.col + 32 * q]);
  return f;
}

template <typename T>
__global__ void __launch_bounds__(prefetched_threads, 2)
    matmul_prefetched(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ alignas(16) Tiles tiles[2];
  const int2 tile = place_of_tile(blockIdx.y * gridDim.x + blockIdx.x, gridDim.y, gridDim.x, band);
  const long row = tile.y * long(block_rows);
  const int col = tile.x * block_cols, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Place at{warp / 2 * wide + lane / 8 * 4, warp % 2 * wide + lane % 8 * 4};
  const bool inner = row + block_rows <= m && col + block_cols <= n && k % slice == 0 && n % 4 == 0;
  const T* from_a = a + (row + threadIdx.x / 2) * k + threadIdx.x % 2 * 4;
  const T* from_b = b + threadIdx.x / 32 * long(n) + col + threadIdx.x % 32 * 4;

  float sum[16][8] = {};
  Fragment now, next;
  if (k > 0) {
    keep_share(load_share(a, b, row, col, 0, m, n, k), tiles[0]);
    __syncthreads();
    now = load_fragment(tiles[0], 0, at);
  }
  int used = 0;
  for (int first = 0; first < k; first += slice) {
    const bool more = first + slice < k;
    Share coming;
    if (more) {
      from_a += slice;
      from_b += slice * long(n);
      coming = inner ? load_inner_share(from_a, from_b, n, k) : load_share(a, b, row, col, first + slice, m, n, k);
    }
#pragma unroll
    for (int i = 0; i < slice; ++i) {
      if (i + 1 < slice) {
        next = load_fragment(tiles[used], i + 1, at);
      } else if (more) {
        keep_share(coming, tiles[1 - used]);  // nobody reads them: all have passed the last barrier
        __syncthreads();
        next = load_fragment(tiles[1 - used], 0, at);
      }
#pragma unroll
      for (int r = 0; r < 16; ++r) {
        for (int s = 0; s < 8; ++s) {
          const int q = r % 2 == 0 ? s : 7 - s;  // there and back: the register of b that was read last is read again
          sum[r][q] += now.a[r / 4].at[r % 4] * now.b[q / 4].at[q % 4];
        }
      }
      now = next;
    }
    used = 1 - used;
  }
  for (int r = 0; r < 16; ++r) {
    const long to = row + at.row + r / 4 * 16 + r % 4;
    for (int q = 0; q < 2; ++q) store4(c, to, col + at.col + 32 * q, m, n, &sum[r][4 * q]);
  }
}

template <auto... kernel>
struct Compile {};
template <typename T>
struct Ladder : Compile<matmul_naive<T>, matmul_coalesced<T>, matmul_tiled<T, 8, 0>, matmul_tiled<T, 16, 0>,
                        matmul_tiled<T, 32, 0>, matmul_tiled<T, 8, 1>, matmul_tiled<T, 16, 1>, matmul_tiled<T, 32, 1>,
                        matmul_register_1d<T>, matmul_register_2d<T>> {};
template struct Ladder<int>;
template struct Ladder<__half>;
template struct Ladder<float>;
template struct Ladder<double>;
template <typename T>
struct Vectors : Compile<matmul_vectorized<T>, matmul_warp_tiled<T>> {};
template struct Vectors<__half>;
template struct Vectors<float>;
template struct Compile<matmul_prefetched<float>>;
