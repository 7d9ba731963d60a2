// Marsaglia's XORWOW (Xorshift RNGs, 2003): a linear map of 160 bits, and a counter. Subsequences lie 2^67 apart; the
// jump is the map's power, by squaring, and changes nothing of the counter, for 2^67 steps are a multiple of 2^32.

#include <bit>

#include "common/cuda_api/libraries/curand/streams.h"

namespace gpulab::curand {
namespace {

constexpr int kWords = 5, kBits = 32 * kWords;
constexpr u64 kSubsequences = 4096;
constexpr int kApart = 67;  ///< log2 of the steps between two
constexpr u32 kCount = 362437;

using Vector = std::array<u32, kWords>;
/// Column i: what becomes of bit i.
using Matrix = std::array<Vector, kBits>;

Vector step(Vector v) {
  const u32 t = v[0] ^ v[0] >> 2;
  return {v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ t ^ t << 1};
}

Vector times(const Matrix& m, const Vector& v) {
  Vector sum{};
  for (int word = 0; word < kWords; ++word)
    for (u32 bits = v[static_cast<std::size_t>(word)]; bits != 0; bits &= bits - 1) {
      const Vector& column = m[static_cast<std::size_t>(32 * word + std::countr_zero(bits))];
      for (std::size_t i = 0; i < kWords; ++i) sum[i] ^= column[i];
    }
  return sum;
}

Matrix squared(const Matrix& m) {
  Matrix made;
  for (std::size_t i = 0; i < kBits; ++i) made[i] = times(m, m[i]);
  return made;
}

Matrix one_step() {
  Matrix made;
  for (std::size_t i = 0; i < kBits; ++i) {
    Vector bit{};
    bit[i / 32] = 1u << i % 32;
    made[i] = step(bit);
  }
  return made;
}

struct State {
  Vector v;
  u32 d;
};

State seeded_with(u64 seed) {
  const u32 s0 = static_cast<u32>(seed) ^ 0xaad26b49u, s1 = static_cast<u32>(seed >> 32) ^ 0xf7dcefddu;
  const u32 t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  return {{123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0}, 6615241u + t1 + t0};
}

/// Subsequences of the order SEEDED have seeds that lie so far apart: the one number that gives an H100's.
constexpr u64 kSeedsApart = 3133713;

class Xorwow final : public Streams {
 public:
  Xorwow(u64 seed, u64 offset, bool seeded) : states_(kSubsequences) {
    State first = seeded_with(seed);
    Matrix power = one_step();
    const u64 rounds = offset / kSubsequences;
    // All have gone `rounds` steps; those that were skipped beside, one more.
    for (int bit = 0; bit < kApart; ++bit) {
      if (!seeded && bit < 64 && (rounds >> bit & 1) != 0) first.v = times(power, first.v);
      power = squared(power);
    }
    first.d += static_cast<u32>(rounds) * kCount;
    for (u64 i = 0; i < kSubsequences; ++i) {
      if (seeded) {
        first = seeded_with(seed + i * kSeedsApart);
        for (u64 skipped = 0; skipped < rounds; ++skipped) (void)next(first);
      }
      states_[i] = first;
      first.v = times(power, first.v);
    }
    for (; turn_ < offset % kSubsequences; ++turn_) (void)next(states_[turn_]);
  }
  u32 draw() override { return next(states_[turn_]); }
  void turn() override { turn_ = (turn_ + 1) % kSubsequences; }

 private:
  static u32 next(State& state) {
    state.v = step(state.v);
    state.d += kCount;
    return state.v[4] + state.d;
  }
  std::vector<State> states_;
  u64 turn_ = 0;
};

}  // namespace

std::unique_ptr<Streams> xorwow(u64 seed, u64 offset, bool seeded) {
  return std::make_unique<Xorwow>(seed, offset, seeded);
}

}  // namespace gpulab::curand
