// What is alive where, and which basic blocks become code. Where the machine has no LLVM there is nothing to look at.

#include "common/simt/compiled/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common/ptx/parser.h"
#include "common/simt/compiled/hot_blocks.h"
#include "common/simt/compiled/llvm/library.h"
#include "common/simt/compiled/rows.h"
#include "common/simt/decode/decode.h"
#include "tests/catch.h"

namespace gpulab::simt::compiled {
namespace {

/// A loop around `load`, which works out a value that nobody reads, and what stands before and behind it.
std::string loop_with(std::string_view load) {
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry waits(.param .u64 out) {{
  .reg .pred %p;
  .reg .b32 %t, %x, %y;
  .reg .b64 %o;
  ld.param.u64 %o, [out];
  cvta.to.global.u64 %o, %o;
  mov.u32 %t, %tid.x;
AGAIN:
  {}.u32 %y, [%o];
  mad.lo.u32 %x, %y, 3, %t;
  setp.ne.u32 %p, %y, 1;
  @%p bra AGAIN;
  st.global.u32 [%o], %t;
  ret;
}}
)",
                     load);
}

/// The program as the tier sees it, and LLVM for as long.
struct Seen {
  const Library* llvm = nullptr;
  Context context = nullptr;
  std::unique_ptr<Program> program;
  std::unique_ptr<Rows> rows;
  std::unique_ptr<Operations> operations;
  explicit Seen(std::string_view load) {
    std::string why;
    llvm = Library::get(why);
    if (!llvm) return;
    context = llvm->ContextCreate();
    rows = std::make_unique<Rows>(*llvm, context, why);
    program = decode(std::make_shared<ptx::Module>(ptx::parse(loop_with(load), "waits.ptx")), "waits", {});
    operations = std::make_unique<Operations>(*program, *rows);
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;
  ~Seen() {
    rows.reset();
    if (context) llvm->ContextDispose(context);
  }
  /// The basic block that leads to itself.
  [[nodiscard]] std::size_t loop() const {
    for (std::size_t block = 0; block < operations->blocks.size(); ++block)
      if (std::ranges::count(operations->successors(block), block)) return block;
    return 0;
  }
  /// The register that the loop's multiply-add writes.
  [[nodiscard]] Variable unread() const {
    for (const Operation& o : operations->blocks[loop()])
      if (o.line == Line::multiply_add) return o.out.front();
    return kNoVariable;
  }
};

TEST_CASE("what a loop writes that polls stays alive in it, though nobody reads it; of any other loop it does not") {
  for (const bool polls : {true, false}) {
    const Seen seen(polls ? "ld.volatile.global" : "ld.global");
    if (!seen.llvm || seen.unread() == kNoVariable) return;
    const Flow flow(*seen.operations, {32, 1, 1});
    CHECK(flow.live_in(seen.loop())[seen.unread()] == polls);
  }
}

TEST_CASE("blocks that execute the most become code first; of those that nobody has counted, loops do") {
  const Seen seen("ld.global");
  if (!seen.llvm) return;
  const std::size_t count = seen.operations->blocks.size(), loop = seen.loop();
  const std::size_t in_loop = seen.program->blocks[loop + 1].first_op - seen.program->blocks[loop].first_op;
  std::vector<bool> loop_alone(count);
  loop_alone[loop] = true;
  CHECK(hot_blocks(*seen.operations, {}, 1000) == std::vector<bool>(count, true));
  CHECK(hot_blocks(*seen.operations, {}, in_loop) == loop_alone);
  CHECK(hot_blocks(*seen.operations, {}, in_loop - 1) == std::vector<bool>(count));
  std::vector<std::uint64_t> executed(count, 10);
  executed[loop] = 1'000'000;
  CHECK(hot_blocks(*seen.operations, executed, 1000) == loop_alone);
}

}  // namespace
}  // namespace gpulab::simt::compiled
