#include "common/simt/observers/trace/debug_sections.h"

#include <algorithm>
#include <charconv>

namespace gpulab::simt {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Calls `each` with each line, without blanks at its ends, and its number, until it says false.
void each_line(std::string_view text, auto each) {
  std::uint32_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!each(trimmed(text.substr(at, end - at)), number)) return;
    at = end + 1;
  }
}

/// "12", "label", "label+12", ".debug_loc+156" as `size` bytes.
bool add_value(DebugSection::Bytes& bytes, std::string_view value, int size) {
  std::uint64_t number = 0;
  if (!value.empty() && (value[0] < '0' || value[0] > '9')) {
    const std::size_t plus = value.find('+');
    bytes.symbols.emplace(bytes.all.size(), trimmed(value.substr(0, plus)));
    value = plus == std::string_view::npos ? "0" : trimmed(value.substr(plus + 1));
  }
  const auto* const end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  for (int i = 0; i < size; ++i) bytes.all.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
  return true;
}

/// ".b8 1,2,3"
bool add_values(DebugSection::Bytes& bytes, std::string_view line) {
  const int size = line.starts_with(".b8") ? 1 : line.starts_with(".b16") ? 2 : line.starts_with(".b32") ? 4 : 8;
  const std::size_t blank = line.find_first_of(kBlanks);
  if (size == 8 && !line.starts_with(".b64")) return false;
  for (std::size_t at = blank; at < line.size();) {
    const std::size_t comma = std::min(line.find(',', at), line.size());
    if (!add_value(bytes, trimmed(line.substr(at, comma - at)), size)) return false;
    at = comma + 1;
  }
  return blank != std::string_view::npos;
}

}  // namespace

std::optional<DebugSection> debug_section(std::string_view ptx, std::string_view name) {
  DebugSection section;
  bool inside = false, fits = true;
  each_line(ptx, [&](std::string_view line, std::uint32_t) {
    if (!inside) {
      inside = line.starts_with(".section") && trimmed(line.substr(8)).substr(0, name.size()) == name &&
               trimmed(trimmed(line.substr(8)).substr(name.size())).find_first_not_of('{') == std::string_view::npos;
      return true;
    }
    if (line == "{" || line.empty() || line.starts_with("//")) return true;
    if (line == "}") return false;
    if (line.back() == ':')
      section.labels.emplace(line.substr(0, line.size() - 1), section.bytes.all.size());
    else
      fits = add_values(section.bytes, line);
    return fits;
  });
  if (!fits) return std::nullopt;
  return section;
}

std::unordered_map<std::string_view, std::uint32_t> label_lines(std::string_view ptx) {
  std::unordered_map<std::string_view, std::uint32_t> lines;
  each_line(ptx, [&](std::string_view line, std::uint32_t number) {
    if (line.starts_with("$L__") && line.ends_with(':')) lines.emplace(line.substr(0, line.size() - 1), number);
    return true;
  });
  return lines;
}

std::uint64_t DebugReader::number(int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    if (at_ >= section_.bytes.all.size()) ok_ = false;
    if (!ok_) return 0;
    value |= std::uint64_t{section_.bytes.all[at_++]} << (8 * i);
  }
  return value;
}

std::uint64_t DebugReader::uleb() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = number(1);
    value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  ok_ = false;
  return 0;
}

std::string DebugReader::string() {
  std::string text;
  for (std::uint64_t byte = number(1); byte != 0; byte = number(1)) text.push_back(static_cast<char>(byte));
  return text;
}

void DebugReader::skip(std::uint64_t count) {
  if (count > section_.bytes.all.size() - std::min(at_, section_.bytes.all.size())) ok_ = false;
  if (ok_) at_ += count;
}

std::string_view DebugReader::symbol() const {
  const auto found = section_.bytes.symbols.find(at_);
  return found == section_.bytes.symbols.end() ? std::string_view() : found->second;
}

}  // namespace gpulab::simt
