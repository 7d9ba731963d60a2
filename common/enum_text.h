#pragma once
// Enums that reports, messages and the wire spell out. The words stand beside such an enum, in the order of its values:
//   enum class Severity : std::uint8_t { error, warning, note };
//   constexpr std::array<std::string_view, 3> words_of(Severity) { return {"error", "warning", "note"}; }
// Code compares values; words appear where text is written or read.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gpulab {

template <typename E>
concept SpelledOut = requires(E value) {
  words_of(value);
};

template <SpelledOut E>
[[nodiscard]] constexpr std::string_view to_text(E value) {
  return words_of(value).at(static_cast<std::size_t>(value));
}

/// The value that a word stands for, if it is one.
template <SpelledOut E>
[[nodiscard]] constexpr std::optional<E> from_text(std::string_view word) {
  const auto words = words_of(E{});
  const auto it = std::find(words.begin(), words.end(), word);
  return it == words.end() ? std::nullopt : std::optional(static_cast<E>(it - words.begin()));
}

}  // namespace gpulab
