#include "runner/mcp/json_line.h"

#include <string>

#include "tests/catch.h"

namespace gpulab::mcp {
namespace {

TEST_CASE("lines come as their bytes come") {
  LineBuffer lines;
  lines.add("{\"a\"");
  CHECK(!lines.next());
  lines.add(": 1}\r\n[]\n{");
  CHECK(lines.next()->text == "{\"a\": 1}");
  CHECK(lines.next()->text == "[]");
  CHECK(!lines.next());
}

TEST_CASE("a line that is too long is told of once, and the next one is read") {
  LineBuffer lines(8);
  for (int i = 0; i < 5; ++i) lines.add("12345");
  CHECK(lines.next()->too_long);
  CHECK(!lines.next());
  lines.add("end\n{}\n");
  CHECK(lines.next()->text == "{}");
  lines.add("123456789\n1\n");  // whole at once
  CHECK(lines.next()->too_long);
  CHECK(lines.next()->text == "1");
}

TEST_CASE("JSON that is nested too deeply is refused before it is parsed") {
  std::string why;
  CHECK(parsed(std::string(most_depth, '[') + std::string(most_depth, ']'), why));
  CHECK(!parsed(std::string(most_depth + 1, '[') + std::string(most_depth + 1, ']'), why));
  CHECK(why == "nested more than 64 deep");
  CHECK(parsed("\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"", why));  // in a text
  CHECK(!parsed("\"\xff\"", why));
  CHECK(why == "no JSON in UTF-8");
}

}  // namespace
}  // namespace gpulab::mcp
