#include "runner/options/sizes.h"

#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

std::string refusal_of(const std::string& text) {
  return error_of([&] { return parse_sizes(text, "--n"); });
}
const std::string forms = " | a size is 4096, 2^22, 4M (10^6) or 4Mi (2^20)";

}  // namespace

TEST_CASE("a size has a plain, a power, a decimal and a binary form") {
  CHECK(parse_size("4096", "--n") == 4096);
  CHECK(parse_size("2^22", "--n") == 4194304);
  CHECK(parse_size("10^0", "--n") == 1);
  CHECK(parse_size("0^5", "--n") == 0);
  CHECK(parse_size("1^999999999", "--n") == 1);
  CHECK(parse_size("4M", "--n") == 4'000'000);
  CHECK(parse_size("4Mi", "--n") == 4'194'304);
  CHECK(parse_size("1k", "--n") == 1000);
  CHECK(parse_size("1e6", "--n") == 1'000'000);
  CHECK(parse_size("2.5e3", "--n") == 2500);
  CHECK(parse_size("0e30", "--n") == 0);
  CHECK(parse_size("2Gi", "--n") == 2'147'483'648);
  CHECK(parse_size("0", "--n") == 0);
  CHECK(parse_size("2^62", "--n") == std::int64_t{1} << 62);
}

TEST_CASE("lists and ranges keep their order") {
  CHECK(parse_sizes("1,2^10,1k", "--n") == std::vector<std::int64_t>{1, 1024, 1000});
  CHECK(parse_sizes("2^10:2^13", "--n") == std::vector<std::int64_t>{1024, 2048, 4096, 8192});
  CHECK(parse_sizes("1Ki:4Ki", "--n") == std::vector<std::int64_t>{1024, 2048, 4096});
  CHECK(parse_sizes("8:8", "--n") == std::vector<std::int64_t>{8});
  CHECK(parse_sizes("1000:3500:1000", "--n") == std::vector<std::int64_t>{1000, 2000, 3000});
  CHECK(parse_sizes("0:2:1", "--n") == std::vector<std::int64_t>{0, 1, 2});
  CHECK(parse_sizes("2^61:2^62", "--n").size() == 2);
}

TEST_CASE("every malformed size is refused by name") {
  for (const std::string text :
       {"", "x", "4096x", "4 M", " 4", "+4", "4m", "4MB", "4.5M", "0x10", "1e", "1e-6", "1.25e1", ".5e3", "1_000"}) {
    CHECK(refusal_of(text) == "--n: malformed size '" + text + "'" + forms);
  }
  for (const std::string text : {"2^", "^2", "2^x", "2^-1", "2^2^2"}) {
    CHECK(refusal_of(text) == "--n: malformed size '" + text + "'" + forms);
  }
  CHECK(refusal_of("-5") == "--n: a size cannot be negative: '-5'" + forms);
  CHECK(refusal_of("-2^10") == "--n: a size cannot be negative: '-2^10'" + forms);
  CHECK(refusal_of("1,,2") == "--n: malformed size ''" + forms);
  CHECK(refusal_of("1,") == "--n: malformed size ''" + forms);
}

TEST_CASE("sizes beyond 64 bits are refused instead of wrapping") {
  CHECK(refusal_of("2^63") == "--n: size too large for 64 bits '2^63'");
  CHECK(refusal_of("99999999999999999999") == "--n: size too large for 64 bits '99999999999999999999'");
  CHECK(refusal_of("9223372036854775807k") == "--n: size too large for 64 bits '9223372036854775807k'");
}

TEST_CASE("every malformed range is refused with what a range is") {
  CHECK(refusal_of("10:100") ==
        "--n: a range without a step runs over powers of two, unlike '10:100' | give a step, as in 1000:5000:1000, or "
        "powers of two, as in 2^10:2^24");
  CHECK(refusal_of("0:8") ==
        "--n: a range without a step runs over powers of two, unlike '0:8' | give a step, as in 1000:5000:1000, or "
        "powers of two, as in 2^10:2^24");
  CHECK(refusal_of("8:4") ==
        "--n: the range ends before it starts: '8:4' | a range is a:b (powers of two) or a:b:step");
  CHECK(refusal_of("1:2:3:4") == "--n: malformed range '1:2:3:4' | a range is a:b (powers of two) or a:b:step");
  CHECK(refusal_of("1:2:0") == "--n: the step is 0 in '1:2:0' | a:b:step needs a step of at least 1");
  CHECK(refusal_of("0:2^40:1") == "--n: more than 10000 values in '0:2^40:1' | give a larger step");
  CHECK(refusal_of(":8") == "--n: malformed size ''" + forms);
}

TEST_CASE("a size that appears twice in a list is refused") {
  CHECK(refusal_of("1024,2^10") == "--n: 1024 appears twice in '1024,2^10'");
}
