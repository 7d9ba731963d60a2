#include "common/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <istream>
#include <limits>
#include <sstream>
#include <utility>

namespace gpulab {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

// Optimal string alignment: three rows of the edit matrix, because a swap looks two rows back.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1), above(to.size() + 1), row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[to.size()];
}

/// Letters of a candidate's part that are more than chance.
constexpr std::size_t least_part = 6;

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() * 2 / 5) + 1;
  for (const auto& candidate : candidates) {
    // A word shorter than its own distance has nothing in common with the candidate.
    const auto distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < std::max(word.size(), candidate.size()) - distance / 2) {
      best = candidate;
      best_distance = distance;
    }
  }
  // The beginning of a candidate, where it is more than a letter behind dashes, or a longer part of one.
  const auto dashes = std::min(word.find_first_not_of('-'), word.size());
  if (best || word.size() < dashes + 3) return best;
  const auto starts = [&](const std::string& candidate) { return candidate.starts_with(word); };
  auto it = std::find_if(candidates.begin(), candidates.end(), starts);
  const auto has = [&](const std::string& candidate) { return candidate.find(word) != std::string::npos; };
  if (it == candidates.end() && word.size() >= least_part) it = std::find_if(candidates.begin(), candidates.end(), has);
  return it == candidates.end() ? std::nullopt : std::optional(*it);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view otherwise) {
  const auto near = nearest(word, candidates);
  if (!near) return std::string(otherwise);
  return otherwise.empty() ? fmt::format("did you mean '{}'?", *near)
                           : fmt::format("did you mean '{}'? {}", *near, otherwise);
}

std::optional<std::int64_t> parse_integer(std::string_view digits) {
  std::int64_t value = 0;
  if (digits.empty() || digits.front() == '-') return std::nullopt;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string dim_text(const Dim3& dim) {
  if (dim.z != 1) return fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
  if (dim.y != 1) return fmt::format("{}x{}", dim.x, dim.y);
  return fmt::format("{}", dim.x);
}

namespace {

/// Three significant digits without a trailing ".0": 7.34, 73.4, 734, 2.
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string bytes_text(double bytes) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(bytes), units[unit]);
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) text.insert(at, 1, ',');
  return text;
}

std::string size_text(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value < 1024 || !std::has_single_bit(bits)) return std::to_string(value);
  return fmt::format("{} (2^{})", value, std::countr_zero(bits));
}

std::string short_count(double value) {
  static constexpr std::array units{"", " k", " M", " G", " T", " P", " E"};
  std::size_t unit = 0;
  // 9999 stays as it is: four digits read as easily as "10 k".
  while (value >= (unit == 0 ? 10000 : 999.5) && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0) return value == std::floor(value) ? fmt::format("{:.0f}", value) : three_digits(value);
  return three_digits(value) + units[unit];
}

std::string duration_text(double milliseconds) {
  if (milliseconds < 1) return three_digits(milliseconds * 1000) + " µs";
  if (milliseconds < 1000) return three_digits(milliseconds) + " ms";
  return three_digits(milliseconds / 1000) + " s";
}

std::string plural(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::size_t columns(std::string_view utf8) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    if (utf8.substr(i).starts_with("\x1b[")) {
      i = std::min(utf8.find('m', i), utf8.size());
      continue;
    }
    count += (static_cast<unsigned char>(utf8[i]) & 0xC0) != 0x80;
  }
  return count;
}

namespace {

/// The code point at the start of `text` and how many bytes it takes; nothing where they are no UTF-8.
std::optional<std::pair<char32_t, std::size_t>> code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80       ? 1
                             : byte(0) >> 5 == 6  ? 2
                             : byte(0) >> 4 == 14 ? 3
                             : byte(0) >> 3 == 30 ? 4
                                                  : 0;
  if (length == 0 || length > text.size()) return std::nullopt;
  char32_t value = length == 1 ? byte(0) : byte(0) & (0x7f >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return std::nullopt;
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return std::nullopt;
  return std::pair{value, length};
}

bool is_plain(char32_t c) {
  if (c == '\n' || c == '\t') return true;
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;
  // Marks, embeddings and isolates of direction, separators of lines and paragraphs, byte order marks, tags.
  return !((c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
           c == 0x061c || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe007f));
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto found = code_point(text);
    const std::size_t length = found ? found->second : 1;
    if (found && is_plain(found->first))
      shown += text.substr(0, length);
    else if (found && found->first >= 0x80)
      shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(found->first));
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(length);
  }
  return shown;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (const auto& word : split(text, ' ')) {
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string rest_of(std::istream& stream) {
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

}  // namespace gpulab
