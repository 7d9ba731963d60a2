#include "runner/report/pages/highlight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"

namespace gpulab::pages {
namespace {

constexpr std::array<std::string_view, 44> keywords{"alignas",
                                                    "auto",
                                                    "break",
                                                    "case",
                                                    "class",
                                                    "const",
                                                    "constexpr",
                                                    "continue",
                                                    "decltype",
                                                    "default",
                                                    "delete",
                                                    "do",
                                                    "else",
                                                    "enum",
                                                    "explicit",
                                                    "extern",
                                                    "false",
                                                    "for",
                                                    "if",
                                                    "inline",
                                                    "namespace",
                                                    "new",
                                                    "noexcept",
                                                    "nullptr",
                                                    "operator",
                                                    "private",
                                                    "public",
                                                    "return",
                                                    "sizeof",
                                                    "static",
                                                    "static_assert",
                                                    "static_cast",
                                                    "reinterpret_cast",
                                                    "struct",
                                                    "switch",
                                                    "template",
                                                    "this",
                                                    "true",
                                                    "typedef",
                                                    "typename",
                                                    "using",
                                                    "volatile",
                                                    "while",
                                                    "asm"};
constexpr std::array<std::string_view, 20> types{"bool",  "char",   "double", "float",    "half",   "int",    "long",
                                                 "short", "signed", "size_t", "unsigned", "void",   "float2", "float4",
                                                 "int2",  "int4",   "uint4",  "dim3",     "__half", "__half2"};
constexpr std::array<std::string_view, 7> lent{"threadIdx", "blockIdx",  "blockDim",          "gridDim",
                                               "warpSize",  "atomicAdd", "cooperative_groups"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

template <typename Words>
bool is_one_of(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Empty: no colour of its own.
const char* class_of(std::string_view word) {
  if (is_one_of(keywords, word)) return "k";
  if (is_one_of(types, word) || word.ends_with("_t")) return "t";
  if (is_one_of(lent, word) || word.starts_with("__") || word.starts_with("atomic")) return "b";
  return "";
}

/// Collects lines; text of a class is closed at each line's end and opened anew.
class Lines {
 public:
  void add(std::string_view text, std::string_view of_class) {
    for (std::size_t from = 0;;) {
      const auto end = std::min(text.find('\n', from), text.size());
      const auto part = html::escaped(text.substr(from, end - from));
      if (!part.empty())
        all_.back() += of_class.empty() ? part : fmt::format("<span class=\"{}\">{}</span>", of_class, part);
      if (end == text.size()) return;
      all_.emplace_back();
      from = end + 1;
    }
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_{1};
};

/// Where a text in quotes that begins at `from` ends: behind its quote, or at the end of the line.
std::size_t end_of_quoted(std::string_view text, std::size_t from) {
  std::size_t at = from + 1;
  while (at < text.size() && text[at] != text[from] && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at < text.size() && text[at] == text[from] ? at + 1 : at, text.size());
}

std::size_t end_of_word(std::string_view text, std::size_t from, bool number) {
  std::size_t at = from;
  while (at < text.size() && (is_word(text[at]) || (number && (text[at] == '.' || text[at] == '\'')))) ++at;
  return at;
}

}  // namespace

std::vector<std::string> highlighted(std::string_view text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto rest = text.substr(at);
    std::size_t end = at + 1;
    std::string_view of_class;
    if (rest.starts_with("//")) {
      end = std::min(text.find('\n', at), text.size());
      of_class = "c";
    } else if (rest.starts_with("/*")) {
      const auto close = text.find("*/", at + 2);
      end = close == text.npos ? text.size() : close + 2;
      of_class = "c";
    } else if (text[at] == '"' || text[at] == '\'') {
      end = end_of_quoted(text, at);
      of_class = "q";
    } else if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      end = end_of_word(text, at, true);
      of_class = "n";
    } else if (is_word(text[at])) {
      end = end_of_word(text, at, false);
      of_class = class_of(text.substr(at, end - at));
    } else if (text[at] == '#' && (at == 0 || text[at - 1] == '\n')) {
      end = end_of_word(text, at + 1, false);
      of_class = "k";
    } else {
      // Blanks and signs up to the next thing that may have a colour.
      while (end < text.size() && !is_word(text[end]) && text[end] != '"' && text[end] != '\'' && text[end] != '/' &&
             text[end] != '#')
        ++end;
    }
    lines.add(text.substr(at, end - at), of_class);
    at = end;
  }
  auto all = lines.take();
  if (all.size() > 1 && all.back().empty()) all.pop_back();  // behind the last line's end
  return all;
}

std::string source_block(std::string_view title, std::string_view text, std::uint32_t first,
                         const std::map<std::uint32_t, std::string>& ids) {
  std::string rows;
  for (const auto& line : highlighted(text)) {
    const auto id = ids.find(first);
    rows += id == ids.end() ? "<tr>" : fmt::format("<tr id=\"{}\">", html::escaped(id->second));
    if (first != 0) rows += fmt::format("<th class=\"no\" scope=\"row\">{}</th>", first++);
    rows += "<td class=\"code\">" + line + "</td></tr>\n";
  }
  return "<div class=\"source\">" + html::wide(title, "<table>\n<tbody>\n" + rows + "</tbody>\n</table>\n") +
         "</div>\n";
}

}  // namespace gpulab::pages
