// Which sums ptxas takes together with a product. What is expected is what ptxas 13.0 makes for sm_90, read from its
// machine code.

#include "common/simt/decode/contraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "common/ptx/parser.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

using namespace gpulab;
using namespace gpulab::tests;

namespace {

/// a to g come from memory; what `stored` names is stored.
std::string kernel_of(std::string_view type, std::string_view body, const std::vector<std::string>& stored,
                      std::string_view target = "sm_90") {
  const bool wide = type == "f64", half = type == "f16" || type == "bf16";
  const std::string_view memory = wide ? "b64" : half ? "b16" : "b32";
  std::string ptx = fmt::format(R"(.version 8.0
.target {}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {{
  .reg .pred p;
  .reg .{} a, b, c, d, e, f, g, r, s, t, u, v, w, x;
  .reg .b32 n;
  .reg .f32 z;
  .reg .b64 P, Q;
  ld.param.u64 P, [in];
  ld.param.u64 Q, [out];
  mov.u32 n, %tid.x;
  mov.f32 z, 0f3F800000;
  setp.eq.u32 p, n, 77;
)",
                                target, memory);
  for (int i = 0; i < 7; ++i) ptx += fmt::format("  ld.global.{} {}, [P+{}];\n", memory, "abcdefg"[i], 8 * i);
  ptx += body;
  for (std::size_t i = 0; i < stored.size(); ++i)
    ptx += fmt::format("\n  st.global.{} [Q+{}], {};", memory, 8 * i, stored[i]);
  return ptx + "\n  ret;\n}\n";
}

/// "r = a*b + c; s = -a*b + d"
std::string taken(std::string_view type, std::string_view body, const std::vector<std::string>& stored) {
  const ptx::Module module = ptx::parse(kernel_of(type, body, stored), "contraction.ptx");
  const ptx::Function& function = module.functions.front();
  std::vector<bool> writes_first;
  for (const auto& one : function.instructions)
    writes_first.push_back(!one.opcode.starts_with("st.") && !one.opcode.starts_with("bar") && one.opcode != "bra" &&
                           one.opcode != "ret");
  auto found = simt::contractions(function, writes_first);
  std::ranges::sort(found, {}, &simt::Contraction::sum);
  std::string text;
  for (const auto& c : found) {
    const auto& sum = function.instructions[c.sum].operands;
    const auto& product = function.instructions[c.product].operands;
    text += fmt::format("{}{} = {}{}*{} {} {}", text.empty() ? "" : "; ", sum[0].name, c.minus_product ? "-" : "",
                        product[1].name, product[2].name, c.minus_addend ? '-' : '+', sum[c.addend].name);
  }
  return text;
}

struct Case {
  std::string_view body;
  std::vector<std::string> stored;
  std::string_view expected;
};

void check(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    INFO(one.body);
    CHECK(taken("f32", one.body, one.stored) == one.expected);
  }
}

}  // namespace

TEST_CASE("a sum takes the product that it adds with its sign") {
  check({{"mul.f32 t,a,b; add.f32 r,t,c;", {"r"}, "r = a*b + c"},
         {"mul.f32 t,a,b; add.f32 r,c,t;", {"r"}, "r = a*b + c"},
         {"mul.f32 t,a,b; sub.f32 r,t,c;", {"r"}, "r = a*b - c"},
         {"mul.f32 t,a,b; sub.f32 r,c,t;", {"r"}, "r = -a*b + c"},
         {"mul.f32 t,a,b; neg.f32 u,t; add.f32 r,u,c;", {"r"}, "r = -a*b + c"},
         {"mul.f32 t,a,b; neg.f32 u,t; sub.f32 r,u,c;", {"r"}, "r = -a*b - c"},
         {"mul.f32 t,a,b; neg.f32 u,t; sub.f32 r,c,u;", {"r"}, "r = a*b + c"},
         {"mul.f32 t,a,b; mov.f32 u,t; add.f32 r,u,c;", {"r"}, "r = a*b + c"},
         {"mul.f32 t,a,b; add.f32 r,t,c; sub.f32 s,d,t;", {"r", "s"}, "r = a*b + c; s = -a*b + d"},
         {"mul.f32 t,a,b; mul.f32 u,t,d; add.f32 r,u,t;", {"r"}, "r = t*d + t"},
         {"mul.f32 t,a,b; bar.sync 0; add.f32 r,t,c;", {"r"}, "r = a*b + c"},
         {"mul.ftz.f32 t,a,b; add.ftz.f32 r,t,c;", {"r"}, "r = a*b + c"}});
}

TEST_CASE("a quotient that ends with a product is one") {
  check({{"div.approx.f32 t,a,b; add.f32 r,t,c;", {"r"}, "r = a*b + c"},
         {"div.approx.ftz.f32 t,a,b; sub.ftz.f32 r,c,t;", {"r"}, "r = -a*b + c"},
         {"div.full.f32 t,a,b; add.f32 r,t,c; sub.f32 s,t,d;", {"r", "s"}, "r = a*b + c; s = a*b - d"},
         {"mul.f32 t,a,b; div.approx.f32 u,c,d; add.f32 r,u,t;", {"r"}, "r = c*d + t"},
         {"div.approx.f32 t,a,b; add.f32 r,t,c;", {"r", "t"}, ""},
         {"div.rn.f32 t,a,b; add.f32 r,t,c;", {"r"}, ""}});
}

TEST_CASE("a product that is used otherwise, or names its rounding, stays one") {
  check({{"mul.f32 t,a,b; add.f32 r,t,c;", {"r", "t"}, ""},
         {"mul.f32 t,a,b; add.f32 r,t,c; mul.f32 s,t,d;", {"r", "s"}, ""},
         {"mul.f32 t,a,b; add.f32 r,t,c; fma.rn.f32 s,d,e,t;", {"r", "s"}, ""},
         {"mul.f32 t,a,b; add.f32 r,t,t;", {"r"}, ""},
         {"mul.f32 t,a,b; abs.f32 u,t; add.f32 r,u,c;", {"r"}, ""},
         {"mul.f32 t,a,b; neg.f32 u,t; add.f32 r,u,c;", {"r", "u"}, ""},
         {"mul.rn.f32 t,a,b; add.f32 r,t,c;", {"r"}, ""},
         {"mul.f32 t,a,b; add.rn.f32 r,t,c;", {"r"}, ""},
         {"mul.f32 t,a,b; add.f32 r,t,c; add.rn.f32 s,t,d;", {"r", "s"}, ""},
         {"mul.ftz.f32 t,a,b; add.f32 r,t,c;", {"r"}, ""},
         {"mul.f32 t,a,b; add.ftz.f32 r,t,c;", {"r"}, ""},
         {"mul.sat.f32 t,a,b; add.f32 r,t,c;", {"r"}, ""}});
}

TEST_CASE("of two products the one with fewer uses is taken") {
  check({{"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 r,t,u;", {"r"}, "r = a*b + u"},
         {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 r,u,t;", {"r"}, "r = c*d + t"},
         {"mul.f32 t,a,b; mul.f32 u,c,d; sub.f32 r,t,u;", {"r"}, "r = a*b - u"},
         {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 r,t,u;", {"r", "t"}, "r = c*d + t"},
         {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 r,t,u; add.f32 s,u,e;", {"r", "s"}, "r = a*b + u"},
         {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 s,t,e; add.f32 r,u,t;", {"r", "s"}, "r = c*d + t"},
         {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 w,u,t; sub.f32 x,t,u;", {"w", "x"}, "w = c*d + t; x = -c*d + t"},
         {"mul.f32 t,a,b; mul.f32 u,c,d; mul.f32 v,e,f; add.f32 w,t,u; add.f32 x,t,v; add.f32 r,u,v;",
          {"w", "x", "r"},
          "w = a*b + u; x = a*b + v"},
         {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 v,u,f; add.f32 r,t,u; add.f32 s,t,e;",
          {"r", "s", "v"},
          "v = c*d + f; r = a*b + u; s = a*b + e"},
         {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 s,t,e; sub.f32 r,t,u; add.f32 v,t,u;",
          {"r", "s", "v"},
          "s = a*b + e; r = -c*d + t; v = c*d + t"}});
}

TEST_CASE("basic blocks and subroutines of ptxas keep products and sums apart") {
  check({{"mul.f32 t,a,b; @p bra L; sub.f32 r,t,c; st.global.f32 [Q+64],r; L: mov.f32 s,d;", {"s"}, ""},
         {"mul.f32 t,a,b; add.f32 r,t,c; @p bra L; add.f32 s,t,d; st.global.f32 [Q+64],s; L: mov.f32 x,d;",
          {"r", "x"},
          ""},
         {"mul.f32 t,a,b; div.rn.f32 u,c,d; add.f32 r,t,e;", {"r", "u"}, ""},
         {"mul.f32 t,a,b; sqrt.rn.f32 u,c; add.f32 r,t,e;", {"r", "u"}, ""},
         {"mul.f32 t,a,b; membar.gl; add.f32 r,t,e;", {"r"}, ""},
         {"mul.f32 t,a,b; rem.s32 n,n,n; add.f32 r,t,e;", {"r"}, ""},
         {"mul.f32 t,a,b; rem.u32 n,n,n; add.f32 r,t,e;", {"r"}, "r = a*b + e"},
         {"mul.f32 t,a,b; div.approx.f32 u,c,d; add.f32 r,t,e;", {"r", "u"}, "r = a*b + e"}});
}

TEST_CASE("where the choice of ptxas is not known each rounds") {
  // The reciprocal ends with a product, too; the factor and the product are written twice; a loop brings a product
  // back.
  check({{"mul.f32 t,a,b; rcp.approx.f32 u,c; add.f32 r,u,t;", {"r"}, ""},
         {"mul.f32 t,a,b; mov.f32 a,c; add.f32 r,t,c;", {"r"}, ""},
         {"mul.f32 t,a,b; add.f32 r,t,c; mul.f32 t,a,c; add.f32 s,t,d;", {"r", "s"}, ""},
         {"mul.f32 t,a,b; @p add.f32 c,t,e; add.f32 r,t,d;", {"r", "c"}, ""},
         {"mov.f32 t,a; L: mul.f32 v,c,d; add.f32 r,t,v; mul.f32 u,r,b; mov.f32 t,u; @p bra L;", {"r"}, ""}});
}

TEST_CASE("a sum with its product rounds once in every type") {
  struct Numbers {
    std::string_view type;
    std::uint64_t a, b, c;
    std::uint64_t plus, less, from;  ///< a b + c, a b - c, c - a b
    std::uint64_t apart;             ///< a b + c with the product rounded
  };
  // (1 + e) (1 - e) - 1 = -e^2, which a rounded product loses.
  constexpr Numbers all[] = {
      {"f32", 0x3f800001, 0x3f7ffffe, 0xbf800000, 0xa8800000, 0x40000000, 0xc0000000, 0},
      {"f64", 0x3ff0000000000001, 0x3feffffffffffffe, 0xbff0000000000000, 0xb970000000000000, 0x4000000000000000,
       0xc000000000000000, 0},
      {"f16", 0x3c01, 0x3bfe, 0xbc00, 0x8010, 0x4000, 0xc000, 0},
      {"bf16", 0x3f81, 0x3f7e, 0xbf80, 0xb880, 0x4000, 0xc000, 0},
      {"f16x2", 0x3c013c01, 0x3bfe3bfe, 0xbc00bc00, 0x80108010, 0x40004000, 0xc000c000, 0},
      {"bf16x2", 0x3f813f81, 0x3f7e3f7e, 0xbf80bf80, 0xb880b880, 0x40004000, 0xc000c000, 0},
  };
  const auto best = simt::cpu_level();
  for (const auto& one : all) {
    const auto body = [&](std::string_view product, std::string_view sum) {
      return fmt::format(
          "mul{0}{2} t,a,b; mul{0}{2} u,a,b; mul{0}{2} v,a,b; add{1}{2} r,t,c; sub{1}{2} s,u,c; "
          "sub{1}{2} w,c,v;",
          product, sum, fmt::format(".{}", one.type));
    };
    const auto run = [&](const std::string& text, std::string_view target = "sm_90") {
      const auto device = make_simulator(gpu_profile("h200"), {});
      const std::string ptx = kernel_of(one.type, text, {"r", "s", "w"}, target);
      device->load({"contraction.ptx", ptx, {}});
      const auto in = upload(*device, std::vector<std::uint64_t>{one.a, one.b, one.c, 0, 0, 0, 0}, "in");
      const auto out = upload(*device, std::vector<std::uint64_t>(3), "out");
      launch(*device, "k", {{1, 1, 1}, {32, 1, 1}, 0, false}, in, out);
      return read_values<std::uint64_t>(*device, out, 3);
    };
    for (const auto level : simt::cpu_levels()) {
      simt::use_cpu_level(level);
      INFO(fmt::format("{} (level {})", one.type, level));
      CHECK(run(body("", "")) == std::vector<std::uint64_t>{one.plus, one.less, one.from});
      CHECK(run(body(".rn", ".rn")).front() == one.apart);
      CHECK(run(body("", ""), "sm_90, debug").front() == one.apart);  // for a debugger ptxas leaves all as it is
    }
    simt::use_cpu_level(best);
  }
}
