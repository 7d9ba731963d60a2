#pragma once
// What a program's operations have touched that may still be under way when the next one is queued, and which of them
// touch one byte, one of them writing, with nothing that orders them.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda_api/ordering/ordering.h"
#include "common/simt/observers/touched/touched_bytes.h"

namespace gpulab::cuda_api {

struct Operation {
  enum class Kind : std::uint8_t { kernel, copy, fill, allocation, free } kind = Kind::kernel;
  std::string name;                ///< "slowFill(int*)", "cudaMemcpyAsync"
  std::uint64_t number = 0;        ///< of a launch, the how-manieth of the program
  std::vector<const void*> place;  ///< return addresses, from within
  Point when{};
  bool waited_for = false;  ///< the host waits for it at once, as in cudaMemcpy
  bool staged = false;      ///< from pageable memory: the call returned when the source was free
  simt::TouchedBytes bytes{};
};

/// What the host or an operation does with bytes that another one has, too.
enum class Touch : std::uint8_t { reads, writes, changes };  ///< changes: by atomics

struct Conflict {
  Touch earlier{}, later{};
  simt::ByteRanges bytes;  ///< some, of one allocation
};

class Operations {
 public:
  explicit Operations(Ordering& ordering) : ordering_(ordering) {}

  /// Whether what two copies or fills write there is the same; asked before the later one is done.
  using SameBytes = std::function<bool(const Operation& later, const simt::ByteRange& range)>;
  using Tell = std::function<void(const Operation& earlier, const Operation& later, const Conflict& conflict)>;
  /// Tells of those that nothing orders with this one, which is the last that was queued in its stream: of each stream
  /// the last, for whoever waits for that has waited for all of it.
  void add(Operation operation, const SameBytes& same, const Tell& tell);
  /// That the host knows to be over: all that comes later is behind them.
  void forget_over();
  [[nodiscard]] const std::deque<Operation>& pending() const { return pending_; }

 private:
  static constexpr std::size_t kMost = 1024, kMostRanges = std::size_t{4} << 20;

  Ordering& ordering_;
  std::deque<Operation> pending_;  ///< as they were queued
  std::size_t ranges_ = 0;         ///< that they take
};

/// Of two operations, whatever their order.
[[nodiscard]] std::optional<Conflict> conflict_of(const Operation& earlier, const Operation& later);

}  // namespace gpulab::cuda_api
