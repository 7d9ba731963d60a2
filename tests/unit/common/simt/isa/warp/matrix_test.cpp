// mma.sync and wmma on the simulator: every form multiplies what the CPU does, on every x86-64 level.

#include <bit>
#include <cmath>
#include <limits>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/catch.h"
#include "tests/device_contract.h"
#include "tests/instructions/matrix_kernel.h"
#include "tests/instructions/matrix_values.h"

namespace gpulab::tests {
namespace {

struct LevelGuard {
  std::string_view level = simt::cpu_level();
  ~LevelGuard() { simt::use_cpu_level(level); }
};

TEST_CASE("every form of mma and wmma multiplies as the CPU does, at every CPU level") {
  const LevelGuard guard;
  for (const auto level : simt::cpu_levels()) {
    simt::use_cpu_level(level);
    const auto device = make_simulator(gpu_profile("h200"), {});
    for (const auto& text : matrix_kernels().modules) device->load({"matrix.ptx", text, ""});
    CHECK(matrix_kernels().kernels.size() > 200);
    for (const auto& kernel : matrix_kernels().kernels) {
      const std::string wrong = run_matrix_kernel(*device, kernel);
      if (!wrong.empty()) FAIL_CHECK(wrong);
    }
  }
}

/// Element (0,0) of c + a b by mma.m16n8k16 (f16 to f32), with `products` times the same product; bits.
std::uint32_t sum_of(double c, double a, double b, int products) {
  const auto device = make_simulator(gpu_profile("h200"), {});
  for (const auto& text : matrix_kernels().modules) device->load({"matrix.ptx", text, ""});
  const auto& all = matrix_kernels().kernels;
  const auto kernel = std::find_if(all.begin(), all.end(), [](const MatrixKernel& one) {
    return one.opcode == "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
  });
  REQUIRE(kernel != all.end());
  const auto half = [](double x) {
    return std::isnan(x) ? std::uint32_t{0x7e00} : static_cast<std::uint32_t>(encoded("f16", x, false));
  };
  // Lane l's registers 0 and 2 hold row l/4: k = 2 (l%4), 2 (l%4) + 1 and the same plus 8.
  std::vector<std::uint32_t> left(128), right(64, half(b) << 16 | half(b)), sums(128), out(128);
  for (std::size_t lane = 0; lane < 4; ++lane)
    for (std::size_t j = 0; j < 4; ++j)
      if (2 * lane + j % 2 + j / 2 * 8 < static_cast<std::size_t>(products))
        left[4 * lane + j / 2 * 2] |= half(a) << 16 * (j % 2);
  sums[0] = std::bit_cast<std::uint32_t>(static_cast<float>(c));
  const auto d = upload(*device, out);
  launch(*device, kernel->name, {{1, 1, 1}, {32, 1, 1}}, upload(*device, left), upload(*device, right),
         upload(*device, sums), d);
  return read_values<std::uint32_t>(*device, d, 1).front();
}
std::uint32_t bits(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }

TEST_CASE("a tensor core's terms are cut off 25 bits below the largest, towards zero, and so is their sum") {
  CHECK(sum_of(1, 0x1p-12, 0x1p-12, 16) == bits(1 + 0x1p-20));
  CHECK(sum_of(1, 0x1p-12, 0x1p-13, 16) == bits(1 + 0x1p-21));
  CHECK(sum_of(1, 0x1p-13, 0x1p-13, 16) == bits(1));   // 2^-26 each: lost, though their sum would be 2^-22
  CHECK(sum_of(1, -0x1p-13, 0x1p-13, 16) == bits(1));  // towards zero: not down
  CHECK(sum_of(1, 0x1.8p-12, 0x1p-12, 1) == bits(1));  // 1.5 * 2^-24: nearest would be 1 + 2^-23
  CHECK(sum_of(-1, -0x1.8p-12, 0x1p-12, 1) == bits(-1));
  CHECK(sum_of(1, -0x1p-12, 0x1p-13, 1) == bits(1 - 0x1p-24));             // 1 - 2^-25 is cut off to 24 bits
  CHECK(sum_of(0x1p-40, 0x1p-24, 0x1p-24, 2) == bits(0x1p-40 + 0x1p-47));  // subnormal halves count
}
TEST_CASE("infinities and NaN go through a tensor core as through an adder") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(sum_of(1, infinity, 2, 1) == 0x7f800000);
  CHECK(sum_of(1, infinity, 0, 1) == 0x7fffffff);
  CHECK(sum_of(-infinity, infinity, 1, 3) == 0x7fffffff);
  CHECK(sum_of(std::nan(""), 1, 1, 1) == 0x7fffffff);
  CHECK(sum_of(0, std::nan(""), 1, 1) == 0x7fffffff);
}

}  // namespace
}  // namespace gpulab::tests
