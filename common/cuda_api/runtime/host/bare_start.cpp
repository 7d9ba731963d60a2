// A program of `gpulab nvcc` that is started bare, as ./program, has found us by the path that it was linked with. It
// runs here, unconfined; where GPULAB_REPORT names a file, gpulab starts it anew in its place and writes its report.

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "common/cuda_api/program_file.h"
#include "common/cuda_api/record.h"

namespace {

constexpr const char* kReport = "GPULAB_REPORT";

/// The binary that has put us where we lie; empty: not there any more.
std::string gpulab() {
  Dl_info ours{};
  if (dladdr(reinterpret_cast<const void*>(&gpulab), &ours) == 0 || ours.dli_fname == nullptr) return {};
  const std::string library(ours.dli_fname);
  std::ifstream file(library.substr(0, library.rfind('/') + 1) + gpulab::cuda_api::kBinaryFile);
  std::string path;
  std::getline(file, path);
  return access(path.c_str(), X_OK) == 0 ? path : std::string();
}

/// The C library gives constructors what it gives main.
__attribute__((constructor)) void start_by_gpulab(int count, char** arguments, char**) {
  const char* report = std::getenv(kReport);
  if (report == nullptr || *report == '\0' || std::getenv(gpulab::cuda_api::kOptionsVariable) != nullptr) return;
  char program[4096] = {};
  const std::string binary = gpulab();
  if (binary.empty() || readlink("/proc/self/exe", program, sizeof program - 1) <= 0) {
    fmt::print(stderr, "gpulab: {}: no report is written, for gpulab is not where it was when this program was built\n",
               kReport);
    return;
  }
  const std::string file(report);
  std::vector<std::string> words{binary, "exec", program, "--no-isolation", "--output", file};
  for (const char* form : {"json", "html"})
    if (file.ends_with(std::string(".") + form)) words.insert(words.end(), {"--format", form});
  words.emplace_back("--");
  for (int i = 1; i < count; ++i) words.emplace_back(arguments[i]);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  unsetenv(kReport);
  execv(binary.c_str(), pointers.data());
  fmt::print(stderr, "gpulab: {}: {} does not start\n", kReport, binary);
}

}  // namespace
