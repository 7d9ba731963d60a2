// What may follow what in a function's code, and what only a part of the block comes to.

#include "common/simt/observers/advice/code_paths.h"

#include <memory>

#include "common/ptx/parser.h"
#include "common/simt/decode/decode.h"
#include "tests/catch.h"

namespace gpulab::simt {
namespace {

/// A loop of a barrier between two stores, then a store by some threads, and one by all in a branch that all take.
constexpr const char* kKernel = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u32 n) {
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .shared .align 16 .b8 s[256];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, s;
  ld.param.u32 %r3, [n];
  mov.u32 %r4, 0;
$round:
  st.shared.u32 [%r2], %r1;
  bar.sync 0;
  st.shared.u32 [%r2+4], %r1;
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p1, %r4, %r3;
  @%p1 bra $round;
  setp.gt.s32 %p2, %r1, 5;
  @%p2 bra $all;
  st.shared.u32 [%r2+8], %r1;
  BARRIER
$all:
  setp.gt.s32 %p3, %r3, 5;
  @%p3 bra $end;
  st.shared.u32 [%r2+12], %r1;
$end:
  ret;
}
)";

struct Fixture {
  std::shared_ptr<const ptx::Module> module;
  std::shared_ptr<const Program> program;
  std::vector<std::size_t> stores;
  std::unique_ptr<CodePaths> paths;
  void read(const std::string& barrier) {
    std::string text = kKernel;
    text.replace(text.find("BARRIER"), 7, barrier);
    module = std::make_shared<ptx::Module>(ptx::parse(text, "paths.ptx"));
    program = decode(module, "k", {});
    const auto& function = *program->functions.at(0).function;
    for (std::size_t i = 0; i < function.instructions.size(); ++i)
      if (function.instructions[i].opcode.starts_with("st.")) stores.push_back(i);
    paths = std::make_unique<CodePaths>(*program, function);
  }
};

TEST_CASE_METHOD(Fixture, "a barrier in a loop lies on the way there, and not on the way back") {
  read("");
  REQUIRE(paths->is_known());
  CHECK_FALSE(paths->lead_past_barriers(stores[0], stores[1], false));
  CHECK(paths->lead(stores[0], stores[1]));
  CHECK(paths->lead_past_barriers(stores[1], stores[0], false));
  CHECK_FALSE(paths->lead(stores[2], stores[0]));
}

TEST_CASE_METHOD(Fixture, "__syncwarp() is a barrier of a warp alone") {
  read("bar.warp.sync 0xffffffff;");
  CHECK(paths->lead_past_barriers(stores[2], stores[3], false));
  CHECK(paths->lead_past_barriers(stores[1], stores[3], true));  // past the branch that holds it
  CHECK_FALSE(paths->lead_past_barriers(stores[2], stores[3], true));
}

TEST_CASE_METHOD(Fixture, "what threads decide by their numbers, a part of the block may come to; by parameters, all") {
  read("");
  CHECK(paths->is_in_a_branch(stores[2]));
  CHECK_FALSE(paths->is_in_a_branch(stores[0]));
  CHECK_FALSE(paths->is_in_a_branch(stores[3]));
}

TEST_CASE_METHOD(Fixture, "of a barrier for a part of the block nobody knows whom it orders") {
  read("bar.sync 1, 32;");
  CHECK_FALSE(paths->is_known());
}

}  // namespace
}  // namespace gpulab::simt
