#pragma once
// The texts that mutants come from, and mutants by number.

#include <cstdint>
#include <string>
#include <vector>

namespace gpulab::tests {

struct MutantSeed {
  std::string name, text;
};

/// tests/fuzz/simulator_seeds/*.ptx, and each kernel of tests/ptx/*.ptx with its file's head; in the order of their
/// names.
[[nodiscard]] std::vector<MutantSeed> mutant_seeds();

/// The mutant of that number, of one of the seeds: it was changed once, twice or three times.
[[nodiscard]] std::string mutant(const std::vector<MutantSeed>& seeds, std::uint64_t number);

}  // namespace gpulab::tests
