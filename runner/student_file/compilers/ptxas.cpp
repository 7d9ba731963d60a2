#include "runner/student_file/compilers/ptxas.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "common/child/captured_run.h"
#include "common/child/private_folder.h"
#include "common/text.h"
#include "runner/student_file/compile_cache.h"
#include "runner/student_file/compilers/sha256.h"
#include "runner/student_file/toolchain.h"
#include "runner/version.h"

namespace gpulab {
namespace {

/// Nobody waits longer for a number of registers.
constexpr std::chrono::seconds patience{5};

/// What `ptxas -v` says of one kernel, once for each text; empty where it refuses it.
std::string ptxas_log(const std::string& ptx, const std::string& entry, int sm, const std::string& ptxas,
                      const Isolation& isolation) {
  const auto key = sha256({"ptxas", version(), identity_of(ptxas), entry, std::to_string(sm), ptx});
  if (const auto known = cached(key)) return known->log;
  const PrivateFolder folder;
  std::ofstream(folder.path() / "kernel.ptx", std::ios::binary) << ptx;
  auto plan = compiler_plan(
      isolation, {ptxas, "-v", fmt::format("-arch=sm_{}", sm), "--entry", entry, "-o", "kernel.cubin", "kernel.ptx"},
      ptxas, folder.path(), {});
  plan.limits.cpu = patience;
  plan.limits.wall = 2 * patience;
  auto run = run_captured(plan);
  if (run.exit_code != 0) run.output.clear();
  keep(key, {{}, run.output});
  return run.output;
}

/// 24 of "Used 24 registers", "24 bytes smem": the number between the two, either of which may be empty.
int number_between(const std::string& log, const std::string& before, const std::string& behind) {
  for (auto end = log.find(behind); end != std::string::npos; end = log.find(behind, end + 1)) {
    auto start = end;
    while (start > 0 && log[start - 1] >= '0' && log[start - 1] <= '9') --start;
    if (start == end || start < before.size() || log.compare(start - before.size(), before.size(), before) != 0)
      continue;
    return static_cast<int>(
        std::min<std::int64_t>(parse_integer(log.substr(start, end - start)).value_or(0), INT32_MAX));
  }
  return 0;
}

}  // namespace

std::optional<KernelResources> resources(const std::string& ptx, const std::string& entry, int sm,
                                         const std::string& ptxas, const Isolation& isolation) {
  const auto log = ptxas_log(ptx, entry, sm, ptxas, isolation);
  const int registers = number_between(log, "Used ", " registers");
  if (registers == 0) return std::nullopt;
  return KernelResources{sm, registers, number_between(log, "", " bytes smem"),
                         number_between(log, "", " bytes stack frame")};
}

}  // namespace gpulab
