#include "common/cuda_api/libraries/curand/sobol.h"

#include <bit>
#include <cstddef>
#include <vector>

namespace gpulab::curand {
namespace {

constexpr std::uint32_t table[] = {
#include "common/cuda_api/libraries/curand/joe_kuo.inc"
};

/// Where the numbers of each dimension begin, from the second one on.
const std::vector<std::size_t>& rows() {
  static const auto* const made = [] {
    auto* all = new std::vector<std::size_t>;
    for (std::size_t at = 0; at < std::size(table); at += static_cast<std::size_t>(std::bit_width(table[at])))
      all->push_back(at);
    return all;
  }();
  return *made;
}

}  // namespace

std::array<std::uint64_t, 64> direction_numbers(unsigned dimension, int bits) {
  std::array<std::uint64_t, 64> v{};
  if (dimension == 0) {
    for (int i = 0; i < bits; ++i) v[static_cast<std::size_t>(i)] = std::uint64_t{1} << (bits - 1 - i);
    return v;
  }
  const std::uint32_t* row = table + rows()[dimension - 1];
  const int degree = std::bit_width(row[0]) - 1;
  for (int i = 0; i < bits; ++i) {
    auto& one = v[static_cast<std::size_t>(i)];
    if (i < degree) {
      one = std::uint64_t{row[i + 1]} << (bits - 1 - i);
      continue;
    }
    const std::uint64_t oldest = v[static_cast<std::size_t>(i - degree)];
    one = oldest ^ oldest >> degree;
    for (int k = 1; k < degree; ++k)
      if ((row[0] >> (degree - k) & 1) != 0) one ^= v[static_cast<std::size_t>(i - k)];
  }
  return v;
}

std::uint64_t sobol(const std::array<std::uint64_t, 64>& directions, std::uint64_t index) {
  std::uint64_t sum = 0;
  for (std::uint64_t gray = index ^ index >> 1; gray != 0; gray &= gray - 1)
    sum ^= directions[static_cast<std::size_t>(std::countr_zero(gray))];
  return sum;
}

}  // namespace gpulab::curand
