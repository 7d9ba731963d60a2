#include "runner/student_file/compile_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "common/child/housekeeper.h"
#include "common/text.h"
#include "runner/student_file/compilers/sha256.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// Some ten to a few hundred KB each.
constexpr std::size_t most_entries = 600;
constexpr std::uintmax_t most_bytes = std::uintmax_t{512} << 20, most_bytes_of_one = std::uintmax_t{64} << 20;

/// XDG Base Directory Specification: relative paths in the variable are to be ignored.
std::optional<fs::path> folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "gpulab";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache/gpulab";
  return std::nullopt;
}

/// Whoever else may write there could have us run what he likes.
bool is_ours(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

fs::path entry(const fs::path& in, const std::string& key) { return in / (key + ".entry"); }

void remove_oldest(const fs::path& in) {
  struct Entry {
    fs::file_time_type time;
    fs::path path;
    std::uintmax_t bytes;
  };
  std::vector<Entry> entries;
  std::error_code ignored;
  std::uintmax_t bytes = 0;
  for (const auto& file : fs::directory_iterator(in, ignored)) {
    std::error_code no_file;
    const auto size = file.is_regular_file(no_file) ? file.file_size(no_file) : 0;
    entries.push_back({fs::last_write_time(file, no_file), file.path(), no_file ? 0 : size});
    bytes += entries.back().bytes;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  std::size_t left = entries.size();
  for (const auto& [time, path, size] : entries) {
    if (left <= most_entries && bytes <= most_bytes) return;
    fs::remove_all(path, ignored);
    --left;
    bytes -= size;
  }
}

/// The first line says of what the rest is made: its checksum, which includes the key, and the length of each text.
std::string packed(const std::string& key, const std::vector<std::string>& texts) {
  std::vector<std::string_view> parts{key};
  std::string lengths, all;
  for (const auto& text : texts) {
    parts.emplace_back(text);
    lengths += fmt::format(" {}", text.size());
    all += text;
  }
  return fmt::format("gpulab-cache-2 {}{}\n{}", sha256(parts), lengths, all);
}

std::optional<std::vector<std::string>> unpacked(const std::string& key, std::string_view bytes) {
  const auto end = bytes.find('\n');
  if (end > 500) return std::nullopt;  // or there is none
  const auto words = split(bytes.substr(0, end), ' ');
  if (words.size() < 2 || words[0] != "gpulab-cache-2") return std::nullopt;
  bytes.remove_prefix(end + 1);
  std::vector<std::string> texts;
  std::vector<std::string_view> parts{key};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto length = parse_integer(words[i]);
    if (!length || static_cast<std::uint64_t>(*length) > bytes.size()) return std::nullopt;
    texts.emplace_back(bytes.substr(0, static_cast<std::size_t>(*length)));
    parts.push_back(bytes.substr(0, static_cast<std::size_t>(*length)));
    bytes.remove_prefix(static_cast<std::size_t>(*length));
  }
  if (!bytes.empty() || sha256(parts) != words[1]) return std::nullopt;
  return texts;
}

}  // namespace

std::optional<std::vector<std::string>> cached_texts(const std::string& key) {
  const auto in = folder();
  if (!in || !is_ours(*in)) return std::nullopt;
  const auto path = entry(*in, key);
  std::error_code missing;
  if (!fs::is_regular_file(fs::symlink_status(path, missing)) || fs::file_size(path, missing) > most_bytes_of_one)
    return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes = rest_of(file);
  auto texts = unpacked(key, bytes);
  std::error_code ignored;
  if (texts) fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // in use: not the oldest
  return texts;
}

void keep_texts(const std::string& key, const std::vector<std::string>& texts) {
  const auto in = folder();
  if (!in) return;
  std::error_code failed;
  if (!fs::exists(*in, failed)) {
    fs::create_directories(in->parent_path(), failed);
    mkdir(in->c_str(), 0700);
  }
  const auto bytes = packed(key, texts);
  if (!is_ours(*in) || bytes.size() > most_bytes_of_one) return;
  // Another process may read or write the same entry: it appears whole, by a rename, or not at all.
  const auto path = entry(*in, key), unfinished = *in / fmt::format("{}.{}", key, getpid());
  Housekeeper::instance().remember_path(unfinished);
  std::ofstream file(unfinished, std::ios::binary);
  file << bytes;
  file.close();
  // What is no file there would stay in the way for good.
  if (fs::is_directory(fs::symlink_status(path, failed))) fs::remove_all(path, failed);
  failed.clear();
  if (file) fs::rename(unfinished, path, failed);
  if (!file || failed) fs::remove(unfinished, failed);
  Housekeeper::instance().forget_path(unfinished);
  remove_oldest(*in);
}

std::optional<Compiled> cached(const std::string& key) {
  auto texts = cached_texts(key);
  if (!texts || texts->size() != 2) return std::nullopt;
  return Compiled{std::move(texts->at(0)), std::move(texts->at(1))};
}

void keep(const std::string& key, const Compiled& compiled) { keep_texts(key, {compiled.ptx, compiled.log}); }

}  // namespace gpulab
