// A warp leaves compiled code in the middle of a block: where lanes part, a lane faults, the budget ends, an operation
// is the interpreter's. Each kernel here is run both ways, and both have to end alike.

#include "common/simt/compiled/exits.h"

#include "tests/unit/common/simt/compiled/both_ways.h"

namespace gpulab::tests {
namespace {

TEST_CASE("a block that nobody leaves runs as code and counts the same") {
  const Ended ended = both_ways(R"(
  mul.lo.u32 %x, %i, 3;
  st.global.u32 [%a], %x;)");
  CHECK(ended.words[100] == 300);
  CHECK(ended.counters["global_store_requests"] == 4);
}

TEST_CASE("lanes that part go on in the interpreter, and meet again") {
  const Ended ended = both_ways(R"(
  mov.u32 %x, 7;
  and.b32 %y, %i, 3;
  setp.ne.u32 %p, %y, 1;
  @%p bra MEET;
  add.u32 %x, %x, %i;
MEET:
  setp.lt.u32 %q, %t, 32;
  @%q bra END;
  add.u32 %x, %x, 1000;
END:
  st.global.u32 [%a], %x;)");
  CHECK(ended.words[1] == 8);
  CHECK(ended.words[2] == 7);
  CHECK(ended.words[33] == 1040);
}

TEST_CASE(
    "lanes of a short block run under a mask: the others keep their registers and memory, and are not looked at") {
  const Ended ended = both_ways(R"(
  mov.u32 %y, tile;
  shl.b32 %k, %t, 2;
  add.u32 %k, %k, %y;
  st.shared.u32 [%k], %i;
  mov.u32 %x, 4;
  and.b32 %y, %t, 5;
  setp.ne.u32 %p, %y, 1;
  @%p bra MEET;
  ld.shared.u32 %x, [%k];
  add.u32 %x, %x, 100;
  st.shared.u32 [%k], %x;
  ld.global.u32 %y, [%a];
  add.u32 %x, %x, %y;
  st.global.u32 [%a+1024], %x;
MEET:
  ld.shared.u32 %y, [%k];
  add.u32 %x, %x, %y;
  st.global.u32 [%a], %x;)");
  CHECK(ended.words[0] == 4);
  CHECK(ended.words[1] == 202);
  CHECK(ended.words[5] == 9);
  CHECK(ended.words[256 + 1] == 101);
  CHECK(ended.words[256 + 2] == 0);
}

TEST_CASE("of the lanes under a mask the one that faults is named; those that are not there fault nowhere") {
  const std::string_view body = R"(
  setp.lt.u32 %p, %i, {};
  @%p bra MEET;
  add.u64 %w, %a, 4000;
  st.global.u32 [%w], %i;
MEET:
  st.global.u32 [%a], 1;)";
  const std::string in_bounds = fmt::format(fmt::runtime(R"(
  setp.ge.u32 %p, %i, {};
  @%p bra MEET;
  st.global.u32 [%a+3900], %i;
MEET:
  st.global.u32 [%a], 1;)"),
                                            49);
  CHECK(both_ways(in_bounds).error == "none");
  CHECK(both_ways(fmt::format(fmt::runtime(body), 30)).error.find("block (0,0,0), thread (30,0,0)") !=
        std::string::npos);
}

TEST_CASE("a budget ends in the middle of lanes under a mask as where they part") {
  SimulatorOptions options;
  for (const std::uint64_t budget : {200'000, 300'001, 555'555}) {
    options.budget = budget;
    both_ways(R"(
  mov.u32 %x, 0;
AGAIN:
  add.u32 %x, %x, 1;
  and.b32 %y, %x, %t;
  setp.eq.u32 %p, %y, 0;
  @%p bra MEET;
  add.u32 %k, %y, %x;
  xor.b32 %k, %k, 3;
  st.global.u32 [%a+1024], %k;
MEET:
  st.global.u32 [%a], %x;
  setp.ne.u32 %q, %x, 0;
  @%q bra AGAIN;)",
              options);
  }
}

TEST_CASE("loops of different lengths count what each lane executed") {
  const Ended ended = both_ways(R"(
  mov.u32 %x, 0;
  and.b32 %k, %i, 7;
AGAIN:
  setp.eq.u32 %p, %k, 0;
  @%p bra DONE;
  add.u32 %x, %x, %k;
  sub.u32 %k, %k, 1;
  bra AGAIN;
DONE:
  st.global.u32 [%a], %x;)");
  CHECK(ended.words[7] == 28);
}

TEST_CASE("a lane that faults names its line and thread, and what was stored before stays") {
  const Ended ended = both_ways(R"(
  st.global.u32 [%a], 5;
  add.u64 %w, %a, 8192;
  ld.global.u32 %x, [%w];
  st.global.u32 [%a], %x;)");
  CHECK(ended.error.find("out-of-bounds load of 4 bytes") != std::string::npos);
  CHECK(ended.words[0] == 5);
}

TEST_CASE("an access that is misaligned, or half outside, is the handler's to judge") {
  CHECK(both_ways("  add.u64 %w, %a, 2;\n  ld.global.u32 %x, [%w];").error.find("misaligned") != std::string::npos);
  CHECK(both_ways("  add.u64 %w, %a, 3900;\n  ld.global.u32 %x, [%w];").error.find("out-of-bounds") !=
        std::string::npos);
  CHECK(both_ways("  mul.lo.u32 %x, %t, 4;\n  add.u32 %x, %x, 200;\n  ld.shared.u32 %y, [%x];")
            .error.find("out-of-bounds") != std::string::npos);
}

TEST_CASE("a widened address that would leave 32 bits is the interpreter's") {
  const Ended ended = both_ways(R"(
  add.u32 %x, %i, 0xfffffff0;
  mul.wide.u32 %w, %x, 2;
  cvt.u32.u64 %y, %w;
  st.global.u32 [%a], %y;)");
  CHECK(ended.words[0] == 0xffffffe0);
  CHECK(ended.words[17] == 2);
}

TEST_CASE("a budget ends at the same instruction") {
  SimulatorOptions options;
  options.budget = 1'000'000;
  const Ended ended = both_ways(R"(
  mov.u32 %x, 0;
AGAIN:
  add.u32 %x, %x, 1;
  st.global.u32 [%a], %x;
  setp.ne.u32 %p, %x, 0;
  @%p bra AGAIN;)",
                                options);
  CHECK(ended.error.find("did not end within 1000000 warp instructions") != std::string::npos);
  CHECK(ended.words[0] > 1000);
}

TEST_CASE("barriers, shuffles and atomics are called, and code goes on behind them") {
  const Ended ended = both_ways(R"(
  mov.u32 %y, tile;
  shl.b32 %k, %t, 2;
  add.u32 %k, %k, %y;
  st.shared.u32 [%k], %i;
  bar.sync 0;
  xor.b32 %x, %t, 63;
  shl.b32 %x, %x, 2;
  add.u32 %x, %x, %y;
  ld.shared.u32 %x, [%x];
  shfl.sync.bfly.b32 %y, %x, 1, 31, 0xffffffff;
  add.u32 %x, %x, %y;
  red.global.add.u32 [%o+2048], 1;
  st.global.u32 [%a], %x;)");
  CHECK(ended.words[0] == 63 + 62);
  CHECK(ended.words[512] == 128);
}

TEST_CASE("quotients and remainders by one divisor of all lanes are those of the row: powers of two, others, and 0") {
  both_ways(R"(
  mul.lo.u32 %x, %i, 0x9E3779B1;
  mov.u32 %k, 0;
  mov.u32 %y, 0;
again:
  rem.u32 %t, %x, %k;
  mad.lo.u32 %y, %y, 7, %t;
  div.u32 %t, %x, %k;
  mad.lo.u32 %y, %y, 7, %t;
  add.u32 %b, %k, 1;
  rem.u32 %t, %x, %b;
  mad.lo.u32 %y, %y, 7, %t;
  div.u32 %t, %x, %b;
  mad.lo.u32 %y, %y, 7, %t;
  shl.b32 %k, %k, 1;
  add.u32 %k, %k, 1;
  setp.ne.u32 %p, %b, 0;
  @%p bra again;
  st.global.u32 [%a], %y;)");
}

TEST_CASE("lanes that leave a loop one by one, with an if in it, meet in compiled code as in the interpreter") {
  both_ways(R"(
  mul.lo.u32 %x, %i, 0x9E3779B1;
  shr.u32 %x, %x, 20;
  add.u32 %x, %x, 1;
  mov.u32 %k, 0;
again:
  and.b32 %y, %x, 1;
  setp.eq.u32 %p, %y, 1;
  @%p bra odd;
halved:
  shr.u32 %x, %x, 1;
  add.u32 %k, %k, 1;
  and.b32 %y, %x, 1;
  setp.eq.u32 %q, %y, 0;
  @%q bra halved;
  bra.uni met;
odd:
  mad.lo.u32 %x, %x, 3, 1;
  add.u32 %k, %k, 256;
met:
  setp.ne.u32 %p, %x, 1;
  @%p bra again;
  st.global.u32 [%a], %k;)");
}

TEST_CASE("a guard writes the lanes for which it holds alone") {
  const Ended ended = both_ways(R"(
  mov.u32 %x, 1;
  setp.gt.u32 %p, %t, 40;
  @%p add.u32 %x, %x, 10;
  @!%p st.global.u32 [%a+1024], %x;
  st.global.u32 [%a], %x;)");
  CHECK(ended.words[40] == 1);
  CHECK(ended.words[41] == 11);
  CHECK(ended.words[256 + 40] == 1);
  CHECK(ended.words[256 + 41] == 0);
}

TEST_CASE("lanes of several rounds that a barrier brings together are not taken for the same") {
  both_ways(R"(
  mov.u32 %x, 0;
  mov.u32 %k, 0;
AGAIN:
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %t, 16;
  @%p bra SKIP;
  bar.sync 0;
  add.u32 %x, %x, %k;
SKIP:
  setp.lt.u32 %q, %k, 3;
  @%q bra AGAIN;
  st.global.u32 [%a], %x;)");
}

TEST_CASE("who watches single instructions has them interpreted") {
  SimulatorOptions options;
  options.sanitize = {"memcheck", "racecheck"};
  both_ways("  st.global.u32 [%a], %i;", options, false);
}

TEST_CASE("blocks that wait in vain are found out after the same turns, whatever nobody reads") {
  // What the loop works out of its rounds is never read: the interpreter's registers have it all the same.
  const Ended ended = both_ways(R"(
  mov.u32 %k, 0;
AGAIN:
  add.u32 %k, %k, 1;
  and.b32 %k, %k, 63;
  mad.lo.u32 %x, %k, 3, %t;
  xor.b32 %x, %x, %b;
  ld.volatile.global.u32 %y, [%o];
  setp.eq.u32 %q, %x, 17;
  setp.ne.u32 %p, %y, 1;
  @%p bra AGAIN;
  st.global.u32 [%a], %y;)");
  CHECK(ended.error != "none");
}

TEST_CASE("of a program that is too long its loops become code, and the interpreter runs what stands around them") {
  std::string body = "  mov.u32 %x, %i;\n";
  const auto straight = [&] {
    for (int i = 0; i < 310; ++i) body += "  mad.lo.u32 %x, %x, 3, %t;\n";
  };
  straight();
  body += R"(
  mov.u32 %k, 0;
AGAIN:
  add.u32 %x, %x, %k;
  add.u32 %k, %k, 1;
  and.b32 %y, %t, 7;
  add.u32 %y, %y, 20;
  setp.lt.u32 %p, %k, %y;
  @%p bra AGAIN;
)";
  straight();
  both_ways(body + "  st.global.u32 [%a], %x;");
}

TEST_CASE("a program that is one long basic block stays interpreted") {
  std::string body = "  mov.u32 %x, %i;\n";
  for (int i = 0; i < 700; ++i) body += "  mad.lo.u32 %x, %x, 3, %t;\n";
  both_ways(body + "  st.global.u32 [%a], %x;", {}, false);
}

TEST_CASE("blocks that may wait for each other take their turns as interpreted ones do") {
  // %o's first word counts those that have come; each thread of the first half waits for its neighbour in the second.
  both_ways(R"(
  atom.global.add.u32 %x, [%o], 1;
  st.global.u32 [%a], %x;)");
  both_ways(R"(
  atom.global.add.u32 %x, [%o], 1;
AGAIN:
  ld.volatile.global.u32 %k, [%o];
  setp.lt.u32 %p, %k, 64;
  @%p bra AGAIN;
  add.u32 %x, %x, %k;
  st.global.u32 [%a], %x;)");
}

}  // namespace
}  // namespace gpulab::tests
