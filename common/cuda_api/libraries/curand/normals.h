#pragma once
// Normal numbers of a generator's bits, by the kernels of normals.cu.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpulab::curand {

/// What becomes of a normal number: as normals.cu has it.
struct Shape {
  double mean = 0, deviation = 1;
  std::uint32_t logarithm = 0;
};

/// How they are made: two of two words or of two uniform numbers, or one of each word.
enum class NormalMethod { pairs, pairs_of_fractions, quantiles, quantiles_of_64_bits };

/// What the numbers are made of, collected, and then made at once.
class Normals {
 public:
  Normals(NormalMethod method, bool in_double) : method_(method), in_double_(in_double) {}
  template <typename T>
  void add(T part) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&part);
    parts_.insert(parts_.end(), bytes, bytes + sizeof part);
  }
  /// Floats or doubles; of pairs both.
  [[nodiscard]] std::vector<char> made(const Shape& shape) const;
  /// The same by the host's own functions, as generators of the host make them.
  [[nodiscard]] std::vector<char> made_on_host(const Shape& shape) const;

 private:
  NormalMethod method_;
  bool in_double_;
  std::vector<std::byte> parts_;
};

}  // namespace gpulab::curand
