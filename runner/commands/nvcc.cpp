// `gpulab nvcc …`: nvcc, with what programs need that `gpulab exec` is to run. It stands in for nvcc in Makefiles and,
// by a link named gpulab-nvcc, in CMake.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "common/child/private_folder.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "runner/command.h"
#include "runner/program/build_program.h"
#include "runner/program/math_libraries.h"
#include "runner/program/old_cuda/old_cuda.h"
#include "runner/program/process/kept_runtime.h"
#include "runner/program/results/watched_build.h"
#include "runner/program/results/watched_functions.h"

namespace gpulab::command {
namespace {

Usage usage_of_nvcc(const Lab*) {
  return {{},
          "Calls nvcc with these words, but for those that choose GPUs and the runtime: -arch, -gencode, -code, "
          "-cudart. In their\n"
          "place: -cudart=shared, PTX for the simulated H200, not compressed, with line information. What comes of it "
          "runs\n"
          "by 'gpulab exec', and simulated too where it is started bare, as ./program, but not confined then; "
          "GPULAB_REPORT=FILE\n"
          "writes its report (.json, .html, else text). --old-cuda: what CUDA has dropped, by what stands for it now.\n"
          "make NVCC=\"gpulab nvcc\"; cmake -DCMAKE_CUDA_COMPILER=/path/to/gpulab-nvcc (a link to "
          "gpulab).\n"};
}

/// Words that ask something of nvcc and build nothing.
bool builds(const std::vector<std::string>& words) {
  for (const auto& word : words)
    if (word.ends_with(".cu") || word.ends_with(".o") || word.ends_with(".cpp") || word.ends_with(".c") ||
        word.ends_with(".a") || word.ends_with(".cc"))
      return true;
  return false;
}

/// A program, or a library of the host's, comes of it.
bool links(const std::vector<std::string>& words) {
  constexpr std::array not_linked{
      "-c",     "--compile",    "-dc",   "--device-c", "-dw",     "--device-w", "-ptx",   "--ptx",
      "-cubin", "--cubin",      "-lib",  "--lib",      "-fatbin", "--fatbin",   "-dlink", "--device-link",
      "-E",     "--preprocess", "-cuda", "--cuda",     "-M",      "-MM"};
  return builds(words) && std::ranges::none_of(not_linked, [&](const char* word) {
           return std::ranges::find(words, word) != words.end();
         });
}

ExitCode run_nvcc(const CommandLine& line) {
  const std::string nvcc = nvcc_for_programs();
  const auto& gpu = gpu_profile("h200");
  std::vector<std::string> words{nvcc};
  auto own = builds(line.rest) ? nvcc_words(line.rest, gpu.compute_major * 10 + gpu.compute_minor, nvcc) : line.rest;
  const PrivateFolder folder;
  auto linking = builds(line.rest) ? linking_words(own, folder.path() / "lent") : std::vector<std::string>();
  if (links(line.rest))
    for (auto& word : runtime_words(nvcc, folder.path() / "lent")) linking.push_back(std::move(word));
  words.insert(words.end(), linking.begin(), linking.end());
  words.insert(words.end(), own.begin(), own.end());
  if (links(line.rest))
    for (auto& word : words_for_bare_start(sonames_of(own))) words.push_back(std::move(word));
  const auto old = std::ranges::find(words, old_cuda_word);
  const bool old_cuda = old != words.end();
  std::erase(words, old_cuda_word);
  const bool watched = may_watch(line.rest);
  if (builds(line.rest) && (watched || old_cuda))
    return static_cast<ExitCode>(build_watched(words, {.watched = watched, .old_cuda = old_cuda}));
  if (!linking.empty()) return static_cast<ExitCode>(build_unwatched(words));
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(nvcc.c_str(), arguments.data());
  throw Error(ExitCode::missing, fmt::format("cannot start {}: {}", nvcc, std::strerror(errno)));
}

}  // namespace

extern const Command nvcc{
    .name = "nvcc",
    .help = "nvcc, for programs that 'gpulab exec' is to run",
    .usage = usage_of_nvcc,
    .run = run_nvcc,
    .rest = "nvcc's own words",
    .raw = true,
    .knows_labs = false,
};

}  // namespace gpulab::command
