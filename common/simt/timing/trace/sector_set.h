#pragma once
// Numbers of sectors, and what is known of each: tables that only grow. Open addressing, because they are asked once
// for each sector of a trace.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpulab::simt {

/// No sector has the number UINT64_MAX. References hold until the next sector is added.
template <typename Known>
class SectorMap {
 public:
  /// What is known of a sector, `otherwise` where that is the first time; and whether it is.
  std::pair<Known&, bool> try_emplace(std::uint64_t sector, const Known& otherwise) {
    std::size_t at = place_of(sector);
    for (; slots_[at].sector != kNone; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].sector == sector) return {slots_[at].known, false};
    if (++size_ * 2 > slots_.size()) {
      grow();
      for (at = place_of(sector); slots_[at].sector != kNone;) at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {sector, otherwise};
    return {slots_[at].known, true};
  }
  Known& operator[](std::uint64_t sector) { return try_emplace(sector, Known{}).first; }
  [[nodiscard]] bool contains(std::uint64_t sector) const {
    for (std::size_t at = place_of(sector); slots_[at].sector != kNone; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].sector == sector) return true;
    return false;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kNone = UINT64_MAX;
  struct Slot {
    std::uint64_t sector = kNone;
    [[no_unique_address]] Known known{};
  };
  [[nodiscard]] std::size_t place_of(std::uint64_t sector) const {
    return (sector * 0x9e3779b97f4a7c15u >> 20) & (slots_.size() - 1);
  }
  void grow() {
    const auto old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 4));
    for (const Slot& slot : old) {
      if (slot.sector == kNone) continue;
      std::size_t at = place_of(slot.sector);
      while (slots_[at].sector != kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }
  std::vector<Slot> slots_ = std::vector<Slot>(256);
  std::size_t size_ = 0;
};

class SectorSet {
 public:
  /// True: it was not there.
  bool insert(std::uint64_t sector) { return map_.try_emplace(sector, {}).second; }
  [[nodiscard]] bool contains(std::uint64_t sector) const { return map_.contains(sector); }
  [[nodiscard]] std::size_t size() const { return map_.size(); }

 private:
  struct Nothing {};
  SectorMap<Nothing> map_;
};

}  // namespace gpulab::simt
