#include "runner/program/results/link_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// "cuInit", "allocate(int, float*)" of the references that nothing defines, each once.
std::vector<std::string> undefined_in(std::string_view log) {
  constexpr std::string_view said = "undefined reference to ";
  constexpr std::size_t most = 50;
  std::vector<std::string> names;
  for (auto at = log.find(said); at != std::string_view::npos && names.size() < most; at = log.find(said, at + 1)) {
    const auto begin = at + said.size() + 1;  // behind ` or '
    const auto end = log.find_first_of("'\n", begin);
    if (end == std::string_view::npos || begin > log.size()) break;
    std::string name(log.substr(begin, end - begin));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

struct Library {
  std::string_view prefix, option;
  bool capital = false;  ///< what follows the prefix is a capital letter
};
constexpr std::array libraries{
    Library{"nvrtc", "-lnvrtc", true},       Library{"cu", "-lcuda", true},
    Library{"cublasLt", "-lcublasLt", true}, Library{"cublas", "-lcublas", true},
    Library{"curand", "-lcurand", true},     Library{"cufft", "-lcufft", true},
    Library{"cusparse", "-lcusparse", true}, Library{"cusolver", "-lcusolver", true},
    Library{"nccl", "-lnccl", true},         Library{"omp_", "-Xcompiler -fopenmp"},
    Library{"GOMP_", "-Xcompiler -fopenmp"},
};

std::string_view option_of(std::string_view name) {
  for (const auto& library : libraries) {
    if (!name.starts_with(library.prefix)) continue;
    const auto rest = name.substr(library.prefix.size());
    if (!library.capital || (!rest.empty() && std::isupper(static_cast<unsigned char>(rest[0])) != 0))
      return library.option;
  }
  return {};
}

bool is_source(const fs::path& file) {
  constexpr std::array kinds{".cu", ".cpp", ".cc", ".cxx", ".c"};
  return std::ranges::find(kinds, file.extension().string()) != kinds.end();
}

/// Sources beside those that are built and are not among them.
std::vector<fs::path> others_beside(const std::vector<std::string>& words) {
  constexpr std::size_t most = 100;
  std::vector<fs::path> others;
  std::set<fs::path> known, folders;
  std::error_code failed;
  for (const auto& word : words)
    if (is_source(word) && fs::is_regular_file(word, failed)) {
      known.insert(fs::absolute(word).lexically_normal());
      folders.insert(fs::absolute(word).lexically_normal().parent_path());
    }
  for (const auto& folder : folders)
    for (const auto& entry : fs::directory_iterator(folder, failed))
      if (others.size() < most && is_source(entry.path()) && entry.is_regular_file(failed) &&
          !known.contains(entry.path()))
        others.push_back(entry.path());
  std::ranges::sort(others);
  return others;
}

/// Whether the text calls or defines `name`: nobody parses here.
bool speaks_of(const std::string& text, std::string_view name) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || !is_word(text[at - 1])) && at + name.size() < text.size() && text[at + name.size()] == '(')
      return true;
  return false;
}

/// A program in several files of which not all are named.
std::string in_other_files(const std::vector<std::string>& names, const std::vector<std::string>& words) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{4} << 20;
  std::vector<std::string> files;
  std::string first;
  for (const auto& path : others_beside(words)) {
    std::error_code failed;
    if (fs::file_size(path, failed) > most_bytes || failed) continue;
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.find("main(") != std::string::npos) continue;  // another program
    for (const auto& full : names) {
      const auto name = full.substr(0, full.find('('));
      if (!option_of(name).empty() || !speaks_of(text, name)) continue;
      if (first.empty()) first = name;
      files.push_back(visible(path.filename().string()));
      break;
    }
  }
  if (files.empty()) return {};
  std::string list;
  for (const auto& file : files) list += " " + file;
  return fmt::format("{} is of another file: name all of the program's, also{}", visible(first), list);
}

}  // namespace

std::vector<std::string> advice_on_linking(std::string_view log, const std::vector<std::string>& words) {
  const auto names = undefined_in(log);
  std::vector<std::string> said;
  std::set<std::string_view> told;
  for (const auto& name : names)
    if (const auto option = option_of(name); !option.empty() && told.insert(option).second)
      said.push_back(fmt::format("{} wants {}; of 'gpulab exec': --nvcc='{}'", visible(name), option, option));
  if (const auto others = in_other_files(names, words); !others.empty()) said.push_back(others);
  return said;
}

}  // namespace gpulab
