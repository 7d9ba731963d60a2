// Philox 4x32-10 (Salmon and others, Random123): a counter that is mixed. MTGP32 (Saito): Mersenne twisters of 11213
// bits, each by parameters of its own.

#include <curand_mtgp32.h>
// Saito's parameters, under the licence in that file.
#include <curand_mtgp32dc_p_11213.h>

#include "common/cuda_api/libraries/curand/streams.h"

namespace gpulab::curand {
namespace {

class Philox final : public Streams {
 public:
  Philox(u64 seed, u64 offset) : seed_(seed), used_(kSubsequences, offset / 4 / kSubsequences) {
    for (; turn_ < offset / 4 % kSubsequences; ++turn_) ++used_[turn_];
  }
  u32 draw() override {
    if (at_ == 4) {
      mix(used_[turn_]++, turn_);
      at_ = 0;
    }
    return numbers_[at_++];
  }
  void turn() override { turn_ = (turn_ + 1) % kSubsequences; }
  [[nodiscard]] int group() const override { return 4; }

 private:
  static constexpr u64 kSubsequences = 65536;
  void mix(u64 counter, u64 subsequence) {
    std::array<u32, 4> c{static_cast<u32>(counter), static_cast<u32>(counter >> 32), static_cast<u32>(subsequence),
                         static_cast<u32>(subsequence >> 32)};
    u32 k0 = static_cast<u32>(seed_), k1 = static_cast<u32>(seed_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const u64 p0 = u64{0xD2511F53u} * c[0], p1 = u64{0xCD9E8D57u} * c[2];
      c = {static_cast<u32>(p1 >> 32) ^ c[1] ^ k0, static_cast<u32>(p1), static_cast<u32>(p0 >> 32) ^ c[3] ^ k1,
           static_cast<u32>(p0)};
      k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    numbers_ = c;
  }
  u64 seed_;
  std::vector<u64> used_;  ///< groups of each subsequence so far
  u64 turn_ = 0;
  std::array<u32, 4> numbers_{};
  std::size_t at_ = 4;
};

class Mtgp final : public Streams {
 public:
  Mtgp(u64 seed, std::size_t blocks) : states_(blocks) {
    const u32 folded = static_cast<u32>(seed ^ seed >> 32);
    for (std::size_t i = 0; i < blocks; ++i)
      start(states_[i], mtgp32dc_params_fast_11213[i], folded + static_cast<u32>(i) + 1);
  }
  u32 draw() override { return next(states_[turn_], mtgp32dc_params_fast_11213[turn_]); }
  void turn() override { turn_ = (turn_ + 1) % states_.size(); }
  [[nodiscard]] int group() const override { return 256; }
  [[nodiscard]] bool draws_once() const override { return true; }

 private:
  static constexpr std::size_t kSize = 11213 / 32 + 1, kRoom = 1024;
  struct State {
    std::array<u32, kRoom> s{};
    std::size_t at = 0;
  };
  static void start(State& state, const mtgp32_params_fast_t& p, u32 seed) {
    const u32 hidden = p.tbl[4] ^ p.tbl[8] << 16;
    u32 filling = hidden;
    filling += filling >> 16;
    filling += filling >> 8;
    filling &= 0xff;
    auto& s = state.s;
    for (std::size_t i = 0; i < kSize; ++i) s[i] = filling * 0x01010101u;
    s[0] = seed;
    s[1] = hidden;
    for (std::size_t i = 1; i < kSize; ++i) s[i] ^= 1812433253u * (s[i - 1] ^ s[i - 1] >> 30) + static_cast<u32>(i);
  }
  static u32 next(State& state, const mtgp32_params_fast_t& p) {
    const auto at = [&](std::size_t i) -> u32& { return state.s[(state.at + i) % kRoom]; };
    const auto position = static_cast<std::size_t>(p.pos);
    u32 x = (at(0) & p.mask) ^ at(1);
    x ^= x << p.sh1;
    const u32 y = x ^ at(position) >> p.sh2, made = y ^ p.tbl[y & 15];
    at(kSize) = made;
    u32 t = at(position - 1);
    t ^= t >> 16;
    t ^= t >> 8;
    ++state.at;
    return made ^ p.tmp_tbl[t & 15];
  }
  std::vector<State> states_;
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Streams> philox(u64 seed, u64 offset) { return std::make_unique<Philox>(seed, offset); }
std::unique_ptr<Streams> mtgp32(u64 seed, bool legacy) { return std::make_unique<Mtgp>(seed, legacy ? 64 : 192); }

}  // namespace gpulab::curand
