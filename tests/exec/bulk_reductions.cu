// Bulk copies that reduce, and red.async on a sibling block. What is expected is what an H100 printed (driver 580).
// long
// build: -std=c++20 -arch=sm_90
// case: --no-counters -- bulk_reductions :: 0
// out: bulk \.add\.u32: cudaSuccess\n0000000e 00000000 00000000 0000000e 7f000001 00000002 7f000000 c0090fdc 7c007800 00020002 f7fef7fe 7f007f00 00800080 7f417f40 00000005 00000004
// out: bulk \.add\.s32: cudaSuccess\n0000000e 00000000 00000000 0000000e 7f000001 00000002 7f000000 c0090fdc 7c007800 00020002 f7fef7fe 7f007f00 00800080 7f417f40 00000005 00000004
// out: bulk \.add\.u64: cudaSuccess\n0000000e 00000000 00000000 0000000f 7f000001 00000002 7f000000 c0090fdd 7c007800 00020002 f7fef7fe 7f007f00 00800080 7f417f40 00000005 00000004
// out: bulk \.add\.f32: cudaSuccess\n0000000e 7fffffff 80000000 0000000e 40000000 00000002 7fffffff 7fffffff 4000bc3c 00020002 7c7f7bff 40003f80 00800080 7fffffff 00000005 00000004
// out: bulk \.add\.f64: cudaSuccess\n00000005 ffffffff 00000000 0000000f 7f000001 00000002 ff800000 7fc00001 7c007800 00020002 7bff7bff 3f903f80 00780078 7fbedf90 00000005 00000004
// out: bulk \.add\.noftz\.f16: cudaSuccess\n0000000e 7fff7fff 80000000 0000000e 43800001 00000002 7fff0000 7fff0fdb 42004000 00020002 7c007c00 43804380 00800080 7fff7fff 00000005 00000004
// out: bulk \.add\.noftz\.bf16: cudaSuccess\n0000000e 7fff7fff 80000000 0000000e 40000001 00000002 7fff0000 7fff0fdb 40003c80 00020002 7c7f7c7f 40004000 00800080 7fff7fff 00000005 00000004
// out: bulk \.min\.u32: cudaSuccess\n00000005 00000001 80000000 00000007 3f800000 00000001 7f800000 40490fdb 3c003c00 00010001 7bff7bff 3f803f80 00400040 7fc07fc0 00000002 00000000
// out: bulk \.min\.s32: cudaSuccess\n00000005 ffffffff 80000000 00000007 3f800000 00000001 ff800000 40490fdb 3c003c00 00010001 7bff7bff 3f803f80 00400040 ff80ff80 00000002 00000000
// out: bulk \.min\.u64: cudaSuccess\n00000009 00000001 80000000 00000007 3f800000 00000001 7f800000 40490fdb 3c003c00 00010001 7bff7bff 3f803f80 00400040 7fc07fc0 00000003 00000000
// out: bulk \.min\.s64: cudaSuccess\n00000005 ffffffff 80000000 00000007 3f800000 00000001 7f800000 40490fdb 3c003c00 00010001 7bff7bff 3f803f80 00400040 ff80ff80 00000003 00000000
// out: bulk \.min\.f16: cudaSuccess\n00000005 00000001 80000000 00000007 3f800000 00000001 7fff0000 40490001 3c003c00 00010001 7bff7bff 3f803f80 00400040 7fff7fff 00000002 00000000
// out: bulk \.min\.bf16: cudaSuccess\n00000005 00000001 80000000 00000007 3f800000 00000001 ff800000 40490001 3c003c00 00010001 7bff7bff 3f803f80 00400040 ff80ff80 00000002 00000000
// out: bulk \.max\.u32: cudaSuccess\n00000009 ffffffff 80000000 00000007 3f800001 00000001 ff800000 7fc00001 40003c00 00010001 7bff7bff 3f803f80 00400040 ff80ff80 00000003 00000004
// out: bulk \.max\.s32: cudaSuccess\n00000009 00000001 80000000 00000007 3f800001 00000001 7f800000 7fc00001 40003c00 00010001 7bff7bff 3f803f80 00400040 7fc07fc0 00000003 00000004
// out: bulk \.max\.u64: cudaSuccess\n00000005 ffffffff 80000000 00000007 3f800001 00000001 ff800000 7fc00001 40003c00 00010001 7bff7bff 3f803f80 00400040 ff80ff80 00000002 00000004
// out: bulk \.max\.s64: cudaSuccess\n00000009 00000001 80000000 00000007 3f800001 00000001 ff800000 7fc00001 40003c00 00010001 7bff7bff 3f803f80 00400040 7fc07fc0 00000002 00000004
// out: bulk \.max\.f16: cudaSuccess\n00000009 00000001 80000000 00000007 3f800001 00000001 7fff0000 40490fdb 40003c00 00010001 7bff7bff 3f803f80 00400040 7fff7fff 00000003 00000004
// out: bulk \.max\.bf16: cudaSuccess\n00000009 00000001 80000000 00000007 3f800001 00000001 7f800000 40490fdb 40003c00 00010001 7bff7bff 3f803f80 00400040 ff80ff80 00000003 00000004
// out: bulk \.inc\.u32: cudaSuccess\n00000006 00000000 00000000 00000000 3f800001 00000000 7f800001 40490fdc 3c003c01 00000000 00000000 00000000 00000000 00000000 00000000 00000001
// out: bulk \.dec\.u32: cudaSuccess\n00000004 00000001 7fffffff 00000006 3f7fffff 00000000 7f7fffff 40490fda 3c003bff 00010000 7bff7bfe 3f803f7f 0040003f 7fc07fc0 00000002 00000004
// out: bulk \.and\.b32: cudaSuccess\n00000001 00000001 80000000 00000007 3f800000 00000001 7f800000 40400001 00003c00 00010001 7bff7bff 3f803f80 00400040 7f807f80 00000002 00000000
// out: bulk \.and\.b64: cudaSuccess\n00000001 00000001 80000000 00000007 3f800000 00000001 7f800000 40400001 00003c00 00010001 7bff7bff 3f803f80 00400040 7f807f80 00000002 00000000
// out: bulk \.or\.b32: cudaSuccess\n0000000d ffffffff 80000000 00000007 3f800001 00000001 ff800000 7fc90fdb 7c003c00 00010001 7bff7bff 3f803f80 00400040 ffc0ffc0 00000003 00000004
// out: bulk \.or\.b64: cudaSuccess\n0000000d ffffffff 80000000 00000007 3f800001 00000001 ff800000 7fc90fdb 7c003c00 00010001 7bff7bff 3f803f80 00400040 ffc0ffc0 00000003 00000004
// out: bulk \.xor\.b32: cudaSuccess\n0000000c fffffffe 00000000 00000000 00000001 00000000 80000000 3f890fda 7c000000 00000000 00000000 00000000 00000000 80408040 00000001 00000004
// out: bulk \.xor\.b64: cudaSuccess\n0000000c fffffffe 00000000 00000000 00000001 00000000 80000000 3f890fda 7c000000 00000000 00000000 00000000 00000000 80408040 00000001 00000004
// case: --no-counters -- siblings :: 0
// out: on a sibling: cudaSuccess, complete: 15 4294967287 3 4294967293 300 15 0 3 2 83 235 21 23 24 24 25 126 128 130 132 100 101 102 103 70 70 66 66 39 40 41 42
#include "tensor_copies.h"

namespace {

// ---- bulk copies that reduce, and red.async ----

template <typename F>
__global__ void bulk_reduction(unsigned* global, const unsigned* in, F f) {
  __shared__ __align__(128) unsigned shared[16];
  if (threadIdx.x < 16) shared[threadIdx.x] = in[threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    f(global, shared_address(shared));
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}
#define BULK(NAME, OP)                                                                                            \
  struct NAME {                                                                                                   \
    __device__ void operator()(unsigned* to, unsigned from) const {                                               \
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group" OP " [%0], [%1], 64;" ::"l"(to), "r"(from) \
                   : "memory");                                                                                   \
    }                                                                                                             \
  };
#define ALL_BULK(X)                                                                                                  \
  X(add_u32, ".add.u32")                                                                                             \
  X(add_s32, ".add.s32") X(add_u64, ".add.u64") X(add_f32, ".add.f32") X(add_f64, ".add.f64")                        \
      X(add_f16, ".add.noftz.f16") X(add_bf16, ".add.noftz.bf16") X(min_u32, ".min.u32") X(min_s32, ".min.s32")      \
          X(min_u64, ".min.u64") X(min_s64, ".min.s64") X(min_f16, ".min.f16") X(min_bf16, ".min.bf16")              \
              X(max_u32, ".max.u32") X(max_s32, ".max.s32") X(max_u64, ".max.u64") X(max_s64, ".max.s64")            \
                  X(max_f16, ".max.f16") X(max_bf16, ".max.bf16") X(inc_u32, ".inc.u32") X(dec_u32, ".dec.u32")      \
                      X(and_b32, ".and.b32") X(and_b64, ".and.b64") X(or_b32, ".or.b32") X(or_b64, ".or.b64")        \
                          X(xor_b32, ".xor.b32") X(xor_b64, ".xor.b64")
ALL_BULK(BULK)

template <typename F>
void bulk(const char* name, F f) {
  const std::vector<unsigned> old{5, 0xffffffff, 0x80000000, 7, 0x3f800000, 0x00000001, 0x7f800000, 0x40490fdb,
                                  0x3c003c00, 0x00010001, 0x7bff7bff, 0x3f803f80, 0x00400040, 0xff80ff80, 3, 0};
  const std::vector<unsigned> more{9, 1, 0x80000000, 7, 0x3f800001, 0x00000001, 0xff800000, 0x7fc00001,
                                   0x40003c00, 0x00010001, 0x7bff7bff, 0x3f803f80, 0x00400040, 0x7fc07fc0, 2, 4};
  auto* const global = reinterpret_cast<unsigned*>(memory(64));
  auto* const in = reinterpret_cast<unsigned*>(memory(64));
  cudaMemcpy(global, old.data(), 64, cudaMemcpyHostToDevice);
  cudaMemcpy(in, more.data(), 64, cudaMemcpyHostToDevice);
  bulk_reduction<<<1, 32>>>(global, in, f);
  std::vector<unsigned> got(16);
  const cudaError_t e = cudaMemcpy(got.data(), global, 64, cudaMemcpyDeviceToHost);
  std::printf("bulk %s: %s\n", name, cudaGetErrorName(e));
  for (int k = 0; k < 16; ++k) std::printf("%08x%s", got[static_cast<std::size_t>(k)], k == 15 ? "\n" : " ");
}

void bulk_reductions() {
#define CALL(NAME, OP) bulk(OP, NAME{});
  ALL_BULK(CALL)
}

/// Block 1 of two works on words of block 0's by red.async, and by bulk copies that reduce.
__global__ void __cluster_dims__(2) on_siblings(unsigned* out) {
  __shared__ __align__(128) unsigned words[32];
  __shared__ __align__(128) unsigned source[16];
  __shared__ __align__(8) std::uint64_t mbarrier;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x < 32) words[threadIdx.x] = 10 + threadIdx.x;
  if (threadIdx.x < 16) source[threadIdx.x] = 100 + threadIdx.x;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&mbarrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (rank == 1 && threadIdx.x == 0) {
    unsigned to, tells;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(to) : "r"(shared_address(words)));
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(tells) : "r"(shared_address(&mbarrier)));
#define RED(OP, TYPE, WORD, VALUE)                                                                                  \
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes" OP TYPE " [%0], %1, [%2];" :: \
                   "r"(to + 4 * (WORD)),                                                                            \
               "r"(VALUE), "r"(tells)                                                                               \
               : "memory")
    RED(".add", ".u32", 0, 5);
    RED(".add", ".s32", 1, -20);
    RED(".min", ".u32", 2, 3);
    RED(".min", ".s32", 3, -3);
    RED(".max", ".u32", 4, 300);
    RED(".max", ".s32", 5, -3);
    RED(".inc", ".u32", 6, 3);
    RED(".dec", ".u32", 7, 3);
    RED(".and", ".b32", 8, 6);
    RED(".or", ".b32", 9, 64);
    RED(".xor", ".b32", 10, 255);
    asm volatile(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(to + 48),
        "l"(0x100000001ull), "r"(tells)
        : "memory");
#define BULK_RED(OP, WORD)                                                                                            \
  asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" OP                     \
               " [%0], [%1], 16, [%2];" ::"r"(to + 4 * (WORD)),                                                       \
               "r"(shared_address(source)), "r"(tells)                                                                \
               : "memory")
    BULK_RED(".add.u32", 16);
    BULK_RED(".max.s32", 20);
    BULK_RED(".xor.b32", 24);
    BULK_RED(".inc.u32", 28);
  }
  if (rank == 0) {
    if (threadIdx.x == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&mbarrier)),
                   "r"(11 * 4 + 8 + 4 * 16)
                   : "memory");
    const bool done = completes(shared_address(&mbarrier));
    __syncthreads();
    if (threadIdx.x < 32) out[threadIdx.x] = words[threadIdx.x];
    if (threadIdx.x == 0) out[32] = done;
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

void siblings() {
  auto* const out = reinterpret_cast<unsigned*>(memory(33 * 4));
  on_siblings<<<2, 64>>>(out);
  unsigned got[33]{};
  const cudaError_t e = cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("on a sibling: %s, %s:", cudaGetErrorName(e), got[32] ? "complete" : "do not complete");
  for (int k = 0; k < 32; ++k) std::printf(" %u", got[k]);
  std::printf("\n");
}


const std::map<std::string, std::function<void()>> sections{
    {"bulk_reductions", bulk_reductions},
    {"siblings", siblings},
};

}  // namespace

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k)
    if (const auto found = sections.find(argv[k]); found != sections.end()) found->second();
}
