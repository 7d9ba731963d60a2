#pragma once
// Results that no thread wrote, when a copy takes them home: initcheck knows which bytes those are, the launch that got
// the memory as an argument says why ("3 x 256 threads for 1000 elements").

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/cuda_api/runtime/memory_table.h"
#include "common/dim3.h"
#include "common/finding.h"
#include "common/simt/machine/memory/stretch.h"

namespace gpulab::cuda_api {

/// The last launch that had an address of some memory among its arguments.
struct WritingLaunch {
  std::string kernel, caller;
  const void* where = nullptr;  ///< the address that `caller` tells of
  Dim3 grid, block;
  std::vector<std::uint64_t> numbers;  ///< its other arguments, as far as they are positive integers
};

/// Bytes that a copy takes of an allocation, and which of them (by their places in it) nothing wrote.
constexpr std::size_t kMostGaps = 256;  ///< that are looked at
struct TakenBytes {
  std::string_view function, memory;
  Stretch taken;
  std::span<const Stretch> unwritten;
};

/// What there is to say. An error where the launch's shape explains the gap, or where the kernel wrote nothing at all;
/// a note where the host may know better (a list that is not full); nothing where the gaps may be padding.
struct UnwrittenResult {
  Severity severity = Severity::note;
  std::string message;
};
[[nodiscard]] std::optional<UnwrittenResult> unwritten_result(const TakenBytes& taken, const WritingLaunch& launch);

/// A copy from the host that wrote a part of an allocation, from its begin on.
struct PartialCopy {
  std::string function, caller;
  std::uint64_t bytes = 0;  ///< of all copies to it
};

/// Copies to each allocation, while they have not filled it.
class PartialCopies {
 public:
  /// `caller` is asked for where it is the first.
  template <typename Caller>
  void add(const MemoryEntry& memory, const char* function, std::uint64_t bytes, const Caller& caller) {
    PartialCopy& copy = copies_[memory.address];
    if (copy.bytes == 0) copy = {function, caller(), 0};
    copy.bytes += bytes;
  }
  void clear() { copies_.clear(); }
  void forget(std::uint64_t address) { copies_.erase(address); }
  /// Null: none.
  [[nodiscard]] const PartialCopy* of(std::uint64_t address) const {
    const auto found = copies_.find(address);
    return found == copies_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::uint64_t, PartialCopy> copies_;
};

/// Which launch had which memory last.
class WritingLaunches {
 public:
  /// An argument word that is an address of `memory`'s. `launch` is asked for where it is another than before.
  template <typename Make>
  void got(const MemoryEntry& memory, const void* where, const Make& launch) {
    WritingLaunch& known = last_[memory.address];
    std::string caller = known.where == where ? std::move(known.caller) : std::string();
    known = launch(std::move(caller));
  }
  void forget(std::uint64_t address) { last_.erase(address); }
  void clear() { last_.clear(); }
  /// Null: none had it.
  [[nodiscard]] const WritingLaunch* of(const MemoryEntry& memory) const {
    const auto found = last_.find(memory.address);
    return found == last_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::uint64_t, WritingLaunch> last_;
};

}  // namespace gpulab::cuda_api
