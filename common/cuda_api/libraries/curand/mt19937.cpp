// MT19937 (Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8, 1998) as cuRAND orders it: 8192 twisters, each
// 2^2048 numbers behind the one before, give eight numbers each in turn, and each gives the 624 numbers of a twist in
// an order of its own. An H100 was asked for both (tests/exec/curand_numbers.cu).

#include <algorithm>
#include <bitset>
#include <mutex>
#include <utility>

#include "common/cuda_api/libraries/curand/streams.h"

namespace gpulab::curand {
namespace {

constexpr std::size_t kSize = 624, kFar = 397;
constexpr std::size_t kDegree = 19937;
constexpr std::size_t kTwisters = 8192, kEach = 8;
using State = std::array<u32, kSize>;

u32 recurrence(u32 at, u32 next, u32 far) {
  const u32 y = (at & 0x80000000u) | (next & 0x7fffffffu);
  return far ^ y >> 1 ^ ((y & 1) != 0 ? 0x9908b0dfu : 0);
}

/// Polynomials over GF(2) modulo the twister's characteristic one. Word k's bit b is the coefficient of x^(64 k + b).
class Polynomial {
 public:
  static constexpr std::size_t kWords = kDegree / 64 + 1;
  [[nodiscard]] bool has(std::size_t power) const { return (words_[power / 64] >> power % 64 & 1) != 0; }
  /// x^(2^exponent), by so many squarings.
  static Polynomial power_of_two(int exponent) {
    const std::vector<std::size_t> terms = characteristic();
    Polynomial p;
    p.words_[0] = 2;
    for (int k = 0; k < exponent; ++k) p.square(terms);
    return p;
  }

 private:
  /// The exponents of the characteristic polynomial but for the highest (the paper's appendix A): the sum of
  /// a_i (x^624 + x^397) (x^623 + x^396)^(30 - i), a_31, and the product with power 31. A power's terms over GF(2) are
  /// those j whose bits all stand in it (Lucas).
  static std::vector<std::size_t> characteristic() {
    std::bitset<kDegree + 1> sum;
    const auto add = [&sum](std::size_t power) {
      for (std::size_t j = 0; j <= power; ++j)
        if ((j & ~power) == 0)
          for (const std::size_t outer : {kSize, kFar}) sum.flip((kSize - 1) * (power - j) + (kFar - 1) * j + outer);
    };
    add(31);
    for (std::size_t i = 0; i < 31; ++i)
      if ((0x9908b0dfu >> i & 1) != 0) add(30 - i);
    sum.flip(0);  // a_31 is 1
    std::vector<std::size_t> terms;
    for (std::size_t k = 0; k < kDegree; ++k)
      if (sum[k]) terms.push_back(k);
    return terms;
  }

  void square(const std::vector<std::size_t>& terms) {
    std::vector<u64> wide(2 * kWords + 1);
    for (std::size_t k = 0; k < kWords; ++k) {
      wide[2 * k] = spread(static_cast<u32>(words_[k]));
      wide[2 * k + 1] = spread(static_cast<u32>(words_[k] >> 32));
    }
    // From the top: what stands at x^kDegree and above in one word goes to the lower terms, all at least 64 below.
    for (std::size_t k = 2 * kWords; k-- > kDegree / 64;) {
      const std::size_t kept = k == kDegree / 64 ? kDegree % 64 : 0;
      const u64 high = wide[k] >> kept << kept;
      wide[k] ^= high;
      if (high == 0) continue;
      for (const std::size_t term : terms) {
        const std::size_t to = 64 * k - kDegree + term, shift = to % 64;
        // Below bit 0 of the lowest word there is nothing: its `kept` low bits are zero.
        if (64 * k + term < kDegree) {
          wide[0] ^= high >> (kDegree - 64 * k - term);
          continue;
        }
        wide[to / 64] ^= high << shift;
        if (shift != 0) wide[to / 64 + 1] ^= high >> (64 - shift);
      }
    }
    std::copy_n(wide.begin(), kWords, words_.begin());
  }
  static u64 spread(u32 bits) {
    u64 x = bits;
    for (const auto& [shift, mask] : {std::pair{16, u64{0x0000ffff0000ffff}},
                                      {8, u64{0x00ff00ff00ff00ff}},
                                      {4, u64{0x0f0f0f0f0f0f0f0f}},
                                      {2, u64{0x3333333333333333}},
                                      {1, u64{0x5555555555555555}}})
      x = (x | x << shift) & mask;
    return x;
  }
  std::array<u64, kWords> words_{};
};

// Most of a jump's time (perf: seven tenths). Clang vectorises it at -O2 and does not know gnu::optimize.
#if defined(__x86_64__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
#if !defined(__clang__)
[[gnu::optimize("O3")]]
#endif
void add(u32* __restrict to, const u32* __restrict from) {
  for (std::size_t k = 0; k < kSize; ++k) to[k] ^= from[k];
}

/// p(T) of a state, T one number further (Haramoto and others, "Efficient Jump Ahead for F2-Linear Random Number
/// Generators", 2008): by Horner's rule, kWindow powers at once from a table of all sums of so many.
class Jump {
 public:
  explicit Jump(const Polynomial& p) {
    constexpr std::size_t steps = (kDegree + kWindow - 1) / kWindow;
    for (std::size_t step = 0; step < steps; ++step) {
      std::size_t window = 0;
      for (std::size_t b = 0; b < kWindow; ++b) {
        const std::size_t power = (steps - 1 - step) * kWindow + b;
        if (power < kDegree && p.has(power)) window |= std::size_t{1} << b;
      }
      windows_.push_back(window);
    }
  }
  void apply(State& state) {
    fill_table(state);
    run_.assign(kSize + windows_.size() * kWindow, 0);
    u32* at = run_.data();
    for (const std::size_t window : windows_) {
      for (std::size_t k = 0; k < kWindow; ++k, ++at) at[kSize] = recurrence(at[0], at[1], at[kFar]);
      add(at, sums_[window].data());
    }
    std::copy_n(at, kSize, state.begin());
  }

 private:
  static constexpr std::size_t kWindow = 6;  // 64 sums of 2.5 KB stay in a second-level cache
  void fill_table(const State& state) {
    std::array<u32, kSize + kWindow> run{};
    std::copy(state.begin(), state.end(), run.begin());
    for (std::size_t k = 0; k < kWindow; ++k) run[kSize + k] = recurrence(run[k], run[k + 1], run[k + kFar]);
    sums_[0].fill(0);
    for (std::size_t window = 1; window < sums_.size(); ++window) {
      const auto lowest = static_cast<std::size_t>(__builtin_ctzll(window));
      sums_[window] = sums_[window & (window - 1)];
      add(sums_[window].data(), run.data() + lowest);
    }
  }
  std::vector<std::size_t> windows_;  ///< from the highest powers down
  std::array<State, std::size_t{1} << kWindow> sums_{};
  std::vector<u32> run_;
};

/// Which of a twist's 624 numbers are given at its step 0 to 77, by eight: eight by themselves, then eleven times
/// seven that lie seven apart.
std::array<std::array<std::size_t, kEach>, kSize / kEach> order_in_twist() {
  std::array<std::array<std::size_t, kEach>, kSize / kEach> order{{{0, 113, 170, 283, 340, 397, 510, 567}}};
  std::size_t step = 1;
  for (const std::size_t first : {1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568})
    for (std::size_t k = 0; k < 7; ++k, ++step)
      for (std::size_t i = 0; i < kEach; ++i) order[step][i] = first + 7 * i + k;
  return order;
}

/// The twisters' states before their first twist, of the seed that was asked for last: a jump takes 0.2 ms, 8191
/// of them more than a second, and programs make one generator after the other with the same seed.
State start_of(u64 seed, std::size_t which) {
  static std::mutex mutex;
  static std::vector<State> starts;
  const std::lock_guard lock(mutex);
  State first{};
  first[0] = static_cast<u32>(seed);  // the upper half is not used: an H100's first number says so
  for (std::size_t i = 1; i < kSize; ++i)
    first[i] = 1812433253u * (first[i - 1] ^ first[i - 1] >> 30) + static_cast<u32>(i);
  if (starts.empty() || starts.front() != first) starts.assign(1, first);
  if (which >= starts.size()) {
    static Jump jump(Polynomial::power_of_two(2048));
    while (which >= starts.size()) {
      State next = starts.back();
      jump.apply(next);
      starts.push_back(next);
    }
  }
  return starts[which];
}

class Twisters final : public Streams {
 public:
  explicit Twisters(u64 seed) : seed_(seed), order_(order_in_twist()) {}
  u32 draw() override {
    const std::size_t which = at_ / kEach % kTwisters, step = at_ / (kEach * kTwisters) % (kSize / kEach);
    if (which >= twisters_.size()) twisters_.push_back(start_of(seed_, which));
    State& s = twisters_[which];
    if (step == 0 && at_ % kEach == 0) twist(s);
    u32 y = s[order_[step][at_++ % kEach]];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
  }
  /// Of 32 bits, float ones rounded from it: so an H100 has it.
  double fraction() override { return draw() * 0x1p-32 + 0x1p-33; }
  [[nodiscard]] bool has_fractions() const override { return true; }
  void turn() override {}
  [[nodiscard]] bool draws_once() const override { return true; }

 private:
  static void twist(State& s) {
    for (std::size_t i = 0; i < kSize; ++i) s[i] = recurrence(s[i], s[(i + 1) % kSize], s[(i + kFar) % kSize]);
  }
  u64 seed_;
  std::array<std::array<std::size_t, kEach>, kSize / kEach> order_;
  std::vector<State> twisters_;  ///< as far as any gave numbers
  std::size_t at_ = 0;           ///< numbers given so far
};

}  // namespace

std::unique_ptr<Streams> mt19937(u64 seed) { return std::make_unique<Twisters>(seed); }

}  // namespace gpulab::curand
