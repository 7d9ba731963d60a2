// Loads and stores of several values, and of a thread's own arrays: code where lanes lie side by side, or at one place.

#include "tests/unit/common/simt/compiled/both_ways.h"

namespace gpulab::tests {
namespace {

TEST_CASE("several values of a lane at once: lanes side by side, apart, at one place, and some of a warp") {
  // %o has 128 threads' 32 bytes each; the second half of the threads stores before the first half loads it.
  const Ended ended = both_ways(R"(
  .reg .b64 %l, %d, %e;
  .reg .b32 %z;
  mul.wide.u32 %l, %i, 16;
  add.u64 %l, %o, %l;
  add.u32 %x, %i, 7;
  mul.lo.u32 %y, %i, %i;
  mov.u32 %z, 9;
  st.global.v4.u32 [%l], {%i, %x, %y, %z};
  ld.global.v4.u32 {%z, %y, %x, %k}, [%l];
  add.u32 %x, %x, %z;
  st.global.v2.u32 [%l+8], {%y, %x};
  ld.global.v2.u64 {%d, %e}, [%l];
  add.u64 %d, %d, %e;
  st.global.v2.u64 [%l+2048], {%e, %d};
  and.b32 %k, %t, 1;
  mul.wide.u32 %w, %k, 48;
  add.u64 %w, %w, %l;
  ld.global.v4.u32 {%x, %y, %k, %z}, [%w];
  add.u32 %x, %x, %y;
  ld.global.v4.u32 {%y, %t, %k, %z}, [%o];
  setp.lt.u32 %p, %i, 70;
  @!%p bra SKIP;
  ld.global.v4.u32 {%y, %k, %z, %n}, [%l];
  add.u32 %x, %x, %n;
  st.global.v2.u32 [%l], {%x, %y};
SKIP:
  add.u32 %x, %x, %y;
  st.global.u32 [%l+4], %x;)");
  CHECK(ended.error == "none");
}

TEST_CASE("several values at once that are misaligned, or beyond the array for one lane, are the handler's to judge") {
  for (const char* access :
       {"ld.global.v4.u32 {%x, %y, %k, %n}, [%l+8];", "st.global.v4.u32 [%l+2064], {%i, %i, %i, %i};"}) {
    const Ended ended = both_ways(fmt::format(R"(
  .reg .b64 %l;
  mul.wide.u32 %l, %i, 16;
  add.u64 %l, %o, %l;
  st.global.u32 [%l], %i;
  {}
  st.global.u32 [%l], %t;)",
                                              access));
    CHECK(ended.error != "none");
  }
}

TEST_CASE("accesses to shared memory by one register are looked at together, also where it lies below zero") {
  // Lanes' words lie side by side; %x is 256 bytes before them.
  const Ended ended = both_ways(R"(
  .reg .b64 %d;
  mul.lo.u32 %y, %t, 4;
  sub.u32 %x, %y, 256;
  st.shared.u32 [%x+256], %i;
  add.u32 %k, %i, 5;
  ld.shared.u32 %n, [%x+256];
  add.u32 %k, %k, %n;
  bar.sync 0;
  ld.shared.u32 %n, [tile+8];
  ld.shared.u32 %b, [%x+256];
  ld.shared.u32 %x, [%x+256];
  add.u32 %k, %k, %x;
  add.u32 %k, %k, %b;
  add.u32 %k, %k, %n;
  st.global.u32 [%a], %k;)");
  CHECK(ended.error == "none");
  CHECK(ended.words[3] == 4 * 3 + 5 + 2);
  CHECK(ended.counters["shared_load_requests"] == 2 * 2 * 4);
}

TEST_CASE(
    "of accesses to shared memory that are looked at together the one that faults is named, and those before count") {
  for (const char* bad : {"ld.shared.u32 %y, [%x+132];", "st.shared.u32 [%x+1024], %y;", "ld.shared.u32 %y, [%x+2];",
                          "ld.shared.u32 %y, [%x-4];"}) {
    const Ended ended = both_ways(fmt::format(R"(
  mul.lo.u32 %x, %t, 4;
  st.shared.u32 [%x], %i;
  ld.shared.u32 %y, [%x];
  st.global.u32 [%a], %y;
  {}
  ld.shared.u32 %n, [%x];
  st.global.u32 [%a+4], %y;)",
                                              bad));
    CHECK(ended.error != "none");
  }
}

TEST_CASE("arrays of a thread: all lanes at one place, each at its own, wide values and several at once") {
  // Each lane's array holds its number and more; lanes of a part of the warp add to theirs; then each reads elsewhere.
  const Ended ended = both_ways(R"(
  .local .align 16 .b8 own[64];
  .reg .b64 %l, %m, %d, %e;
  mov.u64 %l, own;
  add.u32 %x, %i, 100;
  st.local.v4.u32 [%l], {%i, %x, %t, %n};
  cvt.u64.u32 %d, %i;
  mul.lo.u64 %d, %d, 0x100000003;
  st.local.u64 [%l+16], %d;
  st.local.v2.u64 [%l+32], {%d, %d};
  mov.u32 %k, 0;
AGAIN:
  setp.lt.u32 %p, %t, 45;
  @!%p bra SKIP;
  ld.local.u32 %y, [%l+4];
  add.u32 %y, %y, %k;
  st.local.u32 [%l+4], %y;
  ld.local.u64 %e, [%l+16];
  add.u64 %e, %e, %d;
  st.local.u64 [%l+40], %e;
  and.b32 %y, %t, 3;
  mul.wide.u32 %m, %y, 4;
  add.u64 %m, %l, %m;
  ld.local.u32 %x, [%m];
  add.u32 %x, %x, %y;
  st.local.u32 [%m+48], %x;
SKIP:
  add.u32 %k, %k, 1;
  setp.lt.u32 %q, %k, 20;
  @%q bra AGAIN;
  ld.local.v2.u64 {%d, %e}, [%l+32];
  xor.b64 %d, %d, %e;
  ld.local.v4.u32 {%x, %y, %k, %n}, [%l];
  add.u32 %x, %x, %y;
  add.u32 %x, %x, %k;
  cvt.u32.u64 %y, %d;
  shr.u64 %d, %d, 32;
  cvt.u32.u64 %k, %d;
  xor.b32 %x, %x, %y;
  xor.b32 %x, %x, %k;
  st.global.u32 [%a], %x;)");
  CHECK(ended.error == "none");
  CHECK(ended.counters["local_load_sectors"] > 0);
}

TEST_CASE("an access to local memory that is misaligned or outside names its lane, and nobody else's words change") {
  for (const char* access : {"st.local.u32 [%l+66], %x;", "ld.local.u64 %d, [%l+60];", "st.local.u32 [%m], %x;",
                             "@%p st.local.u32 [%l+4096], %x;"}) {
    const Ended ended = both_ways(fmt::format(R"(
  .local .align 16 .b8 own[64];
  .reg .b64 %l, %m, %d;
  mov.u64 %l, own;
  mov.u32 %x, 1;
  setp.eq.u32 %p, %t, 9;
  mul.wide.u32 %m, %t, 512;
  add.u64 %m, %l, %m;
  st.local.u32 [%l], %x;
  {}
  st.global.u32 [%a], %x;)",
                                              access));
    CHECK(ended.error != "none");
  }
}

}  // namespace
}  // namespace gpulab::tests
