#pragma once
// Results of a GPU for every IEEE instruction, kept as checksums: tests/data/float_vectors.tsv. Operands are worked out
// again (all edge values combined, then random ones), so that a line is an opcode and a checksum for each 256 tries.
// The file's first lines say which GPU and driver made it (scripts/gpu_test.sh).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/instructions/float_opcode.h"

namespace gpulab::simt {

inline constexpr std::size_t kVectorTries = 2048;  ///< at random, after the edges
inline constexpr std::size_t kTriesPerChecksum = 256;

/// Edge and random operands, one after another.
[[nodiscard]] Columns vector_operands(const FloatOpcode& opcode);
[[nodiscard]] std::vector<std::uint32_t> checksums(const FloatOpcode& opcode, const Results& results);

struct FloatVectors {
  std::string origin;  ///< "# NVIDIA H200, driver 570.86.15"
  std::map<std::string, std::vector<std::uint32_t>> checksums;
};
/// The file's content; throws std::runtime_error on a malformed line.
[[nodiscard]] FloatVectors parse_float_vectors(const std::string& text);
[[nodiscard]] std::string float_vectors_text(const FloatVectors& vectors);
/// What of an opcode's results differs from the vectors, by block of tries; empty: nothing.
[[nodiscard]] std::string vector_difference(const FloatVectors& vectors, const FloatOpcode& opcode,
                                            const Results& results);

}  // namespace gpulab::simt
