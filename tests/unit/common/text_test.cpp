#include "common/text.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("splitting keeps empty parts") {
  CHECK(split("a,,b", ',') == std::vector<std::string>{"a", "", "b"});
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(split("a,", ',') == std::vector<std::string>{"a", ""});
}

TEST_CASE("a swap of neighbouring letters is one edit") {
  CHECK(edit_distance("reduce", "reduce") == 0);
  CHECK(edit_distance("redcue", "reduce") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("slips find their word and other words find none") {
  const std::vector<std::string> labs{"reduce", "transpose", "list", "devices"};
  CHECK(nearest("reducton", labs) == "reduce");
  CHECK(nearest("transpos", labs) == "transpose");
  CHECK(nearest("trans", labs) == "transpose");
  CHECK(nearest("lst", labs) == "list");
  const std::vector<std::string> counters{"branches", "shared_load_bank_conflicts", "shared_store_bank_conflicts"};
  CHECK(nearest("bank_conflicts", counters) == "shared_load_bank_conflicts");
  CHECK_FALSE(nearest("banks", counters).has_value());
  CHECK_FALSE(nearest("zzzz", labs).has_value());
  CHECK_FALSE(nearest("x", labs).has_value());
  CHECK(did_you_mean("redcue", labs, "see list") == "did you mean 'reduce'? see list");
  CHECK(did_you_mean("zzzz", labs, "see list") == "see list");
}

TEST_CASE("numbers are read whole or not at all") {
  CHECK(parse_integer("42") == 42);
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807);
  for (const auto* text : {"", "-1", "+1", " 1", "1 ", "1x", "9223372036854775808"}) CHECK_FALSE(parse_integer(text));
  CHECK(parse_real("0.5") == 0.5);
  CHECK(parse_real("1e-3") == 1e-3);
  for (const auto* text : {"", "x", "1x", "inf", "nan"}) CHECK_FALSE(parse_real(text));
}

TEST_CASE("colours take no columns") {
  CHECK(columns("\x1b[2mµs\x1b[0m") == 2);
  CHECK(columns("\x1b[2") == 0);
  CHECK(wrapped("\x1b[2mone two\x1b[0m", 7) == std::vector<std::string>{"\x1b[2mone two\x1b[0m"});
}

TEST_CASE("numbers are written for people") {
  CHECK(dim_text({256, 1, 1}) == "256");
  CHECK(dim_text({32, 8, 1}) == "32x8");
  CHECK(dim_text({8, 1, 4}) == "8x1x4");
  CHECK(bytes_text(512) == "512 B");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(2147483648.0) == "2 GiB");
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(4194304) == "4,194,304");
  CHECK(size_text(4194304) == "4194304 (2^22)");
  CHECK(size_text(1000) == "1000");
  CHECK(short_count(9999) == "9999");
  CHECK(short_count(7342336) == "7.34 M");
  CHECK(short_count(999999) == "1 M");
  CHECK(short_count(0.5) == "0.5");
  CHECK(duration_text(0.0115) == "11.5 µs");
  CHECK(duration_text(2.012) == "2.01 ms");
  CHECK(duration_text(1234) == "1.23 s");
  CHECK(plural(1, "warp") == "1 warp");
  CHECK(plural(0, "warp") == "0 warps");
}

TEST_CASE("text is wrapped at blanks and measured in code points") {
  CHECK(columns("µs × 2") == 6);
  CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("unbreakable", 4) == std::vector<std::string>{"unbreakable"});
  CHECK(wrapped("", 4) == std::vector<std::string>{""});
}

TEST_CASE("what strangers wrote is shown, not obeyed") {
  CHECK(visible("plain\ttext\n") == "plain\ttext\n");
  CHECK(visible("größer als ∞ · 数 😀") == "größer als ∞ · 数 😀");
  CHECK(visible("\x1b[2J\x1b[Hpassed") == "\\x1b[2J\\x1b[Hpassed");
  CHECK(visible("wrong\rpassed\b\x7f") == "wrong\\x0dpassed\\x08\\x7f");
  CHECK(visible(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(visible("\u009b2J\u202edessap\u2066\ufeff") == "\\u009b2J\\u202edessap\\u2066\\ufeff");
  CHECK(visible("\xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82") ==
        "\\xff\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xe2\\x82");
  CHECK(visible("").empty());
}
