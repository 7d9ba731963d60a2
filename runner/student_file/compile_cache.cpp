#include "runner/student_file/compile_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace gpulab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Some ten to a few hundred KB each.
constexpr std::size_t most_entries = 300;

/// XDG Base Directory Specification: relative paths in the variable are to be ignored.
std::optional<fs::path> folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "gpulab";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache/gpulab";
  return std::nullopt;
}

fs::path entry(const fs::path& in, std::uint64_t key) { return in / fmt::format("{:016x}.json", key); }

void remove_oldest(const fs::path& in) {
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(in, ignored)) {
    entries.emplace_back(fs::last_write_time(file, ignored), file.path());
  }
  if (entries.size() <= most_entries) return;
  std::sort(entries.begin(), entries.end());
  entries.resize(entries.size() - most_entries);
  for (const auto& [time, path] : entries) fs::remove(path, ignored);
}

}  // namespace

std::optional<Compiled> cached(std::uint64_t key) {
  const auto in = folder();
  if (!in) return std::nullopt;
  const auto path = entry(*in, key);
  std::ifstream file(path, std::ios::binary);
  const auto json = Json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("ptx") || !json.contains("log")) return std::nullopt;
  if (!json["ptx"].is_string() || !json["log"].is_string()) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // in use: not the oldest
  return Compiled{json["ptx"].get<std::string>(), json["log"].get<std::string>()};
}

void keep(std::uint64_t key, const Compiled& compiled) {
  const auto in = folder();
  std::error_code failed;
  if (!in || (fs::create_directories(*in, failed), failed)) return;
  // Another process may read or write the same entry: it appears whole, by a rename, or not at all.
  const auto path = entry(*in, key), unfinished = *in / fmt::format("{:016x}.{}", key, getpid());
  const Json json{{"ptx", compiled.ptx}, {"log", compiled.log}};
  std::ofstream file(unfinished, std::ios::binary);
  file << json.dump(-1, ' ', false, Json::error_handler_t::replace);
  file.close();
  if (file) fs::rename(unfinished, path, failed);
  if (!file || failed) {
    fs::remove(unfinished, failed);
    return;
  }
  remove_oldest(*in);
}

}  // namespace gpulab
