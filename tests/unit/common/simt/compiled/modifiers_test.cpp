// Instructions with .ftz, .sat and rounding modes leave the same bits compiled as interpreted: of numbers of all kinds,
// near the smallest normal ones above all.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/unit/common/simt/compiled/both_ways.h"

namespace gpulab::tests {
namespace {

/// Folds the results of instructions for 97 sets of operands a thread into its element: every other set of any bits,
/// the others near zero, with 1 or with the products that are the smallest normal number once they are rounded. Each
/// instruction reads %x, %b and %n, as words or as the doubles %u, %v and %z, and writes %k or the double %w. In one
/// kernel, for code takes a while to make.
std::string folded(const std::vector<std::string>& instructions) {
  std::string body;
  for (const std::string& instruction : instructions)
    body += fmt::format(
        "  mov.u64 %w, 0;\n  {}\n  mad.lo.u32 %y, %y, 31, %k;\n  mov.b64 {{%l, %h}}, %w;\n"
        "  xor.b32 %y, %y, %l;\n  mad.lo.u32 %y, %y, 31, %h;\n",
        instruction);
  return fmt::format(R"(
  .reg .b64 %u, %v, %z;
  .reg .b32 %r, %s, %l, %h;
  mov.u32 %y, 0;
  mov.u32 %r, 0;
  mov.u32 %k, 0;
  mov.u64 %w, 0;
AGAIN:
  mad.lo.u32 %s, %i, 97, %r;
  mul.lo.u32 %x, %s, 0x9E3779B1;
  mul.lo.u32 %b, %x, 0x85EBCA6B;
  xor.b32 %b, %b, %s;
  mul.lo.u32 %n, %b, 0xC2B2AE35;
  and.b32 %l, %r, 1;
  setp.eq.u32 %p, %l, 0;
  @%p bra TAKE;
  and.b32 %x, %x, 0x81ffffff;
  and.b32 %h, %r, 14;
  setp.eq.u32 %p, %h, 2;
  selp.b32 %b, 0x3f800000, %b, %p;
  setp.eq.u32 %p, %h, 4;
  selp.b32 %n, 0x80000000, %n, %p;
  setp.eq.u32 %p, %h, 6;
  selp.b32 %n, 0x00000001, %n, %p;
  setp.ne.u32 %p, %h, 8;
  @%p bra TAKE;
  or.b32 %x, %x, 0x00ffffff;
  and.b32 %x, %x, 0x80ffffff;
  mov.u32 %b, 0x3f000000;
  and.b32 %n, %n, 0x80000000;
TAKE:
  mov.b64 %u, {{%b, %x}};
  mov.b64 %v, {{%n, %b}};
  mov.b64 %z, {{%x, %n}};
{}
  add.u32 %r, %r, 1;
  setp.lt.u32 %p, %r, 97;
  @%p bra AGAIN;
  st.global.u32 [%a], %y;)",
                     body);
}

TEST_CASE("sums that take their product in leave the same bits compiled as interpreted") {
  // A factor is written once: only so is it known to be the same where the sum is.
  std::vector<std::string> sums;
  const auto add = [&](std::string_view type, std::string_view sum) {
    const bool wide = type == ".f64";
    const auto number = sums.size();
    sums.push_back(
        fmt::format("  .reg .b{0} %a{1}, %b{1}, %c{1}, %t{1}, %m{1};\n  mov.b{0} %a{1}, {2};\n  mov.b{0} %b{1}, {3};\n"
                    "  mov.b{0} %c{1}, {4};\n  mul{5} %t{1}, %a{1}, %b{1};\n  neg.{6} %m{1}, %t{1};\n  ",
                    wide ? 64 : 32, number, wide ? "%u" : "%x", wide ? "%v" : "%b", wide ? "%z" : "%n", type,
                    wide ? "f64" : "f32"));
    sums.back() += fmt::format(fmt::runtime(sum), type, wide ? "%w" : "%k", number);
  };
  for (const std::string_view type : {".f32", ".ftz.f32", ".f64"})
    for (const std::string_view sum : {"add{0} {1}, %t{2}, %c{2};", "sub{0} {1}, %t{2}, %c{2};",
                                       "sub{0} {1}, %c{2}, %t{2};", "sub{0} {1}, %m{2}, %c{2};"})
      add(type, sum);
  both_ways(folded(sums));
}

TEST_CASE("arithmetic with .ftz, .sat and rounding modes leaves the same bits compiled as interpreted") {
  std::vector<std::string> rounded;
  for (const std::string_view operation : {"add", "sub", "mul", "fma"})
    for (const std::string_view modifiers :
         {".rn", ".rn.ftz", ".rn.sat", ".rn.ftz.sat", ".rz", ".rm", ".rp", ".rm.ftz"})
      rounded.push_back(fmt::format("{}{}.f32 %k, %x, %b{};", operation, modifiers, operation == "fma" ? ", %n" : ""));
  both_ways(folded(rounded));
  both_ways(folded({"div.rn.ftz.f32 %k, %x, %b;", "div.rz.f32 %k, %x, %b;", "div.full.ftz.f32 %k, %x, %b;",
                    "div.approx.ftz.f32 %k, %x, %b;", "rcp.rn.ftz.f32 %k, %x;", "rcp.approx.ftz.f32 %k, %x;",
                    "sqrt.rn.ftz.f32 %k, %x;", "sqrt.approx.ftz.f32 %k, %x;", "rsqrt.approx.ftz.f32 %k, %x;",
                    "ex2.approx.ftz.f32 %k, %x;", "lg2.approx.ftz.f32 %k, %x;", "sin.approx.ftz.f32 %k, %x;",
                    "cos.approx.ftz.f32 %k, %x;", "abs.ftz.f32 %k, %x;", "neg.ftz.f32 %k, %x;",
                    "min.ftz.f32 %k, %x, %b;", "max.ftz.NaN.f32 %k, %x, %b;", "slct.ftz.f32.f32 %k, %b, %n, %x;"}));
}

TEST_CASE("comparisons with .ftz leave the same compiled as interpreted, and branch alike") {
  std::vector<std::string> compared;
  for (const std::string_view relation : {"eq", "ne", "lt", "ge", "equ", "ltu", "num", "nan"})
    compared.push_back(fmt::format("setp.{}.ftz.f32 %q, %x, %n;\n  selp.b32 %k, 3, 5, %q;", relation));
  compared.emplace_back(R"(setp.gt.ftz.f32 %q, %x, %n;
  mov.u32 %k, 9;
  @%q bra MET;
  add.u32 %k, %k, %r;
MET:)");
  both_ways(folded(compared));
}

TEST_CASE("conversions in every direction leave the same bits compiled as interpreted") {
  std::vector<std::string> converted{"cvt.rn.f32.f64 %k, %u;",     "cvt.rn.ftz.f32.f64 %k, %u;",
                                     "cvt.rn.sat.f32.f64 %k, %u;", "cvt.rz.f32.f64 %k, %u;",
                                     "cvt.ftz.f32.f32 %k, %x;",    "cvt.sat.f32.f32 %k, %x;",
                                     "cvt.ftz.f64.f32 %w, %x;",    "rcp.approx.ftz.f64 %w, %u;",
                                     "cvt.rzi.u8.f32 %k, %x;",     "cvt.rzi.ftz.s16.f32 %k, %x;"};
  for (const std::string_view direction : {".rni", ".rzi", ".rmi", ".rpi"})
    for (const std::string_view form :
         {".u32.f32 %k, %x", ".ftz.u32.f32 %k, %x", ".s32.f32 %k, %x", ".ftz.sat.s32.f32 %k, %x", ".f32.f32 %k, %x",
          ".ftz.sat.f32.f32 %k, %x", ".s32.f64 %k, %u", ".u64.f64 %w, %u", ".s64.f32 %w, %x", ".f64.f64 %w, %u"})
      converted.push_back(fmt::format("cvt{}{};", direction, form));
  both_ways(folded(converted));
}

TEST_CASE("a product that is rounded up to the smallest normal number is zero with .ftz, and that number without") {
  const auto first = [](std::string_view ftz) {
    return both_ways(fmt::format(
                         "  mov.u32 %x, 0x80ffffff;\n  mul{}.f32 %k, %x, 0f3F000000;\n  st.global.u32 [%a], %k;", ftz))
        .words[0];
  };
  CHECK(first(".ftz") == 0x80000000);
  CHECK(first("") == 0x80800000);
}

}  // namespace
}  // namespace gpulab::tests
