#include "common/simt/machine/stack_limit.h"

#include "tests/catch.h"
#include "tests/unit/on_simulator.h"

using namespace gpulab;
using namespace gpulab::tests;

namespace {

/// k(out, n): f calls itself n times, each with 32 bytes of its own; the last stores 1.
constexpr std::string_view ptx = R"(.version 8.0
.target sm_90
.address_size 64
.func f(.param .b32 a, .param .b64 b) {
  .local .align 8 .b8 own[32];
  .reg .b32 n, one; .reg .b64 out, place; .reg .pred last;
  ld.param.u32 n, [a];
  ld.param.u64 out, [b];
  mov.u64 place, own;
  st.local.u32 [place], n;
  setp.eq.u32 last, n, 0;
  @last bra DONE;
  sub.u32 n, n, 1;
  { .param .b32 c; .param .b64 d; st.param.b32 [c], n; st.param.b64 [d], out; call f, (c, d); }
  ret;
DONE:
  mov.u32 one, 1;
  st.global.u32 [out], one;
  ret;
}
.visible .entry k(.param .b64 b, .param .b32 a) {
  .reg .b32 n; .reg .b64 out;
  ld.param.u64 out, [b];
  ld.param.u32 n, [a];
  { .param .b32 c; .param .b64 d; st.param.b32 [c], n; st.param.b64 [d], out; call f, (c, d); }
  ret;
}
)";

/// As an H100's ptxas has them, and as one that was not asked.
constexpr FrameRow frames[] = {{"k", "k", 0}, {"k", "f", 64}};

struct Outcome {
  std::string error;
  std::vector<Finding> findings;
};

/// With so many calls of f, and that limit; nothing: nobody asks.
Outcome calls(int count, std::optional<std::size_t> limit, std::span<const FrameRow> known) {
  const auto device = simulator_with({.name = "test", .ptx = ptx, .source = {}, .frames = known});
  if (limit) device->limit_stack(*limit);
  const auto out = device->allocate("out", 4);
  const auto kernel = device->kernel("k");
  Outcome outcome;
  outcome.error = launch_error([&] {
    device->launch(kernel, one_thread, std::vector{KernelArgument::of(out), KernelArgument::of(count - 1)});
  });
  outcome.findings = device->take_findings();
  return outcome;
}

}  // namespace

TEST_CASE("calls that certainly take more stack than a GPU's thread has end the launch, others warn or are silent") {
  const auto fits = calls(16, 1024, frames), partly = calls(17, 1024, frames), beyond = calls(18, 1024, frames);
  CHECK(fits.error == "none");
  CHECK(fits.findings.empty());
  CHECK(partly.error == "none");
  REQUIRE(partly.findings.size() == 1);
  CHECK(partly.findings[0].severity == Severity::warning);
  CHECK(partly.findings[0].message ==
        "k: calls that have not returned take at least 1088 bytes of stack; a thread of a GPU has 1024 here, and the "
        "launch may end with cudaErrorIllegalAddress: cudaDeviceSetLimit(cudaLimitStackSize, bytes) gives more");
  CHECK_THAT(beyond.error,
             StartsWith("fault: stack overflow: calls that have not returned take 1088 bytes of stack, of "
                        "which a thread has 1024 in k, block (0,0,0), thread (0,0,0) ["));
  CHECK_THAT(beyond.error,
             EndsWith("cudaDeviceSetLimit(cudaLimitStackSize, bytes) before the launch gives threads more; "
                      "a loop takes less"));
}

TEST_CASE("a limit that was asked for is the thread's, and the simulator's stack is larger than that") {
  CHECK(calls(1000, 64 << 10, frames).error == "none");
  CHECK(calls(1000, 64 << 10, frames).findings.empty());
  CHECK(calls(2000, 128 << 10, frames).error == "none");
}

TEST_CASE("where ptxas has not been asked nothing ends for a GPU's limit, and the warning says so") {
  const auto deep = calls(100, 1024, {});
  CHECK(deep.error == "none");
  REQUIRE(deep.findings.size() == 1);
  CHECK_THAT(deep.findings[0].message, StartsWith("k: calls that have not returned take about "));
  CHECK_THAT(deep.findings[0].message, ContainsSubstring("bytes of stack, by the PTX's variables alone; a thread of"));
  CHECK(calls(4, 1024, {}).findings.empty());
}

TEST_CASE("where nobody names a limit there is none") {
  CHECK(calls(100, std::nullopt, frames).error == "none");
  CHECK(calls(100, std::nullopt, frames).findings.empty());
}
