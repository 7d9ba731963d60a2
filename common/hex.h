#pragma once
// Bytes as text: a stranger's source need not be UTF-8, and JSON has to be.

#include <string>
#include <string_view>

namespace gpulab {

[[nodiscard]] inline std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4U];
    text += digits[static_cast<unsigned char>(c) & 15U];
  }
  return text;
}

/// Of what hex_of() makes.
[[nodiscard]] inline std::string bytes_of_hex(std::string_view text) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>((value(text[i]) << 4) + value(text[i + 1]));
  return bytes;
}

}  // namespace gpulab
