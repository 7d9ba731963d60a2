#pragma once
// A set of numbers of sectors that only grows: open addressing, because it is asked once for each sector of a trace.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpulab::simt {

class SectorSet {
 public:
  /// True: it was not there. No sector has the number UINT64_MAX.
  bool insert(std::uint64_t sector) {
    std::size_t at = place_of(sector);
    for (; slots_[at] != kNone; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at] == sector) return false;
    slots_[at] = sector;
    if (++size_ * 2 > slots_.size()) grow();
    return true;
  }
  [[nodiscard]] bool contains(std::uint64_t sector) const {
    for (std::size_t at = place_of(sector); slots_[at] != kNone; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at] == sector) return true;
    return false;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kNone = UINT64_MAX;
  [[nodiscard]] std::size_t place_of(std::uint64_t sector) const {
    return (sector * 0x9e3779b97f4a7c15u >> 20) & (slots_.size() - 1);
  }
  void grow() {
    const auto old = std::exchange(slots_, std::vector<std::uint64_t>(slots_.size() * 4, kNone));
    for (const std::uint64_t sector : old) {
      if (sector == kNone) continue;
      std::size_t at = place_of(sector);
      while (slots_[at] != kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = sector;
    }
  }
  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(256, kNone);
  std::size_t size_ = 0;
};

}  // namespace gpulab::simt
