// What the rows of mma and wmma compute in vectors, compared element by element with the definition, on random bits.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/catch.h"
#include "tests/device_contract.h"
#include "tests/instructions/matrix_definition.h"
#include "tests/instructions/matrix_kernel.h"
#include "tests/instructions/matrix_values.h"

namespace gpulab::tests {
namespace {

/// Which floating-point numbers a launch is given.
enum class Numbers { any_bits, near_one, near_one_and_special, tiny, huge_and_tiny, near_least, count };

/// Random bits of an element.
class RandomElements {
 public:
  explicit RandomElements(unsigned seed) : random_(seed) {}

  std::uint64_t element(const std::string& type, Numbers numbers) {
    const std::uint64_t bits = random_();
    const int width = bits_of(type);
    const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    if (!is_float(type) || numbers == Numbers::any_bits) return bits & all;
    const int mantissa = type == "f16" ? 10 : type == "bf16" ? 7 : type == "f64" ? 52 : 23;
    const std::uint64_t most = all >> (mantissa + 1), fraction = bits & ((std::uint64_t{1} << mantissa) - 1);
    const std::uint64_t sign = bits >> 63 << (width - 1);
    return sign | (field(numbers, most) << mantissa) | (random_() % 16 == 0 ? 0 : fraction);
  }

 private:
  /// The exponent's.
  std::uint64_t field(Numbers numbers, std::uint64_t most) {
    const std::uint64_t bias = most / 2, any = random_();
    switch (numbers) {
      case Numbers::near_one_and_special:
        if (any % 64 == 0) return any / 64 % 2 * most;
        [[fallthrough]];
      case Numbers::near_one:
        return bias - 6 + random_() % 13;
      case Numbers::tiny:
        return any % 3;
      case Numbers::huge_and_tiny:
        return any % 2 ? any / 2 % 3 : most - 1 - any / 2 % 3;
      default:  // products near the least exponents that floats have
        return std::max(bias / 2, std::uint64_t{8}) - 8 + any % 17;
    }
  }
  std::mt19937_64 random_;
};

/// Column j of a matrix of n columns.
std::vector<std::uint64_t> column_of(const std::vector<std::uint64_t>& matrix, std::size_t n, std::size_t j) {
  std::vector<std::uint64_t> column;
  for (std::size_t at = j; at < matrix.size(); at += n) column.push_back(matrix[at]);
  return column;
}

/// Multiplies random matrices; says what is wrong, empty: nothing.
std::string compare(Device& device, const MatrixKernel& kernel, RandomElements& random, Numbers numbers) {
  const MatrixForm& f = kernel.form;
  const auto m = static_cast<std::size_t>(f.m), n = static_cast<std::size_t>(f.n), k = static_cast<std::size_t>(f.k);
  MatrixBits matrices;
  const auto fill = [&](std::vector<std::vector<std::uint64_t>>& all, const std::string& type, std::size_t count) {
    all.resize(static_cast<std::size_t>(products_of(f)));
    for (auto& matrix : all)
      for (std::size_t i = 0; i < count; ++i) matrix.push_back(random.element(type, numbers));
  };
  fill(matrices.a, f.a, m * k), fill(matrices.b, f.b, k * n), fill(matrices.c, f.c, m * n);
  multiply(device, kernel, matrices);
  for (std::size_t q = 0; q < matrices.d.size(); ++q)
    for (std::size_t j = 0; j < n; ++j) {
      const auto column = column_of(matrices.b[q], n, j);
      for (std::size_t i = 0; i < m; ++i) {
        const auto row = std::span(matrices.a[q]).subspan(i * k, k);
        const std::uint64_t defined = defined_element(f, row, column, matrices.c[q][i * n + j]);
        const std::uint64_t got = matrices.d[q][i * n + j];
        if (got != defined)
          return fmt::format("{}, numbers {}, product {}: element {},{} is {:#x}, not {:#x}", kernel.opcode,
                             static_cast<int>(numbers), q, i, j, got, defined);
      }
    }
  return "";
}

TEST_CASE("tensor cores compute what their definition says, element by element, on random bits of every type") {
  const std::string_view before = simt::cpu_level();
  for (const auto level : simt::cpu_levels()) {
    simt::use_cpu_level(level);
    const auto device = make_simulator(gpu_profile("h200"), {});
    for (const auto& text : matrix_kernels().modules) device->load({"matrix.ptx", text, ""});
    RandomElements random(38);
    std::map<std::string, int> products;
    for (const auto& kernel : matrix_kernels().kernels) {
      const MatrixForm& f = kernel.form;
      if (f.wmma && f.space != ".global") continue;  // the same product, loaded otherwise
      const int rounds = f.wmma || f.quads() ? 1 : 10;
      for (int round = 0; round < rounds; ++round)
        for (int numbers = 0; numbers < static_cast<int>(Numbers::count); ++numbers) {
          const std::string wrong = compare(*device, kernel, random, static_cast<Numbers>(numbers));
          if (!wrong.empty()) FAIL_CHECK(level << ": " << wrong);
          products[f.a] += products_of(f) * f.m * f.n * f.k;
        }
    }
    for (const auto& [type, count] : products) {
      INFO(type);
      CHECK(count >= 100000);
    }
  }
  simt::use_cpu_level(before);
}

}  // namespace
}  // namespace gpulab::tests
