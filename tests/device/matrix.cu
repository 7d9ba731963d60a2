// Matrices on tensor cores as a lecture writes them (mma.h): tiles from global and shared memory, and element-wise work
// on fragments.
#include <mma.h>

using namespace nvcuda;

// One warp: d = a b + c, 16x16, then doubled and one added in the fragment.
extern "C" __global__ void fragment_arithmetic(float* d, const half* a, const half* b, const float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = fa.x[i] + __float2half(1.0f);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = 2.0f * fc.x[i] + 1.0f;
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}

// A block of 4 warps: a 32x32 tile of an n x n product, operands staged in shared memory.
extern "C" __global__ void tiled_product(float* d, const half* a, const half* b, int n) {
  __shared__ __align__(32) half sa[32][32], sb[32][32];
  const int t = threadIdx.x, warp = t / 32;
  const int row = blockIdx.y * 32, column = blockIdx.x * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 32) {
    for (int i = t; i < 1024; i += 128) {
      sa[i / 32][i % 32] = a[(row + i / 32) * n + k + i % 32];
      sb[i / 32][i % 32] = b[(k + i / 32) * n + column + i % 32];
    }
    __syncthreads();
    for (int part = 0; part < 32; part += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, &sa[warp / 2 * 16][part], 32);
      wmma::load_matrix_sync(fb, &sb[part][warp % 2 * 16], 32);
      wmma::mma_sync(sum, fa, fb, sum);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(d + (row + warp / 2 * 16) * n + column + warp % 2 * 16, sum, n, wmma::mem_row_major);
}

// What a lane of a fragment holds: its elements' places in the matrix, 16 row + column.
extern "C" __global__ void fragment_places(float* out, const half* a, const float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  for (int i = 0; i < 16; ++i) out[threadIdx.x * 24 + i] = __half2float(fa.x[i]);
  for (int i = 0; i < 8; ++i) out[threadIdx.x * 24 + 16 + i] = fc.x[i];
}
