#include "runner/student_file/arguments/file_argument.h"

#include <limits>

#include "tests/catch.h"
#include "tests/unit/error_of.h"

namespace gpulab {
namespace {

template <typename T>
std::vector<T> values(const std::string& text) {
  const auto bytes = initial_bytes(parse_argument(text), 42, 0);
  const auto view = view_as<T>(bytes);
  return {view.begin(), view.end()};
}

TEST_CASE("an argument is a buffer where it has a count, else a scalar") {
  const auto buffer = parse_argument("x:f32[2^10]=iota");
  CHECK(buffer.name == "x");
  CHECK(buffer.type == Scalar::f32);
  CHECK(buffer.count == 1024U);
  CHECK(buffer.value == "iota");
  const auto scalar = parse_argument("n:unsigned=1=2");
  CHECK(scalar.type == Scalar::u32);
  CHECK_FALSE(scalar.count);
  CHECK(scalar.value == "1=2");
}

TEST_CASE("buffers start as zeros, ones, iota or one value") {
  CHECK(values<int>("x:i32[3]=zeros") == std::vector<int>{0, 0, 0});
  CHECK(values<double>("x:f64[2]=ones") == std::vector<double>{1, 1});
  CHECK(values<float>("x:f32[3]=iota") == std::vector<float>{0, 1, 2});
  CHECK(values<std::int64_t>("x:i64[2]=-9223372036854775808") ==
        std::vector<std::int64_t>(2, std::numeric_limits<std::int64_t>::min()));
  CHECK(values<float>("x:f32[1]=0.1") == std::vector<float>{0.1F});
  CHECK(values<int>("x:i32[1]=0x7f") == std::vector<int>{127});
  CHECK(values<std::uint32_t>("x:u32[1]=1Ki") == std::vector<std::uint32_t>{1024});
  CHECK(values<int>("x:i32[0]=iota").empty());
  CHECK(initial_bytes(parse_argument("x:f32[4]=none"), 1, 0).empty());
}

TEST_CASE("iota wraps where the type ends") {
  CHECK(values<std::uint8_t>("x:u8[258]=iota")[257] == 1);
  CHECK(values<std::int8_t>("x:i8[130]=iota")[128] == -128);
}

TEST_CASE("random buffers depend on seed and stream, and stay in their range") {
  const auto spec = parse_argument("x:f32[1000]=random");
  CHECK(initial_bytes(spec, 1, 0) == initial_bytes(spec, 1, 0));
  CHECK(initial_bytes(spec, 1, 0) != initial_bytes(spec, 2, 0));
  CHECK(initial_bytes(spec, 1, 0) != initial_bytes(spec, 1, 1));
  for (const float value : values<float>("x:f32[1000]=random")) CHECK((value >= -1 && value < 1));
  int below = 0;
  for (const int value : values<int>("x:i32[1000]=random")) {
    CHECK((value >= -100 && value <= 100));
    below += value < 0 ? 1 : 0;
  }
  CHECK(below > 400);
  for (const auto value : values<std::uint8_t>("x:u8[1000]=random")) CHECK(value <= 100);
}

TEST_CASE("halves are rounded to the nearest, ties to even") {
  const std::vector<std::pair<const char*, std::uint16_t>> cases{{"0", 0x0000},
                                                                 {"-0", 0x8000},
                                                                 {"1", 0x3c00},
                                                                 {"-2", 0xc000},
                                                                 {"65504", 0x7bff},
                                                                 {"65519.9", 0x7bff},
                                                                 {"65520", 0x7c00},
                                                                 {"-inf", 0xfc00},
                                                                 {"2049", 0x6800},
                                                                 {"2051", 0x6802},
                                                                 {"2049.1", 0x6801},
                                                                 {"5.9604644775390625e-08", 0x0001},
                                                                 {"nan", 0x7fff},
                                                                 {"6.103515625e-05", 0x0400},
                                                                 {"2.98023223876953125e-08", 0x0000},
                                                                 {"0.1", 0x2e66}};
  for (const auto& [text, bits] : cases) {
    INFO(text);
    CHECK(values<std::uint16_t>("h:f16[1]=" + std::string(text)) == std::vector<std::uint16_t>{bits});
  }
}

TEST_CASE("a bfloat16 is the nearest one, ties to even") {
  const std::vector<std::pair<std::string_view, std::uint16_t>> cases = {
      {"1", 0x3f80},   {"-2", 0xc000},        {"1.00390625", 0x3f80}, {"1.01171875", 0x3f82},  // ties at 2^-8
      {"0.1", 0x3dcd}, {"3.3895e38", 0x7f7f}, {"3.4e38", 0x7f80},     {"1e300", 0x7f80},
      {"nan", 0x7fff}, {"1e-40", 0x0001},     {"0", 0x0000}};
  for (const auto& [text, bits] : cases) {
    INFO(text);
    CHECK(values<std::uint16_t>("h:bf16[1]=" + std::string(text)) == std::vector<std::uint16_t>{bits});
  }
}

TEST_CASE("scalars take the bytes of their type") {
  CHECK(std::get<std::int32_t>(scalar_argument(parse_argument("n:i32=-5"))) == -5);
  CHECK(std::get<std::uint64_t>(scalar_argument(parse_argument("n:u64=18446744073709551615"))) == UINT64_MAX);
  CHECK(std::get<std::uint8_t>(scalar_argument(parse_argument("n:i8=-1"))) == 255);
  CHECK(std::get<std::uint16_t>(scalar_argument(parse_argument("n:f16=1"))) == 0x3c00);
  CHECK(std::get<float>(scalar_argument(parse_argument("n:f32=2.5"))) == 2.5F);
}

TEST_CASE("a value is checked without making the buffer") {
  check_value(parse_argument("x:f64[2^40]=iota"));  // 8 TiB
  CHECK(error_of([] {
          check_value(parse_argument("x:i8[4]=128"));
          return 0;
        }) == "--arg x: '128' is no value of i8 | a number, or zeros, ones, iota, random, none, {1,2,3}, or @FILE");
}

}  // namespace
}  // namespace gpulab
