#include "runner/execution/attached_bytes.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace gpulab;
using Json = nlohmann::json;

namespace {

/// Every byte, line ends and escapes side by side among them.
std::vector<std::uint8_t> every_byte() {
  std::vector<std::uint8_t> bytes{'\n', '\n', 0x1b, 0x1b, 'n', 0x1d};
  for (int b = 0; b < 256; ++b) bytes.push_back(static_cast<std::uint8_t>(b));
  bytes.push_back(0x1b);
  return bytes;
}

}  // namespace

TEST_CASE("bytes behind JSON come back where they were, in a line without a line end") {
  const Json sent =
      Json::array({1, Json::binary(every_byte()), Json::array({Json::binary({}), "text"}), Json::binary({7})});
  const auto line = line_with_bytes(sent);
  CHECK(line.find('\n') == std::string::npos);
  CHECK(json_with_bytes(line) == sent);
  CHECK(json_with_bytes(line + '\n') == sent);
}

TEST_CASE("JSON without bytes is its line, without control characters") {
  const Json sent{{"result", Json::array({"a\nb\x1d", 2.5, Json::binary({})})}};
  const auto line = line_with_bytes(sent);
  for (const char c : line) CHECK(static_cast<unsigned char>(c) >= 0x20);
  CHECK(json_with_bytes(line) == sent);
}

TEST_CASE("a line that line_with_bytes() does not make is refused") {
  const auto line = line_with_bytes(Json::array({Json::binary(every_byte())}));
  const std::string more = line + 'x', less = line.substr(0, line.size() - 2);
  for (const std::string& wrong :
       {more, less, line.substr(0, line.size() - 1), std::string(), std::string("[1"), std::string(R"([{"": 1}])"),
        std::string(R"([{"": "x"}])"), std::string(R"([{"": -1}])"), std::string("[]\x1dx"),
        std::string("[{\"\": 1}]\x1d\x1bx"), std::string(1000, '[') + std::string(1000, ']')}) {
    INFO(wrong.substr(0, 60));
    CHECK_THROWS_AS(json_with_bytes(wrong), std::exception);
  }
}

TEST_CASE("a line cut off anywhere or of which a byte is another is read or refused") {
  const auto line = line_with_bytes(Json::array({Json::binary({1, 2, '\n', 0x1b}), {{"a", 1}}, Json::binary({5})}));
  for (std::size_t at = 0; at < line.size(); ++at) {
    for (const char byte : {'\0', '\n', '\x1b', '\x1d', '9', '{', ']', '"'}) {
      auto changed = line;
      changed[at] = byte;
      for (const auto& text : {changed, line.substr(0, at)}) {
        try {
          (void)json_with_bytes(text);
        } catch (const std::exception&) {
        }
      }
    }
  }
  SUCCEED();
}
