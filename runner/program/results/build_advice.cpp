#include "runner/program/results/build_advice.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "runner/program/results/link_advice.h"
#include "runner/student_file/compilers/advice.h"
#include "runner/student_file/compilers/dropped_names.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

std::vector<SourceText> sources_of(const std::vector<std::string>& words) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{4} << 20;  // nobody writes more
  constexpr std::size_t most_files = 100;
  std::vector<SourceText> sources;
  for (const auto& word : words) {
    std::error_code failed;
    if (!word.ends_with(".cu") || !fs::is_regular_file(word, failed) || fs::file_size(word, failed) > most_bytes)
      continue;
    std::ifstream file(word, std::ios::binary);
    sources.push_back({word, {std::istreambuf_iterator<char>(file), {}}});
    if (sources.size() == most_files) break;
  }
  return sources;
}

/// -DNDEBUG, in the ways in which compilers take it.
bool without_asserts(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    for (const std::string_view option : {"-D", "--define-macro"})
      for (const std::string_view value : {"NDEBUG", "NDEBUG=1"})
        if (words[i] == fmt::format("{}{}", option, value) || words[i] == fmt::format("{}={}", option, value) ||
            (words[i] == option && i + 1 < words.size() && words[i + 1] == value))
          return true;
  return false;
}

}  // namespace

std::string advice_on_build(std::string_view log, const std::vector<std::string>& words, bool old_cuda) {
  std::string said, supplied;
  for (const auto& sentence : advice_on(log, sources_of(words))) said += fmt::format("  hint: {}\n", sentence);
  for (const auto& sentence : advice_on_linking(log, words)) said += fmt::format("  hint: {}\n", sentence);
  if (!old_cuda)
    for (const auto& use : dropped_in(log))
      if (!use.name->stands.empty()) supplied += fmt::format("{}{}", supplied.empty() ? "" : ", ", use.name->name);
  if (!supplied.empty()) said += fmt::format("  hint: --old-cuda supplies {}\n", supplied);
  if (const auto denied = log.find(": Permission denied"); denied != std::string_view::npos) {
    const auto begin = log.rfind('\n', denied) + 1;  // 0 in the first line
    if (log.substr(begin, denied - begin).find("../") != std::string_view::npos)
      said +=
          "  hint: a file sees its own folder and those that -I names, and others of the checkout (.git) that it lies "
          "in: name the folder by -I, or start from the folder above\n";
  }
  if (log.find("nccl.h: No such file or directory") != std::string_view::npos)
    said +=
        "  hint: nccl.h is NVIDIA's, and not the toolkit's: 'pip install nvidia-nccl-cu13' (-cu12 for CUDA 12) brings "
        "it into an active environment, where it is found; of another place name the folder by -I\n";
  return said;
}

std::string notes_on_build(const std::vector<std::string>& words) {
  if (!without_asserts(words)) return {};
  for (const auto& source : sources_of(words))
    for (auto at = source.text.find("assert("); at != std::string::npos; at = source.text.find("assert(", at + 1))
      if (at > 0 && (source.text[at - 1] == ' ' || source.text[at - 1] == '\n' || source.text[at - 1] == ';'))
        return fmt::format("gpulab: {}: assert() checks nothing, in kernels neither, for NDEBUG is defined\n",
                           source.name);
  return {};
}

}  // namespace gpulab
