#include "runner/export/csv_table.h"

#include <random>

#include "common/error.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

TEST_CASE("a table that is read and written is the same, byte for byte") {
  for (const std::string text :
       {"", "a", "a,b\r\n\"c \"\"d\"\" , e\",\n\nf", "\xef\xbb\xbf x ;y;\"z\n\"\r\r\n", "a\tb\n\"\"\t\n"})
    CHECK(CsvTable(text, "f").text() == text);
}

TEST_CASE("cells are found by the headings, and hold what quotes hold") {
  CsvTable table("name,\"points, all\"\n\"Ada \"\"A\"\" L\",\nPen\n", "f");
  REQUIRE(table.rows() == 3);
  CHECK(table.find(0, "points, all") == std::optional<std::size_t>(1));
  CHECK_FALSE(table.find(0, "point"));
  CHECK_FALSE(table.find(7, "name"));
  CHECK(table.cell(1, 0) == "Ada \"A\" L");
  CHECK(table.cell(2, 1).empty());
  table.put(1, 1, "a\"b");
  table.put(2, 2, "x,y");
  CHECK(table.text() == "name,\"points, all\"\n\"Ada \"\"A\"\" L\",\"a\"\"b\"\nPen,,\"x,y\"\n");
}

TEST_CASE("whatever the bytes are, a table comes back as it was or is refused") {
  std::mt19937 random(7);
  constexpr std::string_view alphabet = "ab,;\t\"\"\r\n ";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto length = random() % 24; length > 0; --length) text += alphabet[random() % alphabet.size()];
    try {
      const CsvTable table(text, "f");
      REQUIRE(table.text() == text);
      for (std::size_t row = 0; row < table.rows(); ++row) REQUIRE(!table.row(row).empty());
    } catch (const Error& error) {
      REQUIRE(std::string(error.what()).find("never ended") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace gpulab
