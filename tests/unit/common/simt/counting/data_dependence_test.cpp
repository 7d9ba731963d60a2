// Which kernels count the same whatever memory holds, and by which of their parameters that is decided.
#include "common/simt/counting/data_dependence.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "common/ptx/parser.h"
#include "common/simt/decode/decode.h"
#include "tests/catch.h"

namespace gpulab::simt {
namespace {

/// What the counts of a kernel depend on: "m" memory, "o", "n" and "f" its parameters: an address, a count, a factor.
/// %x has been loaded, %a is the thread's own address.
std::string choosing(std::string_view body, std::string_view more = "") {
  const std::string ptx = fmt::format(R"(.version 8.6
.target sm_90
.address_size 64
.global .align 4 .b32 global[4];
.const .align 4 .b32 constant[4];
{}
.visible .entry k(.param .u64 o, .param .u32 n, .param .f32 f) {{
  .reg .pred %p, %q;
  .reg .b32 %t, %n, %x, %y, %z;
  .reg .f32 %f, %g;
  .reg .b64 %o, %a, %w, %c;
  .shared .align 8 .b32 tile[64];
  .local .align 4 .b32 own[4];
  ld.param.u64 %o, [o];
  ld.param.u32 %n, [n];
  ld.param.f32 %f, [f];
  cvta.to.global.u64 %o, %o;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %w, %t, 4;
  add.u64 %a, %o, %w;
  ld.global.u32 %x, [%a];
{}
  ret;
}}
)",
                                      more, body);
  DecodeContext context;
  context.address_of = [](std::string_view) { return std::optional<std::uint64_t>(1 << 20); };
  context.allocate_parameters = [](std::uint64_t) { return std::uint64_t{2 << 20}; };
  const auto program = decode(std::make_shared<ptx::Module>(ptx::parse(ptx, "k.ptx")), "k", context);
  const CountsDependOn depends = counts_depend_on(*program);
  if (depends.memory) return "m";
  std::string all;
  for (std::size_t i = 0; i < 3; ++i) all += depends.parameters.at(i) ? std::string_view("onf").substr(i, 1) : "";
  return all;
}

TEST_CASE("what is loaded and only worked with decides nothing: parameters do, that choose branches and addresses") {
  CHECK(choosing("st.global.u32 [%a], %x;") == "o");
  CHECK(choosing("cvt.rn.f32.u32 %g, %x; mul.f32 %g, %g, %f; st.global.f32 [%a], %g;") == "o");
  CHECK(choosing("setp.ge.u32 %p, %t, %n; @%p bra END; st.global.u32 [%a], %x; END:") == "on");
  CHECK(choosing("setp.gt.f32 %p, %f, 0f00000000; @%p st.global.u32 [%a], %x;") == "of");
  CHECK(choosing("setp.lt.u32 %p, %x, 7; selp.u32 %y, %x, %t, %p; st.global.u32 [%a], %y;") == "o");
  CHECK(choosing("mul.wide.u32 %w, %n, 4; add.u64 %c, %a, %w; st.global.u32 [%c], %x;") == "on");
  CHECK(choosing("shfl.sync.bfly.b32 %y, %x, 1, 31, -1; st.global.u32 [%a], %y;") == "o");
  CHECK(choosing("shfl.sync.down.b32 %y|%p, %x, 1, 31, -1; @%p add.u32 %x, %x, %y; st.global.u32 [%a], %x;") == "o");
  CHECK(choosing("shfl.sync.idx.b32 %y|%p, %t, %n, 31, -1; @%p add.u32 %x, %x, %y; st.global.u32 [%a], %x;") == "on");
  CHECK(choosing("setp.eq.u32 %p, %x, 0; vote.sync.any.pred %q, %p, -1; selp.u32 %y, 1, 0, %q;") == "o");
  CHECK(choosing("setp.eq.u32 %p, %x, 0; barrier.sync 0; bar.red.or.pred %q, 0, %p; selp.u32 %y, 1, 0, %q;") == "o");
  CHECK(choosing("st.shared.u32 [tile], %x; bar.sync 0; ld.shared.u32 %y, [tile+4]; st.global.u32 [%a], %y;") == "o");
  CHECK(choosing("red.global.add.u32 [%a], %x;") == "o");
}

TEST_CASE("branches, guards and addresses by what was loaded depend on memory, however far it went") {
  CHECK(choosing("setp.lt.u32 %p, %x, 7; @%p bra END; st.global.u32 [%a], %x; END:") == "m");
  CHECK(choosing("setp.lt.u32 %p, %x, 7; @%p add.u32 %y, %x, 1;") == "m");
  CHECK(choosing("mul.wide.u32 %w, %x, 4; add.u64 %c, %o, %w; ld.global.u32 %y, [%c];") == "m");
  CHECK(choosing("setp.lt.u32 %p, %x, 7; selp.u32 %y, 4, 8, %p; cvt.u64.u32 %w, %y; add.u64 %c, %o, %w; "
                 "st.global.u32 [%c], %t;") == "m");
  CHECK(choosing("st.shared.u32 [tile], %t; bar.sync 0; ld.shared.u32 %y, [tile+4]; mov.u32 %z, tile; "
                 "shl.b32 %y, %y, 2; add.u32 %z, %z, %y; ld.shared.u32 %y, [%z];") == "m");
  CHECK(choosing("st.local.u32 [own], %t; ld.local.u32 %y, [own]; setp.eq.u32 %p, %y, 0; @%p bra END; "
                 "st.global.u32 [%a], %x; END:") == "m");
  CHECK(choosing("ld.const.u32 %y, [constant]; setp.eq.u32 %p, %y, 0; @%p bra END; st.global.u32 [%a], %x; END:") ==
        "m");
  CHECK(choosing("atom.global.add.u32 %y, [%a], 1; setp.eq.u32 %p, %y, 0; @%p bra END; st.global.u32 [%a], %x; END:") ==
        "m");
  CHECK(choosing("shfl.sync.bfly.b32 %y, %x, 1, 31, -1; setp.eq.u32 %p, %y, 0; @%p bra END; "
                 "st.global.u32 [%a], %x; END:") == "m");
  CHECK(choosing("shfl.sync.bfly.b32 %y, %t, 1, 31, %x;") == "m");
  CHECK(choosing("shfl.sync.idx.b32 %y|%p, %t, %x, 31, -1; @%p add.u32 %y, %y, 1;") == "m");
  CHECK(choosing("match.all.sync.b32 %y|%p, %x, -1; @%p add.u32 %y, %y, 1;") == "m");
  CHECK(choosing("activemask.b32 %y; shfl.sync.bfly.b32 %z, %t, 1, 31, %y;") == "m");
  CHECK(choosing("barrier.sync %x, 32;") == "m");
  CHECK(choosing("nanosleep.u32 %x;") == "m");
  CHECK(choosing("mov.u32 %y, %clock; and.b32 %y, %y, 4; cvt.u64.u32 %w, %y; add.u64 %c, %o, %w; "
                 "st.global.u32 [%c], %t;") == "m");
}

TEST_CASE("a loop whose steps were loaded depends on memory, one of a parameter's steps on that") {
  const auto loop = [](std::string_view bound) {
    return fmt::format(
        "mov.u32 %y, 0; AGAIN: add.u32 %y, %y, %z; mov.u32 %z, 1; setp.lt.u32 %p, %y, {}; @%p bra AGAIN;", bound);
  };
  CHECK(choosing(loop("%n")) == "on");
  CHECK(choosing(loop("%x")) == "m");
  // The value goes from one turn to the next, against the order of the text.
  CHECK(choosing("AGAIN: setp.lt.u32 %p, %y, 9; @%p bra END; mov.u32 %y, %z; mov.u32 %z, %x; bra AGAIN; END:") == "m");
}

TEST_CASE("kernels that call, that wait for other blocks, or take a parameter's address are taken for dependent") {
  CHECK(choosing("call f, ();", ".func f() { ret; }") == "m");
  CHECK(choosing("ld.acquire.gpu.global.u32 %y, [%a];") == "m");
  CHECK(choosing("mov.u64 %c, o; ld.param.u32 %y, [%c+8]; setp.lt.u32 %p, %t, %y; @%p bra END; "
                 "st.global.u32 [%a], %x; END:") == "onf");
}

TEST_CASE("a text written from behind, which would take a pass for each instruction, is given up") {
  std::string body = "mov.u32 %n, 0; AGAIN: setp.lt.u32 %p, %n, 9; @%p bra END;\n", registers;
  for (int i = 0; i < 200; ++i) body += fmt::format("mov.u32 %r{}, %r{};\n", i, i + 1);
  body += "mov.u32 %r200, %x; bra AGAIN; END: st.global.u32 [%a], %r0;";
  CHECK(choosing(".reg .b32 %r<201>;\n" + body) == "m");
}

}  // namespace
}  // namespace gpulab::simt
