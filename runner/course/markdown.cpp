#include "runner/course/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "common/text.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/pages/highlight.h"

namespace gpulab {
namespace {

using html::escaped;
using Lines = std::vector<std::string>;

std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }
bool is_blank(const std::string& line) { return indent_of(line) == line.size(); }
bool is_fence(const std::string& line) { return line.compare(indent_of(line), 3, "```") == 0; }
bool is_table(const std::string& line) { return line.compare(indent_of(line), 1, "|") == 0; }

/// "## " -> 2; 0: no heading.
std::size_t heading_level(const std::string& line) {
  const auto level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 && level < line.size() && line[level] == ' ' ? level : 0;
}

/// Width of a list's mark with the blank behind it ("- ", "12. "), 0: none.
std::size_t mark_width(const std::string& line) {
  const auto from = indent_of(line);
  if (line.compare(from, 2, "- ") == 0) return from + 2;
  auto at = from;
  while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
  return at > from && line.compare(at, 2, ". ") == 0 ? at + 2 : 0;
}
bool is_numbered(const std::string& line) { return line[indent_of(line)] != '-'; }

bool starts_block(const std::string& line) {
  return is_blank(line) || is_fence(line) || is_table(line) || heading_level(line) != 0 || mark_width(line) != 0;
}

/// Of a paragraph's further lines, as CommonMark has it: a number begins a list there only where it is 1, because
/// lines of prose begin with other numbers ("… before |z| exceeds\n2. Pixels are …").
bool ends_paragraph(const std::string& line) {
  return starts_block(line) &&
         (mark_width(line) == 0 || !is_numbered(line) || line.substr(indent_of(line), 3) == "1. ");
}

std::string without(const std::string& line, std::size_t indent) {
  return line.substr(std::min(indent, indent_of(line)));
}

/// Turns lines into HTML, block by block.
class Blocks {
 public:
  Blocks(Lines lines, const LinkTarget& target) : lines_(std::move(lines)), target_(target) {}

  std::string html() {
    while (at_ < lines_.size()) {
      const auto& line = lines_[at_];
      if (is_blank(line)) {
        ++at_;
      } else if (is_fence(line)) {
        code();
      } else if (const auto level = heading_level(line); level != 0) {
        const auto words = line.substr(level + 1);
        out_ += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", level, html::slug(words), markdown_inline(words, target_));
        ++at_;
      } else if (is_table(line)) {
        table();
      } else if (mark_width(line) != 0) {
        list();
      } else {
        paragraph();
      }
    }
    return std::move(out_);
  }

 private:
  void code() {
    const auto indent = indent_of(lines_[at_]);
    const auto language = lines_[at_].substr(indent + 3);
    std::string text;
    for (++at_; at_ < lines_.size() && !is_fence(lines_[at_]); ++at_) text += without(lines_[at_], indent) + '\n';
    ++at_;
    std::string inner = escaped(text);
    if (language == "cuda" || language == "cpp") inner = join(pages::highlighted(text), "\n") + "\n";
    out_ += html::wide("Example", "<pre><code>" + inner + "</code></pre>");
  }

  void paragraph() {
    std::string text = lines_[at_++];
    for (; at_ < lines_.size() && !ends_paragraph(lines_[at_]); ++at_)
      text += '\n' + without(lines_[at_], lines_[at_].size());
    out_ += "<p>" + markdown_inline(text, target_) + "</p>\n";
  }

  void list() {
    const bool numbered = is_numbered(lines_[at_]);
    out_ += numbered ? "<ol>\n" : "<ul>\n";
    while (at_ < lines_.size() && mark_width(lines_[at_]) != 0 && is_numbered(lines_[at_]) == numbered) item();
    out_ += numbered ? "</ol>\n" : "</ul>\n";
  }

  /// The mark's line, lines further in, lines that go on with its paragraph; blank lines between such lines.
  void item() {
    const auto width = mark_width(lines_[at_]);
    Lines own{lines_[at_++].substr(width)};
    while (at_ < lines_.size()) {
      auto next = at_;
      while (next < lines_.size() && is_blank(lines_[next])) ++next;
      if (next == lines_.size()) break;
      const bool inside = indent_of(lines_[next]) >= width;
      const bool goes_on = next == at_ && !starts_block(lines_[next]);
      if (!inside && !goes_on) break;
      for (; at_ < next; ++at_) own.emplace_back();
      own.push_back(without(lines_[at_++], width));
    }
    while (at_ < lines_.size() && is_blank(lines_[at_]) && at_ + 1 < lines_.size() && mark_width(lines_[at_ + 1]) != 0)
      ++at_;
    auto inner = Blocks(std::move(own), target_).html();
    // One paragraph needs no element of its own.
    const std::string open = "<p>", close = "</p>\n";
    if (inner.starts_with(open) && inner.find("</p>") + close.size() == inner.size())
      inner = inner.substr(open.size(), inner.size() - open.size() - close.size());
    out_ += "<li>" + inner + "</li>\n";
  }

  static Lines cells_of(const std::string& line) {
    Lines cells;
    std::string cell;
    bool in_code = false;
    for (std::size_t i = indent_of(line) + 1; i < line.size(); ++i) {
      if (line[i] == '`') in_code = !in_code;
      if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
        cell += line[++i];
      } else if (line[i] == '|' && !in_code) {
        cells.push_back(cell);
        cell.clear();
      } else {
        cell += line[i];
      }
    }
    for (auto& one : cells) {
      one.erase(0, indent_of(one));
      one.erase(one.find_last_not_of(' ') + 1);
    }
    return cells;
  }

  void table() {
    const auto head = cells_of(lines_[at_++]);
    Lines aligned;
    if (at_ < lines_.size() && is_table(lines_[at_])) aligned = cells_of(lines_[at_++]);
    const auto of_class = [&](std::size_t i) {
      return i < aligned.size() && aligned[i].ends_with(':') ? " class=\"num\"" : "";
    };
    constexpr std::size_t long_text = 40;
    std::string rows = "<thead><tr>";
    for (std::size_t i = 0; i < head.size(); ++i)
      rows += fmt::format("<th scope=\"col\"{}>{}</th>", of_class(i), markdown_inline(head[i], target_));
    rows += "</tr></thead>\n<tbody>\n";
    for (; at_ < lines_.size() && is_table(lines_[at_]); ++at_) {
      rows += "<tr>";
      const auto cells = cells_of(lines_[at_]);
      for (std::size_t i = 0; i < cells.size(); ++i)
        rows += fmt::format("<td{}>{}</td>", cells[i].size() > long_text ? " class=\"prose\"" : of_class(i),
                            markdown_inline(cells[i], target_));
      rows += "</tr>\n";
    }
    out_ += html::wide("Table", "<table>\n" + rows + "</tbody>\n</table>\n");
  }

  Lines lines_;
  const LinkTarget& target_;
  std::size_t at_ = 0;
  std::string out_;
};

/// Where emphasis that `mark` opens at `from` ends; npos: it is none. Words touch it on the inside.
std::size_t end_of_emphasis(std::string_view text, std::size_t from, std::string_view mark) {
  const auto first = from + mark.size();
  if (first >= text.size() || text[first] == ' ' || text[first] == '*') return text.npos;
  for (auto end = text.find(mark, first); end != text.npos; end = text.find(mark, end + 1)) {
    const bool longer = mark.size() == 1 && (text.substr(end).starts_with("**") || text[end - 1] == '*');
    if (text[end - 1] != ' ' && text[end - 1] != '\\' && !longer) return end;
  }
  return text.npos;
}

}  // namespace

std::string markdown_inline(std::string_view text, const LinkTarget& target) {
  std::string out, plain;
  const auto flush = [&] {
    out += escaped(plain);
    plain.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto rest = text.substr(at);
    if (text[at] == '`') {
      const auto end = text.find('`', at + 1);
      if (end != text.npos) {
        flush();
        out += "<code>" + escaped(text.substr(at + 1, end - at - 1)) + "</code>";
        at = end + 1;
        continue;
      }
    }
    const bool in_word = at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
    if (text[at] == '*' && !in_word) {
      const std::string_view mark = rest.starts_with("**") ? "**" : "*";
      const auto end = end_of_emphasis(text, at, mark);
      if (end != text.npos) {
        flush();
        const auto inner = markdown_inline(text.substr(at + mark.size(), end - at - mark.size()), target);
        out += fmt::format("<{0}>{1}</{0}>", mark.size() == 2 ? "strong" : "em", inner);
        at = end + mark.size();
        continue;
      }
    }
    if (text[at] == '[') {
      const auto middle = text.find("](", at), end = middle == text.npos ? text.npos : text.find(')', middle);
      if (end != text.npos) {
        flush();
        const auto words = markdown_inline(text.substr(at + 1, middle - at - 1), target);
        const auto address = target(text.substr(middle + 2, end - middle - 2));
        out += address.empty() ? words : fmt::format("<a href=\"{}\">{}</a>", escaped(address), words);
        at = end + 1;
        continue;
      }
    }
    if (text[at] == '\\' && at + 1 < text.size() && std::string_view("\\`*[]_|").find(text[at + 1]) != text.npos) ++at;
    plain += text[at++];
  }
  flush();
  return out;
}

std::string markdown_html(std::string_view text, const LinkTarget& target) {
  return Blocks(split(text, '\n'), target).html();
}

MarkdownPage markdown_page(std::string_view text) {
  if (!text.starts_with("# ")) return {"", text};
  const auto end = std::min(text.find('\n'), text.size());
  return {std::string(text.substr(2, end - 2)), text.substr(end)};
}

}  // namespace gpulab
