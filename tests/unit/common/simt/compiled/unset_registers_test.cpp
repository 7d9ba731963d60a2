// Registers that a kernel reads before it has written them: the same in each block, however many CPU threads run them,
// interpreted and compiled.

#include "tests/unit/common/simt/compiled/both_ways.h"

namespace gpulab::tests {
namespace {

/// %x and %y hold nothing at first; the last lanes never get a %k.
constexpr std::string_view kSums = R"(
  setp.gt.u32 %p, %t, 50;
  @%p bra SUM;
  add.u32 %k, %t, 1;
SUM:
  add.u32 %x, %x, %t;
  xor.b32 %y, %y, %x;
  xor.b32 %y, %y, %k;
  @%q add.u32 %y, %y, 1;
  st.global.u32 [%a], %y;)";

TEST_CASE("registers that nobody gave a value hold the same in every block") {
  const std::vector<std::uint32_t> words = both_ways(kSums, {}).words;
  for (std::uint32_t t = 0; t < 64; ++t) {
    CHECK(words[t] == words[64 + t]);
    const std::uint32_t sum = 0x7ff57ff5u + t, k = t > 50 ? 0x7ff57ff5u : t + 1;
    CHECK(words[t] == (0x7ff57ff5u ^ sum ^ k));
  }
}

TEST_CASE("a float, a double and two halves that nobody gave a value are no numbers") {
  const std::vector<std::uint32_t> words = both_ways(R"(
  .reg .f32 %f;
  .reg .f64 %d;
  .reg .b16 %h;
  .reg .pred %r;
  testp.notanumber.f32 %r, %f;
  selp.u32 %x, 1, 0, %r;
  testp.notanumber.f64 %r, %d;
  @%r or.b32 %x, %x, 2;
  setp.nan.f16 %r, %h, %h;
  @%r or.b32 %x, %x, 4;
  st.global.u32 [%a], %x;)",
                                                     {})
                                               .words;
  CHECK(words[0] == 7);
  CHECK(words[127] == 7);
}

}  // namespace
}  // namespace gpulab::tests
