#include "tests/instructions/float_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "common/fnv.h"

namespace gpulab::simt {

Columns vector_operands(const FloatOpcode& opcode) {
  Columns columns = edge_operands(opcode);
  const Columns random = random_operands(opcode, kVectorTries, 2);
  for (std::size_t k = 0; k < columns.size(); ++k)
    columns[k].insert(columns[k].end(), random[k].begin(), random[k].end());
  return columns;
}

std::vector<std::uint32_t> checksums(const FloatOpcode& opcode, const Results& results) {
  std::vector<std::uint32_t> sums;
  const std::size_t each = kTriesPerChecksum * opcode.shape.outputs.size();
  for (std::size_t at = 0; at < results.size(); at += each) {
    std::uint64_t hash = fnv1a64_start;
    for (std::size_t i = at; i < std::min(results.size(), at + each); ++i) {
      std::array<std::byte, 8> bytes{};
      for (int b = 0; b < 8; ++b) bytes[b] = static_cast<std::byte>(settled(opcode, results[i]) >> 8 * b);
      hash = fnv1a64(bytes, hash);
    }
    sums.push_back(static_cast<std::uint32_t>(hash ^ hash >> 32));
  }
  return sums;
}

FloatVectors parse_float_vectors(const std::string& text) {
  FloatVectors vectors;
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line)) {
    if (line.rfind("# ", 0) == 0) {
      vectors.origin += line + "\n";
      continue;
    }
    std::istringstream fields(line);
    std::string name, sum;
    fields >> name;
    while (fields >> sum) {
      std::size_t end = 0;
      const auto value = std::stoul(sum, &end, 16);
      if (end != 8 || sum.size() != 8) throw std::runtime_error("malformed checksum " + sum + " of " + name);
      vectors.checksums[name].push_back(static_cast<std::uint32_t>(value));
    }
    if (vectors.checksums[name].empty()) throw std::runtime_error("no checksums: '" + line + "'");
  }
  return vectors;
}

std::string float_vectors_text(const FloatVectors& vectors) {
  std::string text = vectors.origin;
  for (const auto& [name, sums] : vectors.checksums) {
    text += name;
    for (const auto sum : sums) text += fmt::format(" {:08x}", sum);
    text += "\n";
  }
  return text;
}

std::string vector_difference(const FloatVectors& vectors, const FloatOpcode& opcode, const Results& results) {
  const auto found = vectors.checksums.find(opcode.name);
  if (found == vectors.checksums.end()) return opcode.name + ": not in the file: make it anew on a GPU";
  const auto sums = checksums(opcode, results);
  if (sums.size() != found->second.size()) return opcode.name + ": other operands than the file's: make it anew";
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i] != found->second[i])
      return fmt::format("{}: among tries {} to {} a result differs from the GPU's", opcode.name, i * kTriesPerChecksum,
                         (i + 1) * kTriesPerChecksum - 1);
  return {};
}

}  // namespace gpulab::simt
