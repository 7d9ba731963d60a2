#include "runner/mcp/workplace.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "common/error.h"
#include "common/text.h"

namespace gpulab::mcp {
namespace {

namespace fs = std::filesystem;

/// Is it `folder`, or does it lie below it?
bool lies_below(const fs::path& path, const fs::path& folder) {
  const auto [rest, end] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

/// PTX begins with its version; whatever else is CUDA C++.
bool is_ptx(std::string_view source) {
  for (const auto& line : split(source, '\n')) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line.compare(first, 2, "//") == 0) continue;
    return line.compare(first, 8, ".version") == 0;
  }
  return false;
}

const std::string* text_of(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? nullptr : found->get_ptr<const std::string*>();
}

}  // namespace

Workplace::Workplace(const std::vector<std::string>& roots) {
  for (const auto& root : roots.empty() ? std::vector<std::string>{"."} : roots) {
    std::error_code failed;
    auto path = fs::canonical(root, failed);
    if (failed || !fs::is_directory(path))
      throw usage_error(fmt::format("--root: '{}' is no folder", root), "requests may name files below it");
    roots_.push_back(std::move(path));
  }
}

bool Workplace::holds(const fs::path& canonical) const {
  return std::ranges::any_of(roots_, [&](const auto& root) { return lies_below(canonical, root); });
}

std::string Workplace::file_below(const std::string& path, const std::string& called) const {
  std::error_code failed;
  const fs::path asked(path);
  fs::path found;
  for (const auto& root : roots_) {  // a path that is not absolute counts from the first root that has it
    found = fs::canonical(asked.is_absolute() ? asked : root / asked, failed);
    if (!failed) break;
  }
  // Of what lies outside it is not even said whether it is there.
  if (failed || !holds(found))
    throw usage_error(
        fmt::format("{}: there is no file '{}' below the folders that this server may read", called, visible(path)),
        "give the source as text ('source'), or start the server with --root FOLDER");
  if (!fs::is_regular_file(found)) throw usage_error(fmt::format("{}: '{}' is no regular file", called, visible(path)));
  return found.string();
}

Source Workplace::source_of(const Json& arguments, const std::vector<std::string>& endings) const {
  const auto *text = text_of(arguments, "source"), *path = text_of(arguments, "path");
  if ((text == nullptr) == (path == nullptr))
    throw usage_error("give 'source' (the text) or 'path' (a file), one of the two");
  const auto takes = [&](const std::string& ending) { return std::ranges::find(endings, ending) != endings.end(); };
  if (path != nullptr) {
    Source source{.file = file_below(*path, "path"), .folder = {}};
    if (!endings.empty() && !takes(fs::path(source.file).extension().string()))
      throw usage_error(fmt::format("path: '{}' does not end in {}", visible(*path), join(endings, " or ")));
    source.folder = fs::path(source.file).parent_path().string();
    return source;
  }
  if (text->find('\0') != std::string::npos) throw usage_error("source: a NUL is no part of a text");
  Source source{.file = is_ptx(*text) && takes(".ptx") ? "kernel.ptx" : "kernel.cu", .folder = {}};
  source.own = std::make_shared<PrivateFolder>();
  source.folder = fs::canonical(source.own->path()).string();
  std::ofstream file(fs::path(source.folder) / source.file, std::ios::binary);
  file << *text;
  file.close();
  if (!file) throw Error(ExitCode::missing, "the source cannot be written to a private folder");
  return source;
}

std::string Workplace::argument(const std::string& spec) const {
  const auto at = spec.find("=@");
  if (at == std::string::npos) return spec;
  return spec.substr(0, at + 2) + file_below(spec.substr(at + 2), "arguments");
}

void Workplace::check_word(const std::string& word, const std::string& folder) const {
  if (word.find('\0') != std::string::npos) throw usage_error("arguments: a NUL is no part of a word");
  std::error_code failed;
  const auto named = fs::canonical(fs::path(folder) / word, failed);
  if (failed || word.find('/') == std::string::npos || holds(named) || lies_below(named, folder)) return;
  throw usage_error(fmt::format("arguments: '{}' lies outside of the folders that this server may read", visible(word)),
                    "start the server with --root FOLDER");
}

}  // namespace gpulab::mcp
