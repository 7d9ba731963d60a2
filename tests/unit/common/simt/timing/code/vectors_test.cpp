// Accesses of shared memory that ptxas makes one of. What is expected here is what ptxas 13.0 makes of the same text
// for sm_90 (LDS.32, .64, .128 …).
#include "common/simt/timing/code/vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/ptx/parser.h"
#include "common/simt/decode/decode.h"
#include "common/simt/timing/code/code.h"
#include "tests/catch.h"

namespace gpulab::simt {
namespace {

/// r4 is a multiple of 64, r5 of 8, r6 of 4; r3 another place.
std::string kernel(const std::string& body) {
  return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u32 q) {{
  .reg .pred %p<4>; .reg .b16 %h<40>; .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %d<40>; .shared .align 16 .b8 s[8192];
  mov.u32 %r1, %tid.x; mov.u32 %r3, s; shl.b32 %r2, %r1, 6; add.u32 %r4, %r3, %r2; shl.b32 %r8, %r1, 3;
  add.u32 %r5, %r3, %r8; shl.b32 %r9, %r1, 2; add.u32 %r6, %r3, %r9; ld.param.u32 %r7, [q];
{}
  ret;
}}
)",
                     body);
}

/// Bytes of a lane of each access of shared memory that is left, in order of their size.
std::vector<int> widths(const std::string& body) {
  const auto program = decode(std::make_shared<ptx::Module>(ptx::parse(kernel(body), "k.ptx")), "k", {});
  const TimedCode code(*program, {.used = 64}, 1);
  std::vector<int> all;
  for (std::uint32_t b = 0; b < program->blocks.size(); ++b)
    for (const TimedInstruction& t : code.block(b).code)
      if (t.space == TimedInstruction::Space::shared && t.cost.issue > 0) all.push_back(t.bytes);
  std::ranges::sort(all);
  return all;
}

std::string accesses(std::string_view format, const std::vector<int>& offsets, std::string_view base = "%r4") {
  std::string text;
  int next = 10;
  for (const int offset : offsets)
    text +=
        fmt::format(fmt::runtime(format), fmt::arg("n", next++), fmt::arg("at", fmt::format("{}+{}", base, offset)));
  return text;
}

using Widths = std::vector<int>;

}  // namespace

TEST_CASE("four words, halves or a pair of doubles that lie side by side become one load, as ptxas makes it") {
  const std::string words = "ld.shared.u32 %r{n}, [{at}];", halves = "ld.shared.u16 %h{n}, [{at}];",
                    doubles = "ld.shared.f64 %d{n}, [{at}];";
  CHECK(widths(accesses(words, {0, 4, 8, 12})) == Widths{16});
  CHECK(widths(accesses(words, {12, 8, 4, 0})) == Widths{16});
  CHECK(widths(accesses(words, {0, 4, 8, 12, 16, 20})) == Widths{8, 16});
  CHECK(widths(accesses(words, {4, 8, 12, 16})) == Widths{4, 16});  // three of four: the first is loaded, too
  CHECK(widths(accesses(words, {0, 8, 12})) == Widths{16});
  CHECK(widths(accesses(words, {8, 12})) == Widths{8});
  CHECK(widths(accesses(words, {4, 8})) == Widths{4, 4});
  CHECK(widths(accesses(words, {0, 12})) == Widths{4, 4});
  CHECK(widths(accesses(halves, {0, 2, 4, 6, 8, 10, 12, 14})) == Widths{8, 8});
  CHECK(widths(accesses(halves, {0, 2, 6})) == Widths{8});
  CHECK(widths(accesses(halves, {4, 6})) == Widths{4});
  CHECK(widths(accesses(halves, {2, 4})) == Widths{2, 2});
  CHECK(widths(accesses(doubles, {0, 8, 16})) == Widths{8, 16});
  CHECK(widths("ld.shared.v2.u32 {%r10, %r11}, [%r4]; ld.shared.u32 %r12, [%r4+8];") == Widths{16});
  CHECK(widths("ld.shared.f32 %f10, [%r4]; ld.shared.u32 %r11, [%r4+4];") == Widths{8});
}

TEST_CASE("bytes, extended halves and what is volatile stay alone; so does what is not aligned") {
  CHECK(widths(accesses("ld.shared.u8 %r{n}, [{at}];", {0, 1, 2, 3})) == Widths{1, 1, 1, 1});
  CHECK(widths(accesses("ld.shared.u16 %r{n}, [{at}];", {0, 2, 4, 6})) == Widths{2, 2, 2, 2});
  CHECK(widths(accesses("ld.volatile.shared.u32 %r{n}, [{at}];", {0, 4})) == Widths{4, 4});
  CHECK(widths(accesses("ld.shared.u32 %r{n}, [{at}];", {0, 4, 8, 12}, "%r5")) == Widths{8, 8});
  CHECK(widths(accesses("ld.shared.u32 %r{n}, [{at}];", {0, 4, 8, 12}, "%r6")) == Widths{4, 4, 4, 4});
}

TEST_CASE("a load goes past other loads, not past what stores to shared memory or waits for others") {
  const std::string first = "ld.shared.u32 %r10, [%r4];", second = "ld.shared.u32 %r11, [%r4+4];";
  CHECK(widths(first + "ld.shared.u32 %r12, [%r3+32];" + second) == Widths{4, 8});
  CHECK(widths(first + "st.shared.u32 [%r3+4000], %r7;" + second) == Widths{4, 4, 4});
  CHECK(widths(first + "bar.warp.sync -1;" + second) == Widths{4, 4});
  CHECK(widths(first + "bar.sync 0;" + second) == Widths{4, 4});
  CHECK(widths(first + "ld.shared.u32 %r4, [%r4+64];" + second) == Widths{4, 4, 4});  // another base
}

TEST_CASE("stores of four or of two become one where all of them are there and nothing touches shared memory between") {
  const std::string words = "st.shared.u32 [{at}], %r{n};", doubles = "st.shared.f64 [{at}], %d{n};";
  CHECK(widths(accesses(words, {0, 4, 8, 12})) == Widths{16});
  CHECK(widths(accesses(words, {0, 4, 8})) == Widths{4, 8});
  CHECK(widths(accesses(words, {4, 8, 12})) == Widths{4, 8});
  CHECK(widths(accesses(doubles, {0, 8})) == Widths{16});
  CHECK(widths(accesses("st.shared.u16 [{at}], %h{n};", {0, 2, 4, 6})) == Widths{8});
  CHECK(widths(accesses("st.shared.u8 [{at}], %h{n};", {0, 1, 2, 3})) == Widths{1, 1, 1, 1});
  const std::string first = "st.shared.u32 [%r4], %r10;", second = "st.shared.u32 [%r4+4], %r11;";
  CHECK(widths(first + "st.shared.u32 [%r3+4000], %r7;" + second) == Widths{4, 4, 4});
  CHECK(widths(first + "ld.shared.u32 %r12, [%r3+32];" + second) == Widths{4, 4, 4});
  CHECK(widths(first + "setp.eq.u32 %p1, %r7, 3; @%p1 bra L; " + second + " L:") == Widths{4, 4});
}

}  // namespace gpulab::simt
