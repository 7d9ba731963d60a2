#include "common/simt/counting/block_balance.h"

#include "common/device/simulator/simulated.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

/// Each thread goes round a loop as often as `rounds` says: the block's number where that is 0.
constexpr std::string_view ptx =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 rounds) {\n.reg .pred %p;\n"
    ".reg .b32 %r<3>;\nld.param.u32 %r0, [rounds];\nmov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p, %r0, 0;\n"
    "selp.b32 %r0, %r1, %r0, %p;\nloop:\nsetp.eq.u32 %p, %r0, 0;\n@%p bra done;\nsub.u32 %r0, %r0, 1;\nbra loop;\n"
    "done:\nret;\n}\n";

Counters counted(const SimulatorOptions& options, std::uint32_t rounds, std::uint32_t grid, int launches = 1) {
  const auto device = make_simulator(gpu_profile("h200"), options);
  device->load({"k.ptx", ptx, ""});
  const KernelArgument argument = KernelArgument::of(rounds);
  for (int i = 0; i < launches; ++i)
    device->launch(device->kernel("k"), {{grid, 1, 1}, {64, 1, 1}}, std::span(&argument, 1));
  return device->take_counters().value();
}

double imbalance(const Counters& counters) { return find_counter("block_imbalance")->value(counters).value(); }

}  // namespace

TEST_CASE("blocks that work alike are balanced, one that works for all is as many times the mean as there are blocks") {
  CHECK(imbalance(counted({.threads = 1}, 100, 7)) == 1);
  // Block b goes b times round a loop of four instructions, beside seven that all execute.
  constexpr double busiest = 7 + 4 * 2000, mean = 7 + 4 * 1000;
  CHECK(imbalance(counted({.threads = 1}, 0, 2001)) == busiest / mean);
}

TEST_CASE("imbalance depends neither on CPU threads nor on a schedule, and several launches have one that is between") {
  const auto alone = counted({.threads = 1}, 0, 300);
  CHECK(alone == counted({.threads = 4}, 0, 300));
  CHECK(alone == counted({.schedule = 5}, 0, 300));
  CHECK(imbalance(counted({.threads = 1}, 0, 300, 3)) == imbalance(alone));
}
