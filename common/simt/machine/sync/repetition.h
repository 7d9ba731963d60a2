#pragma once
// Blocks that wait for each other in vain: all of them poll, and their whole state has come back, registers, places,
// shared, local and global memory. Whoever does the same from the same state does it for ever, so the launch has not to
// run until its budget is used up.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gpulab::simt {

struct BlockContext;
class GlobalMemory;

/// A hash of 64 bits: states that differ have the same by a chance of 2^-64.
class StateHash {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 29;
  }
  void add(const void* bytes, std::size_t count);
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// Finds the state's cycle (Brent, "An improved Monte Carlo factorization algorithm", BIT 1980): a state is kept, and
/// from time to time, twice as far apart, the one at hand takes its place.
class Repetition {
 public:
  /// All these blocks poll, and one of them has had its turn. True: their state is one that was before, since reset().
  /// Never where the host may change what they poll for, unless it is still, or copies are on their way.
  [[nodiscard]] bool found(std::span<const BlockContext* const> blocks, const GlobalMemory& memory, bool host_is_still);
  /// Somebody did something else.
  void reset();

 private:
  /// Looking at a state may take about as long as the turns do that lead to it.
  static constexpr std::uint64_t kBytesPerTurn = 64 << 10;
  struct State {
    std::uint64_t places = 0, all = 0;
  };
  [[nodiscard]] bool may_look(std::uint64_t bytes);

  std::optional<State> kept_;
  std::uint64_t turns_ = 0, looked_at_ = 0;  ///< bytes
  std::uint64_t since_ = 0, next_ = 1;       ///< turns since the state was kept, and when another one is to be
};

}  // namespace gpulab::simt
