#pragma once
// A kernel run interpreted and compiled: both have to end alike.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/simt/compiled/compiled_program.h"
#include "common/simt/compiled/llvm/library.h"
#include "common/simt/compiled/row_bitcode.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {

inline constexpr std::size_t kWords = 1024;

/// A kernel of one parameter, `out`: an array of kWords zeros; %i is the thread's number in the grid, %a its element.
inline std::string kernel_of(std::string_view body) {
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry tried(.param .u64 out) {{
  .reg .pred %p, %q;
  .reg .b32 %t, %b, %n, %i, %x, %y, %k;
  .reg .b64 %o, %a, %w;
  .shared .align 4 .b32 tile[64];
  ld.param.u64 %o, [out];
  cvta.to.global.u64 %o, %o;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %b, %n, %t;
  mul.wide.u32 %w, %i, 4;
  add.u64 %a, %o, %w;
{}
  ret;
}}
)",
                     body);
}

/// All that a launch leaves.
struct Ended {
  std::string error, output;
  std::vector<std::uint32_t> words;
  Counters counters;
  bool operator==(const Ended&) const = default;
};

inline Ended run(const std::string& ptx, SimulatorOptions options, std::uint32_t blocks = 2,
                 std::uint32_t threads = 64) {
  options.threads = 1;
  const auto device = simulator_with({"tried.ptx", ptx, {}}, options);
  const auto out = upload(*device, std::vector<std::uint32_t>(kWords), "out");
  Ended ended;
  ended.error = launch_error([&] {
    const std::vector<KernelArgument> arguments{KernelArgument::of(out)};
    device->launch(device->kernel("tried"), {{blocks, 1, 1}, {threads, 1, 1}, 0, false}, arguments);
  });
  ended.words = read_values<std::uint32_t>(*device, out, kWords);
  ended.counters = device->take_counters().value_or(Counters{});
  return ended;
}

/// Runs it both ways; what the interpreter left. `compiles`: the kernel is one that becomes code.
inline Ended both_ways(std::string_view body, SimulatorOptions options = {}, bool compiles = true) {
  const std::string ptx = kernel_of(body);
  const Ended interpreted = run(ptx, options);
  options.compiled = simt::compiled::When::always;
  const auto before = simt::compiled::CompiledProgram::made();
  const Ended compiled = run(ptx, options);
  std::string why;
  if (simt::compiled::Library::get(why) && !simt::row_bitcode().empty())
    CHECK((simt::compiled::CompiledProgram::made() != before) == compiles);
  CHECK(compiled.error == interpreted.error);
  CHECK(compiled.words == interpreted.words);
  CHECK(compiled.counters == interpreted.counters);
  return interpreted;
}

}  // namespace gpulab::tests
