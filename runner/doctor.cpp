// `gpulab doctor`. Everything is looked for as the build and the run look for it; nothing here is needed to simulate.

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "common/device/gpu.h"
#include "common/embedded.h"
#include "common/gpu_profile.h"
#include "common/simt/instruction_set.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/devices.h"
#include "runner/grid_text.h"
#include "runner/host_cpu.h"
#include "runner/host_memory.h"
#include "runner/version.h"

namespace gpulab {
namespace {

struct Check {
  enum class State { good, absent, note } state;
  std::string name, finding, mend;  ///< mend: what to do, empty where there is nothing to do
};

/// A program in $CUDA_HOME, on PATH, where the toolkit's installer puts it, or beside the compiler of this build
/// (scripts/gpulab may have fetched that one).
std::optional<std::string> find_program(const std::string& name) {
  std::vector<std::string> folders;
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/bin");
  if (const char* path = std::getenv("PATH")) {
    for (auto& folder : split(path, ':')) folders.push_back(std::move(folder));
  }
  const std::string compiler(toolkit_compiler());
  folders.push_back(compiler.substr(0, compiler.rfind('/')));
  folders.emplace_back("/usr/local/cuda/bin");
  for (const auto& folder : folders) {
    const auto file = folder + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

/// "13.0" from "…, release 13.0, V13.0.48".
std::string release_of(const std::string& program) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("'" + program + "' --version 2>/dev/null").c_str(), "r"),
                                                   pclose);
  std::string text;
  std::array<char, 256> part{};
  while (pipe && std::fgets(part.data(), part.size(), pipe.get()) != nullptr) text += part.data();
  const auto at = text.find("release ");
  if (at == std::string::npos) return "of unknown version";
  return text.substr(at + 8, text.find(',', at) - at - 8);
}

Check program(const std::string& name, const std::string& purpose) {
  const std::string mend = "scripts/gpulab installs it; or install the CUDA Toolkit";
  const auto file = find_program(name);
  if (!file) return {Check::State::absent, name, "not found; " + purpose, mend};
  return {Check::State::good, name, fmt::format("{} ({})", release_of(*file), *file), {}};
}

Check nvrtc() {
  // NVIDIA's wheels have it in lib/ beside the compiler's bin/.
  const auto beside = std::filesystem::path(toolkit_compiler()).parent_path().parent_path() / "lib/libnvrtc.so.13";
  for (const std::string& name : {std::string("libnvrtc.so.13"), std::string("libnvrtc.so.12"), beside.string()}) {
    void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    int major = 0, minor = 0;
    // nvrtcResult nvrtcVersion(int*, int*), NVRTC's own header
    if (const auto query = reinterpret_cast<int (*)(int*, int*)>(dlsym(library, "nvrtcVersion"))) query(&major, &minor);
    dlclose(library);
    return {Check::State::good, "NVRTC", fmt::format("{}.{} ({})", major, minor, name), {}};
  }
  return {Check::State::note, "NVRTC", "not found; later versions compile kernels of yours with it",
          "pip install nvidia-cuda-nvrtc, or install the CUDA Toolkit"};
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

}  // namespace

std::string doctor() {
  const std::array checks{Check{Check::State::good, "gpulab", std::string(version()), {}},
                          labs_built(),
                          simulator(),
                          driver(),
                          gpu(),
                          program("nvcc", "the build compiles the labs' kernels with it"),
                          program("ptxas", "the build asks it for registers and shared memory"),
                          nvrtc()};
  std::string text;
  for (const auto& check : checks) {
    const char* mark = check.state == Check::State::good ? "ok" : check.state == Check::State::note ? "-" : "missing";
    text += fmt::format("{}{}{}\n", padded(mark, 9, false), padded(check.name, 11, false), check.finding);
    if (!check.mend.empty()) text += fmt::format("{}mend: {}\n", std::string(20, ' '), check.mend);
  }
  return text;
}

}  // namespace gpulab
