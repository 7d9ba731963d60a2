// The rungs for compute capability 9.0 and for that alone (sm_90a): the Tensor Memory Accelerator (TMA) copies whole
// tiles by itself, and four warps at once multiply matrices that lie in shared memory (wgmma). GPU only: the simulator
// has neither.
#include <cuda.h>
#include <cuda_bf16.h>

#include <cuda/barrier>

#include "block_tile.cuh"
#include "wgmma.cuh"

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
template <typename T>
__global__ void matmul_pad(const T* from, T* to, int rows, int cols, int padded_cols, long count) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const long row = i / padded_cols, col = i % padded_cols;
  to[i] = row < rows && col < cols ? from[row * cols + col] : T(0);
}
template __global__ void matmul_pad<bf16>(const bf16*, bf16*, int, int, int, long);
template __global__ void matmul_pad<float>(const float*, float*, int, int, int, long);

// --- 12: Hopper --------------------------------------------------------------------------------------
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

// --- 13, 14: producers and consumers -----------------------------------------------------------------
// `hopper` waits: for a stage to come, then for its products, then for both groups before the next fetch. Here one warp
// group only fetches, two only multiply, and barriers on both sides tell of a stage that it is full or empty. The
// consumers start the next products before the last ones are done, so that the tensor cores never rest. Each takes 64 x
// 256 elements, twice as wide: of the 10 KB that an instruction reads from shared memory 8 KB are b, and both halves
// of a block's tile of a share it. That takes 128 registers for sums alone: the producer gives up its own (setmaxnreg).
// The sums leave by the TMA as well, from shared memory, while the next tile is under way.
//
// With two blocks to a cluster, one above the other, both need the same b: each fetches half of it, for both. That
// halves what b asks of L2. And the blocks stay: as many as there are SMs, each with tile after tile, so that the next
// one's stages come while the sums of this one leave.
//
// Floats are multiplied as TF32: rows of 128 bytes are 32 elements along k then, and b is turned first, since wgmma
// takes elements of 32 bits only k by k.
constexpr int tile_rows = 128, tile_cols = 256, specialized_stages = 4, row_bytes = 128, band = 8;

struct alignas(1024) Stock {
  unsigned char a[tile_rows][row_bytes], b[tile_cols * row_bytes];
};
struct Workshop {
  Stock stock[specialized_stages];
  unsigned char results[2][2][64][row_bytes];  // of each consumer: two boxes of 64 rows
  uint64_t full[specialized_stages], empty[specialized_stages];
};

// Asks for the k-th slice: its own rows of a, its part of the columns of b.
template <typename T, int cluster>
__device__ void fetch_slice(Workshop& shop, int slot, const CUtensorMap& a_map, const CUtensorMap& b_map, int row,
                            int col, int first, int rank) {
  constexpr int boxes = sizeof(T) == 2 ? tile_cols / 64 : cluster;  // of b; as wide as 64 columns, or turned
  constexpr int box_bytes = tile_cols * row_bytes / boxes, mine = boxes / cluster;
  Stock& to = shop.stock[slot];
  expect_bytes(shop.full[slot], sizeof(Stock));
  fetch_box(to.a, a_map, first, row, shop.full[slot]);
  for (int i = rank * mine; i < (rank + 1) * mine; ++i) {
    const int box_col = col + i * (tile_cols / boxes);
    const int x = sizeof(T) == 2 ? box_col : first, y = sizeof(T) == 2 ? first : box_col;
    if (cluster == 1) fetch_box(to.b + i * box_bytes, b_map, x, y, shop.full[slot]);
    if (cluster != 1) fetch_box_for((1 << cluster) - 1, to.b + i * box_bytes, b_map, x, y, shop.full[slot]);
  }
}

// A consumer's 64 x 256 sums by the TMA, which wants them swizzled in shared memory: 128 columns at a time.
__device__ inline void store_tile(Workshop& shop, int group, const CUtensorMap& c_map, int row, int col,
                                  const float (&sums)[128]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const bool leader = threadIdx.x % 128 == 0;
  for (int half = 0; half < 2; ++half) {
    if (leader) wait_until_read();  // what was stored before from there
    asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
#pragma unroll
    for (int q = 0; q < 8; ++q) {  // 16 columns: stmatrix takes four squares of 8 x 8
      uint32_t v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const auto pair = __floats2bfloat162_rn(sums[64 * half + 8 * q + 2 * i], sums[64 * half + 8 * q + 2 * i + 1]);
        v[i] = *reinterpret_cast<const uint32_t*>(&pair);
      }
      const int to_row = 16 * warp + lane % 16, piece = (q % 4 * 2 + lane / 16) ^ (to_row % 8);
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                       shared_address(&shop.results[group][q / 4][to_row][16 * piece])),
                   "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
                   : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the TMA sees what the threads wrote
    asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
    for (int box = 0; leader && box < 2; ++box)
      store_box(c_map, col + 128 * half + 64 * box, row, shop.results[group][box]);
  }
}

// The same by the threads themselves: floats, whose lanes fill sectors anyway, and rows that no tensor map takes.
template <typename T>
__device__ void store_tile(T* c, int row, int col, int m, int n, const float (&sums)[128]) {
  const int to_row = row + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, to_col = col + threadIdx.x % 4 * 2;
#pragma unroll
  for (int e = 0; e < 128; e += 2) {
    const int r = to_row + e / 2 % 2 * 8, x = to_col + e / 4 * 8;
    if (r >= m || x >= n) continue;
    T* to = c + long(r) * n + x;
    if (sizeof(T) == 4 && n % 2 == 0) {
      *reinterpret_cast<float2*>(to) = {sums[e], sums[e + 1]};
    } else {
      to[0] = T(sums[e]);
      if (x + 1 < n) to[1] = T(sums[e + 1]);
    }
  }
}

template <typename T, int cluster>
__global__ void __cluster_dims__(cluster, 1, 1) __launch_bounds__(384, 1)
    matmul_specialized(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                       const __grid_constant__ CUtensorMap c_map, T* c, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char shared[];
  Workshop& shop = *reinterpret_cast<Workshop*>(shared);
  constexpr int slice_depth = row_bytes / sizeof(T);
  const int group = threadIdx.x / 128, rank = blockIdx.x % cluster;
  const int slices = (k + slice_depth - 1) / slice_depth;
  const int tiles_down = (m + cluster * tile_rows - 1) / (cluster * tile_rows);
  const int tiles_across = (n + tile_cols - 1) / tile_cols;

  if (threadIdx.x == 0) {
    for (int i = 0; i < specialized_stages; ++i) {
      init_barrier(shop.full[i], 1);             // the producer arrives, and so many bytes
      init_barrier(shop.empty[i], 2 * cluster);  // the consumers of all blocks that its b goes to
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  wait_for_cluster();

  int step = 0;  // slices so far, of all tiles
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    for (int t = blockIdx.x / cluster; t < tiles_down * tiles_across; t += gridDim.x / cluster) {
      const int2 at = place_of_tile(t, tiles_down, tiles_across, band);
      for (int i = 0; threadIdx.x % 128 == 0 && i < slices; ++i, ++step) {
        const int slot = step % specialized_stages;
        wait_for(shop.empty[slot], step / specialized_stages % 2 ^ 1);  // the first time it is empty as it is
        fetch_slice<T, cluster>(shop, slot, a_map, b_map, (at.y * cluster + rank) * tile_rows, at.x * tile_cols,
                                i * slice_depth, rank);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    for (int t = blockIdx.x / cluster; t < tiles_down * tiles_across; t += gridDim.x / cluster) {
      const int2 at = place_of_tile(t, tiles_down, tiles_across, band);
      float sums[128];
#pragma unroll
      for (float& sum : sums) sum = 0;
      const auto release = [&](int slot) {  // in each block of the cluster
        if (threadIdx.x % 128 < cluster) arrive_at(shop.empty[slot], threadIdx.x % 128);
      };
      for (int i = 0; i < slices; ++i, ++step) {
        const Stock& from = shop.stock[step % specialized_stages];
        wait_for(shop.full[step % specialized_stages], step / specialized_stages % 2);
        start_multiplying();
#pragma unroll
        for (int j = 0; j < 4; ++j) {  // 32 bytes of k each; of bf16's b 16 rows of 128 bytes
          const unsigned char* b = from.b + (sizeof(T) == 2 ? 16 * row_bytes : 32) * j;
          multiply_add(T{}, sums, matrix_in_shared(&from.a[64 * group][32 * j], 16),
                       matrix_in_shared(b, sizeof(T) == 2 ? 64 * row_bytes : 16));
        }
        commit_multiplying();
        wait_for_multiplying<1>();
        if (i > 0) release((step - 1) % specialized_stages);
      }
      wait_for_multiplying<0>();
      if (slices > 0) release((step - 1) % specialized_stages);
      const int row = (at.y * cluster + rank) * tile_rows + 64 * group, col = at.x * tile_cols;
      if constexpr (sizeof(T) == 2) {
        if (n % 8 == 0) {
          store_tile(shop, group, c_map, row, col, sums);
          continue;
        }
      }
      store_tile(c, row, col, m, n, sums);
    }
    if (threadIdx.x % 128 == 0) wait_until_stored();
  }
  wait_for_cluster();  // a block that has left can no longer be told that a stage is empty
}
template <auto... kernel>
struct Compile {};
template struct Compile<matmul_specialized<bf16, 1>, matmul_specialized<bf16, 2>, matmul_specialized<float, 2>>;

// b with rows and columns exchanged, and rounded to TF32: 32 x 32 elements by 32 x 8 threads, as in the lab
// `transpose`. Its rows are padded to `padded` elements, with zeros.
__global__ void matmul_turn(const float* from, float* to, int rows, int cols, int padded) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    tile[threadIdx.y + i][threadIdx.x] = y + i < rows && x < cols ? from[long(y + i) * cols + x] : 0;
  __syncthreads();
  const int to_col = blockIdx.y * 32 + threadIdx.x, to_row = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    if (to_row + i >= cols || to_col >= padded) continue;
    uint32_t rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(tile[threadIdx.x][threadIdx.y + i]));
    to[long(to_row + i) * padded + to_col] = __uint_as_float(rounded);
  }
}
