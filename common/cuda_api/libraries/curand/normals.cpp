#include "common/cuda_api/libraries/curand/normals.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "common/cuda_api/libraries/library.h"

// normals.cu as PTX, made by the build.
extern "C" const char _binary_curand_normals_ptx_start[], _binary_curand_normals_ptx_end[];

namespace gpulab::curand {
namespace {

/// A kernel of normals.cu: bytes that a thread takes and gives.
struct Kernel {
  std::string_view entry;
  std::size_t takes, gives;
};
constexpr Kernel kKernels[][2] = {
    {{"pairs", 8, 8}, {"pairs_double", 16, 16}},
    {{"pairs_of_fractions", 8, 8}, {"pairs_of_fractions_double", 16, 16}},
    {{"quantiles", 4, 4}, {"quantiles_double", 4, 8}},
    {{"", 8, 4}, {"quantiles_of_64_bits_double", 8, 8}},
};
constexpr std::size_t kMost = std::size_t{1} << 20;  ///< threads of a launch

}  // namespace

std::vector<char> Normals::made(const Shape& shape) const {
  const Kernel& kernel = kKernels[static_cast<std::size_t>(method_)][in_double_ ? 1 : 0];
  const std::size_t count = parts_.size() / kernel.takes;
  const std::string_view ptx(
      _binary_curand_normals_ptx_start,
      static_cast<std::size_t>(_binary_curand_normals_ptx_end - _binary_curand_normals_ptx_start));
  std::vector<char> made(count * kernel.gives);
  const std::span parts(parts_);
  for (std::size_t at = 0; at < count; at += kMost) {
    const std::size_t now = std::min(kMost, count - at);
    libraries::runtime().compute({"curand/normals.cu", ptx, kernel.entry}, static_cast<std::uint32_t>(now),
                                 parts.subspan(at * kernel.takes, now * kernel.takes),
                                 std::as_writable_bytes(std::span(made)).subspan(at * kernel.gives, now * kernel.gives),
                                 std::as_bytes(std::span(&shape, 1)));
  }
  return made;
}

}  // namespace gpulab::curand
