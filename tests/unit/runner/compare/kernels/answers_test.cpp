#include "runner/compare/kernels/answers.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/catch.h"

using namespace gpulab;

namespace {

template <typename T>
AnswerDifference between(Scalar type, const std::vector<T>& a, const std::vector<T>& b) {
  return answer_difference("y", type, std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

}  // namespace

TEST_CASE("two kernels' integers are the same or not") {
  CHECK(between<std::int32_t>(Scalar::i32, {1, -2}, {1, -2}).apart.empty());
  CHECK(between<std::int32_t>(Scalar::i32, {1, -2}, {1, -3}).apart ==
        "y[1] is -2 for A and -3 for B (1 of 2 elements differ)");
  CHECK(between<std::uint8_t>(Scalar::u8, {255}, {1}).apart ==
        "y[0] is 255 for A and 1 for B (1 of 1 elements differ)");
  CHECK(between<std::int64_t>(Scalar::i64, {-1}, {7}).apart == "y[0] is -1 for A and 7 for B (1 of 1 elements differ)");
}

TEST_CASE("two kernels' real numbers may differ as by another order of roundings, and by no more") {
  const auto rounded = between<float>(Scalar::f32, {1000.0F, 1.0F}, {1000.01F, 1.0F});
  CHECK(rounded.apart.empty());
  CHECK(rounded.rounding > 0);
  CHECK(between<float>(Scalar::f32, {1000.0F, 1.0F}, {1001.0F, 1.0F}).apart ==
        "y[0] is 1000 for A and 1001 for B (1 of 2 elements differ)");
  // Beside numbers of a thousand, what is left of a difference near 0 is rounding.
  CHECK(between<float>(Scalar::f32, {1000.0F, 1000.0F, 0.001F}, {1000.0F, 1000.0F, -0.002F}).apart.empty());
  CHECK_FALSE(between<double>(Scalar::f64, {1.0}, {1.00001}).apart.empty());
  CHECK(between<std::uint16_t>(Scalar::f16, {0x3C00}, {0x3C01}).apart.empty());
  CHECK_FALSE(between<std::uint16_t>(Scalar::bf16, {0x3F80}, {0x4000}).apart.empty());
}

TEST_CASE("two kernels' NaN is NaN whatever its bits, zero has no sign, and infinity is nothing else") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  CHECK(between<float>(Scalar::f32, {nan, 0.0F}, {-nan, -0.0F}).apart.empty());
  CHECK_FALSE(between<float>(Scalar::f32, {nan}, {1.0F}).apart.empty());
  CHECK_FALSE(between<float>(Scalar::f32, {inf}, {3e38F}).apart.empty());
  CHECK_FALSE(between<float>(Scalar::f32, {inf}, {-inf}).apart.empty());
}

TEST_CASE("two kernels' buffers of other sizes are apart") {
  CHECK(between<float>(Scalar::f32, {1, 2}, {1}).apart == "y has 2 elements for A and 1 for B");
}
