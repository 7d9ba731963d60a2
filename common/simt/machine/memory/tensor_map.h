#pragma once
// What a program's CUtensorMap holds here: cuTensorMapEncodeTiled writes it, kernels' tensor copies and
// tensormap.replace read and write it. NVIDIA's own 128 bytes are opaque, so these need not be alike. Whoever reads one
// must expect any bytes: a kernel may have written them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gpulab::simt {

inline constexpr int kMostDimensions = 5;

/// By their numbers in CUtensorMapDataType, and in tensormap.replace.
enum class TensorType : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
};
inline constexpr int kTensorTypes = 13;
[[nodiscard]] constexpr std::uint32_t element_bytes(TensorType type) {
  constexpr std::uint8_t bytes[kTensorTypes]{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return bytes[static_cast<int>(type)];
}
[[nodiscard]] constexpr bool is_floating(TensorType type) { return type >= TensorType::f16; }

/// 128 bytes. Dimension 0 is the innermost, whose elements lie side by side.
struct TensorMap {
  static constexpr std::uint64_t kMark = 0x70616d2d6c756770;

  std::uint64_t mark = kMark;
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMostDimensions - 1> strides{};  ///< bytes from an element to the next, of dimensions 1 …
  std::array<std::uint32_t, kMostDimensions> last{};         ///< extent - 1
  std::array<std::uint16_t, kMostDimensions> box{};          ///< elements of a copy, where it takes each
  std::array<std::uint8_t, kMostDimensions> every{};         ///< it takes each so-manieth; not of dimension 0
  TensorType type = TensorType::u8;
  std::uint8_t rank = 0;
  std::uint8_t swizzle = 0;  ///< 0: none; n: pieces of 16 bytes change places within 16 << n bytes
  std::uint8_t nan_outside = 0;
  std::array<std::uint8_t, 41> unused{};

  /// Elements that a copy has along a dimension.
  [[nodiscard]] std::uint32_t count(int dimension) const {
    const auto d = static_cast<std::size_t>(dimension);
    return dimension == 0 ? box[0] : (box[d] + every[d] - 1u) / every[d];
  }
  /// Bytes of a row of dimension 0 in global memory.
  [[nodiscard]] std::uint32_t row_bytes() const { return box[0] * element_bytes(type); }
  /// Rows of dimension 0.
  [[nodiscard]] std::uint64_t rows() const {
    std::uint64_t all = 1;
    for (int d = 1; d < rank; ++d) all *= count(d);
    return all;
  }
  /// Bytes that a copy brings, and that an mbarrier counts.
  [[nodiscard]] std::uint64_t bytes() const { return rows() * row_bytes(); }
  /// Bytes from a row to the next in shared memory: a swizzle's rows are as wide as it is (an H100's).
  [[nodiscard]] std::uint32_t pitch() const { return swizzle == 0 ? row_bytes() : 16u << swizzle; }
  /// Bytes of shared memory from the first to the last that a copy may reach.
  [[nodiscard]] std::uint64_t shared_bytes() const { return swizzle == 0 ? bytes() : rows() * pitch(); }
};
static_assert(sizeof(TensorMap) == 128);

/// The map that these 128 bytes are; nothing where cuTensorMapEncodeTiled has not made them, or a number in it is none
/// that it writes.
[[nodiscard]] std::optional<TensorMap> tensor_map_at(const std::byte* bytes);

/// Where a byte of shared memory lies whose place without a swizzle is `address`: the bits 4 to 6 change by the bits 7
/// to 9, of which a swizzle of 32 bytes takes one, of 64 two, of 128 three.
[[nodiscard]] constexpr std::uint32_t swizzled(std::uint32_t address, std::uint32_t swizzle) {
  return address ^ (address >> 3 & ((1u << swizzle) - 1) << 4);
}

}  // namespace gpulab::simt
