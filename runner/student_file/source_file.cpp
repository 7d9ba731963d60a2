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

/// Blanks [at, end) but for line ends.
void blank(std::string& text, std::size_t at, std::size_t end) {
  for (; at < end; ++at) {
    if (text[at] != '\n') text[at] = ' ';
  }
}

/// Behind the quote that closes the literal at `at`.
std::size_t literal_end(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

/// Behind R"x( … )x" whose quote stands at `at`.
std::size_t raw_literal_end(std::string_view text, std::size_t at) {
  const auto open = text.find('(', at);
  if (open == std::string_view::npos) return text.size();
  const auto close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const auto end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

/// Behind a comment of one line: a backslash at a line's end carries it on.
std::size_t line_comment_end(std::string_view text, std::size_t at) {
  for (;;) {
    const auto end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    const auto last = end > 0 && text[end - 1] == '\r' ? end - 2 : end - 1;
    if (text[last] != '\\') return end;
    at = end + 1;
  }
}

/// R"…", LR"…", u8R"…": what stands in front of the quote at `at` makes it raw.
bool is_raw(std::string_view text, std::size_t at) {
  if (text[at] != '"' || at == 0 || text[at - 1] != 'R') return false;
  auto start = at - 1;
  while (start > 0 && word_character(text[start - 1])) --start;
  const auto prefix = text.substr(start, at - 1 - start);
  return prefix.empty() || prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8";
}

/// A comment or a literal: what is no code.
struct Aside {
  std::size_t begin, end;
  bool is_comment;
};

std::vector<Aside> asides_in(std::string_view text) {
  std::vector<Aside> found;
  for (std::size_t at = 0; at < text.size();) {
    const auto rest = text.substr(at);
    Aside one{at, at + 1, true};
    if (rest.starts_with("//")) {
      one.end = line_comment_end(text, at);
    } else if (rest.starts_with("/*")) {
      const auto close = text.find("*/", at + 2);
      one.end = close == std::string_view::npos ? text.size() : close + 2;
    } else if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !word_character(text[at - 1])))) {
      one.end = std::min(text.size(), is_raw(text, at) ? raw_literal_end(text, at) : literal_end(text, at));
      one.is_comment = false;
    } else {
      ++at;
      continue;
    }
    found.push_back(one);
    at = one.end;
  }
  return found;
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
  // At once: a program of megabytes takes longer by pieces than its kernels do.
  const auto size = fs::file_size(path, ignored);
  std::string bytes(ignored ? 0 : size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return file ? bytes + rest_of(file) : bytes;
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
  for (const auto& aside : asides_in(source)) blank(text, aside.begin, aside.end);
  return text;
}

std::vector<std::pair<std::size_t, std::size_t>> comments_in(std::string_view source) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const auto& aside : asides_in(source))
    if (aside.is_comment) found.emplace_back(aside.begin, aside.end);
  return found;
}

std::vector<std::string> included_files(const std::string& path, const std::string& source) {
  const fs::path file = fs::absolute(path).lexically_normal();
  std::set<fs::path> seen{file};
  add_included(file.parent_path(), source, seen);
  seen.erase(file);
  return {seen.begin(), seen.end()};
}

}  // namespace gpulab
