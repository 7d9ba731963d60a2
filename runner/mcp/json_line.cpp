#include "runner/mcp/json_line.h"

#include <fmt/format.h>

namespace gpulab::mcp {
namespace {

/// Brackets that are open at once, in text that need not be JSON.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, most = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      most = std::max(most, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return most;
}

}  // namespace

void LineBuffer::add(std::string_view bytes) {
  if (passing_over_) {
    const auto end = bytes.find('\n');
    if (end == std::string_view::npos) return;
    passing_over_ = false;
    bytes.remove_prefix(end + 1);
  }
  held_ += bytes;
}

std::optional<LineBuffer::Line> LineBuffer::next() {
  const auto end = held_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = held_.size();
    if (held_.size() <= most_) return std::nullopt;
    held_.clear();
    searched_ = 0;
    passing_over_ = true;
    return Line{{}, true};
  }
  Line line{held_.substr(0, end)};
  held_.erase(0, end + 1);
  searched_ = 0;
  if (line.text.size() > most_) return Line{{}, true};
  if (!line.text.empty() && line.text.back() == '\r') line.text.pop_back();
  return line;
}

std::optional<Json> parsed(std::string_view line, std::string& why) {
  if (depth_of(line) > most_depth) {
    why = fmt::format("nested more than {} deep", most_depth);
    return std::nullopt;
  }
  auto value = Json::parse(line, nullptr, false);
  if (!value.is_discarded()) return value;
  why = "no JSON in UTF-8";
  return std::nullopt;
}

}  // namespace gpulab::mcp
