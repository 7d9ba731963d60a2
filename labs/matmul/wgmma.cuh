#pragma once
// What the upper rungs for compute capability 9.0 say in PTX, because C++ has no words for it (PTX ISA, "Asynchronous
// warpgroup level matrix instructions", "Data movement and conversion instructions", "mbarrier").
#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

// An address as instructions for shared memory take it.
__device__ inline uint32_t shared_address(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }

// --- barriers in shared memory ------------------------------------------------------------------------
__device__ inline void init_barrier(uint64_t& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals));
}
__device__ inline void expect_bytes(uint64_t& barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
}
// Until the phase with this parity is over.
__device__ inline void wait_for(uint64_t& barrier, int parity) {
  int done = 0;
  while (done == 0) {
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(shared_address(&barrier)), "r"(parity)
                 : "memory");
  }
}
// Arrives at the same barrier of a block of the cluster. What it tells is that wgmma has read a stage: no store of this
// thread has to be seen first, so the arrival orders none (".release.cluster" would wait for all memory: half the
// speed).
__device__ inline void arrive_at(uint64_t& barrier, int block_of_cluster) {
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(&barrier)),
      "r"(block_of_cluster)
      : "memory");
}
__device__ inline void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

// --- the Tensor Memory Accelerator --------------------------------------------------------------------
// A box at (col, row) of the matrix to shared memory; its bytes are counted on the barrier.
__device__ inline void fetch_box(void* to, const CUtensorMap& from, int col, int row, uint64_t& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(shared_address(to)),
      "l"(&from), "r"(col), "r"(row), "r"(shared_address(&barrier))
      : "memory");
}
// The same to the same place in each block of the cluster whose bit is set, and counted on the barrier of each.
__device__ inline void fetch_box_for(uint16_t blocks, void* to, const CUtensorMap& from, int col, int row,
                                     uint64_t& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(&from), "r"(col), "r"(row), "r"(shared_address(&barrier)), "h"(blocks)
      : "memory");
}
// A box of shared memory to the matrix; what is outside is left out.
__device__ inline void store_box(const CUtensorMap& to, int col, int row, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(col),
               "r"(row), "r"(shared_address(from))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Until what this thread stored has been read from shared memory, or has arrived.
__device__ inline void wait_until_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ inline void wait_until_stored() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// --- wgmma --------------------------------------------------------------------------------------------
// What wgmma wants to know of a matrix in shared memory, in units of 16 bytes: where it starts, how far apart groups of
// eight rows are (1024 bytes here), and for one that is as wide as several squares, how far apart those are. Bit 62:
// rows of 128 bytes, swizzled.
__device__ inline uint64_t matrix_in_shared(const void* start, int bytes_between_squares) {
  const uint64_t at = shared_address(start) & 0x3ffff;
  return at / 16 | uint64_t(bytes_between_squares / 16) << 16 | uint64_t(1024 / 16) << 32 | uint64_t(1) << 62;
}
__device__ inline void start_multiplying() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_multiplying() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until at most `groups` of what was committed are not done.
template <int groups>
__device__ void wait_for_multiplying() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

// sums += a b for 64 x 16 elements of a and 16 x 256 of b (32-bit elements: 64 x 8 and 8 x 256), by the 128 threads of
// a warp group. It starts the work and does not wait.
#define GPULAB_SUMS(s)                                                                                                \
  "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]), "+f"(s[4]), "+f"(s[5]), "+f"(s[6]), "+f"(s[7]), "+f"(s[8]),         \
      "+f"(s[9]), "+f"(s[10]), "+f"(s[11]), "+f"(s[12]), "+f"(s[13]), "+f"(s[14]), "+f"(s[15]), "+f"(s[16]),          \
      "+f"(s[17]), "+f"(s[18]), "+f"(s[19]), "+f"(s[20]), "+f"(s[21]), "+f"(s[22]), "+f"(s[23]), "+f"(s[24]),         \
      "+f"(s[25]), "+f"(s[26]), "+f"(s[27]), "+f"(s[28]), "+f"(s[29]), "+f"(s[30]), "+f"(s[31]), "+f"(s[32]),         \
      "+f"(s[33]), "+f"(s[34]), "+f"(s[35]), "+f"(s[36]), "+f"(s[37]), "+f"(s[38]), "+f"(s[39]), "+f"(s[40]),         \
      "+f"(s[41]), "+f"(s[42]), "+f"(s[43]), "+f"(s[44]), "+f"(s[45]), "+f"(s[46]), "+f"(s[47]), "+f"(s[48]),         \
      "+f"(s[49]), "+f"(s[50]), "+f"(s[51]), "+f"(s[52]), "+f"(s[53]), "+f"(s[54]), "+f"(s[55]), "+f"(s[56]),         \
      "+f"(s[57]), "+f"(s[58]), "+f"(s[59]), "+f"(s[60]), "+f"(s[61]), "+f"(s[62]), "+f"(s[63]), "+f"(s[64]),         \
      "+f"(s[65]), "+f"(s[66]), "+f"(s[67]), "+f"(s[68]), "+f"(s[69]), "+f"(s[70]), "+f"(s[71]), "+f"(s[72]),         \
      "+f"(s[73]), "+f"(s[74]), "+f"(s[75]), "+f"(s[76]), "+f"(s[77]), "+f"(s[78]), "+f"(s[79]), "+f"(s[80]),         \
      "+f"(s[81]), "+f"(s[82]), "+f"(s[83]), "+f"(s[84]), "+f"(s[85]), "+f"(s[86]), "+f"(s[87]), "+f"(s[88]),         \
      "+f"(s[89]), "+f"(s[90]), "+f"(s[91]), "+f"(s[92]), "+f"(s[93]), "+f"(s[94]), "+f"(s[95]), "+f"(s[96]),         \
      "+f"(s[97]), "+f"(s[98]), "+f"(s[99]), "+f"(s[100]), "+f"(s[101]), "+f"(s[102]), "+f"(s[103]), "+f"(s[104]),    \
      "+f"(s[105]), "+f"(s[106]), "+f"(s[107]), "+f"(s[108]), "+f"(s[109]), "+f"(s[110]), "+f"(s[111]), "+f"(s[112]), \
      "+f"(s[113]), "+f"(s[114]), "+f"(s[115]), "+f"(s[116]), "+f"(s[117]), "+f"(s[118]), "+f"(s[119]), "+f"(s[120]), \
      "+f"(s[121]), "+f"(s[122]), "+f"(s[123]), "+f"(s[124]), "+f"(s[125]), "+f"(s[126]), "+f"(s[127])
#define GPULAB_REGISTERS                                                                                       \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
  "%23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "  \
  "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, "  \
  "%65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, "  \
  "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, " \
  "%106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, "     \
  "%123, %124, %125, %126, %127}, "
// a lies k by k, b column by column of k (its last 1 says so: "transposed").
__device__ inline void multiply_add(__nv_bfloat16, float (&sums)[128], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 " GPULAB_REGISTERS "%128, %129, 1, 1, 1, 0, 1;"
               : GPULAB_SUMS(sums)
               : "l"(a), "l"(b));
}
// Both lie k by k: elements of 32 bits know no other way. Of each the first 19 bits count (TF32).
__device__ inline void multiply_add(float, float (&sums)[128], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 " GPULAB_REGISTERS "%128, %129, 1, 1, 1;"
               : GPULAB_SUMS(sums)
               : "l"(a), "l"(b));
}
#undef GPULAB_SUMS
#undef GPULAB_REGISTERS
