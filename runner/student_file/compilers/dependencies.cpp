#include "runner/student_file/compilers/dependencies.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// Something that is there: its size, its times, its number. A file that was replaced differs in one of them.
std::string fingerprint(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "absent";
  return fmt::format("{} {}.{} {}.{} {} {}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                     status.st_ctim.tv_sec, status.st_ctim.tv_nsec, status.st_ino, status.st_dev);
}

/// What a text includes between quotes; nothing where a line does not show what it includes.
std::optional<std::vector<std::string>> quoted_includes(const std::string& text) {
  for (const char* word : {"__has_include", "__has_embed", "__DATE__", "__TIME__", "__TIMESTAMP__", "%:"})
    if (text.find(word) != std::string::npos) return std::nullopt;
  for (auto at = text.find("import"); at != std::string::npos; at = text.find("import", at + 6)) {
    const auto before = at == 0 ? at : text.find_last_not_of(" \t", at - 1);
    if (before != std::string::npos && text[before] == '#') return std::nullopt;
  }
  std::vector<std::string> names;
  for (auto at = text.find("include"); at != std::string::npos; at = text.find("include", at + 7)) {
    const auto name = text.find_first_not_of(" \t", at + 7);
    if (name == std::string::npos || text[name] == '<') continue;
    const auto line = text.rfind('\n', at) + 1;
    const auto before = text.find_first_not_of(" \t", line);
    if (text[before] != '#') {
      // Not a directive as far as this can see: a comment, a word; or one behind a comment or a continued line.
      if (text.find('#', line) > at && (line < 2 || text[line - 2] != '\\')) continue;
      return std::nullopt;
    }
    if (text[name] != '"') return std::nullopt;
    const auto close = text.find_first_of("\"\n", name + 1);
    if (close == std::string::npos || text[close] == '\n') return std::nullopt;
    names.push_back(text.substr(name + 1, close - name - 1));
  }
  return names;
}

bool below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

std::vector<std::string> files_read(std::string_view preprocessed, const std::string& folder) {
  std::set<std::string> files;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const auto end = std::min(preprocessed.size(), preprocessed.find('\n', at));
    const auto line = preprocessed.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("# ")) continue;
    const auto open = line.find('"'), close = line.rfind('"');
    if (open == close || !line.substr(close).starts_with("\" 1")) continue;
    const auto name = line.substr(open + 1, close - open - 1);
    if (!name.starts_with('<')) files.insert((fs::path(folder) / name).string());
  }
  return {files.begin(), files.end()};
}

std::optional<std::string> state_of(const std::string& source, const std::vector<std::string>& read,
                                    const std::string& own_folder) {
  // Where the system's headers are: a new one there may come before one that was read.
  std::set<std::string> watched{"/usr/include", "/usr/local/include"};
  const auto watch_includes = [&](const std::string& text, const fs::path& beside) {
    const auto names = quoted_includes(text);
    if (!names) return false;
    if (own_folder.empty()) return true;  // nothing is looked for beside it
    for (const auto& name : *names)
      for (const auto& place : {beside, fs::path(own_folder)}) watched.insert((place / name).string());
    return true;
  };
  if (!watch_includes(source, own_folder)) return std::nullopt;
  for (const auto& file : read) {
    watched.insert(file);
    std::error_code failed;
    const bool own =
        !own_folder.empty() && below(fs::weakly_canonical(file, failed), fs::weakly_canonical(own_folder, failed));
    if (!own) continue;
    std::ifstream stream(file, std::ios::binary);
    const std::string text = rest_of(stream);
    if (!watch_includes(text, fs::path(file).parent_path())) return std::nullopt;
  }
  std::string state;
  for (const auto& path : watched) {
    if (path.find('\n') != std::string::npos) return std::nullopt;
    state += fmt::format("{}\n{}\n", path, fingerprint(path));
  }
  return state;
}

bool holds(const std::string& state) {
  const auto lines = split(state, '\n');
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2)
    if (fingerprint(lines[i]) != lines[i + 1]) return false;
  return lines.size() > 1;
}

}  // namespace gpulab
