// When code is made: by another thread, of what has run for long, and not in a copy of the process.

#include "common/simt/compiled/hot_programs.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "common/simt/compiled/background.h"
#include "common/simt/compiled/llvm/library.h"
#include "common/simt/compiled/row_bitcode.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

using simt::compiled::CompiledProgram;
using simt::compiled::When;

bool has_tier() {
  std::string why;
  return simt::compiled::Library::get(why) != nullptr && !simt::row_bitcode().empty();
}

/// GPULAB_COMPILED while it lives.
class Wanted {
 public:
  explicit Wanted(const char* value) {
    if (const char* text = std::getenv(kName)) before_ = text;
    setenv(kName, value, 1);
  }
  ~Wanted() {
    if (before_.empty())
      unsetenv(kName);
    else
      setenv(kName, before_.c_str(), 1);
  }
  Wanted(const Wanted&) = delete;
  Wanted& operator=(const Wanted&) = delete;

 private:
  static constexpr const char* kName = "GPULAB_COMPILED";
  std::string before_;
};

/// Each thread adds up the numbers below `rounds`, and its own.
constexpr const char* kLoop = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry adds(.param .u64 out, .param .u32 rounds) {
  .reg .pred %p;
  .reg .b32 %t, %b, %n, %i, %k, %r, %s;
  .reg .b64 %o, %w;
  ld.param.u64 %o, [out];
  ld.param.u32 %r, [rounds];
  cvta.to.global.u64 %o, %o;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %b, %n, %t;
  mov.u32 %k, 0;
  mov.u32 %s, %i;
again:
  add.u32 %s, %s, %k;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %r;
  @%p bra again;
  mul.wide.u32 %w, %i, 4;
  add.u64 %o, %o, %w;
  st.global.u32 [%o], %s;
  ret;
}
)";

/// The same with so many loads in the loop, of an address whose lanes lie side by side, which nobody knows before:
/// large code.
std::string loop_of_loads(int loads) {
  std::string ptx = kLoop;
  std::string body =
      "  .reg .b32 %x, %j;\n  .reg .b64 %a;\n  and.b32 %j, %i, 4095;\n  mul.wide.u32 %a, %j, 4;\n"
      "  add.u64 %a, %a, %o;\n";
  ptx.insert(ptx.find("  mov.u32 %k, 0;"), body);
  for (int i = 0; i < loads; ++i)
    ptx.insert(ptx.find("  add.u32 %k, %k, 1;"), "  ld.global.u32 %x, [%a];\n  xor.b32 %s, %s, %x;\n");
  return ptx;
}

/// What launches leave: outputs, and the counters of all.
std::string left_by(When when, std::uint32_t rounds, int launches, bool waits = true, int cpu_threads = 2,
                    const std::string& ptx = kLoop) {
  SimulatorOptions options;
  options.threads = cpu_threads;
  options.compiled = when;
  const auto device = simulator_with({"adds.ptx", ptx, {}}, options);
  constexpr std::size_t threads = 64 * 64;
  const auto out = upload(*device, std::vector<std::uint32_t>(threads), "out");
  std::string left;
  for (int i = 0; i < launches; ++i) {
    const std::vector<KernelArgument> arguments{KernelArgument::of(out), KernelArgument::of(rounds)};
    device->launch(device->kernel("adds"), {{64, 1, 1}, {64, 1, 1}, 0, false}, arguments);
    if (waits) simt::compiled::wait_for_code();
    std::uint64_t sum = 0;
    for (const auto word : read_values<std::uint32_t>(*device, out, threads)) sum = sum * 31 + word;
    left += std::to_string(sum) + " " + std::to_string((*device->take_counters())["warp_instructions"]) + "\n";
  }
  return left;
}

TEST_CASE("what has run for long is compiled by another thread, and leaves the same") {
  const Wanted wanted("auto");
  const auto before = CompiledProgram::made();
  const std::string compiled = left_by(When::automatic, 20'000, 3);
  if (has_tier()) CHECK(CompiledProgram::made() == before + 1);
  CHECK(compiled == left_by(When::never, 20'000, 3));
}

TEST_CASE("nobody asks for code when a launch is nearly done, and there was none before") {
  const Wanted wanted("auto");
  const auto before = CompiledProgram::made();
  left_by(When::automatic, 12'000, 1);  // 4.6 million warp instructions
  CHECK(CompiledProgram::made() == before);
}

TEST_CASE("where no CPU is idle the thread of blocks that asks for code waits until it is there") {
  const Wanted wanted("auto");
  const auto cpus = static_cast<int>(std::thread::hardware_concurrency());
  if (cpus > 8 || !has_tier()) return;  // more would end the launch before code could pay
  simt::compiled::wait_for_code();
  const auto before = CompiledProgram::made();
  left_by(When::automatic, 60'000, 1, false, std::max(cpus, 2));
  CHECK(CompiledProgram::made() == before + 1);
}

TEST_CASE("without a word in the environment what runs for long is compiled") {
  const Wanted wanted("");
  const auto before = CompiledProgram::made();
  left_by(When::automatic, 20'000, 3);
  if (has_tier()) CHECK(CompiledProgram::made() == before + 1);
}

TEST_CASE("large code is made quickly, and again where it runs for long", "[.][long]") {
  std::string why;
  const auto* llvm = simt::compiled::Library::get(why);
  if (!has_tier() || !llvm || !llvm->is_quick) return;
  const Wanted wanted("auto");
  const std::string ptx = loop_of_loads(40);
  const auto before = CompiledProgram::made();
  const std::string quick = left_by(When::automatic, 1000, 8, true, 1, ptx);
  CHECK(CompiledProgram::made() == before + 1);
  const std::string both = left_by(When::automatic, 1000, 60, true, 1, ptx);
  CHECK(CompiledProgram::made() == before + 3);
  const std::string interpreted = left_by(When::never, 1000, 60, true, 1, ptx);
  CHECK(both == interpreted);
  CHECK(interpreted.starts_with(quick));
}

TEST_CASE("a launch of a hundred thousand warp instructions asks for no code") {
  const Wanted wanted("auto");
  const auto before = CompiledProgram::made();
  left_by(When::automatic, 200, 1);
  CHECK(CompiledProgram::made() == before);
}

TEST_CASE("GPULAB_COMPILED=off has the last word; what it does not know is an error") {
  const auto before = CompiledProgram::made();
  {
    const Wanted wanted("off");
    left_by(When::automatic, 20'000, 1);
    CHECK(CompiledProgram::made() == before);
  }
  const Wanted wanted("maybe");
  try {
    left_by(When::automatic, 1, 1);
    CHECK(false);
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "unknown GPULAB_COMPILED 'maybe'");
    CHECK(error.hint == "it is one of: off, auto, always");
  }
}

TEST_CASE("a copy of a process that has asked for code has no thread that makes some") {
  if (!has_tier()) return;
  CHECK(simt::compiled::in_background([] {}));
  simt::compiled::wait_for_code();
  const pid_t copy = fork();
  if (copy == 0) _exit(simt::compiled::in_background([] {}) ? 1 : 0);
  int status = -1;
  waitpid(copy, &status, 0);
  CHECK(status == 0);
}

}  // namespace
}  // namespace gpulab::tests
