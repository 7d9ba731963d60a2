#include "runner/export/export_text.h"

#include <fmt/format.h>

#include <cmath>

namespace gpulab {

double rounded_points(double points) { return std::round(points * 1e4) / 1e4; }

std::string points_text(double points) {
  auto text = fmt::format("{:.4f}", rounded_points(points));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  constexpr std::string_view said = " … (cut)";
  std::size_t end = most > said.size() ? most - said.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + std::string(said);
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  return line;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        // U+FFFE and U+FFFF are no characters of XML.
        if (const auto three = text.substr(i, 3); three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf") {
          out += three[2] == '\xbe' ? "\\ufffe" : "\\uffff";
          i += 2;
        } else {
          out += text[i];
        }
    }
  }
  return out;
}

std::string markdown_escaped(std::string_view text) {
  constexpr std::string_view markup = "\\`*_{}[]<>()#+-!|~&:@";
  std::string out;
  for (const char c : one_line(text)) {
    if (markup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string defused(std::string_view text) {
  constexpr std::string_view starts = "=+-@\t\r\n";
  const bool formula = !text.empty() && starts.find(text.front()) != std::string_view::npos;
  return (formula ? "'" : "") + std::string(text);
}

}  // namespace gpulab
