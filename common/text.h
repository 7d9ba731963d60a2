#pragma once
// Words for people: lists, near misses, and numbers with their units.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/dim3.h"

namespace gpulab {

/// Parts of `text` between separators; empty parts are kept ("a,,b" has three).
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// Edits (insert, delete, replace, swap of neighbours) that lead from one word to the other.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);
/// The candidate that `word` is most likely a slip of, or a part of; nothing where none is near (two fifths of its
/// length).
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);
/// "did you mean 'reduce'? " or nothing, then `otherwise`.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                                       std::string_view otherwise);

/// An unsigned decimal number that fits 63 bits; nothing for anything else (signs, spaces, empty, overflow).
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view digits);
/// A decimal number, whole text: "0.5", "1e-3". Nothing for anything else.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

[[nodiscard]] std::string dim_text(const Dim3& dim);           ///< "256", "32x8", "8x8x4"
[[nodiscard]] std::string bytes_text(double bytes);            ///< "512 B", "1.5 KiB", "2 GiB" (powers of 1024)
[[nodiscard]] std::string grouped(std::uint64_t value);        ///< "4,194,304"
[[nodiscard]] std::string size_text(std::int64_t value);       ///< "4194304 (2^22)"; plain where not a power of two
[[nodiscard]] std::string short_count(double value);           ///< three digits: "7.34 M", "512"
[[nodiscard]] std::string duration_text(double milliseconds);  ///< three digits: "11.5 µs", "2.01 ms", "1.2 s"
[[nodiscard]] std::string plural(std::uint64_t n, std::string_view noun);  ///< "1 warp", "2 warps"
/// Columns that UTF-8 text takes on a terminal (one per code point; none of ours are wide), colours none.
[[nodiscard]] std::size_t columns(std::string_view utf8);
/// What strangers wrote, for a terminal: control characters but ends of lines and tabs, characters that change the
/// direction of writing, and bytes that are no UTF-8 are shown by their numbers: "\\x1b[2J".
[[nodiscard]] std::string visible(std::string_view text);
/// `text` broken at spaces into lines of at most `width` columns.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// All that is left of a stream, block by block.
[[nodiscard]] std::string rest_of(std::istream& stream);

}  // namespace gpulab
