// L'Ecuyer's MRG32k3a: two linear recurrences of three numbers, modulo two primes. Subsequences lie 2^76 steps apart.

#include "common/cuda_api/libraries/curand/streams.h"

namespace gpulab::curand {
namespace {

constexpr u64 kM1 = 4294967087u, kM2 = 4294944443u;
constexpr int kApart = 76;

using Vector = std::array<u64, 3>;
using Matrix = std::array<Vector, 3>;  ///< rows

constexpr Matrix kA1{{{0, 1, 0}, {0, 0, 1}, {kM1 - 810728, 1403580, 0}}};
constexpr Matrix kA2{{{0, 1, 0}, {0, 0, 1}, {kM2 - 1370589, 0, 527612}}};

Vector times(const Matrix& a, const Vector& v, u64 m) {
  Vector made{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) made[i] = (made[i] + a[i][j] * v[j]) % m;
  return made;
}
Matrix times(const Matrix& a, const Matrix& b, u64 m) {
  Matrix made{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) made[i][j] = (made[i][j] + a[i][k] * b[k][j]) % m;
  return made;
}

struct State {
  Vector s1, s2;
};

State seeded_with(u64 seed) {
  State made{{12345, 12345, 12345}, {12345, 12345, 12345}};
  if (seed == 0) return made;
  const u64 x1 = static_cast<u32>(seed) ^ 0x55555555u, x2 = static_cast<u32>((seed >> 32) ^ 0xAAAAAAAAu);
  const u64 by[] = {x1, x2};
  for (std::size_t i = 0; i < 3; ++i) {
    made.s1[i] = by[i % 2] * made.s1[i] % kM1;
    made.s2[i] = by[(i + 1) % 2] * made.s2[i] % kM2;
  }
  return made;
}

class Mrg final : public Streams {
 public:
  Mrg(u64 seed, u64 offset, u64 subsequences) : subsequences_(subsequences), states_(subsequences) {
    State first = seeded_with(seed);
    Matrix a1 = kA1, a2 = kA2;
    const u64 rounds = offset / subsequences;
    for (int bit = 0; bit < kApart; ++bit) {
      if (bit < 64 && (rounds >> bit & 1) != 0) first = {times(a1, first.s1, kM1), times(a2, first.s2, kM2)};
      a1 = times(a1, a1, kM1), a2 = times(a2, a2, kM2);
    }
    for (State& state : states_) {
      state = first;
      first = {times(a1, first.s1, kM1), times(a2, first.s2, kM2)};
    }
    for (; turn_ < offset % subsequences; ++turn_) (void)next(states_[turn_]);
  }
  u32 draw() override {
    constexpr double to_bits = 1.000000048662;  // as curand_kernel.h spreads them over 32 bits
    return static_cast<u32>(next(states_[turn_]) * to_bits);
  }
  double fraction() override {
    constexpr double norm = 2.3283065498378288e-10;  // 1 / (m1 + 1), about
    return next(states_[turn_]) * norm;
  }
  [[nodiscard]] bool has_fractions() const override { return true; }
  void turn() override { turn_ = (turn_ + 1) % subsequences_; }

 private:
  /// From 1 to m1.
  static double next(State& s) {
    const u64 p1 = (1403580 * s.s1[1] + (kM1 - s.s1[0]) * 810728) % kM1;
    s.s1 = {s.s1[1], s.s1[2], p1};
    const u64 p2 = (527612 * s.s2[2] + (kM2 - s.s2[0]) * 1370589) % kM2;
    s.s2 = {s.s2[1], s.s2[2], p2};
    return static_cast<double>(p1 <= p2 ? p1 + kM1 - p2 : p1 - p2);
  }
  u64 subsequences_;
  std::vector<State> states_;
  u64 turn_ = 0;
};

}  // namespace

std::unique_ptr<Streams> mrg32k3a(u64 seed, u64 offset, bool legacy) {
  return std::make_unique<Mrg>(seed, offset, legacy ? 4096 : 81920);
}

}  // namespace gpulab::curand
