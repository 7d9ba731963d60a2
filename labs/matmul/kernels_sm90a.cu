// The rung for compute capability 9.0 and for that alone (sm_90a): the Tensor Memory Accelerator (TMA) copies whole
// tiles by itself, and four warps at once multiply matrices that lie in shared memory (wgmma). GPU only: the simulator
// has neither.
#include <cuda.h>
#include <cuda_bf16.h>

#include <cuda/barrier>

#include "block_tile.cuh"

using bf16 = __nv_bfloat16;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace tma = cuda::device::experimental;

// One stage of the pipeline: 128 x 64 elements of a, 64 x 128 of b, as the TMA leaves them: rows of 128 bytes (64
// elements), of which eight at a time are swizzled: the 16-byte piece p of row r lies at p ^ (r mod 8), so that neither
// rows nor columns meet in a bank. 128 columns of b are two such squares.
constexpr int depth = 64, stages = 4;
struct alignas(1024) Stage {
  bf16 a[block_rows][depth];
  bf16 b[2][depth][64];
};

// What wgmma wants to know of a matrix in shared memory, in units of 16 bytes: where it starts, how far apart groups of
// eight rows are (1024 bytes here), and for one that is as wide as two squares, how far apart those are. Bit 62: rows
// of 128 bytes, swizzled.
__device__ unsigned long matrix_in_shared(const void* start, int bytes_between_squares) {
  const unsigned long at = __cvta_generic_to_shared(start) & 0x3ffff;
  return at / 16 | (unsigned long)(bytes_between_squares / 16) << 16 | 1024ul / 16 << 32 | 1ul << 62;
}

// sum += a b for 64 x 16 elements of a and 16 x 128 of b, by the 128 threads of a warp group. It starts the work and
// does not wait. a lies k by k, b column by column of k (its last 1 says so: "transposed").
__device__ void multiply_add(float (&sum)[64], unsigned long a, unsigned long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
      "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, 1, 1, 1, 0, 1;\n"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]),
        "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]),
        "+f"(sum[15]), "+f"(sum[16]), "+f"(sum[17]), "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]),
        "+f"(sum[22]), "+f"(sum[23]), "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]),
        "+f"(sum[29]), "+f"(sum[30]), "+f"(sum[31]), "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]), "+f"(sum[35]),
        "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]), "+f"(sum[40]), "+f"(sum[41]), "+f"(sum[42]),
        "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]), "+f"(sum[48]), "+f"(sum[49]),
        "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]), "+f"(sum[54]), "+f"(sum[55]), "+f"(sum[56]),
        "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]), "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]), "+f"(sum[63])
      : "l"(a), "l"(b));
}

// Tensor maps want rows that start on 16 bytes: matrices of other widths are copied to such rows first, with zeros
// behind.
__global__ void matmul_pad(const bf16* from, bf16* to, int rows, int cols, int padded_cols, long count) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const long row = i / padded_cols, col = i % padded_cols;
  to[i] = row < rows && col < cols ? from[row * cols + col] : bf16(0);
}

// --- 11: Hopper --------------------------------------------------------------------------------------
// Two warp groups, each with 64 x 128 elements of the block's 128 x 128. One thread asks the TMA for tiles four stages
// ahead; their arrival is counted in bytes on a barrier. No thread computes an address or touches a register for that,
// and the tensor cores take both factors from shared memory: the registers are left to the sums. What lies outside the
// matrices the TMA fills with zeros. The maps say where a and b are; rows must start on 16 bytes.
__global__ void __launch_bounds__(256)
    matmul_hopper(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, bf16* c, int m,
                  int n, int k) {
  extern __shared__ __align__(1024) unsigned char shared[];
  Stage* stage = reinterpret_cast<Stage*>(shared);
  Barrier* arrived = reinterpret_cast<Barrier*>(stage + stages);  // behind them: squares start on 1024 bytes
  const int row = blockIdx.y * block_rows, col = blockIdx.x * block_cols;
  const int group = threadIdx.x / 128, slices = (k + depth - 1) / depth;

  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) init(&arrived[i], 1);  // one thread arrives, and so many bytes
    tma::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  const auto fetch = [&](int i) {
    Stage& to = stage[i % stages];
    Barrier& barrier = arrived[i % stages];
    tma::cp_async_bulk_tensor_2d_global_to_shared(&to.a, &a_map, i * depth, row, barrier);
    tma::cp_async_bulk_tensor_2d_global_to_shared(&to.b[0], &b_map, col, i * depth, barrier);
    tma::cp_async_bulk_tensor_2d_global_to_shared(&to.b[1], &b_map, col + 64, i * depth, barrier);
    (void)cuda::device::barrier_arrive_tx(barrier, 1, sizeof(Stage));
  };
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages && i < slices; ++i) fetch(i);
  }

  float sum[64] = {};
  for (int i = 0; i < slices; ++i) {
    const Stage& from = stage[i % stages];
    arrived[i % stages].wait_parity(i / stages % 2);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int j = 0; j < depth; j += 16) {
      multiply_add(sum, matrix_in_shared(&from.a[64 * group][j], 16),
                   matrix_in_shared(&from.b[0][j], sizeof(from.b[0])));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();  // both groups are done with this stage
    if (threadIdx.x == 0 && i + stages < slices) fetch(i + stages);
  }

  // Lane l of warp w holds rows 16 w + l / 4 and 8 below it, columns 8 j + 2 (l mod 4) and its neighbour.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int e = 0; e < 64; ++e) {
    const long to_row = row + 16 * warp + lane / 4 + e / 2 % 2 * 8;
    const int to_col = col + e / 4 * 8 + lane % 4 * 2 + e % 2;
    if (to_row < m && to_col < n) c[to_row * n + to_col] = bf16(sum[e]);
  }
}
