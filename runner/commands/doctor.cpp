// `gpulab doctor`. Everything is looked for as the build and the run look for it; nothing here is needed to simulate.

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "common/child/captured_run.h"
#include "common/child/confinement.h"
#include "common/device/device_kind.h"
#include "common/embedded.h"
#include "common/error.h"
#include "common/system_check.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/command.h"
#include "runner/report/grid_text.h"
#include "runner/report/report_target.h"
#include "runner/student_file/nvrtc.h"
#include "runner/student_file/toolchain.h"
#include "runner/version.h"

namespace gpulab::command {
namespace {

/// A tool, or why the variable that names it is of no use.
struct Tool {
  std::optional<std::string> path;
  std::string problem = "not found";
};
template <typename Find>
Tool tool(const Find& find) {
  try {
    return {find()};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

SystemCheck program(const std::string& name, const Tool& found, const std::string& purpose) {
  const std::string mend = "in the source tree scripts/gpulab installs it; or install the CUDA Toolkit";
  if (!found.path) return {SystemCheck::State::absent, name, fmt::format("{}; {}", found.problem, purpose), mend};
  const auto release = release_in(run_captured({*found.path, "--version"}).output).value_or("of unknown version");
  return {SystemCheck::State::good, name, fmt::format("{} ({})", release, *found.path), {}};
}

SystemCheck nvrtc(const Tool& found) {
  if (!found.path) {
    return {SystemCheck::State::note, "NVRTC",
            fmt::format("{}; 'gpulab run' compiles with it where there is no nvcc", found.problem),
            "pip install nvidia-cuda-nvrtc, or install the CUDA Toolkit"};
  }
  return {SystemCheck::State::good, "NVRTC", fmt::format("{} ({})", Nvrtc(*found.path).version(), *found.path), {}};
}

/// What `gpulab run FILE.cu` would do here.
SystemCheck run_compiler(const Tool& nvcc, const Tool& library) {
  if (without_stand_in(nvcc.path)) return {SystemCheck::State::good, "run", "compiles .cu files with nvcc", {}};
  if (library.path) return {SystemCheck::State::good, "run", "compiles .cu files with NVRTC: device code alone", {}};
  return {SystemCheck::State::note, "run", "takes .ptx files only: there is no CUDA compiler", {}};
}

/// Whether programs that include nccl.h compile; the library behind it is ours.
SystemCheck nccl_headers(const Tool& nvcc) {
  if (const auto folder = find_nccl_headers(nvcc.path))
    return {SystemCheck::State::good, "NCCL", fmt::format("nccl.h in {}: programs that call it compile", *folder), {}};
  return {SystemCheck::State::note, "NCCL", "no nccl.h: programs that call it do not compile here",
          "pip install nvidia-nccl-cu13 (-cu12 for CUDA 12), in an active environment"};
}

/// What keeps a stranger's file from what is not his.
SystemCheck isolation() {
  const auto support = isolation_support();
  const std::string calls = support.seccomp ? "seccomp" : "no seccomp";
  if (support.landlock > 0)
    return {
        SystemCheck::State::good,
        "isolation",
        fmt::format("compilers see the toolkit and the file's own folder (Landlock {}, {})", support.landlock, calls),
        {}};
  return {SystemCheck::State::note, "isolation",
          fmt::format("no Landlock: what a file includes is checked before it is compiled ({})", calls),
          "Linux 5.13 or newer, with 'landlock' among the kernel's lsm="};
}

SystemCheck labs_built() {
  const auto labs = lab_folders();
  const auto later = later_labs().size();
  return {
      labs.empty() && later == 0 ? SystemCheck::State::absent : SystemCheck::State::good, "labs",
      fmt::format("{}, {} for the CUDA Toolkit {}{}", plural(labs.size(), "lab"),
                  plural(embedded_kernels().size(), "kernel file"), toolkit_version(),
                  later == 0 ? "" : fmt::format("; {} more: scripts/gpulab builds one when it is asked for", later)),
      labs.empty() && later == 0 ? "build again: labs/*/lab.cpp were not found" : ""};
}

ExitCode run_doctor(const CommandLine&) {
  const auto nvcc = tool(find_nvcc), library = tool([&] { return find_nvrtc(nvcc.path); });
  std::vector<SystemCheck> checks{{SystemCheck::State::good, "gpulab", std::string(version()), {}}, labs_built()};
  const auto kinds = device_kinds();  // what is always there first
  for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind)
    for (auto& check : (*kind)->checks()) checks.push_back(std::move(check));
  checks.push_back(program("nvcc", nvcc, "the build compiles the labs' kernels with it"));
  checks.push_back(program("ptxas", tool([&] { return find_ptxas(nvcc.path); }),
                           "the build asks it for registers and shared memory"));
  checks.push_back(nvrtc(library));
  checks.push_back(run_compiler(nvcc, library));
  checks.push_back(nccl_headers(nvcc));
  checks.push_back(isolation());
  const auto width = report_width(ReportTarget({}));
  std::string text;
  for (const auto& check : checks) {
    const char* mark = check.state == SystemCheck::State::good   ? "ok"
                       : check.state == SystemCheck::State::note ? "-"
                                                                 : "missing";
    text += hanging(padded(mark, 9, false) + check.name, 20, check.finding, width);
    if (!check.mend.empty()) text += hanging("", 20, "mend: " + check.mend, width);
  }
  print_report(text);
  return ExitCode::ok;
}

}  // namespace

extern const Command doctor{
    .name = "doctor",
    .help = "what is here, what is missing, how to mend it",
    .run = run_doctor,
};

}  // namespace gpulab::command
