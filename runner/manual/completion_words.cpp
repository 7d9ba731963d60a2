#include "runner/manual/completion.h"

namespace gpulab {

std::string single_quoted(std::string_view text, std::string_view quote) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += quote;
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string case_patterns(const std::vector<std::string>& words) {
  std::string patterns;
  for (const auto& word : words) patterns += (patterns.empty() ? "" : "|") + single_quoted(word);
  return patterns;
}

}  // namespace gpulab
