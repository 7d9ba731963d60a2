// Tensor maps: what cuTensorMapEncodeTiled takes, and what loads by them bring into shared memory: one to five dimensions, element
// strides, edges, types, swizzles. What is expected is what an H100 printed (driver 580).
// long
// build: -std=c++20 -arch=sm_90
// case: --no-counters -- encodings :: 0
// out: encode as it should be: 0
// out: encode rank 0: 1
// out: encode rank 6: 1
// out: encode address 8: 1
// out: encode address 16: 0
// out: encode null address: 0
// out: encode an address that no allocation has: 0
// out: encode extent 0: 1
// out: encode inner extent 0: 1
// out: encode stride 8: 1
// out: encode stride 0: 0
// out: encode stride less than a row: 0
// out: encode box 0: 1
// out: encode box 256: 0
// out: encode box 257: 1
// out: encode inner box 256: 0
// out: encode inner box of 8 bytes: 1
// out: encode inner box of 12 bytes: 1
// out: encode inner box of 24 bytes: 1
// out: encode box greater than the extent: 0
// out: encode every 0: 1
// out: encode inner every 0: 1
// out: encode every 8: 0
// out: encode every 9: 1
// out: encode inner every 2: 0
// out: encode swizzle 32, inner 32: 0
// out: encode swizzle 32, inner 64: 1
// out: encode swizzle 64, inner 64: 0
// out: encode swizzle 64, inner 128: 1
// out: encode swizzle 128, inner 128: 0
// out: encode swizzle 128, inner 256: 1
// out: encode swizzle 128, inner 144: 1
// out: encode swizzle 4: 1
// out: encode swizzle 7: 1
// out: encode fill NaN of whole numbers: 1
// out: encode fill NaN of floats: 0
// out: encode fill 2: 1
// out: encode interleave 16, rank 2: 1
// out: encode interleave 3: 1
// out: encode type 0: 0
// out: encode type 3: 0
// out: encode type 9: 0
// out: encode type 12: 0
// out: encode type 13: 1
// out: encode type 14: 1
// out: encode type 15: 1
// out: encode type 16: 1
// out: encode type 17: 1
// out: encode types of four bits, extent 128: 1
// out: null map 1, extents 1, strides 1, box 1, every 1, strides of rank 1 1
// out: promotion 3: 0, 4: 1
// out: map at 64: 0
// case: --no-counters -- dimensions :: 0
// out: 1 dimension: cudaSuccess, 256 bytes complete, \[0,256\)  hash 0ca242a6620059b1
// out: 1 dimension, beyond both ends: cudaSuccess, 256 bytes complete, \[0,256\)  hash 818a6f13861ab310
// out: 2 dimensions: cudaSuccess, 1024 bytes complete, \[0,1024\)  hash 95fc9961d9d5621b
// out: 3d28217e 047c4839 5059416f 3a7a6315
// case: --no-counters -- types :: 0
// out: type 0: cudaSuccess, 64 bytes complete, \[0,64\)  hash a2cdbd57d84fd902
// out: type 1: cudaSuccess, 128 bytes complete, \[0,128\)  hash 49d2ed40b1a5425d
// out: type 2: cudaSuccess, 256 bytes complete, \[0,256\)  hash 31b7f6e5952d42e4
// out: type 3: cudaSuccess, 256 bytes complete, \[0,256\)  hash 31b7f6e5952d42e4
// out: type 4: cudaSuccess, 512 bytes complete, \[0,512\)  hash bc1ecb97bd01c337
// out: type 5: cudaSuccess, 512 bytes complete, \[0,512\)  hash bc1ecb97bd01c337
// out: type 6: cudaSuccess, 128 bytes complete, \[0,128\)  hash 49d2ed40b1a5425d
// out: type 7: cudaSuccess, 256 bytes complete, \[0,256\)  hash 31b7f6e5952d42e4
// out: type 8: cudaSuccess, 512 bytes complete, \[0,512\)  hash bc1ecb97bd01c337
// out: type 9: cudaSuccess, 128 bytes complete, \[0,128\)  hash 49d2ed40b1a5425d
// out: type 10: cudaSuccess, 256 bytes complete, \[0,256\)  hash 31b7f6e5952d42e4
// out: type 11: cudaSuccess, 256 bytes complete, \[0,256\)  hash 0d836691099d867c
// out: type 12: cudaSuccess, 256 bytes complete, \[0,256\)  hash 0d836691099d867c
// out: 3f800000 3f800000 3f802000 3f804000 3f800000 00000000 80800000 00800000 7f800000 ff800000 7fffe000 7fffe000 7fffe000 7f800000 3f804000 80000000
// out: NaN outside, type 6: cudaSuccess, 128 bytes complete, \[0,128\)  hash 896eb3df5ac6b6b4
// out: NaN outside, type 7: cudaSuccess, 256 bytes complete, \[0,256\)  hash dc2a69cb61195440
// out: NaN outside, type 8: cudaSuccess, 512 bytes complete, \[0,512\)  hash e785e89217edf783
// out: NaN outside, type 9: cudaSuccess, 128 bytes complete, \[0,128\)  hash 896eb3df5ac6b6b4
// out: NaN outside, type 10: cudaSuccess, 256 bytes complete, \[0,256\)  hash dc2a69cb61195440
// out: NaN outside, type 11: cudaSuccess, 256 bytes complete, \[0,256\)  hash 2c39d0477642c8bc
// out: NaN outside, type 12: cudaSuccess, 256 bytes complete, \[0,256\)  hash 2c39d0477642c8bc
// case: --no-counters -- swizzles narrow_swizzles :: 0
// out: swizzle 32: cudaSuccess, 1024 bytes complete, \[0,1024\)  hash 7cd5da503c7c8205
// out: swizzle 32, to byte 1024: cudaSuccess, 1024 bytes complete, \[1024,2048\)  hash 5e8a67e43d190205
// out: swizzle 32, to byte 256: cudaSuccess, 1024 bytes complete, \[256,1280\)  hash da962f32d763a205
// out: swizzle 32, to byte 128: cudaSuccess, 1024 bytes complete, \[128,1152\)  hash ececad9d3b352169
// out: swizzle 32, over the edge: cudaSuccess, 1024 bytes complete, \[0,1024\)  hash 4e347cb0471ff62b
// out: swizzle 32, 3 dimensions: cudaSuccess, 512 bytes complete, \[0,512\)  hash 65c0b0073a9439a7
// out: swizzle 32, 1 dimension: cudaSuccess, 32 bytes complete, \[512,544\)  hash f2b02e6ea7ea97e7
// out: swizzle 64: cudaSuccess, 2048 bytes complete, \[0,2048\)  hash cc34ca6a54be1357
// out: swizzle 64, to byte 1024: cudaSuccess, 2048 bytes complete, \[1024,3072\)  hash a6dcc7f5780c7357
// out: swizzle 64, to byte 256: cudaSuccess, 2048 bytes complete, \[256,2304\)  hash 1936aee9a92cc7d7
// out: swizzle 64, to byte 128: cudaSuccess, 2048 bytes complete, \[128,2176\)  hash d9ae95fea417d60f
// out: swizzle 64, over the edge: cudaSuccess, 2048 bytes complete, \[0,2048\)  hash 0bd323c0d112b4ab
// out: swizzle 64, 3 dimensions: cudaSuccess, 1024 bytes complete, \[0,1024\)  hash aceee9cd455074be
// out: swizzle 64, 1 dimension: cudaSuccess, 64 bytes complete, \[512,576\)  hash ca2dcbeb988a4b78
// out: swizzle 128: cudaSuccess, 4096 bytes complete, \[0,4096\)  hash ee4fda366c6722ce
// out: swizzle 128, to byte 1024: cudaSuccess, 4096 bytes complete, \[1024,5120\)  hash b0a4a95088201ace
// out: swizzle 128, to byte 256: cudaSuccess, 4096 bytes complete, \[256,4352\)  hash fccffa2f9ce8b05e
// out: swizzle 128, to byte 128: cudaSuccess, 4096 bytes complete, \[128,4224\)  hash 9b87651ba6a4eb9a
// out: swizzle 128, over the edge: cudaSuccess, 4096 bytes complete, \[0,4096\)  hash 3f6989d2180d262b
// out: swizzle 128, 3 dimensions: cudaSuccess, 2048 bytes complete, \[0,2048\)  hash 05bfb29fc084eacb
// out: swizzle 128, 1 dimension: cudaSuccess, 128 bytes complete, \[512,640\)  hash 7a529c4f08e6c87b
// out: swizzle 32, rows of 16 bytes: cudaSuccess, 256 bytes complete, \[0,16\) \[32,48\) \[64,80\) \[96,112\) \[144,160\) \[176,192\) \[208,224\)  hash 86dc27d190336360
// out: swizzle 64, rows of 16 bytes: cudaSuccess, 256 bytes complete, \[0,16\) \[64,80\) \[144,160\) \[208,224\) \[288,304\) \[352,368\) \[432,448\)  hash c4e6022bdb84c3c0
// out: swizzle 64, rows of 32 bytes: cudaSuccess, 512 bytes complete, \[0,32\) \[64,96\) \[128,160\) \[192,224\) \[288,320\) \[352,384\) \[416,448\)  hash 8a1091701879a0b9
// out: swizzle 64, rows of 48 bytes: cudaSuccess, 768 bytes complete, \[0,48\) \[64,112\) \[128,160\) \[176,224\) \[240,272\) \[288,336\) \[352,384\)  hash a114591c92cef9c4
// out: swizzle 128, rows of 16 bytes: cudaSuccess, 256 bytes complete, \[0,16\) \[144,160\) \[288,304\) \[432,448\) \[576,592\) \[720,736\) \[864,880\)  hash 3af51f2dcb3fa560
// out: swizzle 128, rows of 32 bytes: cudaSuccess, 512 bytes complete, \[0,32\) \[128,160\) \[288,320\) \[416,448\) \[576,608\) \[704,736\) \[864,896\)  hash 1b03fafa9722f78d
// out: swizzle 128, rows of 48 bytes: cudaSuccess, 768 bytes complete, \[0,48\) \[128,160\) \[176,192\) \[256,272\) \[288,320\) \[400,448\) \[576,624\)  hash 0f1da15cb3f5337c
// out: swizzle 128, rows of 64 bytes: cudaSuccess, 1024 bytes complete, \[0,64\) \[128,192\) \[256,320\) \[384,448\) \[576,640\) \[704,768\) \[832,896\)  hash f693be27d43c5133
// out: swizzle 128, rows of 80 bytes: cudaSuccess, 1280 bytes complete, \[0,80\) \[128,192\) \[208,224\) \[256,320\) \[352,368\) \[384,448\) \[496,528\)  hash 8d3095278c5e30b7
// out: swizzle 128, rows of 96 bytes: cudaSuccess, 1536 bytes complete, \[0,96\) \[128,224\) \[256,320\) \[352,448\) \[480,544\) \[576,672\) \[704,768\)  hash bb0393b74003d108
// out: swizzle 128, rows of 112 bytes: cudaSuccess, 1792 bytes complete, \[0,112\) \[128,224\) \[240,336\) \[352,448\) \[464,560\) \[576,672\) \[688,784\)  hash 7c3bbfd356f495b9
// case: -- to_64 :: 4
// out: to byte 64: cudaErrorMisalignedAddress
// err: misaligned tensor copy: its shared memory does not begin at a multiple of 128 bytes
// case: -- swizzled_to_64 :: 4
// out: to byte 64: cudaErrorMisalignedAddress
// case: -- odd_element :: 4
// out: at an odd element: cudaErrorIllegalInstruction
// err: illegal tensor copy: its first coordinate is no multiple of 16 bytes
// case: -- too_few_bytes too_many_bytes :: 0
// out: 1008 bytes: cudaSuccess, 1008 bytes do not complete, \[0,1024\)
// out: 1040 bytes: cudaSuccess, 1040 bytes do not complete, \[0,1024\)
// case: -- wrong_rank :: 4
// out: dimensions: cudaErrorIllegalInstruction
// err: illegal tensor copy: with more or fewer coordinates than its map has dimensions
// case: -- no_map :: 4
// out: cudaErrorIllegalInstruction
// err: illegal tensor copy: by what is no tensor map; cuTensorMapEncodeTiled makes one
// case: -- freed :: 4
// err: out-of-bounds bulk load of 128 bytes at \S+: 'cudaMalloc #1' has been freed
// case: -- beyond_memory :: 4
// err: out-of-bounds bulk load of 128 bytes
// case: -- beyond_shared :: 4
// out: cudaErrorIllegalAddress
// err: out-of-bounds bulk store of 1024 bytes at byte \d+ of shared memory
#include "tensor_copies.h"

namespace {

/// Shared memory of 0xaa, one load to `offset`, and all of it is written to `out`. out[kShared]: whether `bytes` bytes
/// completed the phase.
template <int rank>
__global__ void loads(const __grid_constant__ CUtensorMap map, Place p, int offset, unsigned bytes, unsigned char* out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ __align__(8) std::uint64_t mbarrier;
  for (int k = static_cast<int>(threadIdx.x); k < kShared; k += static_cast<int>(blockDim.x)) shared[k] = 0xaa;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&mbarrier)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    load<rank>(shared_address(shared + offset), &map, p, shared_address(&mbarrier));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&mbarrier)), "r"(bytes)
                 : "memory");
  }
  const bool done = completes(shared_address(&mbarrier));
  __syncthreads();
  if (threadIdx.x == 0) out[kShared] = done;
  for (int k = static_cast<int>(threadIdx.x); k < kShared; k += static_cast<int>(blockDim.x)) out[k] = shared[k];
}

void one_load(const char* name, const Spec& s, Place p, int offset = 0, int bytes = -1,
              const std::vector<unsigned char>* given = nullptr, int words = 0) {
  unsigned char *global = memory(kGlobal), *out = memory(kShared + 1);
  const auto in = given ? *given : pattern(kGlobal);
  cudaMemcpy(global, in.data(), in.size(), cudaMemcpyHostToDevice);
  CUtensorMap map;
  const CUresult made = make(map, s, global);
  if (made != CUDA_SUCCESS) {
    std::printf("%s: encode %d\n", name, made);
    return;
  }
  long box = s.element;
  for (std::size_t k = 0; k < s.box.size(); ++k) {
    const cuuint32_t every = s.every.empty() || k == 0 ? 1 : s.every[k];
    box *= (s.box[k] + every - 1) / every;
  }
  const unsigned expected = bytes < 0 ? static_cast<unsigned>(box) : static_cast<unsigned>(bytes);
  switch (s.extent.size()) {
    case 1: loads<1><<<1, 128, kShared>>>(map, p, offset, expected, out); break;
    case 2: loads<2><<<1, 128, kShared>>>(map, p, offset, expected, out); break;
    case 3: loads<3><<<1, 128, kShared>>>(map, p, offset, expected, out); break;
    case 4: loads<4><<<1, 128, kShared>>>(map, p, offset, expected, out); break;
    default: loads<5><<<1, 128, kShared>>>(map, p, offset, expected, out); break;
  }
  const cudaError_t e = cudaDeviceSynchronize();
  std::vector<unsigned char> got(kShared + 1);
  cudaMemcpy(got.data(), out, got.size(), cudaMemcpyDeviceToHost);
  const bool done = got[kShared] != 0;
  got.pop_back();
  std::printf("%s: %s, %u bytes %s, %s hash %016llx\n", name, cudaGetErrorName(e), expected,
              done ? "complete" : "do not complete", written(got).c_str(),
              static_cast<unsigned long long>(hash(got)));
  for (int k = 0; k < words; ++k) {
    unsigned w;
    std::memcpy(&w, &got[static_cast<std::size_t>(offset + 4 * k)], 4);
    std::printf("%08x%s", w, k + 1 == words ? "\n" : " ");
  }
  cudaFree(global), cudaFree(out);
}

// ---- sections ----

void encodings() {
  unsigned char* const global = memory(kGlobal);
  const Spec good{.extent = {64, 32}, .box = {32, 8}};
  const auto tells = [&](const char* name, const Spec& s, void* at) {
    CUtensorMap map;
    std::printf("encode %s: %d\n", name, make(map, s, at));
  };
  const auto with = [&](const char* name, const std::function<void(Spec&)>& change, std::size_t offset = 0) {
    Spec s = good;
    change(s);
    tells(name, s, global + offset);
  };
  with("as it should be", [](Spec&) {});
  with("rank 0", [](Spec& s) { s.rank = 0; });
  with("rank 6", [](Spec& s) { s.rank = 6, s.extent.resize(6, 4), s.box.resize(6, 1), s.every.resize(6, 1); });
  with("address 8", [](Spec&) {}, 8);
  with("address 16", [](Spec&) {}, 16);
  tells("null address", good, nullptr);
  tells("an address that no allocation has", good, reinterpret_cast<void*>(std::uintptr_t{1} << 40));
  with("extent 0", [](Spec& s) { s.strides = {256}, s.extent[1] = 0; });
  with("inner extent 0", [](Spec& s) { s.strides = {256}, s.extent[0] = 0; });
  with("extent 2^32", [](Spec& s) { s.extent[1] = cuuint64_t{1} << 32; });
  with("extent 2^32 + 1", [](Spec& s) { s.extent[1] = (cuuint64_t{1} << 32) + 1; });
  with("stride 8", [](Spec& s) { s.strides = {264}; });
  with("stride 0", [](Spec& s) { s.strides = {0}; });
  with("stride less than a row", [](Spec& s) { s.strides = {128}; });
  with("stride 2^40 - 16", [](Spec& s) { s.strides = {(cuuint64_t{1} << 40) - 16}; });
  with("stride 2^40", [](Spec& s) { s.strides = {cuuint64_t{1} << 40}; });
  with("box 0", [](Spec& s) { s.box[1] = 0; });
  with("box 256", [](Spec& s) { s.box[1] = 256; });
  with("box 257", [](Spec& s) { s.box[1] = 257; });
  with("inner box 256", [](Spec& s) { s.box[0] = 256; });
  with("inner box of 8 bytes", [](Spec& s) { s.box[0] = 2; });
  with("inner box of 12 bytes", [](Spec& s) { s.box[0] = 3; });
  with("inner box of 24 bytes", [](Spec& s) { s.box[0] = 6; });
  with("box greater than the extent", [](Spec& s) { s.box[1] = 64; });
  with("every 0", [](Spec& s) { s.every = {1, 0}; });
  with("inner every 0", [](Spec& s) { s.every = {0, 1}; });
  with("every 8", [](Spec& s) { s.every = {1, 8}; });
  with("every 9", [](Spec& s) { s.every = {1, 9}; });
  with("inner every 2", [](Spec& s) { s.every = {2, 1}; });
  with("swizzle 32, inner 32", [](Spec& s) { s.box[0] = 8, s.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; });
  with("swizzle 32, inner 64", [](Spec& s) { s.box[0] = 16, s.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; });
  with("swizzle 64, inner 64", [](Spec& s) { s.box[0] = 16, s.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; });
  with("swizzle 64, inner 128", [](Spec& s) { s.box[0] = 32, s.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; });
  with("swizzle 128, inner 128", [](Spec& s) { s.swizzle = CU_TENSOR_MAP_SWIZZLE_128B; });
  with("swizzle 128, inner 256", [](Spec& s) { s.box[0] = 64, s.swizzle = CU_TENSOR_MAP_SWIZZLE_128B; });
  with("swizzle 128, inner 144", [](Spec& s) { s.box[0] = 36, s.swizzle = CU_TENSOR_MAP_SWIZZLE_128B; });
  with("swizzle 4", [](Spec& s) { s.swizzle = static_cast<CUtensorMapSwizzle>(4); });
  with("swizzle 7", [](Spec& s) { s.swizzle = static_cast<CUtensorMapSwizzle>(7); });
  with("fill NaN of whole numbers", [](Spec& s) { s.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; });
  with("fill NaN of floats", [](Spec& s) {
    s.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, s.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  });
  with("fill 2", [](Spec& s) { s.fill = static_cast<CUtensorMapFloatOOBfill>(2); });
  with("interleave 16, rank 2", [](Spec& s) { s.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; });
  with("interleave 3", [](Spec& s) { s.interleave = static_cast<CUtensorMapInterleave>(3); });
  for (int type = 0; type < 18; ++type)
    with(("type " + std::to_string(type)).c_str(), [&](Spec& s) {
      s.type = static_cast<CUtensorMapDataType>(type), s.strides = {512}, s.box = {16, 8};
    });
  with("types of four bits, extent 128", [](Spec& s) {
    s.type = static_cast<CUtensorMapDataType>(13), s.extent = {128, 32}, s.strides = {64}, s.box = {32, 8};
  });
  {
    CUtensorMap map;
    const cuuint64_t extent[]{64, 32}, strides[]{256};
    const cuuint32_t box[]{32, 8}, every[]{1, 1};
    const auto call = [&](CUtensorMap* m, const cuuint64_t* e, const cuuint64_t* st, const cuuint32_t* b,
                          const cuuint32_t* ev, int rank, int promotion) {
      return encode()(m, CU_TENSOR_MAP_DATA_TYPE_INT32, static_cast<cuuint32_t>(rank), global, e, st, b, ev,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                      static_cast<CUtensorMapL2promotion>(promotion), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    std::printf("null map %d, extents %d, strides %d, box %d, every %d, strides of rank 1 %d\n",
                call(nullptr, extent, strides, box, every, 2, 0), call(&map, nullptr, strides, box, every, 2, 0),
                call(&map, extent, nullptr, box, every, 2, 0), call(&map, extent, strides, nullptr, every, 2, 0),
                call(&map, extent, strides, box, nullptr, 2, 0), call(&map, extent, nullptr, box, every, 1, 0));
    std::printf("promotion 3: %d, 4: %d\n", call(&map, extent, strides, box, every, 2, 3),
                call(&map, extent, strides, box, every, 2, 4));
    std::vector<unsigned char> room(sizeof(CUtensorMap) + 64);
    auto at = reinterpret_cast<std::uintptr_t>(room.data()) + 63 & ~std::uintptr_t{63};
    std::printf("map at 64: %d\n", call(reinterpret_cast<CUtensorMap*>(at), extent, strides, box, every, 2, 0));
  }
  cudaFree(global);
}

void dimensions() {
  one_load("1 dimension", {.extent = {1000}, .box = {64}}, {{128}});
  one_load("1 dimension, beyond both ends", {.extent = {40}, .box = {64}}, {{-8}});
  one_load("2 dimensions", {.extent = {64, 32}, .box = {32, 8}}, {{16, 4}}, 0, -1, nullptr, 4);
  one_load("2 dimensions, at the right and lower edge", {.extent = {60, 30}, .box = {32, 8}}, {{48, 26}});
  one_load("2 dimensions, at negative places", {.extent = {64, 32}, .box = {32, 8}}, {{-4, -3}});
  one_load("2 dimensions, all outside", {.extent = {64, 32}, .box = {32, 8}}, {{1000, 1000}});
  one_load("2 dimensions, as far outside as numbers go", {.extent = {64, 32}, .box = {32, 8}},
           {{2147483644, -2147483647 - 1}});
  one_load("2 dimensions, rows apart", {.extent = {60, 30}, .box = {32, 8}, .strides = {512}}, {{40, 2}});
  one_load("2 dimensions, rows that overlap", {.extent = {64, 32}, .box = {32, 8}, .strides = {128}}, {{8, 2}});
  one_load("2 dimensions, one row repeated", {.extent = {64, 32}, .box = {32, 8}, .strides = {0}}, {{8, 2}});
  one_load("3 dimensions", {.extent = {16, 12, 10}, .box = {8, 4, 3}}, {{4, 10, 8}});
  one_load("4 dimensions", {.extent = {16, 6, 5, 4}, .box = {8, 3, 2, 2}}, {{-4, 4, 1, 3}});
  one_load("5 dimensions", {.extent = {16, 6, 5, 4, 3}, .box = {8, 3, 2, 2, 2}}, {{12, -1, 1, 3, 1}});
  one_load("a box of 256 rows", {.extent = {8, 300}, .box = {8, 256}}, {{0, 20}});
  one_load("a box beyond the extent", {.extent = {12, 5}, .box = {32, 8}, .strides = {64}}, {{0, 0}});
  one_load("every second row", {.extent = {64, 32}, .box = {32, 8}, .every = {1, 2}}, {{16, 4}});
  one_load("every third row of 8", {.extent = {64, 32}, .box = {32, 8}, .every = {1, 3}}, {{16, 26}});
  one_load("every second element of the inner dimension", {.extent = {64, 32}, .box = {32, 8}, .every = {2, 1}},
           {{16, 4}});
  one_load("every second of three dimensions", {.extent = {16, 12, 10}, .box = {8, 4, 5}, .every = {2, 2, 2}},
           {{4, 9, 6}});
  one_load("to byte 1024", {.extent = {64, 32}, .box = {32, 8}}, {{16, 4}}, 1024);
  one_load("to byte 128", {.extent = {64, 32}, .box = {32, 8}}, {{16, 4}}, 128);
}

void types() {
  const auto element = [](CUtensorMapDataType type) {
    switch (type) {
      case CU_TENSOR_MAP_DATA_TYPE_UINT8: return 1;
      case CU_TENSOR_MAP_DATA_TYPE_UINT16:
      case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
      case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return 2;
      case CU_TENSOR_MAP_DATA_TYPE_UINT64:
      case CU_TENSOR_MAP_DATA_TYPE_INT64:
      case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return 8;
      default: return 4;
    }
  };
  // Words whose bits show roundings and flushes: subnormals, NaNs, ties of TF32.
  std::vector<unsigned char> special(kGlobal, 0x11);
  const unsigned words[]{0x3f800000, 0x3f801000, 0x3f801001, 0x3f803000, 0x3f800fff, 0x00000001, 0x807fffff, 0x00800000,
                         0x7f800000, 0xff800000, 0x7f800001, 0x7fc12345, 0xffffffff, 0x7f7fffff, 0x3f805000, 0x80000000};
  for (std::size_t k = 0; k < 64; ++k) std::memcpy(&special[4 * k], &words[k % 16], 4);
  for (int type = 0; type < 13; ++type) {
    const auto t = static_cast<CUtensorMapDataType>(type);
    const Spec s{.type = t, .element = element(t), .extent = {64, 16}, .box = {16, 4}, .strides = {512}};
    one_load(("type " + std::to_string(type)).c_str(), s, {{0, 0}}, 0, -1, &special, 16);
  }
  for (const int type : {6, 7, 8, 9, 10, 11, 12}) {
    const auto t = static_cast<CUtensorMapDataType>(type);
    const Spec s{.type = t,
                 .element = element(t),
                 .extent = {64, 16},
                 .box = {16, 4},
                 .strides = {512},
                 .fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA};
    one_load(("NaN outside, type " + std::to_string(type)).c_str(), s, {{-static_cast<int>(16 / element(t)), 14}}, 0, -1, nullptr, 16);
  }
}

void swizzles() {
  const CUtensorMapSwizzle all[]{CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  for (int k = 0; k < 3; ++k) {
    const cuuint32_t inner = 8u << k;
    const auto name = [&](const std::string& what) { return "swizzle " + std::to_string(32 << k) + what; };
    const Spec s{.extent = {64, 64}, .box = {inner, 32}, .swizzle = all[k]};
    one_load(name("").c_str(), s, {{4, 3}}, 0, -1, nullptr, 16);
    one_load(name(", to byte 1024").c_str(), s, {{4, 3}}, 1024);
    one_load(name(", to byte 256").c_str(), s, {{4, 3}}, 256);
    one_load(name(", to byte 128").c_str(), s, {{4, 3}}, 128);
    one_load(name(", over the edge").c_str(), s, {{60, 50}});
    one_load(name(", 3 dimensions").c_str(), {.extent = {64, 8, 8}, .box = {inner, 4, 4}, .swizzle = all[k]},
             {{0, 2, 3}});
    one_load(name(", 1 dimension").c_str(), {.extent = {64}, .box = {inner}, .swizzle = all[k]}, {{0}}, 512);
  }
}

/// Rows that are narrower than the swizzle.
void narrow_swizzles() {
  const CUtensorMapSwizzle all[]{CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  for (int k = 0; k < 3; ++k)
    for (cuuint32_t inner = 4; inner < 8u << k; inner += 4) {
      const Spec s{.extent = {64, 64}, .box = {inner, 16}, .swizzle = all[k]};
      const auto name = "swizzle " + std::to_string(32 << k) + ", rows of " + std::to_string(4 * inner) + " bytes";
      one_load(name.c_str(), s, {{4, 3}});
      }
}

void load_at(int offset, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
  one_load(("to byte " + std::to_string(offset)).c_str(), {.extent = {64, 32}, .box = {32, 8}, .swizzle = swizzle},
           {{16, 4}}, offset);
}

const std::map<std::string, std::function<void()>> sections{
    {"dimensions", dimensions},
    {"encodings", encodings},
    {"narrow_swizzles", narrow_swizzles},
    {"swizzles", swizzles},
    {"types", types},
    {"to_64", [] { load_at(64); }},
    {"swizzled_to_64", [] { load_at(64, CU_TENSOR_MAP_SWIZZLE_128B); }},
    {"too_few_bytes", [] { one_load("1008 bytes", {.extent = {64, 32}, .box = {32, 8}}, {{16, 4}}, 0, 1008); }},
    {"too_many_bytes", [] { one_load("1040 bytes", {.extent = {64, 32}, .box = {32, 8}}, {{16, 4}}, 0, 1040); }},
    {"odd_element", [] { one_load("at an odd element", {.extent = {64, 32}, .box = {32, 8}}, {{3, 5}}); }},
    {"beyond_memory", [] { one_load("beyond", {.extent = {64, 1 << 20}, .box = {32, 8}}, {{0, 1 << 19}}); }},
    {"beyond_shared", [] { load_at(kShared - 512); }},
    {"wrong_rank",
     [] {
       unsigned char *global = memory(kGlobal), *out = memory(kShared + 1);
       CUtensorMap map;
       make(map, {.extent = {64, 32}, .box = {32, 8}}, global);
       loads<3><<<1, 128, kShared>>>(map, {{0, 0, 0}}, 0, 1024, out);
       std::printf("three coordinates for a map of two dimensions: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
     }},
    {"no_map",
     [] {
       unsigned char* out = memory(kShared + 1);
       CUtensorMap map{};
       loads<2><<<1, 128, kShared>>>(map, {{0, 0}}, 0, 1024, out);
       std::printf("zeros for a map: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
     }},
    {"freed",
     [] {
       unsigned char *global = memory(kGlobal), *out = memory(kShared + 1);
       CUtensorMap map;
       make(map, {.extent = {64, 32}, .box = {32, 8}}, global);
       cudaFree(global);
       loads<2><<<1, 128, kShared>>>(map, {{0, 0}}, 0, 1024, out);
       std::printf("a map of freed memory: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
     }},
};

}  // namespace

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k)
    if (const auto found = sections.find(argv[k]); found != sections.end()) found->second();
}
