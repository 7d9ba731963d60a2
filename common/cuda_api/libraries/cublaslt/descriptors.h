#pragma once
// What the opaque words of cublasLt's descriptors hold. Programs may keep them on their stack (…Init) or have us make
// them (…Create).

#include <cublasLt.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace gpulab::cublaslt {

struct Layout {
  std::int32_t type, order;
  std::uint64_t rows, columns;
  std::int64_t ld;
  std::int32_t batch;
  std::uint32_t batch_mode;
  std::int64_t stride, plane;
};
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

[[nodiscard]] inline Layout read(cublasLtMatrixLayout_t layout) {
  Layout made;
  std::memcpy(&made, layout->data, sizeof made);
  return made;
}

/// How an algorithm is set up.
struct Algorithm {
  std::int32_t id = 0;
  std::uint32_t tile = 0;
  std::int32_t splits = 1;
  std::uint32_t reduction = 0, swizzling = 0, custom = 0, stages = 0;
  std::uint16_t inner_shape = 0, cluster_shape = 0;
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

inline void put(cublasLtMatmulAlgo_t* to, const Algorithm& algorithm) {
  *to = {};
  std::memcpy(to->data, &algorithm, sizeof algorithm);
}

/// An attribute of a product, as the program set it, or its default.
template <typename T>
[[nodiscard]] T attribute(cublasLtMatmulDesc_t description, int which);

/// The word that keeps an attribute; -1: none does.
[[nodiscard]] constexpr int slot_of(int attribute) {
  if (attribute < 0) return -1;
  if (attribute <= 8) return attribute;
  if (attribute >= 10 && attribute <= 15) return attribute - 1;
  if (attribute >= 17 && attribute <= 26) return attribute - 2;
  if (attribute >= 31 && attribute <= 37) return attribute - 6;
  return -1;
}

template <typename T>
T attribute(cublasLtMatmulDesc_t description, int which) {
  T value{};
  std::memcpy(&value, &description->data[slot_of(which)], sizeof value);
  return value;
}

}  // namespace gpulab::cublaslt
