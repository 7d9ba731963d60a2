#include "common/simt/machine/memory/texel_filter.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/catch.h"

using namespace gpulab::simt;

namespace {

Texture texture_of(const TexelFormat& format, bool as_fractions) {
  Texture t;
  t.format = format;
  t.as_fractions = as_fractions;
  return t;
}

template <typename T>
std::uint32_t nearest(const TexelFormat& format, bool as_fractions, T value) {
  return nearest_texel(texture_of(format, as_fractions), reinterpret_cast<const std::byte*>(&value))[0];
}
template <typename T>
float fraction(TexelKind kind, T value) {
  return std::bit_cast<float>(nearest({kind, 1, 8 * sizeof(T)}, true, value));
}

/// Of two texels, the first with `weight` of 256.
template <typename T>
std::uint32_t mixed(const TexelFormat& format, bool as_fractions, T a, T b, std::int64_t weight) {
  CornerWeights weights;
  weights.of = {weight, 256 - weight};
  weights.is_used = {weight != 0, weight != 256};
  TexelCorners corners;
  corners.fill(reinterpret_cast<const std::byte*>(&a));
  corners[1] = reinterpret_cast<const std::byte*>(&b);
  return filtered_texel(texture_of(format, as_fractions), corners, weights)[0];
}
float mixed_floats(float a, float b, std::int64_t weight) {
  return std::bit_cast<float>(mixed({TexelKind::floating, 1, 32}, false, a, b, weight));
}

constexpr auto kUnsigned = TexelKind::unsigned_integer, kSigned = TexelKind::signed_integer,
               kFloat = TexelKind::floating;

}  // namespace

TEST_CASE("integers are read as they are, those with a sign extended") {
  CHECK(nearest<std::uint8_t>({kUnsigned, 1, 8}, false, 200) == 200);
  CHECK(nearest<std::int8_t>({kSigned, 1, 8}, false, -2) == 0xfffffffe);
  CHECK(nearest<std::uint16_t>({kUnsigned, 1, 16}, false, 60000) == 60000);
  CHECK(nearest<std::int16_t>({kSigned, 1, 16}, false, -2) == 0xfffffffe);
  CHECK(nearest<std::uint32_t>({kUnsigned, 1, 32}, false, 0xdeadbeef) == 0xdeadbeef);
}

TEST_CASE("as fractions the largest integer is 1 and both least ones are -1") {
  CHECK(fraction<std::uint8_t>(kUnsigned, 255) == 1);
  CHECK(fraction<std::uint8_t>(kUnsigned, 51) == 0.2f);
  CHECK(fraction<std::uint16_t>(kUnsigned, 65535) == 1);
  CHECK(fraction<std::int8_t>(kSigned, 127) == 1);
  CHECK(fraction<std::int8_t>(kSigned, -127) == -1);
  CHECK(fraction<std::int8_t>(kSigned, -128) == -1);
  CHECK(fraction<std::int16_t>(kSigned, -32768) == -1);
}

TEST_CASE("halves are widened exactly, infinities and what is no number among them") {
  const auto wide = [](std::uint16_t bits) { return nearest({kFloat, 1, 16}, false, bits); };
  CHECK(std::bit_cast<float>(wide(0x3c00)) == 1);
  CHECK(std::bit_cast<float>(wide(0xc500)) == -5);
  CHECK(std::bit_cast<float>(wide(0x0001)) == std::ldexp(1.0f, -24));
  CHECK(wide(0x7c00) == 0x7f800000);
  CHECK(wide(0xfc00) == 0xff800000);
  CHECK(wide(0x7e01) == 0x7fc02000);
}

TEST_CASE("channels that a format lacks are 0") {
  const float value = 3;
  CHECK(nearest_texel(texture_of({kFloat, 1, 32}, false), reinterpret_cast<const std::byte*>(&value)) ==
        Texel{std::bit_cast<std::uint32_t>(3.0f), 0, 0, 0});
}

TEST_CASE("where there is no texel, the border's color is one") {
  Texture t = texture_of({kUnsigned, 2, 8}, true);
  t.border = {255, 51, 7, 7};
  CHECK(nearest_texel(t, nullptr) ==
        Texel{std::bit_cast<std::uint32_t>(1.0f), std::bit_cast<std::uint32_t>(0.2f), 0, 0});
}

TEST_CASE("sums of floats are exact where 28 bits hold them, and rounded to the nearest, halves away from 0") {
  CHECK(mixed_floats(1, 2, 128) == 1.5f);
  CHECK(mixed_floats(-8, 8, 127) == 8.0f * 2 / 256);
  const float next = std::nextafter(1.0f, 2.0f);
  CHECK(mixed_floats(1, next, 128) == next);
  CHECK(mixed_floats(-1, -next, 128) == -next);
  CHECK(mixed_floats(1, next, 129) == 1);
  CHECK(mixed_floats(0, 0, 77) == 0);
  CHECK(mixed_floats(1e-45f, 1e-45f, 77) == 1e-45f);
}

TEST_CASE("what is infinite stays so where it weighs, and is no number beside its negative") {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  CHECK(mixed_floats(infinite, 5, 1) == infinite);
  CHECK(mixed_floats(infinite, 5, 0) == 5);
  CHECK(std::isnan(mixed_floats(infinite, -infinite, 8)));
  CHECK(std::isnan(mixed_floats(std::nanf(""), 1, 8)));
  CHECK(mixed<std::uint16_t>({kFloat, 1, 16}, false, 0x7e00, 0x3c00, 3) == 0x7fffe000);
}

TEST_CASE("a fraction that is mixed with itself stays, to the nearest of 16 bits") {
  for (int value = 0; value < 256; ++value)
    for (const std::int64_t weight : {0, 1, 77, 255, 256}) {
      const auto u = static_cast<std::uint8_t>(value);
      const auto s = static_cast<std::int8_t>(value - 128);
      CHECK(std::bit_cast<float>(mixed({kUnsigned, 1, 8}, true, u, u, weight)) == fraction(kUnsigned, u));
      CHECK(std::fabs(std::bit_cast<float>(mixed({kSigned, 1, 8}, true, s, s, weight)) - fraction(kSigned, s)) <=
            1 / 32767.0f);
    }
}
