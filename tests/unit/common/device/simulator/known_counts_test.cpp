// Launches over other data that count what an earlier one has counted are not counted again, and nobody can tell.
#include "common/device/simulator/known_counts.h"

#include <numeric>

#include "common/device/simulator/simulated.h"
#include "common/simt/compiled/when.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

/// A step of a solver: out[i] = in[i - 1] + in[i] + in[i + 1] + step, at the ends less; through shared memory.
/// `by_data`: where in[i] is odd, there is one more store.
std::string written_step_kernel(bool by_data) {
  return std::string(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry step(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 step) {
  .reg .pred %p, %q;
  .reg .b32 %t, %b, %i, %n, %x, %y, %z, %s, %m;
  .reg .b64 %in, %out, %w, %a, %c;
  .shared .align 4 .b32 tile[64];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [n];
  ld.param.u32 %s, [step];
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mad.lo.u32 %i, %b, 64, %t;
  setp.ge.u32 %p, %i, %n;
  @%p bra END;
  mul.wide.u32 %w, %i, 4;
  add.u64 %a, %in, %w;
  add.u64 %c, %out, %w;
  ld.global.u32 %x, [%a];
  setp.eq.u32 %p, %i, 0;
  @%p bra NEXT;
  ld.global.u32 %y, [%a+-4];
  add.u32 %x, %x, %y;
NEXT:
  mul.lo.u32 %m, %t, 4;
  mov.u32 %z, tile;
  add.u32 %m, %m, %z;
  st.shared.u32 [%m], %x;
  ld.shared.u32 %x, [%m];
  add.u32 %x, %x, %s;
)") +
         (by_data ? "  and.b32 %y, %x, 1;\n  setp.eq.u32 %q, %y, 0;\n  @%q bra ALL;\n  st.global.u32 [%c], %y;\nALL:\n"
                  : "") +
         R"(  st.global.u32 [%c], %x;
END:
  ret;
}
)";
}

/// A device keeps a view of the text.
const std::string& step_kernel(bool by_data) {
  static const std::string texts[] = {written_step_kernel(false), written_step_kernel(true)};
  return texts[by_data ? 1 : 0];
}

struct Left {
  std::vector<Counters> counters;
  std::vector<double> times;
  std::vector<std::uint32_t> values;
  std::uint64_t uncounted = 0, repeats = 0;
};

/// Eight steps from one array to the other and back; the step's number is an argument that decides nothing.
Left eight_steps(SimulatorOptions options, bool by_data) {
  options.model = true;
  const auto device = simulator_with({"step.ptx", step_kernel(by_data), {}}, options);
  std::vector<std::uint32_t> first(200);
  std::iota(first.begin(), first.end(), 3);
  const DevicePointer arrays[] = {upload(*device, first, "a"), upload(*device, first, "b")};
  Left left;
  for (std::uint32_t k = 0; k < 8; ++k) {
    (void)device->time(
        [&] {
          launch(*device, "step", {{4, 1, 1}, {64, 1, 1}}, arrays[k % 2], arrays[1 - k % 2], 200, k);
        },
        true);
    left.counters.push_back(device->take_counters().value());
    std::string why;
    left.times.push_back(device->take_model(why).value().ms);
    left.uncounted += device->take_uncounted();
    left.repeats += device->take_repeats();
  }
  left.values = read_values<std::uint32_t>(*device, arrays[0], 200);
  return left;
}

TEST_CASE(
    "steps of a solver are counted twice for each pair of arrays, whatever the step's number; results are right") {
  for (const auto when : {simt::compiled::When::never, simt::compiled::When::always}) {
    SimulatorOptions options;
    options.compiled = when;
    const Left all = eight_steps(options, false);
    options.repeats = true;
    const Left once = eight_steps(options, false);
    CHECK(all.uncounted == 0);
    CHECK(once.uncounted == 4);
    CHECK(once.repeats == 0);
    CHECK(once.counters == all.counters);
    CHECK(once.times == all.times);
    CHECK(once.values == all.values);
  }
}

TEST_CASE("where data decides what is stored, each launch is counted") {
  SimulatorOptions options;
  const Left all = eight_steps(options, true);
  options.repeats = true;
  const Left once = eight_steps(options, true);
  CHECK(once.uncounted == 0);
  CHECK(once.counters == all.counters);
  CHECK(once.counters[0] != once.counters[2]);
  CHECK(once.values == all.values);
}

TEST_CASE("a launch behind one that was not counted is known by what that one stored") {
  SimulatorOptions options;
  options.repeats = true;
  const auto device = simulator_with({"step.ptx", step_kernel(false), {}}, options);
  const auto in = upload(*device, std::vector<std::uint32_t>(200, 1)),
             out = upload(*device, std::vector<std::uint32_t>(200));
  const auto step = [&](std::uint32_t number) {
    launch(*device, "step", {{4, 1, 1}, {64, 1, 1}}, in, out, 200, number);
    (void)device->take_counters();
    return read_values<std::uint32_t>(*device, out, 200)[5];
  };
  CHECK(step(4) == 6);
  CHECK(step(1) == 3);
  CHECK(device->take_uncounted() == 0);
  CHECK(step(2) == 4);
  CHECK(device->take_uncounted() == 1);
  CHECK(step(2) == 4);
  CHECK(device->take_repeats() == 1);
  CHECK(step(1) == 3);  // whose output is gone
  CHECK(device->take_repeats() == 0);
  CHECK(device->take_uncounted() == 1);
}

TEST_CASE("a launch that faults, though an earlier one did not, says so uncounted as well") {
  SimulatorOptions options;
  options.repeats = true;
  const auto device = simulator_with({"step.ptx", step_kernel(false), {}}, options);
  const auto in = upload(*device, std::vector<std::uint32_t>(200, 1)),
             out = upload(*device, std::vector<std::uint32_t>(200));
  for (const int number : {1, 2, 3}) {
    launch(*device, "step", {{4, 1, 1}, {64, 1, 1}}, in, out, 200, number);
    (void)device->take_counters();
  }
  CHECK(device->take_uncounted() == 1);
  device->release(out);
  CHECK(launch_failure([&] {
          launch(*device, "step", {{4, 1, 1}, {64, 1, 1}}, in, out, 200, 4);
        }) == LaunchFailure::fault);
}

}  // namespace
}  // namespace gpulab::tests
