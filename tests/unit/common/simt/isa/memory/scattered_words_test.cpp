// Words of shared memory that each lane reaches by its own data: the same with and without patterns that are kept.

#include <fmt/format.h>

#include "tests/unit/common/simt/compiled/both_ways.h"

namespace gpulab::tests {
namespace {

/// Lanes read and write where a generator of random numbers leads them, all of a warp or some; in round 150 thread 37
/// does `last` instead, which has its place in %y.
std::string scattered(std::string_view last) {
  return kernel_of(fmt::format(R"(
  .shared .align 4 .b8 words[8192];
  .reg .b32 %s, %m, %z;
  mov.u32 %s, words;
  mad.lo.u32 %x, %i, 7919, 1;
  mov.u32 %k, 0;
AGAIN:
  mad.lo.u32 %x, %x, 1664525, 1013904223;
  shr.u32 %m, %k, 5;
  add.u32 %m, %m, 21;
  shr.u32 %y, %x, %m;
  and.b32 %y, %y, 2047;
  shl.b32 %y, %y, 2;
  add.u32 %y, %y, %s;
  st.shared.u32 [%y], %x;
  setp.eq.u32 %p, %k, 150;
  setp.eq.and.u32 %p, %t, 37, %p;
  @%p bra LAST;
  and.b32 %m, %x, 12;
  setp.eq.u32 %q, %m, 0;
  @%q bra SKIP;
  ld.shared.u32 %z, [%y];
  add.u32 %x, %x, %z;
SKIP:
  ld.shared.u32 %z, [%y];
  xor.b32 %x, %x, %z;
  bra NEXT;
LAST:
  {}
NEXT:
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 200;
  @%p bra AGAIN;
  st.global.u32 [%a], %x;)",
                               last));
}

TEST_CASE("scattered words leave the same memory, counters and faults whether patterns are kept or not") {
  for (const char* last : {"mov.u32 %z, 0;", "st.shared.u32 [%y+8192], %x;", "ld.shared.u32 %z, [%y+2];"}) {
    SimulatorOptions options;
    options.lines = true;  // asks for patterns
    const Ended kept = run(scattered(last), options);
    options.lines = false;
    const Ended given_up = run(scattered(last), options);
    CHECK(given_up == kept);
    CHECK((kept.error == "none") == (std::string_view(last).starts_with("mov")));
    options.compiled = simt::compiled::When::always;
    CHECK(run(scattered(last), options) == kept);
  }
}

}  // namespace
}  // namespace gpulab::tests
