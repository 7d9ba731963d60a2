#include <algorithm>
#include <cmath>
#include <set>

#include "labs/lab.h"
#include "tests/catch.h"

using gpulab::random_values;
using gpulab::Scalar;
using gpulab::view_as;

TEST_CASE("an element depends on seed, stream and index, not on how many are made") {
  for (Scalar type : {Scalar::u8, Scalar::i32, Scalar::i64, Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64}) {
    const auto few = random_values(type, 100, 42, 0, 99), many = random_values(type, 1000, 42, 0, 99);
    CHECK(std::equal(few.begin(), few.end(), many.begin()));
    CHECK(random_values(type, 1000, 43, 0, 99) != many);
    CHECK(random_values(type, 1000, 42, 0, 99, 1) != many);
  }
}

TEST_CASE("the same seed gives these very numbers on every machine") {
  const auto bytes = random_values(Scalar::i32, 4, 42, 0, 99);
  const auto values = view_as<std::int32_t>(bytes);
  CHECK(std::vector<std::int32_t>(values.begin(), values.end()) == std::vector<std::int32_t>{5, 8, 61, 16});
}

TEST_CASE("counting starts at 1, in every type that C++ has") {
  const auto floats = gpulab::counting_values(Scalar::f32, 3), bytes = gpulab::counting_values(Scalar::u8, 257);
  CHECK(std::ranges::equal(view_as<float>(floats), std::vector<float>{1, 2, 3}));
  CHECK(view_as<std::uint8_t>(bytes)[254] == 255);
  CHECK(view_as<std::uint8_t>(bytes)[255] == 0);
  CHECK(gpulab::counting_values(Scalar::i64, 0).empty());
}

TEST_CASE("integers take both ends of their range, and nothing beyond") {
  const auto bytes = random_values(Scalar::i32, 10000, 7, -3, 5);
  const auto values = view_as<std::int32_t>(bytes);
  CHECK(std::set<std::int32_t>(values.begin(), values.end()) == std::set<std::int32_t>{-3, -2, -1, 0, 1, 2, 3, 4, 5});
}

TEST_CASE("a range wider than the type is the whole type") {
  const auto bytes = random_values(Scalar::i64, 10000, 7, -0x1p63, 0x1p63);
  const auto values = view_as<std::int64_t>(bytes);
  CHECK(*std::min_element(values.begin(), values.end()) < -(std::int64_t{1} << 62));
  CHECK(*std::max_element(values.begin(), values.end()) > std::int64_t{1} << 62);
  const auto narrow = random_values(Scalar::u8, 10000, 7, -5, 1000);
  const auto small = view_as<std::uint8_t>(narrow);
  CHECK(std::set<int>(small.begin(), small.end()).size() == 256);
}

TEST_CASE("64-bit ranges beyond 2^32 reach beyond 32 bits") {
  const auto bytes = random_values(Scalar::i64, 1000, 7, 0, 0x1p40);
  const auto values = view_as<std::int64_t>(bytes);
  CHECK(std::all_of(values.begin(), values.end(), [](auto v) { return v >= 0 && v <= std::int64_t{1} << 40; }));
  CHECK(*std::max_element(values.begin(), values.end()) > std::int64_t{1} << 39);
}

TEST_CASE("floating-point values never reach the upper end, however coarse the rounding") {
  for (const auto& [low, high] : {std::pair{0.0, 1.0}, {1.0, 2.0}, {-1.0, 1.0}, {1e6, 1e6 + 1}}) {
    const auto floats = random_values(Scalar::f32, 1 << 18, 1, low, high);
    for (float v : view_as<float>(floats)) REQUIRE((v >= low && v < high));
    const auto doubles = random_values(Scalar::f64, 1 << 16, 1, low, high);
    for (double v : view_as<double>(doubles)) REQUIRE((v >= low && v < high));
  }
}

TEST_CASE("means and neighbours look random") {
  constexpr std::size_t count = 1 << 20;
  const auto bytes = random_values(Scalar::f32, count, 42, -1, 1);
  const auto values = view_as<float>(bytes);
  double sum = 0, products = 0;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    sum += values[i];
    products += double{values[i]} * values[i + 1];
  }
  // Standard deviations: sqrt(1/3 / 2^20) and sqrt(1/9 / 2^20). Five of them.
  CHECK(std::fabs(sum / count) < 5 * std::sqrt(1.0 / 3 / count));
  CHECK(std::fabs(products / count) < 5 * std::sqrt(1.0 / 9 / count));
}

TEST_CASE("half-precision values lie in their range") {
  const auto bytes = random_values(Scalar::f16, 10000, 3, 1, 2);
  for (std::uint16_t bits : view_as<std::uint16_t>(bytes)) REQUIRE((bits >= 0x3c00 && bits < 0x4000));  // 1.0, 2.0
  const auto tiny = random_values(Scalar::f16, 10000, 3, 0, 0x1p-14);
  for (std::uint16_t bits : view_as<std::uint16_t>(tiny)) REQUIRE(bits < 0x0400);  // subnormal
}

TEST_CASE("bfloat16 values lie in their range") {
  const auto bytes = random_values(Scalar::bf16, 10000, 3, 1, 2);
  for (std::uint16_t bits : view_as<std::uint16_t>(bytes)) REQUIRE((bits >= 0x3f80 && bits < 0x4000));  // 1.0, 2.0
}

TEST_CASE("no elements are no bytes") { CHECK(random_values(Scalar::f32, 0, 42, 0, 1).empty()); }
