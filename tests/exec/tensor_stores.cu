// Tensor stores and reductions, bulk copies that reduce, red.async, and maps that lie in memory or serve two blocks. What is expected is
// what an H100 printed (driver 580).
// build: -std=c++20 -arch=sm_90
// case: --no-counters -- stores in_memory multicast siblings :: 0
// out: stores 1 dimension: cudaSuccess, 256 bytes changed, hash 48d25e6b6dcd9c0e
// out: stores 2 dimensions: cudaSuccess, 1024 bytes changed, hash 8bf268863fb99887
// out: stores over the edge: cudaSuccess, 192 bytes changed, hash 172b796047dcf13a
// out: a map in constant memory: cudaSuccess: a4e0e370 1
// out: a map in global memory: cudaSuccess: a4e0e370 1
// out: multicast: 0, cudaSuccess: a4e0e370 1, a4e0e370 1
// out: on a sibling: cudaSuccess, complete: 15 4294967287 3 4294967293 300 15 0 3 2 83 235 21 23 24 24 25 126 128 130 132 100 101 102 103 70 70 66 66 39 40 41 42
// case: --no-counters -- swizzled_stores :: 0
// out: swizzle 32, stored: cudaSuccess, 1024 bytes changed, hash fce51e2d25c64197
// out: swizzle 32, stored from byte 128: cudaSuccess, 1024 bytes changed, hash fd4b10d7aa1d5fdf
// out: swizzle 32, added: cudaSuccess, 1024 bytes changed, hash 4f98472d15abbfc2
// out: swizzle 64, stored: cudaSuccess, 2048 bytes changed, hash 24cb92722bdf099e
// out: swizzle 64, stored from byte 128: cudaSuccess, 2048 bytes changed, hash 4b5ec8b16702adb8
// out: swizzle 64, added: cudaSuccess, 2048 bytes changed, hash 38e15f2be2251ed1
// out: swizzle 128, stored: cudaSuccess, 4096 bytes changed, hash 9aeb04de0b5f5bd2
// out: swizzle 128, stored from byte 128: cudaSuccess, 4096 bytes changed, hash 01c648a8b056dbb9
// out: swizzle 128, added: cudaSuccess, 4096 bytes changed, hash 95e9834b6442aaed
// out: swizzle 32, rows of 16 bytes, stored: cudaSuccess, 256 bytes changed, hash c439b08f7aa9276e
// out: swizzle 64, rows of 16 bytes, stored: cudaSuccess, 256 bytes changed, hash d01c3c4c17d7244b
// out: swizzle 64, rows of 32 bytes, stored: cudaSuccess, 512 bytes changed, hash 0a6b0bd9b4fde50d
// out: swizzle 64, rows of 48 bytes, stored: cudaSuccess, 768 bytes changed, hash 060d62a6b81318e0
// out: swizzle 128, rows of 16 bytes, stored: cudaSuccess, 256 bytes changed, hash a923151c916bd6e4
// out: swizzle 128, rows of 32 bytes, stored: cudaSuccess, 512 bytes changed, hash c88c86aab2863f62
// out: swizzle 128, rows of 48 bytes, stored: cudaSuccess, 768 bytes changed, hash e63f93e18c611575
// out: swizzle 128, rows of 64 bytes, stored: cudaSuccess, 1024 bytes changed, hash 37093a3db485514a
// out: swizzle 128, rows of 80 bytes, stored: cudaSuccess, 1280 bytes changed, hash addc7e779606caa6
// out: swizzle 128, rows of 96 bytes, stored: cudaSuccess, 1536 bytes changed, hash 7a2c53469bd5335c
// out: swizzle 128, rows of 112 bytes, stored: cudaSuccess, 1792 bytes changed, hash d4c8a74ea598bd3b
// case: --no-counters -- reductions :: 0
// out: add of type 2: cudaSuccess, 35 bytes changed, hash 2a91a9f98cd6a1bc
// out: min of type 2: cudaSuccess, 9 bytes changed, hash 6597946dbc1ae8fc
// out: max of type 2: cudaSuccess, 9 bytes changed, hash 52be150f6c047e5a
// out: inc of type 2: cudaSuccess, 30 bytes changed, hash c18574b02784739d
// out: dec of type 2: cudaSuccess, 30 bytes changed, hash 1313e71d0b27548e
// out: and of type 2: cudaSuccess, 12 bytes changed, hash d7497723e0fb14fe
// out: or of type 2: cudaSuccess, 9 bytes changed, hash 0616dd836731bfac
// out: xor of type 2: cudaSuccess, 33 bytes changed, hash edd968de6ded8b99
// out: add of type 3: cudaSuccess, 35 bytes changed, hash 2a91a9f98cd6a1bc
// out: min of type 3: cudaSuccess, 2 bytes changed, hash 453ddc65e2ebf641
// out: max of type 3: cudaSuccess, 16 bytes changed, hash c674aa39ca38dcb7
// out: and of type 3: cudaSuccess, 12 bytes changed, hash d7497723e0fb14fe
// out: or of type 3: cudaSuccess, 9 bytes changed, hash 0616dd836731bfac
// out: xor of type 3: cudaSuccess, 33 bytes changed, hash edd968de6ded8b99
// out: add of type 4: cudaSuccess, 35 bytes changed, hash 75f87654fa24d3dc
// out: min of type 4: cudaSuccess, 9 bytes changed, hash e854713fa8e7a161
// out: max of type 4: cudaSuccess, 9 bytes changed, hash c4597e7c2c6cb447
// out: and of type 4: cudaSuccess, 12 bytes changed, hash d7497723e0fb14fe
// out: or of type 4: cudaSuccess, 9 bytes changed, hash 0616dd836731bfac
// out: xor of type 4: cudaSuccess, 33 bytes changed, hash edd968de6ded8b99
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
// case: -- store_from_64 :: 4
// out: from 64: cudaErrorMisalignedAddress
// err: misaligned tensor copy: its shared memory does not begin at a multiple of 128 bytes
// case: -- odd_store :: 4
// out: odd: cudaErrorIllegalInstruction
// err: illegal tensor copy: its first coordinate is no multiple of 16 bytes
// case: -- add_s64 :: 4
// out: sums of type 5: cudaErrorIllegalInstruction
// err: illegal tensor copy: it reduces in a way that its map's type does not have
#include "tensor_copies.h"

namespace {

#define STORES(NAME, WHAT)                                                                                          \
  template <int rank>                                                                                               \
  __device__ void NAME(const CUtensorMap* map, Place p, unsigned from) {                                            \
    if constexpr (rank == 1)                                                                                        \
      asm volatile(WHAT("1d") " [%0, {%1}], [%2];" ::"l"(map), "r"(p.c[0]), "r"(from) : "memory");                  \
    if constexpr (rank == 2)                                                                                        \
      asm volatile(WHAT("2d") " [%0, {%1, %2}], [%3];" ::"l"(map), "r"(p.c[0]), "r"(p.c[1]), "r"(from) : "memory"); \
    if constexpr (rank == 3)                                                                                        \
      asm volatile(WHAT("3d") " [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(p.c[0]), "r"(p.c[1]), "r"(p.c[2]),       \
                   "r"(from)                                                                                        \
                   : "memory");                                                                                     \
    if constexpr (rank == 5)                                                                                        \
      asm volatile(WHAT("5d") " [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(map), "r"(p.c[0]), "r"(p.c[1]),            \
                   "r"(p.c[2]), "r"(p.c[3]), "r"(p.c[4]), "r"(from)                                                 \
                   : "memory");                                                                                     \
  }
#define STORE(D) "cp.async.bulk.tensor." D ".global.shared::cta.tile.bulk_group"
#define REDUCE_add(D) "cp.reduce.async.bulk.tensor." D ".global.shared::cta.add.tile.bulk_group"
#define REDUCE_min(D) "cp.reduce.async.bulk.tensor." D ".global.shared::cta.min.bulk_group"
#define REDUCE_max(D) "cp.reduce.async.bulk.tensor." D ".global.shared::cta.max.bulk_group"
#define REDUCE_inc(D) "cp.reduce.async.bulk.tensor." D ".global.shared::cta.inc.bulk_group"
#define REDUCE_dec(D) "cp.reduce.async.bulk.tensor." D ".global.shared::cta.dec.bulk_group"
#define REDUCE_and(D) "cp.reduce.async.bulk.tensor." D ".global.shared::cta.and.bulk_group"
#define REDUCE_or(D) "cp.reduce.async.bulk.tensor." D ".global.shared::cta.or.bulk_group"
#define REDUCE_xor(D) "cp.reduce.async.bulk.tensor." D ".global.shared::cta.xor.bulk_group"
STORES(store, STORE)
STORES(add, REDUCE_add)
STORES(least, REDUCE_min)
STORES(most, REDUCE_max)
STORES(count_up, REDUCE_inc)
STORES(count_down, REDUCE_dec)
STORES(both, REDUCE_and)
STORES(either, REDUCE_or)
STORES(one_of, REDUCE_xor)

enum class Writes { store, add, min, max, inc, dec, and_, or_, xor_ };

template <int rank>
__global__ void writes(const __grid_constant__ CUtensorMap map, Place p, int offset, Writes what,
                       const unsigned char* in) {
  extern __shared__ __align__(1024) unsigned char shared[];
  for (int k = static_cast<int>(threadIdx.x); k < kShared; k += static_cast<int>(blockDim.x)) shared[k] = in[k];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned from = shared_address(shared + offset);
    switch (what) {
      case Writes::store: store<rank>(&map, p, from); break;
      case Writes::add: add<rank>(&map, p, from); break;
      case Writes::min: least<rank>(&map, p, from); break;
      case Writes::max: most<rank>(&map, p, from); break;
      case Writes::inc: count_up<rank>(&map, p, from); break;
      case Writes::dec: count_down<rank>(&map, p, from); break;
      case Writes::and_: both<rank>(&map, p, from); break;
      case Writes::or_: either<rank>(&map, p, from); break;
      case Writes::xor_: one_of<rank>(&map, p, from); break;
    }
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

void one_write(const char* name, const Spec& s, Place p, Writes what, int offset = 0,
               const std::vector<unsigned char>* before = nullptr, const std::vector<unsigned char>* source = nullptr,
               int words = 0) {
  unsigned char *global = memory(kGlobal), *in = memory(kShared);
  std::vector<unsigned char> was = before ? *before : std::vector<unsigned char>(kGlobal, 0xaa);
  was.resize(kGlobal, 0xaa);
  std::vector<unsigned char> from = source ? *source : pattern(kShared);
  from.resize(kShared, 0x11);
  cudaMemcpy(global, was.data(), kGlobal, cudaMemcpyHostToDevice);
  cudaMemcpy(in, from.data(), kShared, cudaMemcpyHostToDevice);
  CUtensorMap map;
  const CUresult made = make(map, s, global);
  if (made != CUDA_SUCCESS) {
    std::printf("%s: encode %d\n", name, made);
    return;
  }
  switch (s.extent.size()) {
    case 1: writes<1><<<1, 128, kShared>>>(map, p, offset, what, in); break;
    case 2: writes<2><<<1, 128, kShared>>>(map, p, offset, what, in); break;
    case 3: writes<3><<<1, 128, kShared>>>(map, p, offset, what, in); break;
    default: writes<5><<<1, 128, kShared>>>(map, p, offset, what, in); break;
  }
  const cudaError_t e = cudaDeviceSynchronize();
  std::vector<unsigned char> got(kGlobal);
  cudaMemcpy(got.data(), global, kGlobal, cudaMemcpyDeviceToHost);
  std::size_t changed = 0;
  for (std::size_t k = 0; k < kGlobal; ++k) changed += got[k] != was[k];
  std::printf("%s: %s, %zu bytes changed, hash %016llx\n", name, cudaGetErrorName(e), changed,
              static_cast<unsigned long long>(hash(got)));
  for (int k = 0; k < words; ++k) {
    unsigned w;
    std::memcpy(&w, &got[static_cast<std::size_t>(4 * k)], 4);
    std::printf("%08x%s", w, k + 1 == words ? "\n" : " ");
  }
  cudaFree(global), cudaFree(in);
}

// ---- sections ----

void swizzled_stores() {
  const CUtensorMapSwizzle all[]{CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  for (int k = 0; k < 3; ++k) {
    const auto name = [&](const std::string& what) { return "swizzle " + std::to_string(32 << k) + what; };
    const Spec s{.extent = {64, 64}, .box = {8u << k, 32}, .swizzle = all[k]};
    one_write(name(", stored").c_str(), s, {{4, 3}}, Writes::store);
    one_write(name(", stored from byte 128").c_str(), s, {{4, 3}}, Writes::store, 128);
    one_write(name(", added").c_str(), s, {{4, 3}}, Writes::add);
    for (cuuint32_t inner = 4; inner < 8u << k; inner += 4)
      one_write(name(", rows of " + std::to_string(4 * inner) + " bytes, stored").c_str(),
                {.extent = {64, 64}, .box = {inner, 16}, .swizzle = all[k]}, {{4, 3}}, Writes::store);
  }
}

void stores() {
  one_write("stores 1 dimension", {.extent = {1000}, .box = {64}}, {{128}}, Writes::store);
  one_write("stores 2 dimensions", {.extent = {64, 32}, .box = {32, 8}}, {{16, 4}}, Writes::store, 128);
  one_write("stores over the edge", {.extent = {60, 30}, .box = {32, 8}}, {{48, 26}}, Writes::store);
  one_write("stores at negative places", {.extent = {64, 32}, .box = {32, 8}}, {{-8, -3}}, Writes::store);
  one_write("stores all outside", {.extent = {64, 32}, .box = {32, 8}}, {{64, 0}}, Writes::store);
  one_write("stores bytes", {.type = CU_TENSOR_MAP_DATA_TYPE_UINT8, .element = 1, .extent = {48, 8}, .box = {32, 4}},
            {{32, 2}}, Writes::store);
  one_write("stores 3 dimensions", {.extent = {16, 12, 10}, .box = {8, 4, 3}}, {{4, 10, 8}}, Writes::store);
  one_write("stores 5 dimensions", {.extent = {16, 6, 5, 4, 3}, .box = {8, 3, 2, 2, 2}}, {{12, -1, 1, 3, 1}},
            Writes::store);
  one_write("stores every second row", {.extent = {64, 32}, .box = {32, 8}, .every = {1, 2}}, {{16, 4}}, Writes::store);
  one_write("stores every second inner element", {.extent = {64, 32}, .box = {32, 8}, .every = {2, 1}}, {{16, 4}},
            Writes::store);
}

template <typename T>
std::vector<unsigned char> bytes_of(const std::vector<T>& values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void reductions() {
  const std::vector<unsigned> old{5, 0xffffffff, 0x80000000, 7, 0x3f800000, 0x00000001, 0x7f800000, 0x40490fdb,
                                  0x3c003c00, 0x00010001, 0x7bff7bff, 0x3f803f80, 0x00400040, 0xff80ff80, 3, 0};
  const std::vector<unsigned> more{9, 1, 0x80000000, 7, 0x3f800001, 0x00000001, 0xff800000, 0x7fc00001,
                                   0x40003c00, 0x00010001, 0x7bff7bff, 0x3f803f80, 0x00400040, 0x7fc07fc0, 2, 4};
  const auto was = bytes_of(old), in = bytes_of(more);
  const std::pair<const char*, Writes> operations[]{
      {"add", Writes::add},   {"min", Writes::min}, {"max", Writes::max}, {"inc", Writes::inc},
      {"dec", Writes::dec},   {"and", Writes::and_}, {"or", Writes::or_},  {"xor", Writes::xor_}};
  const std::pair<CUtensorMapDataType, int> kinds[]{
      {CU_TENSOR_MAP_DATA_TYPE_UINT32, 4},  {CU_TENSOR_MAP_DATA_TYPE_INT32, 4},   {CU_TENSOR_MAP_DATA_TYPE_UINT64, 8},
      {CU_TENSOR_MAP_DATA_TYPE_INT64, 8},   {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2}, {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
      {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4}, {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8}};
  for (const auto& [type, element] : kinds)
    for (const auto& [name, what] : operations) {
      const bool small = type == CU_TENSOR_MAP_DATA_TYPE_UINT32;
      const bool floats = type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 || type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
      const bool halves = type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 || type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
      if ((what == Writes::inc || what == Writes::dec) && !small) continue;
      if (type == CU_TENSOR_MAP_DATA_TYPE_INT64 && what == Writes::add) continue;  // an H100 has none
      if (floats && what != Writes::add) continue;
      if (halves && what != Writes::add && what != Writes::min && what != Writes::max) continue;
      const auto n = static_cast<cuuint32_t>(64 / element);
      const Spec s{.type = type, .element = element, .extent = {n}, .box = {n}};
      one_write((std::string(name) + " of type " + std::to_string(type)).c_str(), s, {{0}}, what, 0, &was, &in, 16);
    }
}

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

/// Two blocks get the same box by one load.
__global__ void __cluster_dims__(2) spread(const __grid_constant__ CUtensorMap map, unsigned* out) {
  __shared__ __align__(128) unsigned words[256];
  __shared__ __align__(8) std::uint64_t mbarrier;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&mbarrier)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(shared_address(&mbarrier)) : "memory");
  }
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (rank == 1 && threadIdx.x == 0)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
        "{%2, %3}], [%4], %5;" ::"r"(shared_address(words)),
        "l"(&map), "r"(4), "r"(2), "r"(shared_address(&mbarrier)), "h"(static_cast<unsigned short>(3))
        : "memory");
  const bool done = completes(shared_address(&mbarrier));
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (const unsigned w : words) sum = sum * 31 + w;
    out[2 * rank] = sum;
    out[2 * rank + 1] = done;
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

void multicast() {
  unsigned char* const global = memory(kGlobal);
  const auto in = pattern(kGlobal);
  cudaMemcpy(global, in.data(), in.size(), cudaMemcpyHostToDevice);
  auto* const out = reinterpret_cast<unsigned*>(memory(16));
  CUtensorMap map;
  const CUresult made = make(map, {.extent = {64, 32}, .box = {32, 8}}, global);
  spread<<<2, 32>>>(map, out);
  unsigned got[4]{};
  const cudaError_t e = cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("multicast: %d, %s: %08x %u, %08x %u\n", made, cudaGetErrorName(e), got[0], got[1], got[2], got[3]);
}

__constant__ CUtensorMap constant_map;

template <bool constant>
__global__ void from_memory(unsigned* out, const CUtensorMap* given) {
  __shared__ __align__(128) unsigned words[256];
  __shared__ __align__(8) std::uint64_t mbarrier;
  const CUtensorMap* const map = constant ? &constant_map : given;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&mbarrier)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(0), "r"(0) : "memory");
    load<2>(shared_address(words), map, {{4, 2}}, shared_address(&mbarrier));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(shared_address(&mbarrier)) : "memory");
  }
  __syncthreads();
  const bool done = completes(shared_address(&mbarrier));
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (const unsigned w : words) sum = sum * 31 + w;
    out[0] = sum;
    out[1] = done;
  }
}

void in_memory() {
  unsigned char* const global = memory(kGlobal);
  const auto in = pattern(kGlobal);
  cudaMemcpy(global, in.data(), in.size(), cudaMemcpyHostToDevice);
  auto* const out = reinterpret_cast<unsigned*>(memory(8));
  CUtensorMap map;
  make(map, {.extent = {64, 32}, .box = {32, 8}}, global);
  cudaMemcpyToSymbol(constant_map, &map, sizeof map);
  CUtensorMap* kept = nullptr;
  cudaMalloc(&kept, sizeof map);
  cudaMemcpy(kept, &map, sizeof map, cudaMemcpyHostToDevice);
  unsigned got[2]{};
  from_memory<true><<<1, 32>>>(out, nullptr);
  cudaError_t e = cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("a map in constant memory: %s: %08x %u\n", cudaGetErrorName(e), got[0], got[1]);
  from_memory<false><<<1, 32>>>(out, kept);
  e = cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("a map in global memory: %s: %08x %u\n", cudaGetErrorName(e), got[0], got[1]);
}

const std::map<std::string, std::function<void()>> sections{
    {"bulk_reductions", bulk_reductions},
    {"in_memory", in_memory},
    {"multicast", multicast},
    {"reductions", reductions},
    {"siblings", siblings},
    {"stores", stores},
    {"swizzled_stores", swizzled_stores},
    {"store_from_64", [] { one_write("from 64", {.extent = {64, 32}, .box = {32, 8}}, {{16, 4}}, Writes::store, 64); }},
    {"odd_store", [] { one_write("odd", {.extent = {64, 32}, .box = {32, 8}}, {{2, 5}}, Writes::store); }},
    {"add_s64",
     [] {
       one_write("sums of type 5", {.type = CU_TENSOR_MAP_DATA_TYPE_INT64, .element = 8, .extent = {8}, .box = {8}},
                 {{0}}, Writes::add);
     }},
};

}  // namespace

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k)
    if (const auto found = sections.find(argv[k]); found != sections.end()) found->second();
}
