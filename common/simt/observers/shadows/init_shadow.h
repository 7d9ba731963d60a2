#pragma once
// What initcheck remembers of memory: per byte whether it holds a value. Like shadow.h, it takes memory of its own
// where some bytes of a page hold one and others do not.

#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/simt/machine/memory/stretch.h"
#include "common/simt/observers/shadows/shadow_memory.h"

namespace gpulab::simt {

/// One bit per byte: it holds a value. Of bytes that do not, a few may be known in part. Whatever changes one throws
/// std::bad_alloc where there is no memory for it.
class InitShadow {
 public:
  static constexpr std::uint64_t kPageWords = 512, kPageBytes = kPageWords * 64;

  explicit InitShadow(std::uint64_t bytes);
  /// Up to 32 bytes, within two words.
  [[nodiscard]] bool known(std::uint64_t at, std::uint32_t bytes) const {
    const std::uint64_t mask = lowest(bytes);
    return (window(at) & mask) == mask;
  }
  /// Those that do not: bit k is the byte at `at` + k.
  [[nodiscard]] std::uint32_t unknown(std::uint64_t at, std::uint32_t bytes) const {
    return static_cast<std::uint32_t>(~window(at) & lowest(bytes));
  }
  [[nodiscard]] bool known_range(std::uint64_t at, std::uint64_t bytes) const {
    const std::uint64_t end = at + bytes;
    for (std::uint64_t index = at >> 6, first = ~std::uint64_t{0} << (at & 63); index << 6 < end;
         ++index, first = ~std::uint64_t{0}) {
      const std::uint64_t left = end - (index << 6),
                          asked = first & (left >= 64 ? ~std::uint64_t{0} : lowest(static_cast<std::uint32_t>(left)));
      if (asked & ~word(index)) return false;
    }
    return true;
  }
  /// Bits of up to 8 bytes that hold no value.
  [[nodiscard]] std::uint64_t unknown_bits(std::uint64_t at, std::uint32_t bytes) const;
  /// Whether some byte there is known in part.
  [[nodiscard]] bool in_parts(std::uint64_t at, std::uint32_t bytes) const {
    if (parts_.empty()) return false;
    std::uint32_t left = unknown(at, bytes);
    while (left && !parts_.contains(at + static_cast<std::uint64_t>(std::countr_zero(left)))) left &= left - 1;
    return left != 0;
  }
  /// Up to 8 bytes, of which `unknown` are the bits that hold no value.
  void set_bits(std::uint64_t at, std::uint32_t bytes, std::uint64_t unknown);
  void set(std::uint64_t at, std::uint32_t bytes) {
    if (known(at, bytes)) return;
    const std::uint64_t mask = lowest(bytes), shift = at & 63;
    change(at >> 6) |= mask << shift;
    if (shift + bytes > 64) change((at >> 6) + 1) |= mask >> (64 - shift);
  }
  void set_range(std::uint64_t at, std::uint64_t bytes, bool value);
  /// Adds those of the asked bytes that hold none, by offset, while `into` has fewer than `most`.
  void add_unknown(const Stretch& asked, std::vector<Stretch>& into, std::size_t most) const;
  /// `f(first, end)` of all ranges of bytes below `bytes` that hold a value, in order.
  template <typename F>
  void for_each_range(std::uint64_t bytes, const F& f) const {
    for (std::uint64_t at = next(0, bytes, true); at < bytes;) {
      const std::uint64_t end = next(at, bytes, false);
      f(at, end);
      at = next(end, bytes, true);
    }
  }
  /// Bytes that its pages take.
  [[nodiscard]] std::uint64_t memory() const;

 private:
  struct Page {
    std::uint64_t words[kPageWords];
  };
  /// In the place of pages of one kind: nothing there holds a value, or all does.
  static const Page kNothing, kAll;
  struct FreePage {
    void operator()(const Page* page) const {
      if (page != &kNothing && page != &kAll) std::free(const_cast<Page*>(page));  // NOLINT: of its own
    }
  };

  static constexpr std::uint64_t lowest(std::uint32_t bits) { return (std::uint64_t{1} << bits) - 1; }
  [[nodiscard]] std::uint64_t word(std::uint64_t index) const {
    return pages_[index / kPageWords]->words[index % kPageWords];
  }
  [[nodiscard]] std::uint64_t window(std::uint64_t at) const {
    const std::uint64_t shift = at & 63, index = at >> 6;
    return shift ? word(index) >> shift | word(index + 1) << (64 - shift) : word(index);
  }
  [[nodiscard]] bool is_own(std::uint64_t page) const {
    return pages_[page].get() != &kNothing && pages_[page].get() != &kAll;
  }
  /// A word of a page of its own.
  std::uint64_t& change(std::uint64_t index) {
    const std::uint64_t page = index / kPageWords;
    if (!is_own(page)) [[unlikely]]
      make_own(page);
    return const_cast<Page*>(pages_[page].get())->words[index % kPageWords];  // NOLINT: of its own
  }
  void make_own(std::uint64_t page);
  /// The first byte from `at` on that holds a value, or none; `bytes` where there is no such.
  [[nodiscard]] std::uint64_t next(std::uint64_t at, std::uint64_t bytes, bool value) const;
  void set_some(std::uint64_t index, std::uint64_t mask, bool value);

  std::vector<std::unique_ptr<const Page, FreePage>> pages_;
  /// By byte: the bits that hold no value, where some do. Of a byte that holds one, what stands here counts no more.
  std::unordered_map<std::uint64_t, std::uint8_t> parts_;
};

}  // namespace gpulab::simt
