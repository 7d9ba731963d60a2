// What runs as machine code gives the same bytes as the interpreter: results, counters, modelled times, faults. Where
// the machine has no LLVM, or the build no bitcode, there is nothing to compare.

#include "common/simt/compiled/compiled_program.h"

#include <cstdlib>
#include <optional>

#include "common/simt/compiled/llvm/library.h"
#include "common/simt/compiled/row_bitcode.h"
#include "tests/differential/generate.h"
#include "tests/differential/launcher.h"
#include "tests/differential/write_ptx.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

using simt::compiled::CompiledProgram;

bool has_tier() {
  std::string why;
  return simt::compiled::Library::get(why) != nullptr && !simt::row_bitcode().empty();
}

/// What a launch leaves beside its buffers.
struct Left {
  std::optional<Counters> counters;
  std::optional<ModelledTime> time;
};

/// Runs random programs, compiled or not.
class Runner {
 public:
  explicit Runner(bool compiled)
      : launcher_([this, compiled] {
          SimulatorOptions options;
          options.threads = 1;
          options.compiled = compiled ? simt::compiled::When::always : simt::compiled::When::never;
          options.model = true;
          options.budget = 20'000'000;
          auto device = make_simulator(gpu_profile("h200"), options);
          device_ = device.get();
          return device;
        }) {}
  differential::Buffers run(const differential::Program& program, const std::string& ptx, Left& left) {
    auto buffers = launcher_.run(program, ptx);
    std::string why;
    left.counters = device_->take_counters();
    left.time = device_->take_model(why);
    return buffers;
  }

 private:
  Device* device_ = nullptr;
  differential::Launcher launcher_;
};

/// As many random kernels as that, each both ways. LLVM takes half a second for one.
void check_that_compiled_is_the_same(std::uint64_t seeds) {
  if (!has_tier()) return;
  const differential::InstructionPool pool;
  Runner interpreted(false), compiled(true);
  const std::uint64_t before = CompiledProgram::made();
  for (std::uint64_t seed = 3'000'000; seed < 3'000'000 + seeds; ++seed) {
    INFO("seed " << seed);
    const differential::Program program = generate(seed, pool);
    const std::string ptx = write_ptx(program, pool);
    Left one, other;
    const bool same = interpreted.run(program, ptx, one) == compiled.run(program, ptx, other);
    CHECK(same);
    CHECK(one.counters == other.counters);
    CHECK((one.time ? one.time->ms : -1) == (other.time ? other.time->ms : -1));
  }
  INFO(CompiledProgram::made() - before << " of " << seeds << " were compiled");
  CHECK(4 * (CompiledProgram::made() - before) >= seeds);
}

TEST_CASE("random kernels leave, count and take the same compiled as interpreted") {
  check_that_compiled_is_the_same(8);
}

TEST_CASE("20 random kernels leave, count and take the same compiled as interpreted", "[.][slow]") {
  check_that_compiled_is_the_same(20);
}

TEST_CASE("300 random kernels leave, count and take the same compiled as interpreted", "[.][long]") {
  const char* more = std::getenv("GPULAB_COMPILED_SEEDS");
  check_that_compiled_is_the_same(more ? std::strtoull(more, nullptr, 10) : 300);
}

}  // namespace
}  // namespace gpulab::tests
