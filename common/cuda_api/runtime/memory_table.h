#pragma once
// The memory that the program has asked the runtime for, by address.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace gpulab::cuda_api {

/// MemoryEntry::freed_by of what the program did not free itself.
constexpr const char* kByReset = "cudaDeviceReset";

struct MemoryEntry {
  enum class Kind { device, managed, pinned, registered } kind = Kind::device;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  unsigned flags = 0;
  std::string name{};         ///< "cudaMalloc #3"
  std::string caller{};       ///< where in the program
  bool variable = false;      ///< a module's: nobody frees it
  bool of_graph = false;      ///< its address stays when it is freed: the graph's next launch has it there again
  std::string freed_by{};     ///< where in the program
  int gpu = 0;                ///< whose it is, or where it was allocated (the host's)
  std::uint64_t context = 0;  ///< of the driver's API: ends with it; 0: the primary one
  [[nodiscard]] bool host_may_touch() const { return kind != Kind::device; }
};

class MemoryTable {
 public:
  void add(MemoryEntry entry) {
    MemoryEntry& place = entries_[entry.address];
    used_[place.gpu] -= of_device(place);
    used_[entry.gpu] += of_device(entry);
    place = std::move(entry);
    ++changes_;
  }
  void remove(std::uint64_t address, std::string freed_by = {}) {
    const auto found = entries_.find(address);
    if (found == entries_.end()) return;
    ++changes_;
    used_[found->second.gpu] -= of_device(found->second);
    found->second.freed_by = std::move(freed_by);
    if (found->second.kind != MemoryEntry::Kind::registered) freed_.push_back(std::move(found->second));
    if (freed_.size() > kRemembered) freed_.pop_front();
    entries_.erase(found);
  }
  /// All of it is gone with the device.
  void clear() {
    while (!entries_.empty()) remove(entries_.begin()->first, kByReset);
    used_.clear();
    ++changes_;
  }
  /// The one that held it before it was freed; null where there is none, or it is forgotten.
  [[nodiscard]] const MemoryEntry* freed(std::uint64_t address) const {
    for (auto entry = freed_.rbegin(); entry != freed_.rend(); ++entry)
      if (address - entry->address < entry->bytes) return &*entry;
    return nullptr;
  }
  /// The one that begins there; null where none does.
  [[nodiscard]] const MemoryEntry* at(std::uint64_t address) const {
    const auto found = entries_.find(address);
    return found == entries_.end() ? nullptr : &found->second;
  }
  /// The one that holds the address; null where none does.
  [[nodiscard]] const MemoryEntry* holding(std::uint64_t address) const {
    auto next = entries_.upper_bound(address);
    if (next == entries_.begin()) return nullptr;
    const MemoryEntry& entry = (--next)->second;
    return address - entry.address < entry.bytes ? &entry : nullptr;
  }
  [[nodiscard]] const std::map<std::uint64_t, MemoryEntry>& all() const { return entries_; }
  /// How often it has changed.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// Bytes of a GPU's own memory.
  [[nodiscard]] std::size_t used(int gpu) const {
    const auto found = used_.find(gpu);
    return found == used_.end() ? 0 : found->second;
  }
  /// Of all GPUs'.
  [[nodiscard]] std::size_t used() const {
    std::size_t all = 0;
    for (const auto& [gpu, bytes] : used_) all += bytes;
    return all;
  }

 private:
  static std::size_t of_device(const MemoryEntry& entry) {
    return entry.kind == MemoryEntry::Kind::device || entry.kind == MemoryEntry::Kind::managed ? entry.bytes : 0;
  }
  static constexpr std::size_t kRemembered = 256;
  std::deque<MemoryEntry> freed_;
  std::map<std::uint64_t, MemoryEntry> entries_;
  std::map<int, std::size_t> used_;  ///< by GPU
  std::uint64_t changes_ = 0;
};

}  // namespace gpulab::cuda_api
