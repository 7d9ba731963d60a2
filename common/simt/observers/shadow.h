#pragma once
// What the tools remember of memory: per byte whether it was ever written, per granule who accessed it last.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "common/simt/observers/history.h"

namespace gpulab::simt {

/// The last write of a granule. A zero clock: none.
struct WriteCell {
  std::uint32_t thread = 0;  ///< of the grid
  Clock clock = 0;
  std::uint32_t site = 0;
};

/// Reads by lanes of one warp that no order separates.
struct ReadCell {
  std::uint32_t warp = 0;  ///< of the grid
  std::uint32_t lanes = 0;
  Clock clock = 0;  ///< of the last of them
  std::uint32_t site = 0;
};

/// Of one stretch of memory: a granule is as wide as the narrowest access so far (1, 2 or 4 bytes), so that neighbours
/// in one word are told apart. Readers: the first and the latest of different warps; a third is not remembered. Pages
/// that nobody touches cost nothing.
class RaceShadow {
 public:
  explicit RaceShadow(std::uint64_t bytes) : bytes_(bytes) { allocate(); }

  /// Makes granules no wider than `bytes`.
  void refine(std::uint32_t bytes) {
    while (granule_ > bytes) halve();
  }
  [[nodiscard]] std::uint32_t granule() const { return granule_; }
  [[nodiscard]] WriteCell& written(std::uint64_t cell) { return written_.get()[cell]; }
  [[nodiscard]] ReadCell& first_reader(std::uint64_t cell) { return first_.get()[cell]; }
  [[nodiscard]] ReadCell& last_reader(std::uint64_t cell) { return last_.get()[cell]; }
  void clear() {
    if (used_ == 0) return;
    const auto wipe = [&](auto& cells) { std::fill_n(cells.get(), used_, std::decay_t<decltype(*cells)>{}); };
    wipe(written_);
    wipe(first_);
    wipe(last_);
    used_ = 0;
  }
  /// Cells below this one may have been touched.
  void touch(std::uint64_t end) { used_ = std::max(used_, end); }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  template <typename Cell>
  using Cells = std::unique_ptr<Cell, Free>;
  template <typename Cell>
  static Cells<Cell> zeroed(std::uint64_t count) {
    Cells<Cell> cells(static_cast<Cell*>(std::calloc(count + 1, sizeof(Cell))));
    if (!cells) throw std::bad_alloc();
    return cells;
  }
  [[nodiscard]] std::uint64_t count() const { return (bytes_ + granule_ - 1) / granule_; }
  void allocate() {
    written_ = zeroed<WriteCell>(count());
    first_ = zeroed<ReadCell>(count());
    last_ = zeroed<ReadCell>(count());
  }
  void halve() {
    const auto written = std::move(written_);
    const auto first = std::move(first_);
    const auto last = std::move(last_);
    granule_ /= 2;
    allocate();
    for (std::uint64_t i = 0; i < used_; ++i)
      for (std::uint64_t k = 2 * i; k < 2 * i + 2; ++k) {
        written_.get()[k] = written.get()[i];
        first_.get()[k] = first.get()[i];
        last_.get()[k] = last.get()[i];
      }
    used_ *= 2;
  }

  std::uint64_t bytes_;
  std::uint64_t used_ = 0;
  std::uint32_t granule_ = 4;
  Cells<WriteCell> written_;
  Cells<ReadCell> first_, last_;
};

/// One bit per byte: it holds a value.
class InitShadow {
 public:
  explicit InitShadow(std::uint64_t bytes) : bits_((bytes + 127) / 64) {}
  /// Up to 16 bytes, within two words.
  [[nodiscard]] bool known(std::uint64_t at, std::uint32_t bytes) const {
    const std::uint64_t mask = (std::uint64_t{1} << bytes) - 1;
    return (window(at) & mask) == mask;
  }
  [[nodiscard]] bool known_range(std::uint64_t at, std::uint64_t bytes) const {
    for (; bytes > 32; at += 32, bytes -= 32)
      if (!known(at, 32)) return false;
    return known(at, static_cast<std::uint32_t>(bytes));
  }
  void set(std::uint64_t at, std::uint32_t bytes) {
    const std::uint64_t mask = (std::uint64_t{1} << bytes) - 1, shift = at & 63;
    bits_[at >> 6] |= mask << shift;
    if (shift + bytes > 64) bits_[(at >> 6) + 1] |= mask >> (64 - shift);
  }
  void set_range(std::uint64_t at, std::uint64_t bytes, bool value) {
    for (; bytes && at & 63; ++at, --bytes) set_one(at, value);
    std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(at >> 6), bytes >> 6, value ? ~std::uint64_t{0} : 0);
    for (at += bytes & ~std::uint64_t{63}, bytes &= 63; bytes; ++at, --bytes) set_one(at, value);
  }

 private:
  [[nodiscard]] std::uint64_t window(std::uint64_t at) const {
    const std::uint64_t shift = at & 63;
    return shift ? bits_[at >> 6] >> shift | bits_[(at >> 6) + 1] << (64 - shift) : bits_[at >> 6];
  }
  void set_one(std::uint64_t at, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << (at & 63);
    bits_[at >> 6] = value ? bits_[at >> 6] | bit : bits_[at >> 6] & ~bit;
  }
  std::vector<std::uint64_t> bits_;
};

}  // namespace gpulab::simt
