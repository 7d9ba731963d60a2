#include "common/cuda_api/libraries/nccl/elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::nccl {
namespace {

struct TypeRow {
  const char* name;
  std::uint64_t bytes;
};
constexpr std::array<TypeRow, types> rows{{{"int8", 1},
                                           {"uint8", 1},
                                           {"int32", 4},
                                           {"uint32", 4},
                                           {"int64", 8},
                                           {"uint64", 8},
                                           {"half", 2},
                                           {"float", 4},
                                           {"double", 8},
                                           {"bfloat16", 2},
                                           {"float8e4m3", 1},
                                           {"float8e5m2", 1}}};

cudaDataType_t floating(ncclDataType_t type) {
  switch (type) {
    case half:
      return CUDA_R_16F;
    case float32:
      return CUDA_R_32F;
    case bfloat16:
      return CUDA_R_16BF;
    case e4m3:
      return CUDA_R_8F_E4M3;
    case e5m2:
      return CUDA_R_8F_E5M2;
    default:
      return CUDA_R_64F;
  }
}

template <typename Int>
Int combined(ncclRedOp_t operation, Int a, Int b) {
  using Bits = std::make_unsigned_t<Int>;
  const auto x = static_cast<std::uint64_t>(static_cast<Bits>(a)), y = static_cast<std::uint64_t>(static_cast<Bits>(b));
  switch (operation) {
    case product:
      return static_cast<Int>(x * y);
    case maximum:
      return std::max(a, b);
    case minimum:
      return std::min(a, b);
    default:
      return static_cast<Int>(x + y);
  }
}

double combined(ncclRedOp_t operation, double a, double b) {
  switch (operation) {
    case product:
      return a * b;
    case maximum:
      return std::fmax(a, b);
    case minimum:
      return std::fmin(a, b);
    default:
      return a + b;
  }
}

template <typename Value>
void fold(ncclRedOp_t operation, std::vector<Value>& all, const std::vector<Value>& next) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = combined(operation, all[i], next[i]);
}

template <typename Int>
std::vector<char> reduced_integers(ncclRedOp_t operation, const std::vector<std::vector<char>>& ranks,
                                   const std::vector<long double>& factors, std::uint64_t count) {
  std::vector<Int> all(count), next(count);
  const auto load = [&](std::size_t rank, std::vector<Int>& to) {
    std::memcpy(to.data(), ranks[rank].data(), count * sizeof(Int));
    if (factors.empty()) return;
    for (Int& value : to) value = combined(product, value, static_cast<Int>(factors[rank]));
  };
  load(0, all);
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    load(rank, next);
    fold(operation, all, next);
  }
  if (operation == average)
    for (auto& value : all) value = static_cast<Int>(value / static_cast<Int>(ranks.size()));
  std::vector<char> bytes(count * sizeof(Int));
  std::memcpy(bytes.data(), all.data(), bytes.size());
  return bytes;
}

/// To the type's numbers. Those of 8 bits are computed as halves.
void round_to(ncclDataType_t type, std::vector<double>& values) {
  if (type == float64) return;
  const auto through = [&](cudaDataType_t kind) {
    std::vector<char> bytes(values.size() * sizeof(double));
    libraries::encode(kind, values.data(), bytes.data(), static_cast<libraries::i64>(values.size()));
    libraries::decode(kind, bytes.data(), values.data(), static_cast<libraries::i64>(values.size()));
  };
  if (type == e4m3 || type == e5m2) through(CUDA_R_16F);
  through(floating(type));
}

/// `all` and `factor * next` in one rounding where GPUs have one instruction for it that the compiler takes, else in
/// two.
void add_product(ncclDataType_t type, std::vector<double>& all, std::vector<double>& next, double factor) {
  const auto each = [&](const auto& sum) { std::ranges::transform(next, all, all.begin(), sum); };
  if (type == float64) return each([&](double x, double y) { return std::fma(factor, x, y); });
  if (type == float32)
    return each([&](double x, double y) {
      return std::fma(static_cast<float>(factor), static_cast<float>(x), static_cast<float>(y));
    });
  for (double& x : next) x *= factor;
  if (type != half && type != bfloat16) round_to(type, next);
  each([](double x, double y) { return x + y; });
  round_to(type, all);
}

std::vector<char> reduced_floats(ncclDataType_t type, ncclRedOp_t operation,
                                 const std::vector<std::vector<char>>& ranks, const std::vector<long double>& given,
                                 std::uint64_t count) {
  const cudaDataType_t kind = floating(type);
  const auto elements = static_cast<libraries::i64>(count);
  std::vector<double> factors(given.begin(), given.end());
  if (operation == average) factors.assign(ranks.size(), 1 / static_cast<double>(ranks.size()));
  round_to(type, factors);
  std::vector<double> all(count), next(count);
  libraries::decode(kind, ranks[0].data(), all.data(), elements);
  if (!factors.empty()) {
    for (double& value : all) value *= factors[0];
    round_to(type, all);
  }
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    libraries::decode(kind, ranks[rank].data(), next.data(), elements);
    if (!factors.empty()) {
      add_product(type, all, next, factors[rank]);
      continue;
    }
    fold(operation, all, next);
    round_to(type, all);
  }
  std::vector<char> bytes(count * bytes_of(type));
  libraries::encode(kind, all.data(), bytes.data(), elements);
  if (type == float32 && ranks.size() > 1)
    for (std::uint64_t i = 0; i < count; ++i)
      if (constexpr std::uint32_t nan = 0x7fffffff; std::isnan(all[i]))  // as GPUs compute it
        std::memcpy(bytes.data() + i * sizeof nan, &nan, sizeof nan);
  return bytes;
}

}  // namespace

std::uint64_t bytes_of(ncclDataType_t type) { return rows.at(static_cast<std::size_t>(type)).bytes; }

std::string name_of(ncclDataType_t type) { return rows.at(static_cast<std::size_t>(type)).name; }

std::string name_of_operation(ncclRedOp_t operation) {
  constexpr std::array<const char*, operations> names{"sum", "product", "maximum", "minimum", "average"};
  return names.at(static_cast<std::size_t>(operation));
}

namespace {

/// Calls with a number of the type where it is one of integers; false: it is not.
template <typename Each>
bool with_integer(ncclDataType_t type, const Each& each) {
  switch (type) {
    case int8:
      return each(std::int8_t{}), true;
    case uint8:
      return each(std::uint8_t{}), true;
    case int32:
      return each(std::int32_t{}), true;
    case uint32:
      return each(std::uint32_t{}), true;
    case int64:
      return each(std::int64_t{}), true;
    case uint64:
      return each(std::uint64_t{}), true;
    default:
      return false;
  }
}

}  // namespace

std::vector<char> reduced(ncclDataType_t type, ncclRedOp_t operation, const std::vector<std::vector<char>>& ranks,
                          const std::vector<long double>& factors, std::uint64_t count) {
  std::vector<char> bytes;
  const bool integers = with_integer(
      type, [&](auto kind) { bytes = reduced_integers<decltype(kind)>(operation, ranks, factors, count); });
  return integers ? bytes : reduced_floats(type, operation, ranks, factors, count);
}

long double number_of(ncclDataType_t type, const void* element) {
  long double value = 0;
  const bool integers = with_integer(type, [&](auto kind) {
    decltype(kind) one;
    std::memcpy(&one, element, sizeof one);
    value = static_cast<long double>(one);
  });
  if (integers) return value;
  double real = 0;
  libraries::decode(floating(type), element, &real, 1);
  return real;
}

}  // namespace gpulab::nccl
