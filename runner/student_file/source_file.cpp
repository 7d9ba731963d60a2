#include "runner/student_file/source_file.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

bool word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Blanks [at, end) but for line ends; returns end.
std::size_t blank(std::string& text, std::size_t at, std::size_t end) {
  for (; at < std::min(end, text.size()); ++at) {
    if (text[at] != '\n') text[at] = ' ';
  }
  return at;
}

/// Behind the quote that closes the literal at `at`.
std::size_t literal_end(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

/// `x` of `#include "x"` and `#include <x>`.
std::vector<std::string> included_names(std::string_view source) {
  std::vector<std::string> names;
  for (const auto& line : split(source, '\n')) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const auto open = line.find_first_of("\"<", word);
    const auto close = open == std::string::npos ? open : line.find_first_of("\">", open + 1);
    if (close != std::string::npos) names.push_back(line.substr(open + 1, close - open - 1));
  }
  return names;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return rest_of(file);
}

void add_included(const fs::path& folder, const std::string& source, std::set<fs::path>& seen) {
  for (const auto& name : included_names(source)) {
    const auto path = (folder / name).lexically_normal();
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) > most_source_bytes) continue;
    if (seen.insert(path).second) add_included(path.parent_path(), text_of(path), seen);
  }
}

}  // namespace

std::string read_file(const std::string& path, std::string_view option) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw usage_error(fmt::format("{}: '{}' is a folder", option, path));
  if (!fs::exists(path, ignored)) throw usage_error(fmt::format("{}: there is no file '{}'", option, path));
  if (!fs::is_regular_file(path, ignored))
    throw usage_error(fmt::format("{}: '{}' is no regular file", option, path), "a pipe or a device is not read");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw usage_error(fmt::format("{}: '{}' cannot be read", option, path));
  return rest_of(file);
}

std::string read_source(const std::string& path, std::string_view option) {
  std::error_code missing;
  const auto size = fs::file_size(path, missing);
  if (!missing && size > most_source_bytes)
    throw usage_error(fmt::format("{}: '{}' has {}, the limit is {}", option, path,
                                  bytes_text(static_cast<double>(size)),
                                  bytes_text(static_cast<double>(most_source_bytes))));
  return read_file(path, option);
}

std::string code_only(std::string_view source) {
  std::string text(source);
  for (std::size_t at = 0; at < text.size();) {
    const auto rest = std::string_view(text).substr(at);
    if (rest.starts_with("//")) {
      at = blank(text, at, text.find('\n', at));
    } else if (rest.starts_with("/*")) {
      const auto close = text.find("*/", at + 2);
      at = blank(text, at, close == std::string::npos ? close : close + 2);
    } else if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !word_character(text[at - 1])))) {
      at = blank(text, at, literal_end(text, at));
    } else {
      ++at;
    }
  }
  return text;
}

std::vector<std::string> included_files(const std::string& path, const std::string& source) {
  const fs::path file = fs::absolute(path).lexically_normal();
  std::set<fs::path> seen{file};
  add_included(file.parent_path(), source, seen);
  seen.erase(file);
  return {seen.begin(), seen.end()};
}

}  // namespace gpulab
