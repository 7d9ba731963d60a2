// The rungs that need compute capability 8.0: copies that run by themselves, and tensor cores for bfloat16 and TF32.
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include "block_tile.cuh"

// --- 10: double buffered ----------------------------------------------------------------------------
// Until now every warp waits for its loads, stores them to shared memory, waits for the others, computes. cp.async
// copies from global to shared memory behind the threads' back, past the registers. So there are two buffers: while the
// threads compute with one, the other fills, and the latency of global memory is hidden behind the multiply-adds. One
// barrier per slice is left instead of two. The slice of a is still turned on its way, now 4 bytes at a time; `zeros`
// of an element's bytes are not read but filled in, which takes care of the edges.
__device__ void copy_slice(const float* a, const float* b, float (&a_tile)[slice][block_rows + 4],
                           float (&b_tile)[slice][block_cols], long row, int col, int first, int m, int n, int k) {
  for (int e = threadIdx.x; e < block_rows * slice; e += 256) {
    const int a_row = e / slice, a_col = e % slice;
    const bool inside = row + a_row < m && first + a_col < k;
    const int zeros = inside ? 0 : 4;
    __pipeline_memcpy_async(&a_tile[a_col][a_row], inside ? a + (row + a_row) * k + first + a_col : a, 4, zeros);
  }
  const int b_row = first + threadIdx.x / 32, b_col = col + threadIdx.x % 32 * 4;
  float* to = &b_tile[threadIdx.x / 32][threadIdx.x % 32 * 4];
  if (n % 4 == 0) {
    const bool inside = b_row < k && b_col < n;
    const int zeros = inside ? 0 : 16;
    __pipeline_memcpy_async(to, inside ? b + long(b_row) * n + b_col : b, 16, zeros);
  } else {
    for (int i = 0; i < 4; ++i) {
      const bool inside = b_row < k && b_col + i < n;
      const int zeros = inside ? 0 : 4;
      __pipeline_memcpy_async(to + i, inside ? b + long(b_row) * n + b_col + i : b, 4, zeros);
    }
  }
  __pipeline_commit();
}

template <typename T>
__global__ void matmul_double_buffered(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ alignas(16) T a_tile[2][slice][block_rows + 4];
  __shared__ alignas(16) T b_tile[2][slice][block_cols];
  const long row = blockIdx.y * long(block_rows);
  const int col = blockIdx.x * block_cols;
  const Place at = place_of_lane();

  float sum[8][8] = {};
  int now = 0;
  if (k > 0) copy_slice(a, b, a_tile[now], b_tile[now], row, col, 0, m, n, k);
  for (int first = 0; first < k; first += slice) {
    __pipeline_wait_prior(0);  // what this thread copies has arrived ...
    __syncthreads();           // ... and what the others copy; and nobody computes with the other buffer any more
    if (first + slice < k) copy_slice(a, b, a_tile[1 - now], b_tile[1 - now], row, col, first + slice, m, n, k);
    multiply_slice(a_tile[now], b_tile[now], at, sum);
    now = 1 - now;
  }
  store_sums(c, row, col, at, m, n, sum);
}

// --- 11: tensor cores ------------------------------------------------------------------------------
// A tensor core multiplies whole matrices: one instruction of a warp takes 16 x 16 elements of a and of b (16 x 8 and
// 8 x 16 of TF32) and adds their product to 16 x 16 sums, which lie spread over the registers of its 32 lanes. 4096
// multiply-adds per instruction instead of 32. The price is precision: factors are bfloat16 (8 bits), or floats of
// which the first 11 bits are kept (TF32); sums are floats, cut off rather than rounded. The rows of the tiles are 16
// bytes longer, so that the rows of a fragment lie in different banks.
using namespace nvcuda;

template <typename T>
struct Factor;  // as a tensor core takes it, and how many of them along k
template <>
struct Factor<__nv_bfloat16> {
  using type = __nv_bfloat16;
  static constexpr int depth = 16;
};
template <>
struct Factor<float> {
  using type = wmma::precision::tf32;
  static constexpr int depth = 8;
};
__device__ inline __nv_bfloat16 as_factor(__nv_bfloat16 x) { return x; }
__device__ inline float as_factor(float x) { return wmma::__float_to_tf32(x); }  // rounds to 11 bits

template <typename T>
__global__ void matmul_tensor(const T* a, const T* b, T* c, int m, int n, int k) {
  constexpr int step = Factor<T>::depth, depth = 2 * step, pad = 16 / sizeof(T);
  __shared__ alignas(32) T a_tile[block_rows][depth + pad];
  __shared__ alignas(32) T b_tile[depth][block_cols + pad];
  __shared__ alignas(32) float results[8][16][16];  // of each warp, on the way out
  const long row = blockIdx.y * long(block_rows);
  const int col = blockIdx.x * block_cols;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int y = warp / 4 * 64, x = warp % 4 * 32;  // of the warp's 64 x 32 elements in the tile

  wmma::fragment<wmma::accumulator, 16, 16, step, float> sum[4][2];
  for (auto& pair : sum) {
    for (auto& fragment : pair) wmma::fill_fragment(fragment, 0.0f);
  }
  for (int first = 0; first < k; first += depth) {
    for (int e = 4 * threadIdx.x; e < block_rows * depth; e += 4 * 256) {
      const int a_row = e / depth, a_col = e % depth, b_row = e / block_cols, b_col = e % block_cols;
      Vec4<T> from_a = load4(a, row + a_row, first + a_col, m, k), from_b = load4(b, first + b_row, col + b_col, k, n);
      for (int i = 0; i < 4; ++i) {
        from_a.at[i] = as_factor(from_a.at[i]);
        from_b.at[i] = as_factor(from_b.at[i]);
      }
      *reinterpret_cast<Vec4<T>*>(&a_tile[a_row][a_col]) = from_a;
      *reinterpret_cast<Vec4<T>*>(&b_tile[b_row][b_col]) = from_b;
    }
    __syncthreads();
    for (int i = 0; i < depth; i += step) {
      wmma::fragment<wmma::matrix_a, 16, 16, step, typename Factor<T>::type, wmma::row_major> left[4];
      wmma::fragment<wmma::matrix_b, 16, 16, step, typename Factor<T>::type, wmma::row_major> right[2];
      for (int r = 0; r < 4; ++r) wmma::load_matrix_sync(left[r], &a_tile[y + 16 * r][i], depth + pad);
      for (int s = 0; s < 2; ++s) wmma::load_matrix_sync(right[s], &b_tile[i][x + 16 * s], block_cols + pad);
      for (int r = 0; r < 4; ++r) {
        for (int s = 0; s < 2; ++s) wmma::mma_sync(sum[r][s], left[r], right[s], sum[r][s]);
      }
    }
    __syncthreads();
  }

  // Which lane holds which sum is the hardware's affair: by way of shared memory they come back in order.
#pragma unroll  // or the sums would have to lie in memory to be indexed
  for (int r = 0; r < 4; ++r) {
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      wmma::store_matrix_sync(&results[warp][0][0], sum[r][s], 16, wmma::mem_row_major);
      __syncwarp();
      for (int e = 4 * lane; e < 16 * 16; e += 4 * 32) {
        store4(c, row + y + 16 * r + e / 16, col + x + 16 * s + e % 16, m, n, &results[warp][e / 16][e % 16]);
      }
      __syncwarp();
    }
  }
}

template __global__ void matmul_double_buffered<float>(const float*, const float*, float*, int, int, int);
template __global__ void matmul_tensor<__nv_bfloat16>(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int,
                                                      int, int);
template __global__ void matmul_tensor<float>(const float*, const float*, float*, int, int, int);
