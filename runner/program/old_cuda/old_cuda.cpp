#include "runner/program/old_cuda/old_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "common/embedded.h"
#include "common/text.h"
#include "runner/student_file/compilers/dropped_names.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_name = "gpulab_old_cuda", header = "old_cuda.cuh";

std::string_view header_text() {
  for (const auto& file : embedded_pages())
    if (file.path == "runner/program/old_cuda/old_cuda.cuh") return file.text;
  return {};
}

std::vector<DroppedUse> uses_in(std::span<const SourceText> texts) {
  std::vector<DroppedUse> uses;
  std::set<const DroppedName*> known;
  for (const auto& text : texts)
    for (auto& use : supplied_in(visible(fs::path(text.name).filename().string()), text.text))
      if (known.insert(use.name).second) uses.push_back(std::move(use));
  return uses;
}

}  // namespace

std::vector<std::string> old_cuda_options(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const bool two = word == "-std" || word == "--std";
    const auto standard = word.starts_with("-std=")     ? word.substr(5)
                          : word.starts_with("--std=")  ? word.substr(6)
                          : two && i + 1 < words.size() ? words[i + 1]
                                                        : std::string();
    const bool old = standard == "c++03" || standard == "c++98" || standard == "c++11" || standard == "c++14" ||
                     standard == "c++0x" || standard == "c++1y";
    if (old) kept.emplace_back("-std=c++17");
    if (old && two) ++i;
    if (!old && word != "-lnvToolsExt") kept.push_back(word);
  }
  return kept;
}

std::vector<std::string> old_cuda_words(const fs::path& folder, std::span<const SourceText> texts) {
  const auto own = folder / folder_name;
  fs::create_directories(own);
  std::ofstream(own / header, std::ios::binary) << header_text();
  std::ofstream(own / "nvToolsExt.h") << "#include <nvtx3/nvToolsExt.h>\n";
  std::vector<std::string> words{"-include", (own / header).string(), "-I", own.string()};
  const auto uses = uses_in(texts);
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(uses, [&](const DroppedUse& use) { return use.name->name == name; });
  };
  if (has("texture")) words.emplace_back("-DGPULAB_OLD_TEXTURES");
  if (has("unary_function") || has("binary_function") || has("identity")) words.emplace_back("-DGPULAB_OLD_THRUST");
  if (has("__any") || has("__all") || has("__ballot")) words.emplace_back("-DGPULAB_OLD_VOTES");
  if (has("cuCtxCreate") || has("cuMemPrefetchAsync") || has("cuMemAdvise")) words.emplace_back("-DGPULAB_OLD_DRIVER");
  if (has("cudaDeviceSynchronize")) words.emplace_back("-DGPULAB_OLD_WAITS");
  return words;
}

std::string old_cuda_notes(std::span<const SourceText> texts) {
  constexpr std::size_t most = 20;
  std::string notes;
  std::size_t count = 0;
  for (const auto& use : uses_in(texts))
    if (++count <= most)
      notes += fmt::format("gpulab: --old-cuda: {}:{}: {}, which {}, is {}\n", use.file, use.line, use.name->name,
                           use.name->gone, use.name->stands);
  return notes;
}

bool is_of_old_cuda(std::string_view path) { return path.find(folder_name) != std::string_view::npos; }

}  // namespace gpulab
