// Tensor stores and reductions, and maps that lie in memory or serve two blocks.
// What is expected is what an H100 printed (driver 580), but for the store of 5 dimensions, which changes 4 x 3 x 2 x 1 x
// 2 elements of 4 bytes: so many of its box are inside of the tensor.
// long
// build: -std=c++20 -arch=sm_90
// case: --no-counters -- stores in_memory multicast :: 0
// out: stores 1 dimension: cudaSuccess, 256 bytes changed, hash 48d25e6b6dcd9c0e
// out: stores 2 dimensions: cudaSuccess, 1024 bytes changed, hash 8bf268863fb99887
// out: stores over the edge: cudaSuccess, 192 bytes changed, hash 172b796047dcf13a
// out: stores all outside: cudaSuccess, 0 bytes changed, hash 5c340a0e311d0383
// out: stores bytes: cudaSuccess, 64 bytes changed, hash 0f82b951e1439055
// out: stores 3 dimensions: cudaSuccess, 128 bytes changed, hash cdc5430b84435ca9
// out: stores 5 dimensions: cudaSuccess, 192 bytes changed
// out: stores every second row: cudaSuccess, 512 bytes changed, hash e1865a28e3b5998e
// out: stores every second inner element: cudaSuccess, 1024 bytes changed, hash 026c234d22ac571f
// out: a map in constant memory: cudaSuccess: a4e0e370 1
// out: a map in global memory: cudaSuccess: a4e0e370 1
// out: multicast: 0, cudaSuccess: a4e0e370 1, a4e0e370 1
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
// out: min of type 5: cudaSuccess, 0 bytes changed, hash b8e5d9c28facce20
// out: max of type 5: cudaSuccess, 18 bytes changed, hash 08527bf8f4b94496
// out: add of type 6: cudaSuccess, 28 bytes changed, hash 253de36a27373a38
// out: min of type 6: cudaSuccess, 12 bytes changed, hash d9d0449e041a8d78
// out: max of type 6: cudaSuccess, 13 bytes changed, hash 082e85c8c62666ab
// out: add of type 9: cudaSuccess, 31 bytes changed, hash d6e23156d43ac3b3
// out: min of type 9: cudaSuccess, 8 bytes changed, hash 0769ef14cb220087
// out: max of type 9: cudaSuccess, 8 bytes changed, hash 61e62d6ce3d651f0
// out: add of type 7: cudaSuccess, 29 bytes changed, hash 3a43f3b7e5e29e4c
// out: add of type 8: cudaSuccess, 24 bytes changed, hash 6b1fcf25ec84e689
// case: -- store_from_64 :: 4
// out: from 64: cudaErrorMisalignedAddress
// err: misaligned tensor copy: its shared memory does not begin at a multiple of 128 bytes
// case: -- odd_store :: 4
// out: odd: cudaErrorIllegalInstruction
// err: illegal tensor copy: its first coordinate is no multiple of 16 bytes
// case: -- add_s64 :: 4
// out: sums of type 5: cudaErrorIllegalInstruction
// err: illegal tensor copy: it reduces in a way that its map's type does not have
// err: encode the map with CU_TENSOR_MAP_DATA_TYPE_UINT64: add, and, or and xor give the same bits of signed integers
// case: -- and_s64 :: 4
// out: bits of type 5: cudaErrorIllegalInstruction
// err: illegal tensor copy: it reduces in a way that its map's type does not have
// case: -- before_the_row :: 4
// out: before the row: cudaErrorIllegalInstruction
// err: illegal tensor copy: it writes a box that begins at -8 in dimension 0 \(0: the innermost\) in .*, block \(0,0,0\), thread \(0,0,0\)
// err: loads may begin at a negative place, stores and reductions may not: begin at 0, by a map with a smaller box, or write these elements by plain stores
// case: -- before_the_first_row :: 4
// out: before the first row: cudaErrorIllegalInstruction
// err: illegal tensor copy: it writes a box that begins at -8 in dimension 1
// case: -- added_before_the_first_row :: 4
// out: added before the first row: cudaErrorIllegalInstruction
// err: illegal tensor copy: it writes a box that begins at -3 in dimension 1
// case: -- negative_of_five :: 4
// out: 5 dimensions: cudaErrorIllegalInstruction
// err: illegal tensor copy: it writes a box that begins at -1 in dimension 1
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
  one_write("stores all outside", {.extent = {64, 32}, .box = {32, 8}}, {{64, 0}}, Writes::store);
  one_write("stores bytes", {.type = CU_TENSOR_MAP_DATA_TYPE_UINT8, .element = 1, .extent = {48, 8}, .box = {32, 4}},
            {{32, 2}}, Writes::store);
  one_write("stores 3 dimensions", {.extent = {16, 12, 10}, .box = {8, 4, 3}}, {{4, 10, 8}}, Writes::store);
  one_write("stores 5 dimensions", {.extent = {16, 6, 5, 4, 3}, .box = {8, 3, 2, 2, 2}}, {{12, 1, 1, 3, 1}},
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
      // an H100 has no others of signed ones
      if (type == CU_TENSOR_MAP_DATA_TYPE_INT64 && what != Writes::min && what != Writes::max) continue;
      if (floats && what != Writes::add) continue;
      if (halves && what != Writes::add && what != Writes::min && what != Writes::max) continue;
      const auto n = static_cast<cuuint32_t>(64 / element);
      const Spec s{.type = type, .element = element, .extent = {n}, .box = {n}};
      one_write((std::string(name) + " of type " + std::to_string(type)).c_str(), s, {{0}}, what, 0, &was, &in, 16);
    }
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
    {"in_memory", in_memory},
    {"multicast", multicast},
    {"reductions", reductions},
    {"stores", stores},
    {"swizzled_stores", swizzled_stores},
    {"store_from_64", [] { one_write("from 64", {.extent = {64, 32}, .box = {32, 8}}, {{16, 4}}, Writes::store, 64); }},
    {"odd_store", [] { one_write("odd", {.extent = {64, 32}, .box = {32, 8}}, {{2, 5}}, Writes::store); }},
    {"add_s64",
     [] {
       one_write("sums of type 5", {.type = CU_TENSOR_MAP_DATA_TYPE_INT64, .element = 8, .extent = {8}, .box = {8}},
                 {{0}}, Writes::add);
     }},
    {"and_s64",
     [] {
       one_write("bits of type 5", {.type = CU_TENSOR_MAP_DATA_TYPE_INT64, .element = 8, .extent = {8}, .box = {8}},
                 {{0}}, Writes::and_);
     }},
    {"before_the_row",
     [] { one_write("before the row", {.extent = {64, 32}, .box = {32, 8}}, {{-8, 0}}, Writes::store); }},
    {"before_the_first_row",
     [] { one_write("before the first row", {.extent = {64, 32}, .box = {32, 8}}, {{0, -8}}, Writes::store); }},
    {"added_before_the_first_row",
     [] { one_write("added before the first row", {.extent = {64, 32}, .box = {32, 8}}, {{0, -3}}, Writes::add); }},
    {"negative_of_five",
     [] {
       one_write("5 dimensions", {.extent = {16, 6, 5, 4, 3}, .box = {8, 3, 2, 2, 2}}, {{12, -1, 1, 3, 1}},
                 Writes::store);
     }},
};

}  // namespace

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k)
    if (const auto found = sections.find(argv[k]); found != sections.end()) found->second();
}
