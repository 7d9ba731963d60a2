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
                                   std::uint64_t count) {
  std::vector<Int> all(count), next(count);
  std::memcpy(all.data(), ranks[0].data(), count * sizeof(Int));
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    std::memcpy(next.data(), ranks[rank].data(), count * sizeof(Int));
    fold(operation, all, next);
  }
  if (operation == average)
    for (auto& value : all) value = static_cast<Int>(value / static_cast<Int>(ranks.size()));
  std::vector<char> bytes(count * sizeof(Int));
  std::memcpy(bytes.data(), all.data(), bytes.size());
  return bytes;
}

}  // namespace

std::uint64_t bytes_of(ncclDataType_t type) { return rows.at(static_cast<std::size_t>(type)).bytes; }

std::string name_of(ncclDataType_t type) { return rows.at(static_cast<std::size_t>(type)).name; }

std::string name_of_operation(ncclRedOp_t operation) {
  constexpr std::array<const char*, operations> names{"sum", "product", "maximum", "minimum", "average"};
  return names.at(static_cast<std::size_t>(operation));
}

std::vector<char> reduced(ncclDataType_t type, ncclRedOp_t operation, const std::vector<std::vector<char>>& ranks,
                          std::uint64_t count) {
  switch (type) {
    case int8:
      return reduced_integers<std::int8_t>(operation, ranks, count);
    case uint8:
      return reduced_integers<std::uint8_t>(operation, ranks, count);
    case int32:
      return reduced_integers<std::int32_t>(operation, ranks, count);
    case uint32:
      return reduced_integers<std::uint32_t>(operation, ranks, count);
    case int64:
      return reduced_integers<std::int64_t>(operation, ranks, count);
    case uint64:
      return reduced_integers<std::uint64_t>(operation, ranks, count);
    default:
      break;
  }
  const cudaDataType_t real = floating(type);
  const auto elements = static_cast<libraries::i64>(count);
  std::vector<double> all(count), next(count);
  libraries::decode(real, ranks[0].data(), all.data(), elements);
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    libraries::decode(real, ranks[rank].data(), next.data(), elements);
    fold(operation, all, next);
  }
  if (operation == average)
    for (auto& value : all) value /= static_cast<double>(ranks.size());
  std::vector<char> bytes(count * bytes_of(type));
  libraries::encode(real, all.data(), bytes.data(), elements);
  return bytes;
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

void multiply(ncclDataType_t type, double by, std::vector<char>& elements, std::uint64_t count) {
  const bool integers = with_integer(type, [&](auto kind) {
    using Int = decltype(kind);
    for (std::uint64_t i = 0; i < count; ++i) {
      Int one;
      std::memcpy(&one, elements.data() + i * sizeof one, sizeof one);
      one =
          static_cast<Int>(static_cast<std::uint64_t>(one) * static_cast<std::uint64_t>(static_cast<std::int64_t>(by)));
      std::memcpy(elements.data() + i * sizeof one, &one, sizeof one);
    }
  });
  if (integers) return;
  std::vector<double> values(count);
  libraries::decode(floating(type), elements.data(), values.data(), static_cast<std::int64_t>(count));
  for (double& value : values) value *= by;
  libraries::encode(floating(type), values.data(), elements.data(), static_cast<std::int64_t>(count));
}

double number_of(ncclDataType_t type, const void* element) {
  double value = 0;
  const bool integers = with_integer(type, [&](auto kind) {
    decltype(kind) one;
    std::memcpy(&one, element, sizeof one);
    value = static_cast<double>(one);
  });
  if (!integers) libraries::decode(floating(type), element, &value, 1);
  return value;
}

}  // namespace gpulab::nccl
