#pragma once
// Pseudorandom generators as cuRAND's host API has them: many subsequences, each with its own state, that give numbers
// in turn. What one gives is what curand_kernel.h computes for the same seed and subsequence.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpulab::curand {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The next subsequence's turn. `draw()` are its raw bits, one after the other.
class Streams {
 public:
  virtual ~Streams() = default;
  virtual u32 draw() = 0;
  /// Numbers as uniform ones in (0, 1] where they are not of the bits alone (MRG32k3a).
  virtual double fraction() { return 0; }
  [[nodiscard]] virtual bool has_fractions() const { return false; }
  /// It is the next subsequence's turn; of those that give their numbers in groups, when a group is used up.
  virtual void turn() = 0;
  /// Numbers of one subsequence in a row, before it is the next one's turn: 1, of Philox 4.
  [[nodiscard]] virtual int group() const { return 1; }
  /// Each result is made of 32 bits, whatever its form; normal numbers then by their quantile.
  [[nodiscard]] virtual bool draws_once() const { return false; }
};

/// `offset`: results to skip.
[[nodiscard]] std::unique_ptr<Streams> xorwow(u64 seed, u64 offset, bool seeded);
[[nodiscard]] std::unique_ptr<Streams> mrg32k3a(u64 seed, u64 offset, bool legacy);
[[nodiscard]] std::unique_ptr<Streams> philox(u64 seed, u64 offset);
[[nodiscard]] std::unique_ptr<Streams> mtgp32(u64 seed, bool legacy);
[[nodiscard]] std::unique_ptr<Streams> mt19937(u64 seed);

}  // namespace gpulab::curand
