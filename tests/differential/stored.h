#pragma once
// Results kept for CI: tests/data/differential_hashes.txt has a line for each seed from 0 on, made with the
// instructions of tests/data/differential_opcodes.txt, so that a new row changes none of them.

#include <cstdint>
#include <string>
#include <vector>

namespace gpulab::differential {

struct StoredResults {
  std::string made_by;                ///< the evaluation, or the GPU that confirmed it
  std::vector<std::uint64_t> hashes;  ///< by seed
};
/// Throws std::runtime_error that names the malformed line.
[[nodiscard]] StoredResults read_stored(const std::string& path);
void write_stored(const std::string& path, const StoredResults& results);

/// Lines that are neither empty nor a comment (#).
[[nodiscard]] std::vector<std::string> read_lines(const std::string& path);

}  // namespace gpulab::differential
