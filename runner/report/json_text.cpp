#include "runner/report/json_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/text.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t width = 120;

/// Bytes that are no UTF-8 (a kernel may print any) become U+FFFD instead of an exception.
std::string scalar(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string one_line(const Json& json) {
  if (!json.is_structured()) return scalar(json);
  std::string text(1, json.is_object() ? '{' : '[');
  for (const auto& [key, value] : json.items()) {
    if (text.size() > 1) text += ", ";
    if (json.is_object()) text += scalar(Json(key)) + ": ";
    text += one_line(value);
  }
  return text + (json.is_object() ? '}' : ']');
}

void write(const Json& json, std::size_t indent, std::size_t used, std::string& text) {
  const auto line = one_line(json);
  if (!json.is_structured() || json.empty() || (used + columns(line) < width && indent > 0)) {
    text += line;
    return;
  }
  text += json.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, value] : json.items()) {
    const std::string name = json.is_object() ? scalar(Json(key)) + ": " : "";
    text += separator + std::string(indent + 2, ' ') + name;
    write(value, indent + 2, indent + 2 + columns(name), text);
    separator = ",\n";
  }
  text += '\n' + std::string(indent, ' ') + (json.is_object() ? '}' : ']');
}

}  // namespace

std::string json_text(const Json& json) {
  std::string text;
  write(json, 0, 0, text);
  return text + '\n';
}

Json json_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

}  // namespace gpulab
