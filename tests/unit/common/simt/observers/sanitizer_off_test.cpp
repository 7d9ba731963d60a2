// Without --sanitize a kernel is decoded as if there were no tools: no micro-op looks, and none is missing. What is
// left of them at run time is a question per barrier and per launch; tests/bench measures that it costs nothing.

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "common/embedded.h"
#include "common/ptx/flow/lower_calls.h"
#include "common/ptx/parser.h"
#include "common/simt/decode/decode.h"
#include "common/simt/machine/observer.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

const std::vector<simt::Handler> observers{simt::observe_access, simt::observe_fence, simt::observe_collective};

bool observes(const simt::MicroOp& op) {
  return std::find(observers.begin(), observers.end(), op.run) != observers.end();
}

std::unique_ptr<simt::Program> decoded(const EmbeddedKernels& kernels, const std::set<std::string>& entries,
                                       std::string_view entry, bool tools) {
  const auto module = std::make_shared<ptx::Module>(ptx::parse(kernels.ptx, "kernels.cu", [&](std::string_view name) {
    return name == entry || !entries.contains(std::string(name));
  }));
  ptx::lower_calls(*module);
  simt::DecodeContext context;
  context.address_of = [](std::string_view) { return simt::kGlobalStart; };
  context.allocate_parameters = [](std::uint64_t) { return simt::kGlobalStart; };
  if (tools) context.watches = simt::kWatchAccesses | simt::kWatchFences | simt::kWatchCollectives;
  return simt::decode(module, entry, context);
}

using Op = std::tuple<std::uint32_t, std::array<std::uint16_t, 6>, std::int32_t, unsigned>;

/// What a program executes, but for what only looks. Handlers are left out: where the tools look between two accesses,
/// the second does not follow the first (fuse.h).
std::vector<Op> executed(const simt::Program& program) {
  std::vector<Op> ops;
  for (const simt::MicroOp& op : program.ops)
    if (!observes(op)) ops.emplace_back(op.site, op.r, op.imm, op.mods);
  return ops;
}

TEST_CASE("without tools a program has not one micro-op for them, with tools one per access and nothing else") {
  int programs = 0;
  std::ptrdiff_t looks = 0;
  for (const EmbeddedKernels& kernels : embedded_kernels()) {
    if ((kernels.lab != "reduce" && kernels.lab != "transpose") || kernels.file != "kernels.cu") continue;
    std::set<std::string> entries;
    for (const ptx::Function& function : ptx::parse(kernels.ptx, "kernels.cu").functions)
      if (function.is_entry) entries.emplace(function.name);
    for (const std::string& entry : entries) {
      INFO(kernels.lab << ": " << entry);
      const auto off = decoded(kernels, entries, entry, false), on = decoded(kernels, entries, entry, true);
      const auto off_looks = std::count_if(off->ops.begin(), off->ops.end(), observes);
      CHECK(off_looks == 0);
      CHECK((executed(*off) == executed(*on)));
      looks += std::count_if(on->ops.begin(), on->ops.end(), observes);
      ++programs;
    }
  }
  CHECK(programs > 100);
  CHECK(looks > programs);
}

}  // namespace
}  // namespace gpulab
