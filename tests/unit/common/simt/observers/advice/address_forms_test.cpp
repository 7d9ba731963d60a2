// Which element an access means, by what its address is computed from.

#include "common/simt/observers/advice/address_forms.h"

#include "common/ptx/parser.h"
#include "tests/catch.h"

namespace gpulab::simt {
namespace {

using Element = AddressForms::Element;

/// 0: s[t], 1: s[t + 4], 2: s[d] (a parameter), 3: in[i], 4: in[in[i]], 5: other[i], 6: stores what 0 and 3 loaded to
/// s[t], by another way there.
constexpr const char* kKernel = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 other, .param .u32 d) {
  .reg .b32 %r<32>;
  .reg .b64 %rd<16>;
  .shared .align 16 .b8 s[256];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, s;
  shl.b32 %r3, %r1, 2;
  add.s32 %r4, %r2, %r3;
  ld.param.u32 %r5, [d];
  mad.lo.s32 %r6, %r5, 4, %r2;
  ld.param.u64 %rd1, [in];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r7, %ctaid.x;
  mul.wide.u32 %rd3, %r7, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.param.u64 %rd5, [other];
  add.s64 %rd6, %rd5, %rd3;
  ld.shared.u32 %r10, [%r4];
  ld.shared.u32 %r11, [%r4+16];
  ld.shared.u32 %r12, [%r6];
  ld.global.u32 %r13, [%rd4];
  mul.wide.u32 %rd7, %r13, 4;
  add.s64 %rd8, %rd2, %rd7;
  ld.global.u32 %r14, [%rd8];
  ld.global.u32 %r15, [%rd6];
  add.s32 %r16, %r10, %r13;
  mad.lo.s32 %r17, %r1, 4, %r2;
  st.shared.u32 [%r17], %r16;
  ret;
}
)";

struct Fixture {
  ptx::Module module = ptx::parse(kKernel, "forms.ptx");
  const ptx::Function& function = module.functions.at(0);
  AddressForms forms{function};
  std::vector<const ptx::Instruction*> accesses;
  Fixture() {
    for (const auto& one : function.instructions)
      if ((one.opcode.starts_with("ld.") && !one.opcode.starts_with("ld.param")) || one.opcode.starts_with("st."))
        accesses.push_back(&one);
    REQUIRE(accesses.size() == 7);
  }
  Element compare(std::size_t a, std::size_t b) const { return forms.compare(*accesses[a], *accesses[b]); }
};

TEST_CASE_METHOD(Fixture, "an element is the same, however its address was computed, or another one") {
  CHECK(compare(0, 6) == Element::same);
  CHECK(compare(1, 6) == Element::other);
  CHECK(compare(2, 6) == Element::other);
}

TEST_CASE_METHOD(Fixture, "of an index that was loaded nobody knows, and arrays are told apart by their names") {
  CHECK(compare(4, 3) == Element::unknown);
  CHECK(compare(5, 3) == Element::elsewhere);
}

TEST_CASE_METHOD(Fixture, "what is stored is computed from these loads, and from no others") {
  CHECK(forms.feeds(*accesses[0], *accesses[6]));
  CHECK(forms.feeds(*accesses[3], *accesses[6]));
  CHECK_FALSE(forms.feeds(*accesses[1], *accesses[6]));
}

TEST_CASE_METHOD(Fixture, "an address is of the block, of what was loaded, or of neither") {
  CHECK(forms.of_address(*accesses[3]).block);
  CHECK_FALSE(forms.of_address(*accesses[3]).memory);
  CHECK(forms.of_address(*accesses[4]).memory);
  CHECK_FALSE(forms.of_address(*accesses[0]).block);
}

}  // namespace
}  // namespace gpulab::simt
