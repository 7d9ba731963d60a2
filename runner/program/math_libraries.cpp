#include "runner/program/math_libraries.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "common/cuda_api/program_file.h"
#include "runner/student_file/source_file.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

void write(const MathLibrary& library, const fs::path& to) { std::ofstream(to, std::ios::binary) << library.bytes; }

/// "cublas" of "-lcublas" and "-lcublas_static"; the next word where -l stands alone.
std::string_view named_library(std::string_view word) {
  if (!word.starts_with("-l")) return {};
  word.remove_prefix(2);
  if (word.ends_with("_static")) word.remove_suffix(std::string_view("_static").size());
  if (word.ends_with("_static_nocallback")) word.remove_suffix(std::string_view("_static_nocallback").size());
  return word;
}

const MathLibrary* library_named(std::string_view name) {
  const auto all = math_libraries();
  const auto found = std::ranges::find(all, name, &MathLibrary::name);
  return found == all.end() ? nullptr : &*found;
}

/// What a header's name asks for.
struct HeaderRow {
  std::string_view header, library;
};
constexpr std::array headers{
    HeaderRow{"cublas_v2.h", "cublas"},     HeaderRow{"cublas_api.h", "cublas"},   HeaderRow{"cublas.h", "cublas"},
    HeaderRow{"cublasXt.h", "cublas"},      HeaderRow{"cublasLt.h", "cublasLt"},   HeaderRow{"curand.h", "curand"},
    HeaderRow{"cufft.h", "cufft"},          HeaderRow{"cufftXt.h", "cufft"},       HeaderRow{"cusparse.h", "cusparse"},
    HeaderRow{"cusparse_v2.h", "cusparse"}, HeaderRow{"cusolverDn.h", "cusolver"}, HeaderRow{"nccl.h", "nccl"},
    HeaderRow{"cusolverSp.h", "cusolver"},  HeaderRow{"cusolverRf.h", "cusolver"}, HeaderRow{"nvml.h", "nvidia-ml"},
};

/// The names of a source's includes.
std::vector<std::string> included(const std::string& text) {
  std::vector<std::string> names;
  for (auto at = text.find("#"); at != std::string::npos; at = text.find('#', at + 1)) {
    auto i = at + 1;
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
    if (text.compare(i, 7, "include") != 0) continue;
    const auto end = text.find('\n', i);
    const auto open = text.find_first_of("<\"", i);
    if (open == std::string::npos || open > end) continue;
    const auto close = text.find_first_of(">\"", open + 1);
    if (close == std::string::npos || close > end) continue;
    names.push_back(text.substr(open + 1, close - open - 1));
  }
  return names;
}

/// What the sources, and the files of their own folders that these include, include by name.
std::vector<std::string> headers_of(const std::vector<std::string>& files) {
  constexpr std::size_t most_files = 200;
  constexpr std::uintmax_t most_bytes = std::uintmax_t{4} << 20;
  std::vector<std::string> names;
  std::vector<fs::path> open(files.begin(), files.end());
  for (std::size_t i = 0; i < open.size() && i < most_files; ++i) {
    std::error_code failed;
    if (!fs::is_regular_file(open[i], failed) || fs::file_size(open[i], failed) > most_bytes) continue;
    for (const auto& include : included(read_file(open[i].string(), "exec"))) {
      const auto beside = (open[i].parent_path() / include).lexically_normal();
      if (std::ranges::find(open, beside) == open.end() && fs::is_regular_file(beside, failed)) open.push_back(beside);
      names.push_back(fs::path(include).filename());
    }
  }
  return names;
}

}  // namespace

const MathLibrary* math_library(std::string_view soname) {
  const auto all = math_libraries();
  const auto found = std::ranges::find(all, soname, &MathLibrary::soname);
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> put_math_libraries(const std::vector<std::string>& sonames, const fs::path& folder) {
  std::vector<std::string> paths;
  for (const auto& soname : sonames) {
    const MathLibrary* library = math_library(soname);
    if (library == nullptr) continue;
    write(*library, folder / soname);
    paths.push_back(folder / soname);
  }
  return paths;
}

std::vector<std::string> linking_words(std::vector<std::string>& words, const fs::path& folder) {
  bool any = false;
  std::erase(words, "-lnvToolsExt");  // headers alone do it
  for (auto& word : words) {
    const MathLibrary* library = library_named(named_library(word));
    if (library == nullptr) continue;
    word = std::string("-l").append(library->name);
    any = true;
  }
  if (!any) return {};
  std::erase_if(words, [](const std::string& word) { return word == "-lculibos"; });
  fs::create_directories(folder);
  for (const auto& library : math_libraries())
    write(library, folder / std::string("lib").append(library.name).append(".so"));
  return {"-L" + folder.string()};
}

std::vector<std::string> sonames_of(const std::vector<std::string>& words) {
  std::vector<std::string> sonames;
  for (const auto& word : words)
    if (const MathLibrary* library = library_named(named_library(word))) sonames.emplace_back(library->soname);
  return sonames;
}

std::vector<std::string> libraries_of_sources(const std::vector<std::string>& files,
                                              const std::vector<std::string>& words) {
  std::vector<std::string> asked;
  for (const auto& name : headers_of(files)) {
    const auto row = std::ranges::find(headers, std::string_view(name), &HeaderRow::header);
    if (row == headers.end() || library_named(row->library) == nullptr) continue;
    const std::string word = std::string("-l").append(row->library);
    if (std::ranges::find(words, word) == words.end() && std::ranges::find(asked, word) == asked.end())
      asked.push_back(word);
  }
  return asked;
}

std::vector<std::string> header_words(const std::vector<std::string>& files, const std::string& nvcc) {
  std::error_code failed;
  const auto folder = fs::canonical(nvcc, failed).parent_path().parent_path() / "include";
  if (failed) return {};
  const auto included = headers_of(files);
  const auto includes = [&](const char* header) { return std::ranges::find(included, header) != included.end(); };
  std::vector<std::string> words;
  if (constexpr const char* header = "nvToolsExt.h";
      includes(header) && !fs::exists(folder / header) && fs::exists(folder / "nvtx3" / header))
    words.push_back("-I" + (folder / "nvtx3").string());
  if (includes("nccl.h") && !fs::exists(folder / "nccl.h"))
    if (const auto found = find_nccl_headers(nvcc)) words.push_back("-I" + *found);
  return words;
}

}  // namespace gpulab
