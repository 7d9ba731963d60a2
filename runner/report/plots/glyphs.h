#pragma once
// Letters of five by seven squares, for pictures without a font: seven rows, the leftmost square is bit 4.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpulab::sheet {

/// Of printable ASCII; a box for what has none.
[[nodiscard]] std::array<std::uint8_t, 7> glyph(char letter);
/// By how many squares it reaches below the line that the others stand on.
[[nodiscard]] int drop_of(char letter);
/// UTF-8 as the ASCII that stands for it: "µs" is "us".
[[nodiscard]] std::string plain_letters(std::string_view words);

}  // namespace gpulab::sheet
