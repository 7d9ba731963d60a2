#include "runner/execution/attached_bytes.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace gpulab {
namespace {

using Json = nlohmann::json;

constexpr char mark = '\x1d';    ///< between JSON, which has no control characters, and bytes
constexpr char escape = '\x1b';  ///< before the stand-in for a line end or for itself
constexpr char for_line_end = 'n', for_escape = 'e';
constexpr int deepest = 64;  ///< no result nests as far; a process that went wrong may

/// What stands in the JSON in a value's place: {"": 12}, its length. Nothing else on the wire is an object with this
/// key.
constexpr const char* length_key = "";

void take_out(Json& json, std::string& bytes) {
  if (json.is_binary()) {
    const auto& taken = json.get_binary();
    bytes.append(taken.begin(), taken.end());
    json = Json{{length_key, taken.size()}};
  } else if (json.is_structured()) {
    for (auto& item : json) take_out(item, bytes);
  }
}

void put_back(Json& json, std::string_view& bytes, int depth) {
  if (!json.is_structured()) return;
  if (depth > deepest) throw std::runtime_error("nested too deep");
  if (json.is_object() && json.contains(length_key)) {
    const auto length = json.at(length_key).get<std::size_t>();
    if (length > bytes.size()) throw std::runtime_error("bytes are missing");
    json = Json::binary({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    bytes.remove_prefix(length);
    return;
  }
  for (auto& item : json) put_back(item, bytes, depth + 1);
}

void append_escaped(std::string& line, std::string_view bytes) {
  const std::size_t start = line.size();
  line.resize(start + 2 * bytes.size());
  char* to = line.data() + start;
  for (const char c : bytes) {
    if (c == '\n' || c == escape) {
      *to++ = escape;
      *to++ = c == '\n' ? for_line_end : for_escape;
    } else {
      *to++ = c;
    }
  }
  line.resize(static_cast<std::size_t>(to - line.data()));
}

std::string unescaped(std::string_view text) {
  std::string bytes(text.size(), '\0');
  char* to = bytes.data();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == escape) {
      ++i;
      if (i == text.size() || (text[i] != for_line_end && text[i] != for_escape))
        throw std::runtime_error("an escape stands for nothing");
      *to++ = text[i] == for_line_end ? '\n' : escape;
    } else {
      *to++ = text[i];
    }
  }
  bytes.resize(static_cast<std::size_t>(to - bytes.data()));
  return bytes;
}

}  // namespace

std::string line_with_bytes(Json json) {
  std::string bytes;
  take_out(json, bytes);
  std::string line = json.dump();
  if (bytes.empty()) return line;
  line += mark;
  append_escaped(line, bytes);
  return line;
}

Json json_with_bytes(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  const auto end = line.find(mark);
  Json json = Json::parse(line.substr(0, end));
  const std::string bytes = end == std::string_view::npos ? std::string() : unescaped(line.substr(end + 1));
  std::string_view left = bytes;
  put_back(json, left, 0);
  if (!left.empty()) throw std::runtime_error("more bytes than the JSON names");
  return json;
}

}  // namespace gpulab
