#include "runner/report/sarif/source_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <utility>

#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// Beyond it a source is not read: nobody wrote it by hand.
constexpr std::uintmax_t most_bytes = std::uintmax_t{8} << 20;

fs::path top_of_checkout() {
  std::error_code failed;
  const auto here = fs::canonical(fs::current_path(failed), failed);
  for (auto folder = here; !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", failed)) return folder;
    if (folder == folder.parent_path()) break;
  }
  return here;
}

/// RFC 3986: what is no letter, digit or one of -._~/ by its number.
std::string encoded(const std::string& path) {
  std::string uri;
  for (const unsigned char c : path) {
    const bool plain = std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == '~' || c == '/';
    uri += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return uri;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Does `line` have `word`, and an opening bracket behind it?
bool declares(std::string_view line, std::string_view word) {
  for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const auto end = at + word.size();
    if (at > 0 && is_word(line[at - 1])) continue;
    const auto next = line.find_first_not_of(" \t", end);
    if (next != std::string_view::npos && line[next] == '(') return true;
  }
  return false;
}

/// ".cu", ".cuh", ".py": a dot and one to three letters.
bool has_ending(std::string_view file) {
  const auto ending = file.substr(std::min(file.rfind('.'), file.size()));
  return ending.size() >= 2 && ending.size() <= 4 && std::ranges::all_of(ending.substr(1), is_word);
}

}  // namespace

SourcePlaces::SourcePlaces(const std::vector<fs::path>& folders) : root_(top_of_checkout()), folders_(folders) {}

fs::path SourcePlaces::found(const std::string& file) const {
  std::error_code failed;
  const auto is_there = [&](const fs::path& path) { return fs::is_regular_file(path, failed); };
  if (is_there(file)) return fs::canonical(file, failed);
  for (const auto& folder : folders_)
    if (is_there(folder / file)) return fs::canonical(folder / file, failed);
  return {};
}

std::optional<std::string> SourcePlaces::uri_of(const std::string& file) {
  const auto path = found(file);
  const auto below = path.lexically_relative(root_);
  if (path.empty() || below.empty() || *below.begin() == "..") return std::nullopt;
  return encoded(below.generic_string());
}

const std::vector<std::string>& SourcePlaces::lines_of(const std::string& file) {
  const auto [known, is_new] = texts_.try_emplace(file);
  if (!is_new) return known->second;
  const auto path = found(file);
  std::error_code failed;
  if (path.empty() || fs::file_size(path, failed) > most_bytes || failed) return known->second;
  std::ifstream stream(path, std::ios::binary);
  known->second = split(rest_of(stream), '\n');
  return known->second;
}

std::string SourcePlaces::line_text(const std::string& file, int line) {
  const auto& lines = lines_of(file);
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return {};
  const auto& text = lines[static_cast<std::size_t>(line) - 1];
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

int SourcePlaces::line_of_kernel(const std::string& file, std::string_view kernel) {
  auto name = kernel.substr(0, kernel.find_first_of("<("));
  name = name.substr(name.rfind(':') + 1);  // of a namespace
  if (name.empty()) return 0;
  const auto& lines = lines_of(file);
  int marked = 0;  // lines since the last __global__: its declaration may be broken after it
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("__global__") != std::string::npos) marked = 3;
    if (marked > 0 && declares(lines[i], name)) return static_cast<int>(i) + 1;
    --marked;
  }
  return 0;
}

std::optional<NamedLine> line_named_by(std::string_view text) {
  for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    auto end = colon + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    const auto number = parse_integer(text.substr(colon + 1, end - colon - 1));
    if (colon == 0 || !number || *number < 1 || *number > 100'000'000) continue;
    if (end < text.size() && text[end] != ':') continue;
    const auto file = text.substr(0, colon);
    if (file.find('\n') != std::string_view::npos) return std::nullopt;
    // A word with a number behind it is no file: "thread 3: 17"; but folders' names may have spaces.
    if (file.find(' ') != std::string_view::npos && !has_ending(file)) continue;
    const auto rest = end < text.size() ? text.substr(end + 1) : std::string_view();
    const auto first = std::min(rest.find_first_not_of(' '), rest.size());
    return NamedLine{std::string(text.substr(0, colon)), static_cast<int>(*number), std::string(rest.substr(first))};
  }
  return std::nullopt;
}

}  // namespace gpulab
