// Seeded inputs. Counter-based: element i is a hash of (seed, stream, i), so that any element can be made again
// alone, in any order, and the loops below vectorise (no state runs from one element to the next).

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "labs/lab.h"

namespace gpulab {
namespace {

/// splitmix64's finaliser (Steele, Lea, Flood 2014): a bijection that spreads every bit over all others.
constexpr std::uint64_t mixed64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

struct Key {
  std::uint32_t low, high;
};

/// 32 random bits of element `i`: multiply-xorshift rounds on 32 bits (SSE2 and AVX2 have no 64-bit multiply), one
/// half of the key before and one between them.
constexpr std::uint32_t bits32(std::uint32_t i, Key key) {
  std::uint32_t x = i + key.low;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = ((x ^ key.high) ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// The largest value below `high` that `low + u * (high - low)` may take: rounding could otherwise reach `high`.
template <typename T>
T last_below(T low, T high) {
  return high > low ? std::nextafter(high, low) : low;
}

/// Elements [0, count) in chunks of at most 2^32, each with a key of its own.
template <typename Write>
void for_each_chunk(std::size_t count, std::uint64_t seed, std::uint64_t stream, Write write) {
  constexpr std::size_t chunk = std::size_t{1} << 32;
  for (std::size_t first = 0; first < count; first += chunk) {
    const std::uint64_t bits = mixed64(mixed64(mixed64(seed + 1) + stream) + first / chunk);
    write(first, std::min(chunk, count - first),
          Key{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)});
  }
}

/// 64 random bits: two independent halves.
constexpr std::uint64_t bits64(std::uint32_t i, Key key) {
  return mixed64((std::uint64_t{key.high} << 32 | key.low) + i * 0x9e3779b97f4a7c15u);
}

template <typename T>
void fill_small_span(T* out, std::size_t count, Key key, T low, std::uint64_t span) {
  // Multiply-shift maps 32 bits onto [0, span); its bias is below span / 2^32.
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t offset = bits32(static_cast<std::uint32_t>(i), key) * span >> 32;
    out[i] = static_cast<T>(static_cast<std::uint64_t>(low) + offset);
  }
}

template <typename T>
void fill_large_span(T* out, std::size_t count, Key key, T low, std::uint64_t span) {
  // span 0 stands for 2^64: every bit pattern.
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = bits64(static_cast<std::uint32_t>(i), key);
    const auto scaled = static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits) * span >> 64);
    out[i] = static_cast<T>(static_cast<std::uint64_t>(low) + (span == 0 ? bits : scaled));
  }
}

/// The nearest integer of T: a range wider than the type is the whole type.
template <typename T>
T clamped(double value) {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  if (value <= static_cast<double>(least)) return least;
  return value >= static_cast<double>(most) ? most : static_cast<T>(value);
}

template <typename T>
void fill_integers(std::span<std::byte> bytes, Key key, double low, double high) {
  const T first = clamped<T>(low), last = std::max(first, clamped<T>(high));
  const std::uint64_t span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
  const auto out = view_as<T>(bytes);
  if (span != 0 && span <= (std::uint64_t{1} << 32)) {
    fill_small_span(out.data(), out.size(), key, first, span);
  } else {
    fill_large_span(out.data(), out.size(), key, first, span);
  }
}

void fill_floats(std::span<std::byte> bytes, Key key, float low, float high) {
  const auto out = view_as<float>(bytes);
  const float last = last_below(low, high), width = high - low;
  for (std::size_t i = 0; i < out.size(); ++i) {
    // 24 bits: every value of [0, 1) that is a multiple of 2^-24, exact in float. Signed: SSE2 converts those.
    const auto bits = static_cast<std::int32_t>(bits32(static_cast<std::uint32_t>(i), key) >> 8);
    out[i] = std::min(low + static_cast<float>(bits) * 0x1p-24f * width, last);
  }
}

void fill_doubles(std::span<std::byte> bytes, Key key, double low, double high) {
  const auto out = view_as<double>(bytes);
  const double last = last_below(low, high), width = high - low;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto bits = static_cast<std::int64_t>(bits64(static_cast<std::uint32_t>(i), key) >> 11);  // 53 bits
    out[i] = std::min(low + static_cast<double>(bits) * 0x1p-53 * width, last);
  }
}

/// IEEE binary16 towards zero: stays inside [low, high) where both are representable.
std::uint16_t half_towards_zero(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const float magnitude = std::fabs(value);
  if (magnitude >= 65504.0f) return sign | 0x7bffu;                                         // largest finite
  if (magnitude < 0x1p-14f) return sign | static_cast<std::uint16_t>(magnitude * 0x1p24f);  // subnormal: units of 2^-24
  return sign | static_cast<std::uint16_t>(((bits & 0x7fffffffu) - (112u << 23)) >> 13);    // exponent bias 127 -> 15
}

void fill_halves(std::span<std::byte> bytes, Key key, float low, float high) {
  const auto out = view_as<std::uint16_t>(bytes);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto unit = static_cast<float>(bits32(static_cast<std::uint32_t>(i), key) >> 8) * 0x1p-24f;
    out[i] = half_towards_zero(low + unit * (high - low));
  }
}

void fill_bfloat16s(std::span<std::byte> bytes, Key key, float low, float high) {
  const auto out = view_as<std::uint16_t>(bytes);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto unit = static_cast<float>(bits32(static_cast<std::uint32_t>(i), key) >> 8) * 0x1p-24f;
    // A float's upper half is the bfloat16 towards zero: it stays inside [low, high) where both are representable.
    out[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(low + unit * (high - low)) >> 16);
  }
}

void fill(Scalar type, std::span<std::byte> bytes, Key key, double low, double high) {
  switch (type) {
    case Scalar::u8:
      return fill_integers<std::uint8_t>(bytes, key, low, high);
    case Scalar::i8:
      return fill_integers<std::int8_t>(bytes, key, low, high);
    case Scalar::u16:
      return fill_integers<std::uint16_t>(bytes, key, low, high);
    case Scalar::i16:
      return fill_integers<std::int16_t>(bytes, key, low, high);
    case Scalar::u32:
      return fill_integers<std::uint32_t>(bytes, key, low, high);
    case Scalar::i32:
      return fill_integers<std::int32_t>(bytes, key, low, high);
    case Scalar::u64:
      return fill_integers<std::uint64_t>(bytes, key, low, high);
    case Scalar::i64:
      return fill_integers<std::int64_t>(bytes, key, low, high);
    case Scalar::f16:
      return fill_halves(bytes, key, static_cast<float>(low), static_cast<float>(high));
    case Scalar::bf16:
      return fill_bfloat16s(bytes, key, static_cast<float>(low), static_cast<float>(high));
    case Scalar::f32:
      return fill_floats(bytes, key, static_cast<float>(low), static_cast<float>(high));
    case Scalar::f64:
      return fill_doubles(bytes, key, low, high);
  }
}

}  // namespace

std::vector<std::byte> random_values(Scalar type, std::size_t count, std::uint64_t seed, double low, double high,
                                     std::uint64_t stream) {
  std::vector<std::byte> bytes(count * size_of(type));
  const std::size_t size = size_of(type);
  for_each_chunk(count, seed, stream, [&](std::size_t first, std::size_t length, Key key) {
    fill(type, std::span(bytes).subspan(first * size, length * size), key, low, high);
  });
  return bytes;
}

std::vector<std::byte> counting_values(Scalar type, std::size_t count) {
  std::vector<std::byte> bytes(count * size_of(type));
  with_element_type(type, [&](auto zero) {
    using T = decltype(zero);
    const auto values = view_as<T>(bytes);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i + 1);
  });
  return bytes;
}

}  // namespace gpulab
