#pragma once
// What is known of registers of a stretch of code: a table with open addresses, since a stretch names few of the
// thousands that a program may have, and is looked at for each of its instructions.

#include <cstdint>
#include <utility>
#include <vector>

namespace gpulab::simt {

/// By number of a register, which is never 0.
template <typename T>
class RegisterMap {
 public:
  /// nullptr: nothing is known.
  [[nodiscard]] const T* find(std::uint16_t reg) const {
    const Entry& entry = entries_[place_of(reg)];
    return entry.reg == reg ? &entry.value : nullptr;
  }
  [[nodiscard]] T* find(std::uint16_t reg) { return const_cast<T*>(std::as_const(*this).find(reg)); }
  /// As std::map has it.
  T& operator[](std::uint16_t reg) {
    Entry* entry = &entries_[place_of(reg)];
    if (entry->reg == reg) return entry->value;
    if (2 * ++count_ > entries_.size()) {
      grow();
      entry = &entries_[place_of(reg)];
    }
    entry->reg = reg;
    return entry->value;
  }

 private:
  struct Entry {
    std::uint16_t reg = 0;
    T value{};
  };
  [[nodiscard]] std::size_t place_of(std::uint16_t reg) const {
    std::size_t place = reg & (entries_.size() - 1);
    while (entries_[place].reg != 0 && entries_[place].reg != reg) place = (place + 1) & (entries_.size() - 1);
    return place;
  }
  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    std::swap(old, entries_);
    for (Entry& entry : old)
      if (entry.reg) entries_[place_of(entry.reg)] = std::move(entry);
  }
  static constexpr std::size_t kFirst = 64;
  std::vector<Entry> entries_ = std::vector<Entry>(kFirst);
  std::size_t count_ = 0;
};

}  // namespace gpulab::simt
