// The recorder of `gpulab trace`: what it keeps of each step, and that its costs are the counters'.

#include "common/simt/observers/trace/recorder.h"

#include <array>
#include <numeric>
#include <string_view>

#include "common/simt/observers/trace/value_code.h"
#include "tests/catch.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::simt {
namespace {

/// Each thread stores to s[2 * tid], meets the others, and lanes below 8 load in[tid] again.
constexpr std::string_view text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry steps(.param .u64 in)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 s[512];
  ld.param.u64 %rd1, [in];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  shl.b32 %r2, %r1, 3;
  st.shared.u32 [%r2], %r1;
  bar.sync 0;
  setp.gt.u32 %p1, %r1, 7;
  @%p1 bra DONE;
  ld.global.u32 %r3, [%rd3];
  st.global.u32 [%rd3+128], %r3;
DONE:
  st.shared.u32 [%r2], %r1;
  ret;
}
)";

struct Recorded {
  std::shared_ptr<StepTrace> trace;
  Counters counters;
};

Recorded record(const TraceWindow& window, bool model = false) {
  constexpr std::uint32_t threads = 64;
  SimulatorOptions options;
  options.trace = window;
  options.model = model;
  const auto device = tests::simulator_with({"steps.ptx", text, {}}, options);
  const auto in = device->allocate("in", 1024);
  std::array<std::uint32_t, 256> numbers{};
  std::iota(numbers.begin(), numbers.end(), 100);
  device->write(in, std::as_bytes(std::span(numbers)));
  device->launch(device->kernel("steps"), {{2}, {threads}, 0, false}, std::array{KernelArgument::of(in)});
  return {device->take_steps(), device->take_counters().value()};
}

const TraceStep& step_of(const StepTrace& trace, std::uint32_t warp, std::string_view sentence) {
  for (const TraceStep& step : trace.steps)
    if (step.warp == warp && trace.texts[step.text].find(sentence) != std::string::npos) return step;
  FAIL("no step says " << sentence);
  return trace.steps.front();
}

TEST_CASE("wavefronts and sectors of all steps are those of the counters") {
  const auto [trace, counters] = record({});
  std::uint64_t wavefronts = 0, sectors = 0, instructions = 0;
  for (const TraceStep& step : trace->steps) {
    instructions += step.site != no_step_part;
    if (step.access == no_step_part) continue;
    wavefronts += trace->accesses[step.access].wavefronts;
    sectors += trace->accesses[step.access].sectors;
  }
  CHECK(instructions == counters["warp_instructions"]);
  CHECK(wavefronts == counters["shared_store_wavefronts"]);
  CHECK(wavefronts == 4 * 2 * 2);  // four warps, two stores each, of stride 2
  CHECK(sectors == counters["global_load_sectors"] + counters["global_store_sectors"]);
}

TEST_CASE("a step says what it costs and why") {
  const auto [trace, counters] = record({});
  const TraceStep& step = step_of(*trace, 1, "stores to shared");
  CHECK(
      trace->texts[step.text] ==
      "stores to shared memory, s[{}] to s[{}]: 32 lanes touch 16 banks, 2 wavefronts where 1 would do, because lanes "
      "0 and 16 want different words of bank 0");
  CHECK(trace->args[step.first_arg] == 64);
  CHECK(trace->args[step.first_arg + 1] == 126);
}

TEST_CASE("a barrier is complete once, behind the last warp's arrival, and says who waits") {
  const auto [trace, counters] = record({.blocks = {0}});
  CHECK(trace->texts[step_of(*trace, 0, "barrier").text] ==
        "comes to barrier 0 and waits: 1 of the block's 2 warps is there");
  CHECK(trace->texts[step_of(*trace, 1, "barrier").text].find("as the last of 2 warps") != std::string::npos);
  const auto complete = std::ranges::count(trace->steps, no_step_part, &TraceStep::site);
  CHECK(complete == 1);
  CHECK(step_of(*trace, 0, "comes to barrier").then_waiting == ~0u);
}

TEST_CASE("lanes part at a branch, wait where it meets, and join again") {
  const auto [trace, counters] = record({.blocks = {0}});
  const TraceStep& branch = step_of(*trace, 0, "diverges");
  CHECK(trace->texts[branch.text].starts_with("diverges: lanes 8–31 branch to PTX line 22"));
  CHECK(branch.then_waiting == 0xffffff00u);
  const TraceStep& load = step_of(*trace, 0, "loads from global");
  CHECK(load.active == 0xff);
  CHECK(load.waiting == 0xffffff00u);
  CHECK(load.live == ~0u);
  CHECK(step_of(*trace, 0, "; lanes 8–31 run with the others again").active == ~0u);
}

TEST_CASE("values are those that the registers have behind the step") {
  const auto [trace, counters] = record({.blocks = {1}, .warps = {0}});
  const TraceStep& load = step_of(*trace, 0, "loads from global");
  std::size_t at = load.values;
  const auto values = unpack_values(trace->values, at, load.active);
  REQUIRE(values);
  for (std::uint64_t lane = 0; lane < 8; ++lane) CHECK((*values)[lane] == 100 + lane);
  CHECK(trace->sites[load.site].results.front().name == "%r3");
}

TEST_CASE("a window keeps its steps, and counts the others") {
  const auto whole = record({.blocks = {0}, .warps = {1}}).trace;
  const auto part = record({.blocks = {0}, .warps = {1}, .from = 3, .events = 4}).trace;
  CHECK(part->seen == whole->seen);
  std::erase_if(whole->steps, [](const TraceStep& step) { return step.site == no_step_part; });
  std::erase_if(part->steps, [](const TraceStep& step) { return step.site == no_step_part; });
  REQUIRE(part->steps.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(part->steps[i].site == whole->steps[i + 3].site);
  CHECK(part->all_warps == 4);
  CHECK(record({.blocks = {7}}).trace->warps.empty());
}

TEST_CASE("where the GPU has been measured, steps say when they would issue and what they waited for") {
  const auto trace = record({.blocks = {0}}, true).trace;
  std::size_t timed = 0;
  for (const TraceStep& step : trace->steps) timed += step.issued >= 0;
  CHECK(timed > 10);
  CHECK(step_of(*trace, 0, "compares").stall == Stall::barrier);
  CHECK(step_of(*trace, 0, "stores to global").stall == Stall::memory);
  CHECK(step_of(*record({.blocks = {0}}).trace, 0, "compares").issued < 0);
}

TEST_CASE("who records changes no counter") {
  const auto device = tests::simulator_with({"steps.ptx", text, {}});
  const auto in = device->allocate("in", 1024);
  device->launch(device->kernel("steps"), {{2}, {64}, 0, false}, std::array{KernelArgument::of(in)});
  CHECK(device->take_counters().value().counts == record({}).counters.counts);
  CHECK(device->take_steps() == nullptr);
}

TEST_CASE("packed values come back as they were") {
  LaneValues uniform{}, steps{}, wide{}, mixed{};
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const auto i = static_cast<std::size_t>(lane);
    uniform[i] = 7;
    steps[i] = 1000 - 3 * lane;
    wide[i] = lane * lane * 0x123456789abcdefULL;
    mixed[i] = lane % 3;
  }
  std::string packed;
  for (const std::uint32_t mask : {0xffffffffu, 0x80000001u, 0xf0u})
    for (const LaneValues* values : {&uniform, &steps, &wide, &mixed}) pack_values(packed, values, mask);
  pack_values(packed, nullptr, 1);
  std::size_t at = 0;
  for (const std::uint32_t mask : {0xffffffffu, 0x80000001u, 0xf0u})
    for (const LaneValues* values : {&uniform, &steps, &wide, &mixed}) {
      const auto back = unpack_values(packed, at, mask);
      REQUIRE(back);
      for (std::size_t lane = 0; lane < 32; ++lane) CHECK((*back)[lane] == (mask >> lane & 1 ? (*values)[lane] : 0));
    }
  CHECK_FALSE(unpack_values(packed, at, 1));
  CHECK(at == packed.size());
}

TEST_CASE("packed values in no form of ours are refused") {
  for (const std::string& packed :
       {std::string("\x0c\x01\x02", 3), std::string("\x7f\x01", 2), std::string("\x01", 1), std::string()}) {
    std::size_t at = 0;
    CHECK_THROWS_AS(unpack_values(packed, at, 3), std::runtime_error);
  }
}

TEST_CASE("lanes have short names") {
  CHECK(lanes_text(~0u) == "all 32 lanes");
  CHECK(lanes_text(0) == "no lane");
  CHECK(lanes_text(8) == "lane 3");
  CHECK(lanes_text(0xff00) == "lanes 8–15");
  CHECK(lanes_text(0x55555555) == "lanes 0, 2 … 30 (every 2nd)");
  CHECK(lanes_text(0x10007) == "lanes 0–2, 16");
}

}  // namespace
}  // namespace gpulab::simt
