// `gpulab doctor`. Everything is looked for as the build and the run look for it; nothing here is needed to simulate.

#include <fmt/format.h>

#include <array>
#include <optional>
#include <thread>

#include "common/device/gpu/gpu.h"
#include "common/embedded.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/host_memory.h"
#include "common/simt/isa/instruction_set.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/command.h"
#include "runner/execution/host_cpu.h"
#include "runner/report/grid_text.h"
#include "runner/report/report_target.h"
#include "runner/student_file/captured_run.h"
#include "runner/student_file/nvrtc.h"
#include "runner/student_file/toolchain.h"
#include "runner/version.h"

namespace gpulab::command {
namespace {

struct Check {
  enum class State { good, absent, note } state;
  std::string name, finding, mend;  ///< mend: what to do, empty where there is nothing to do
};

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

Check program(const std::string& name, const Tool& found, const std::string& purpose) {
  const std::string mend = "scripts/gpulab installs it; or install the CUDA Toolkit";
  if (!found.path) return {Check::State::absent, name, fmt::format("{}; {}", found.problem, purpose), mend};
  const auto release = release_in(run_captured({*found.path, "--version"}).output).value_or("of unknown version");
  return {Check::State::good, name, fmt::format("{} ({})", release, *found.path), {}};
}

Check nvrtc(const Tool& found) {
  if (!found.path) {
    return {Check::State::note, "NVRTC",
            fmt::format("{}; 'gpulab run' compiles with it where there is no nvcc", found.problem),
            "pip install nvidia-cuda-nvrtc, or install the CUDA Toolkit"};
  }
  return {Check::State::good, "NVRTC", fmt::format("{} ({})", Nvrtc(*found.path).version(), *found.path), {}};
}

/// What `gpulab run FILE.cu` would do here.
Check run_compiler(const Tool& nvcc, const Tool& library) {
  if (without_stand_in(nvcc.path)) return {Check::State::good, "run", "compiles .cu files with nvcc", {}};
  if (library.path) return {Check::State::good, "run", "compiles .cu files with NVRTC: device code alone", {}};
  return {Check::State::note, "run", "takes .ptx files only: there is no CUDA compiler", {}};
}

Check driver() {
  const auto version = driver_cuda_version();
  if (version) return {Check::State::good, "driver", "supports CUDA " + *version, {}};
  return {Check::State::note, "driver", gpu_problem(), "for GPU timing: NVIDIA's driver; the simulator needs none"};
}

Check gpu() {
  const auto found = gpus();
  if (found.empty())
    return {Check::State::note, "GPU", "none: kernels run on the simulator, which counts but cannot time", {}};
  std::vector<std::string> names;
  for (const auto& g : found) names.push_back(g.name);
  return {Check::State::good, "GPU", join(names), {}};
}

Check simulator() {
  const auto memory = available_host_memory();
  return {Check::State::good,
          "simulator",
          fmt::format("{}, {}, x86-64 level {}, {} available", cpu_name(),
                      plural(std::max(1U, std::thread::hardware_concurrency()), "thread"), simt::cpu_level(),
                      memory ? bytes_text(static_cast<double>(*memory)) : "unknown memory"),
          {}};
}

Check labs_built() {
  const auto labs = all_labs();
  return {labs.empty() ? Check::State::absent : Check::State::good, "labs",
          fmt::format("{}, {} for the CUDA Toolkit {}", plural(labs.size(), "lab"),
                      plural(embedded_kernels().size(), "kernel file"), toolkit_version()),
          labs.empty() ? "build again: labs/*/lab.cpp were not found" : ""};
}

ExitCode run(const CommandLine&) {
  const auto nvcc = tool(find_nvcc), library = tool([&] { return find_nvrtc(nvcc.path); });
  const std::array checks{Check{Check::State::good, "gpulab", std::string(version()), {}},
                          labs_built(),
                          simulator(),
                          driver(),
                          gpu(),
                          program("nvcc", nvcc, "the build compiles the labs' kernels with it"),
                          program("ptxas", tool([&] { return find_ptxas(nvcc.path); }),
                                  "the build asks it for registers and shared memory"),
                          nvrtc(library),
                          run_compiler(nvcc, library)};
  std::string text;
  for (const auto& check : checks) {
    const char* mark = check.state == Check::State::good ? "ok" : check.state == Check::State::note ? "-" : "missing";
    text += fmt::format("{}{}{}\n", padded(mark, 9, false), padded(check.name, 11, false), check.finding);
    if (!check.mend.empty()) text += fmt::format("{}mend: {}\n", std::string(20, ' '), check.mend);
  }
  print_report(text);
  return ExitCode::ok;
}

}  // namespace

extern const Command doctor{
    .name = "doctor",
    .help = "what is here, what is missing, how to mend it",
    .run = run,
};

}  // namespace gpulab::command
