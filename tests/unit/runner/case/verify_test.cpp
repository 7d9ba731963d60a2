#include "runner/case/verify.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"

using namespace gpulab;

namespace {

template <typename T>
Verification verified(const Expected& expected, Scalar type, const std::vector<T>& got) {
  Verification verification;
  verification.status = VerificationStatus::passed;
  verify(expected, type, std::as_bytes(std::span(got)), verification);
  return verification;
}
template <typename T>
Expected exactly(const std::vector<T>& values) {
  return {.buffer = "out", .exact = bytes_of<T>(values)};
}
Expected about(const std::vector<double>& values, double tolerance) {
  return {.buffer = "out", .real = values, .tolerance = tolerance};
}
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("equal integers pass without error") {
  const auto v = verified<std::int32_t>(exactly<std::int32_t>({1, -2, 3}), Scalar::i32, {1, -2, 3});
  CHECK(v.status == VerificationStatus::passed);
  CHECK(v.max_abs_error == 0);
  CHECK(v.mismatches.empty());
}

TEST_CASE("one wrong integer fails with its index and both values") {
  const auto v = verified<std::int32_t>(exactly<std::int32_t>({1, -2, 3}), Scalar::i32, {1, 2, 3});
  CHECK(v.status == VerificationStatus::failed);
  REQUIRE(v.mismatches.size() == 1);
  CHECK(v.mismatches[0].index == 1);
  CHECK(std::get<std::int64_t>(v.mismatches[0].got) == 2);
  CHECK(std::get<std::int64_t>(v.mismatches[0].expected) == -2);
  CHECK(v.max_abs_error == 4);
  CHECK(v.max_rel_error == 2);
  CHECK(mismatch_text("out", v, 3) == "out[1] is 2, not -2 (1 of 3 elements differs)");
}

TEST_CASE("64-bit integers that round to one double still differ") {
  const std::int64_t big = (std::int64_t{1} << 62) + 1;
  const auto v = verified<std::int64_t>(exactly<std::int64_t>({big}), Scalar::i64, {big - 1});
  CHECK(v.status == VerificationStatus::failed);
  CHECK(v.max_abs_error == 1);
  CHECK(mismatch_text("out", v, 1) == "out[0] is 4611686018427387904, not 4611686018427387905");
}

TEST_CASE("bytes and halves are read as what they are") {
  const auto bytes = verified<std::uint8_t>(exactly<std::uint8_t>({200}), Scalar::u8, {201});
  CHECK(std::get<std::uint64_t>(bytes.mismatches[0].got) == 201);
  // 0x3C00 is 1, 0xC000 is -2, 0x0001 the smallest subnormal, 0x7C00 infinity.
  const auto halves = verified<std::uint16_t>(about({1, -2, std::ldexp(1, -24), infinity}, 0), Scalar::f16,
                                              {0x3C00, 0xC000, 1, 0x7C00});
  CHECK(halves.status == VerificationStatus::passed);
  const auto brains = verified<std::uint16_t>(about({1, -2, std::ldexp(1, -133), infinity}, 0), Scalar::bf16,
                                              {0x3F80, 0xC000, 1, 0x7F80});
  CHECK(brains.status == VerificationStatus::passed);
}

TEST_CASE("floating point passes within its tolerance, the bound included") {
  CHECK(verified<float>(about({1.0}, 0.5), Scalar::f32, {1.5F}).status == VerificationStatus::passed);
  CHECK(verified<float>(about({1.0}, 0.5), Scalar::f32, {1.5000001F}).status == VerificationStatus::failed);
  CHECK(verified<double>(about({-1.0}, 0.5), Scalar::f64, {-1.5}).max_rel_error == 0.5);
  CHECK(verified<double>(about({3.0, 0}, 0.25), Scalar::f64, {3.125, 0}).tolerance == 0.25);
}

TEST_CASE("NaN never passes, however wide the tolerance") {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto v = verified<float>(about({1.0, 2.0}, infinity), Scalar::f32, {nan, 2});
  CHECK(v.status == VerificationStatus::failed);
  CHECK(v.mismatch_count == 1);
  CHECK(std::isnan(v.max_abs_error));
  // Nor where the answer is one: moved data is never NaN.
  CHECK(verified<float>(exactly<float>({nan}), Scalar::f32, {nan}).status == VerificationStatus::failed);
}

TEST_CASE("infinities equal themselves and nothing else") {
  CHECK(verified<float>(about({infinity}, 1), Scalar::f32, {static_cast<float>(infinity)}).status ==
        VerificationStatus::passed);
  CHECK(verified<float>(about({infinity}, 1), Scalar::f32, {1}).status == VerificationStatus::failed);
  CHECK(verified<float>(about({1}, 1), Scalar::f32, {static_cast<float>(infinity)}).status ==
        VerificationStatus::failed);
  CHECK(verified<float>(about({-infinity}, 1), Scalar::f32, {static_cast<float>(infinity)}).status ==
        VerificationStatus::failed);
}

TEST_CASE("moved floating-point data compares by bytes: -0 is not 0") {
  CHECK(verified<float>(exactly<float>({0.0F}), Scalar::f32, {0.0F}).status == VerificationStatus::passed);
  CHECK(verified<float>(exactly<float>({0.0F}), Scalar::f32, {-0.0F}).status == VerificationStatus::failed);
}

TEST_CASE("an error where nothing was expected is infinitely large in relation") {
  const auto v = verified<double>(about({0}, 1e-9), Scalar::f64, {1e-12});
  CHECK(v.status == VerificationStatus::passed);
  CHECK(v.max_rel_error == infinity);
}

TEST_CASE("the first eight of many mismatches are shown and all are counted") {
  const auto v = verified<std::int32_t>(exactly<std::int32_t>(std::vector<std::int32_t>(5000, 1)), Scalar::i32,
                                        std::vector<std::int32_t>(5000, 2));
  CHECK(v.mismatches.size() == 8);
  CHECK(v.mismatches[7].index == 7);
  CHECK(v.mismatch_count == 5000);
  CHECK(mismatch_text("out", v, 5000) == "out[0] is 2, not 1 (5,000 of 5,000 elements differ)");
}

TEST_CASE("an answer may be shorter than its buffer but not longer") {
  CHECK(verified<std::int32_t>(exactly<std::int32_t>({1}), Scalar::i32, {1, 99}).status == VerificationStatus::passed);
  CHECK_THROWS_AS(verified<std::int32_t>(exactly<std::int32_t>({1, 2}), Scalar::i32, {1}), std::logic_error);
  CHECK(verified<std::int32_t>(exactly<std::int32_t>({}), Scalar::i32, {}).status == VerificationStatus::passed);
}
