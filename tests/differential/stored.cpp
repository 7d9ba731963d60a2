#include "tests/differential/stored.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace gpulab::differential {
namespace {

constexpr const char* kMadeBy = "# made by: ";

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

StoredResults read_stored(const std::string& path) {
  StoredResults results;
  std::ifstream file(path);
  std::string head;
  std::getline(file, head);
  if (!head.starts_with(kMadeBy)) throw std::runtime_error(path + ": does not say what made it");
  results.made_by = head.substr(std::string(kMadeBy).size());
  for (const auto& line : read_lines(path)) {
    if (line.size() != 16 || line.find_first_not_of("0123456789abcdef") != std::string::npos)
      throw std::runtime_error(fmt::format("{}: '{}' is no hash", path, line));
    results.hashes.push_back(std::stoull(line, nullptr, 16));
  }
  return results;
}

void write_stored(const std::string& path, const StoredResults& results) {
  std::ofstream file(path);
  file << kMadeBy << results.made_by << "\n# What kernels of seeds 0, 1, … leave in memory (FNV-1a), with the "
       << "instructions of differential_opcodes.txt.\n";
  for (const std::uint64_t hash : results.hashes) file << fmt::format("{:016x}\n", hash);
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace gpulab::differential
