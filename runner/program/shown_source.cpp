#include "runner/program/shown_source.h"

#include <algorithm>
#include <filesystem>

#include "common/error.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

bool lies_below(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

std::string shown_source(const std::string& named, const ProgramRun& run, const std::vector<std::string>& sources) {
  std::error_code failed;
  const auto file = fs::canonical(named, failed);
  if (failed || !fs::is_regular_file(file, failed)) return {};
  std::vector<fs::path> folders{fs::canonical(fs::current_path(), failed),
                                fs::canonical(run.program, failed).parent_path()};
  const auto holds = [&](const fs::path& folder) { return !folder.empty() && lies_below(file, folder); };
  const auto is_it = [&](const std::string& source) { return fs::canonical(source, failed) == file; };
  if (!std::ranges::any_of(folders, holds) && !std::ranges::any_of(sources, is_it)) return {};
  try {
    return read_source(file.string(), "exec");
  } catch (const Error&) {
    return {};  // the PTX is shown
  }
}

std::map<std::string, std::string> shown_sources(const ProgramRun& run, const std::vector<std::string>& sources) {
  std::map<std::string, std::string> texts;
  for (const auto& kernel : run.record.kernels)
    if (kernel.lines && !kernel.lines->ptx && !texts.contains(kernel.lines->file))
      texts[kernel.lines->file] = shown_source(kernel.lines->file, run, sources);
  return texts;
}

}  // namespace gpulab
