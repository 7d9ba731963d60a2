#pragma once
// What tensor_maps.cu and tensor_stores.cu have in common: maps of a tensor, loads by them, what came.

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kShared = 32768;

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                            const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
Encode encode() {
  static const auto function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status);
    return reinterpret_cast<Encode>(found);
  }();
  return function;
}

/// What a map is made of; the strides are those of dense rows unless `strides` says otherwise.
struct Spec {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  int element = 4;
  std::vector<cuuint64_t> extent{};
  std::vector<cuuint32_t> box{};
  std::vector<cuuint32_t> every{};
  std::vector<cuuint64_t> strides{};
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  int rank = -1;
};

CUresult make(CUtensorMap& map, Spec s, void* memory) {
  const auto rank = s.extent.size();
  if (s.strides.empty() && rank > 0) {
    cuuint64_t bytes = static_cast<cuuint64_t>(s.element);
    for (std::size_t k = 0; k + 1 < rank; ++k) s.strides.push_back(bytes *= s.extent[k]);
  }
  if (s.every.empty()) s.every.assign(rank, 1);
  s.strides.resize(8, 16);
  return encode()(&map, s.type, s.rank < 0 ? static_cast<cuuint32_t>(rank) : static_cast<cuuint32_t>(s.rank), memory,
                  s.extent.data(), s.strides.data(), s.box.data(), s.every.data(), s.interleave, s.swizzle,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, s.fill);
}

struct Place {
  int c[5];
};

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

template <int rank>
__device__ void load(unsigned to, const CUtensorMap* map, Place p, unsigned mbarrier) {
  if constexpr (rank == 1)
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(
            to),
        "l"(map), "r"(p.c[0]), "r"(mbarrier)
        : "memory");
  if constexpr (rank == 2)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            to),
        "l"(map), "r"(p.c[0]), "r"(p.c[1]), "r"(mbarrier)
        : "memory");
  if constexpr (rank == 3)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5];" ::"r"(to),
        "l"(map), "r"(p.c[0]), "r"(p.c[1]), "r"(p.c[2]), "r"(mbarrier)
        : "memory");
  if constexpr (rank == 4)
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
        "[%6];" ::"r"(to),
        "l"(map), "r"(p.c[0]), "r"(p.c[1]), "r"(p.c[2]), "r"(p.c[3]), "r"(mbarrier)
        : "memory");
  if constexpr (rank == 5)
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, "
        "%6}], [%7];" ::"r"(to),
        "l"(map), "r"(p.c[0]), "r"(p.c[1]), "r"(p.c[2]), "r"(p.c[3]), "r"(p.c[4]), "r"(mbarrier)
        : "memory");
}

/// Waits a while; false: the mbarrier did not complete its phase.
__device__ bool completes(unsigned mbarrier) {
  for (int k = 0; k < 200; ++k) {
    unsigned done;
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 10000; selp.u32 %0, 1, 0, p;}"
        : "=r"(done)
        : "r"(mbarrier)
        : "memory");
    if (done) return true;
  }
  return false;
}

std::uint64_t hash(const std::vector<unsigned char>& bytes) {
  std::uint64_t h = 1469598103934665603u;
  for (const unsigned char b : bytes) h = (h ^ b) * 1099511628211u;
  return h;
}

/// Runs of bytes that are not 0xaa: "[0,256) [512,1024)".
std::string written(const std::vector<unsigned char>& shared) {
  std::string text;
  for (std::size_t k = 0; k < kShared;) {
    if (shared[k] == 0xaa) {
      ++k;
      continue;
    }
    std::size_t end = k;
    while (end < kShared && shared[end] != 0xaa) ++end;
    if (text.size() < 60) text += "[" + std::to_string(k) + "," + std::to_string(end) + ") ";
    k = end;
  }
  return text;
}

unsigned char* memory(std::size_t bytes) {
  unsigned char* p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}

/// Bytes of 1 to 127: never 0xaa, never 0.
std::vector<unsigned char> pattern(std::size_t bytes) {
  std::vector<unsigned char> all(bytes);
  unsigned state = 12345;
  for (auto& b : all) {
    state = state * 1664525 + 1013904223;
    b = static_cast<unsigned char>(1 + (state >> 24) % 127);
  }
  return all;
}

constexpr std::size_t kGlobal = 1 << 20;

}  // namespace
