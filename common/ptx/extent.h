#pragma once
// Sizes, offsets and addresses that come from PTX text or from a kernel's registers may be any number of 64 bits. They
// are compared and laid out here, where no sum can wrap; who narrows one afterwards has had its limit checked.

#include <cstdint>
#include <optional>

namespace gpulab {

/// [at, at + bytes) lies in [0, size).
[[nodiscard]] static constexpr bool within(std::uint64_t at, std::uint64_t bytes, std::uint64_t size) {
  return at <= size && bytes <= size - at;
}

/// `rows` pieces of `bytes` bytes, each `pitch` behind the one before, take this many bytes; nothing where that does
/// not fit 64 bits.
[[nodiscard]] static constexpr std::optional<std::uint64_t> extent_of_rows(std::uint64_t rows, std::uint64_t pitch,
                                                                           std::uint64_t bytes) {
  if (rows == 0) return 0;
  if (pitch != 0 && rows - 1 > (UINT64_MAX - bytes) / pitch) return std::nullopt;
  return (rows - 1) * pitch + bytes;
}

/// Variables one behind the other, each at a multiple of its alignment, within a limit.
class Layout {
 public:
  constexpr explicit Layout(std::uint64_t limit) : limit_(limit) {}
  /// Where the next variable lies; nothing where it ends beyond the limit. An alignment of 0 counts as 1.
  [[nodiscard]] constexpr std::optional<std::uint64_t> place(std::uint64_t bytes, std::uint64_t align) {
    const std::uint64_t padding = align ? (align - end_ % align) % align : 0;
    if (!within(end_, padding, limit_) || !within(end_ + padding, bytes, limit_)) return std::nullopt;
    const std::uint64_t at = end_ + padding;
    end_ = at + bytes;
    return at;
  }
  [[nodiscard]] constexpr std::uint64_t end() const { return end_; }

 private:
  std::uint64_t limit_, end_ = 0;
};

}  // namespace gpulab
