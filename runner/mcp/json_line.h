#pragma once
// Lines of a stranger, and the JSON in them: neither may be longer or deeper than a request needs to be.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace gpulab::mcp {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t most_line_bytes = std::size_t{4} << 20, most_depth = 64;

/// Takes bytes as they come and gives lines. One that is too long is passed over up to its end, and told of once.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t most = most_line_bytes) : most_(most) {}
  void add(std::string_view bytes);
  struct Line {
    std::string text;
    bool too_long = false;  ///< then it has no text
  };
  /// The next whole line; nothing where it has not ended yet.
  [[nodiscard]] std::optional<Line> next();

 private:
  std::size_t most_;
  std::string held_;
  std::size_t searched_ = 0;  ///< of `held_`, without an end of a line
  bool passing_over_ = false;
};

/// The value of a line; nothing where it is no JSON, no UTF-8, or nested too deeply: `why` says which.
[[nodiscard]] std::optional<Json> parsed(std::string_view line, std::string& why);

}  // namespace gpulab::mcp
