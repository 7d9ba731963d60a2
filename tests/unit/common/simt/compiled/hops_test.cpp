// Code that goes on with the next warp where one comes to a barrier or ends: turns, counts, clocks, faults and what the
// interpreter finds are as if each warp had come back. And what code keeps as words there, or works out by two ends.

#include <initializer_list>

#include "tests/unit/common/simt/compiled/both_ways.h"

namespace gpulab::tests {
namespace {

/// A body run interpreted and compiled in blocks of so many threads; what the interpreter left.
Ended in_blocks(std::string_view body, std::uint32_t blocks, std::uint32_t threads, SimulatorOptions options = {}) {
  const std::string ptx = kernel_of(body);
  const Ended interpreted = run(ptx, options, blocks, threads);
  options.compiled = simt::compiled::When::always;
  const Ended compiled = run(ptx, options, blocks, threads);
  CHECK(compiled.error == interpreted.error);
  CHECK(compiled.words == interpreted.words);
  CHECK(compiled.counters == interpreted.counters);
  return interpreted;
}

/// A tree in global memory: in each step fewer lanes, whose addresses and masks differ, and a barrier.
constexpr std::string_view kTree = R"(
  add.u32 %x, %i, 1;
  st.global.u32 [%a], %x;
  mov.u32 %k, 1;
STEP:
  bar.sync 0;
  shl.b32 %x, %k, 1;
  rem.u32 %y, %t, %x;
  setp.ne.u32 %p, %y, 0;
  add.u32 %x, %t, %k;
  setp.ge.u32 %q, %x, %n;
  or.pred %p, %p, %q;
  @%p bra NEXT;
  mul.wide.u32 %w, %k, 4;
  add.u64 %w, %a, %w;
  ld.global.u32 %x, [%w];
  ld.global.u32 %y, [%a];
  add.u32 %x, %x, %y;
  st.global.u32 [%a], %x;
NEXT:
  shl.b32 %k, %k, 1;
  setp.lt.u32 %p, %k, %n;
  @%p bra STEP;)";

TEST_CASE("warps of a block take turns from barrier to barrier in code as in the interpreter") {
  const Ended ended = in_blocks(kTree, 3, 256);
  CHECK(ended.words[0] == 256 * 257 / 2);
  CHECK(ended.words[512] == 256 * 257 / 2 + 256 * 512);
}

TEST_CASE("a warp that is not whole has its turn from the interpreter, between those that code runs") {
  CHECK(in_blocks(kTree, 2, 250).words[0] == 250 * 251 / 2);
  CHECK(in_blocks(kTree, 2, 33).words[0] == 33 * 34 / 2);
}

TEST_CASE("warps that end early, and lanes that do, leave the others their turns") {
  in_blocks(R"(
  setp.gt.u32 %p, %t, 200;
  @%p exit;
  mov.u32 %k, 0;
AGAIN:
  bar.sync 0;
  mad.lo.u32 %x, %k, 7, %i;
  st.global.u32 [%a], %x;
  shl.b32 %y, %k, 5;
  sub.u32 %y, 200, %y;
  setp.gt.u32 %p, %t, %y;
  @%p ret;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 5;
  @%p bra AGAIN;)",
            3, 256);
}

TEST_CASE("clocks tell the same from warp to warp, also behind a barrier that a warp is the last to come to") {
  in_blocks(R"(
  mov.u32 %k, 0;
AGAIN:
  mov.u32 %x, %clock;
  st.global.u32 [%a], %x;
  bar.sync 1;
  mov.u32 %y, %clock;
  add.u32 %x, %x, %y;
  st.global.u32 [%a], %x;
  bar.sync 0;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 3;
  @%p bra AGAIN;)",
            2, 224);
}

TEST_CASE("a fault behind a barrier names the thread of the warp whose turn it is") {
  const Ended ended = in_blocks(R"(
  st.global.u32 [%a], %i;
  bar.sync 0;
  setp.eq.u32 %p, %i, 357;
  @%p add.u64 %a, %a, 1048576;
  add.u32 %x, %i, 1;
  st.global.u32 [%a], %x;)",
                                2, 256);
  CHECK(ended.error.find("block (1,0,0), thread (101,0,0)") != std::string::npos);
  CHECK(ended.words[256] == 257);
}

TEST_CASE("a budget ends in the same warp's turn, and a deadlock at barriers is told alike") {
  SimulatorOptions options;
  options.budget = 5'000;
  CHECK(in_blocks(R"(
AGAIN:
  bar.sync 0;
  add.u32 %x, %x, 1;
  st.global.u32 [%a], %x;
  bra AGAIN;)",
                  2, 256, options)
            .error.find("did not end") != std::string::npos);
  CHECK(in_blocks(R"(
  setp.lt.u32 %p, %t, 96;
  @%p bra FIRST;
  bar.sync 1;
  bra END;
FIRST:
  bar.sync 0;
END:
  st.global.u32 [%a], %i;)",
                  1, 256)
            .error != "none");
}

TEST_CASE("votes of barriers and arrivals without a wait come between those that code passes") {
  in_blocks(R"(
  mov.u32 %k, 0;
AGAIN:
  bar.sync 0;
  add.u32 %x, %t, %k;
  rem.u32 %x, %x, 3;
  setp.eq.u32 %p, %x, 0;
  bar.red.popc.u32 %y, 0, %p;
  bar.red.or.pred %q, 0, %p;
  bar.sync 0;
  selp.b32 %x, %y, 0, %q;
  ld.global.u32 %y, [%a];
  add.u32 %x, %x, %y;
  st.global.u32 [%a], %x;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 4;
  @%p bra AGAIN;)",
            2, 256);
}

TEST_CASE("blocks that poll behind a barrier while warps wait at it are found out after the same turns") {
  // Warps that wait keep lines as words: who compares states has them written first.
  const Ended ended = in_blocks(R"(
  mov.u32 %k, 0;
AGAIN:
  mad.lo.u32 %x, %k, 3, %t;
  xor.b32 %k, %k, 1;
  setp.gt.u32 %p, %t, 31;
  @%p bra MEET;
POLL:
  ld.volatile.global.u32 %y, [%o+4000];
  setp.ne.u32 %q, %y, 1;
  setp.gt.u32 %p, %y, 5;
  @%q bra POLL;
MEET:
  bar.sync 0;
  st.global.u32 [%a], %x;
  bra AGAIN;)",
                                2, 128);
  CHECK(ended.error != "none");
}

TEST_CASE("turns are as long from barrier to barrier, also where one is over at a barrier") {
  // A turn is 2^18 warp instructions: loops between barriers that take as many, a little less and a little more.
  for (int times = 65'530; times < 65'538; ++times)
    in_blocks(fmt::format(R"(
  mov.u32 %k, 0;
  mov.u32 %y, 0;
AGAIN:
  mov.u32 %x, 0;
LOOP:
  add.u32 %x, %x, 1;
  add.u32 %y, %y, %x;
  setp.lt.u32 %p, %x, {};
  @%p bra LOOP;
  bar.sync 0;
  mov.u32 %y, %clock;
  st.global.u32 [%a], %y;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 3;
  @%p bra AGAIN;)",
                          times),
              1, 64);
}

TEST_CASE("many short turns at barriers are over when the block's slice is") {
  in_blocks(R"(
  mov.u32 %k, 0;
  mov.u32 %y, 0;
AGAIN:
  bar.sync 0;
  mov.u32 %x, %clock;
  bar.sync 1;
  add.u32 %y, %y, %x;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 20000;
  @%p bra AGAIN;
  st.global.u32 [%a], %y;)",
            2, 96);
}

TEST_CASE("warps that wait in code at one barrier see others come to another, leave code, part and end") {
  // By warp: 0 comes first to each barrier, 1 parts, 2 is at a barrier of its own with 3, 4 ends.
  in_blocks(R"(
  mov.u32 %k, 0;
  shr.u32 %y, %t, 5;
AGAIN:
  bar.sync 0;
  mov.u32 %x, %clock;
  st.global.u32 [%a], %x;
  setp.ne.u32 %p, %y, 1;
  @%p bra WHOLE;
  setp.gt.u32 %p, %t, 40;
  @%p bra OTHERS;
  add.u32 %x, %x, 7;
  st.global.u32 [%a+2048], %x;
  bra MEET;
OTHERS:
  sin.approx.f32 %x, %x;
  st.global.u32 [%a+2048], %x;
MEET:
WHOLE:
  bar.sync 0;
  setp.lt.u32 %p, %y, 2;
  setp.gt.u32 %q, %y, 3;
  or.pred %p, %p, %q;
  @%p bra ALL;
  bar.sync 1, 64;
  mov.u32 %x, %clock;
  st.global.u32 [%a], %x;
ALL:
  add.u32 %k, %k, 1;
  setp.eq.u32 %p, %y, 4;
  setp.eq.u32 %q, %k, 3;
  and.pred %p, %p, %q;
  @%p bra END;
  setp.lt.u32 %p, %k, 6;
  @%p bra AGAIN;
END:)",
            2, 160);
}

TEST_CASE("lanes that part before the kernel's end come there apart, whichever way they go") {
  for (const std::string_view branch :
       {"setp.ne.u32 %p, %t, 33;\n  @%p bra END;", "setp.eq.u32 %p, %t, 33;\n  @!%p bra END;",
        "setp.lt.u32 %p, %t, 70;\n  @%p bra END;"}) {
    const Ended ended = in_blocks(fmt::format(R"(
  st.shared.u32 [tile], %t;
  bar.sync 0;
  add.u32 %y, %t, 1;
  {}
  mul.wide.u32 %w, %y, 4;
  add.u64 %w, %o, %w;
  mov.u32 %x, %clock;
  st.global.u32 [%w+2048], %x;
  st.global.u32 [%a], %y;
END:)",
                                              branch),
                                  2, 96);
    CHECK(ended.words[branch.find("70") == std::string_view::npos ? 33 : 70] != 0);
    CHECK(ended.words[32] == 0);
  }
}

TEST_CASE("a warp whose lanes end apart lets those on that wait at a barrier for it") {
  in_blocks(R"(
  setp.lt.u32 %p, %t, 64;
  @%p bra WAIT;
  setp.ne.u32 %p, %t, 70;
  @%p bra END;
  st.global.u32 [%a], %t;
  bra END;
WAIT:
  bar.sync 0;
  mov.u32 %x, %clock;
  st.global.u32 [%a], %x;
END:)",
            2, 128);
}

TEST_CASE("within a side all its lanes go around a block, or none") {
  for (const std::string_view bound : {"0", "1", "9"})
    for (const std::string_view meeting : {"", "\n  add.u32 %k, %k, %x;\n  st.global.u32 [%a+2048], %k;"}) {
      const Ended ended = in_blocks(fmt::format(R"(
  mov.u32 %k, 5;
  mov.u32 %x, %t;
  bar.sync 0;
  rem.u32 %y, %t, 3;
  setp.ne.u32 %p, %y, 1;
  @%p bra MEET;
  setp.ge.u32 %q, %b, {};
  mov.u32 %k, 3;
  @%q bra BEHIND;
  ld.global.u32 %x, [%a];
  mad.lo.u32 %k, %t, 3, %x;
BEHIND:
  add.u32 %x, %k, 100;
  st.global.u32 [%a], %x;
MEET:{})",
                                                bound, meeting),
                                    3, 64);
      CHECK(ended.words[4] == (bound == "0" ? 103 : 112));
      CHECK(ended.words[3] == 0);
    }
}

using Firsts = std::initializer_list<std::string_view>;

void check_lines_with_a_bound(Firsts firsts) {
  // First numbers of lines, near the ends of both kinds of words; the bound is in the middle of them, at and beyond.
  // A program for each: LLVM's time grows faster than the program does.
  int label = 0;
  for (const std::string_view type : {"u32", "s32"})
    for (const std::string_view first : firsts)
      for (const std::string_view how : {"lt", "le", "gt", "ge", "eq", "ne"}) {
        std::string body = "  mov.u32 %k, 0;\n";
        body += fmt::format("  add.u32 %x, %t, {0};\n", first);
        for (const int by : {-1, 0, 17, 31, 32, 4000}) {
          body += fmt::format("  mov.u32 %y, %n;\n  add.u32 %y, %y, {};\n",
                              static_cast<std::uint32_t>(std::stoul(std::string(first)) + by - 64));
          body += fmt::format("  setp.{}.{} %p, {};\n", how, type, label % 2 ? "%y, %x" : "%x, %y");
          body += fmt::format("  @!%p bra L{0};\n  mad.lo.u32 %k, %k, 3, {0};\nL{0}:\n  add.u32 %k, %k, 1;\n", ++label);
        }
        CHECK(in_blocks(body + "  st.global.u32 [%a], %k;", 2, 64).error == "none");
      }
}

TEST_CASE("comparisons of a line with one bound are the row's, also where the line wraps round") {
  check_lines_with_a_bound({"4294967270"});
}

TEST_CASE("comparisons of other lines with one bound are the row's", "[.][slow]") {
  check_lines_with_a_bound({"0", "2147483620", "100"});
}

TEST_CASE("remainders of threads' numbers are compared as the rows do, by powers of two and others") {
  // Divisors 1, 2, 4 ... 64 and 128, each one more, and 0; numbers that begin anywhere; what no remainder equals.
  for (const std::string_view first : {"5", "4294967291"}) {
    std::string body = fmt::format("  add.u32 %t, %t, {};\n  mov.u32 %k, 1;\nNEXT:\n", first);
    int label = 0;
    for (const std::string_view more : {"0", "1"})
      for (const std::string_view how : {"eq.s32", "ne.u32", "lt.u32"})
        for (const std::string_view with : {"0", "3", "70"}) {
          body += fmt::format("  add.u32 %n, %k, {};\n  rem.u32 %x, %t, %n;\n", more);
          if (label % 5 == 4) body += "  add.u32 %x, %x, 1;\n";
          body += fmt::format("  mov.u32 %y, {};\n  setp.{} %p, %x, %y;\n", with, how);
          body +=
              fmt::format("  @!%p bra L{0};\n  mad.lo.u32 %i, %i, 3, {0};\n  add.u32 %i, %i, %x;\nL{0}:\n", ++label);
        }
    body += R"(
  shl.b32 %k, %k, 1;
  setp.eq.u32 %p, %k, 256;
  selp.b32 %k, 0, %k, %p;
  setp.le.u32 %p, %k, 128;
  add.u32 %b, %b, 1;
  setp.lt.u32 %q, %b, 9;
  and.pred %p, %p, %q;
  @%p bra NEXT;
  st.global.u32 [%a], %i;)";
    CHECK(in_blocks(body, 1, 64).error == "none");
  }
}

void check_lines_of_64_bits(Firsts firsts) {
  int label = 0;
  for (const std::string_view type : {"u64", "s64"})
    for (const std::string_view first : firsts)
      for (const std::string_view how : {"lt", "ge", "eq", "ne"}) {
        std::string body = "  mov.u32 %k, 0;\n";
        for (const std::string_view bound : {"0", "9223372036854775807", "18446744073709551615", "15"}) {
          body += fmt::format("  cvt.u64.u32 %w, %t;\n  add.u64 %w, %w, {};\n", first);
          body += fmt::format("  setp.{}.{} %p, %w, {};\n", how, type, bound);
          body += fmt::format("  @!%p bra L{0};\n  mad.lo.u32 %k, %k, 3, {0};\nL{0}:\n  add.u32 %k, %k, 1;\n", ++label);
        }
        CHECK(in_blocks(body + "  st.global.u32 [%a], %k;", 1, 64).error == "none");
      }
}

TEST_CASE("comparisons of lines of 64 bits are the row's at both ends of what they hold") {
  check_lines_of_64_bits({"9223372036854775790"});
}

TEST_CASE("comparisons of other lines of 64 bits are the row's", "[.][slow]") {
  check_lines_of_64_bits({"0", "18446744073709551600"});
}

TEST_CASE("lanes under a mask store their own words alone: of 32 and 64 bits, global, shared and local") {
  // Words of the others are what other threads would have written meanwhile: here, what was there.
  const Ended ended = in_blocks(R"(
  .local .align 8 .b8 own[16];
  .reg .b64 %l, %v;
  .reg .b32 %s;
  mov.u64 %l, own;
  mov.u32 %s, tile;
  and.b32 %x, %t, 31;
  shl.b32 %x, %x, 2;
  add.u32 %s, %s, %x;
  st.shared.u32 [%s], %t;
  st.local.u32 [%l], %t;
  st.local.u64 [%l+8], %o;
  mul.wide.u32 %w, %t, 8;
  add.u64 %w, %o, %w;
  cvt.u64.u32 %v, %t;
  mul.lo.u64 %v, %v, 4294967299;
  rem.u32 %y, %t, 3;
  setp.eq.u32 %p, %y, 1;
  @%p bra SKIP;
  add.u32 %x, %t, 1000;
  st.global.u64 [%w+1024], %v;
  st.global.u32 [%a], %x;
  st.shared.u32 [%s], %x;
  st.local.u32 [%l], %x;
  st.local.u64 [%l+8], %v;
SKIP:
  ld.shared.u32 %x, [%s];
  ld.local.u32 %y, [%l];
  add.u32 %x, %x, %y;
  ld.local.u32 %y, [%l+12];
  add.u32 %x, %x, %y;
  st.global.u32 [%a+2048], %x;)",
                                1, 64);
  CHECK(ended.words[0] == 1000);
  CHECK(ended.words[1] == 0);
  CHECK(ended.words[256 + 2 * 3] == 9);
  CHECK(ended.words[256 + 2 * 4] == 0);
}

TEST_CASE("what is read and written back in place counts each, and a new address is looked at anew") {
  in_blocks(R"(
  ld.global.u32 %x, [%a];
  add.u32 %x, %x, %i;
  st.global.u32 [%a], %x;
  add.u64 %a, %a, 1024;
  ld.global.u32 %y, [%a];
  add.u32 %y, %y, %x;
  st.global.u32 [%a], %y;
  setp.lt.u32 %p, %t, 40;
  @!%p bra END;
  ld.global.u32 %y, [%a];
  add.u32 %y, %y, 5;
  st.global.u32 [%a], %y;
END:
  st.global.u32 [%a+4], %y;)",
            2, 64);
}

TEST_CASE("a side whose address would leave 32 bits when widened is parted instead") {
  in_blocks(R"(
  sub.u32 %k, %i, 96;
  setp.lt.u32 %p, %t, 40;
  @%p bra END;
  mul.wide.u32 %w, %k, 4;
  and.b64 %w, %w, 1023;
  add.u64 %w, %o, %w;
  st.global.u32 [%w], %t;
END:
  st.global.u32 [%a+2048], %i;)",
            2, 64);
}

}  // namespace
}  // namespace gpulab::tests
