#include "runner/report/html/escape.h"

#include <fmt/format.h>

#include "common/text.h"

namespace gpulab::html {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
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
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string with_code(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('`'), close = open == text.npos ? open : text.find('`', open + 1);
    if (close == text.npos) return out + escaped(text);
    out += escaped(text.substr(0, open)) + "<code>" + escaped(text.substr(open + 1, close - open - 1)) + "</code>";
    text.remove_prefix(close + 1);
  }
  return out;
}

std::string data_block(std::string_view id, std::string_view json) {
  std::string text;
  // Within strings, the only place where JSON has it: "</script>" and "<!--" both begin so.
  for (const char c : json) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", escaped(id), text);
}

std::string slug(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (letter || capital) {
      out += capital ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "x" : out;
}

}  // namespace gpulab::html
