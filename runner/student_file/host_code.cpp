#include "runner/student_file/host_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

constexpr auto npos = std::string_view::npos;

bool word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where `word` stands as a word of its own.
std::size_t find_word(std::string_view code, std::string_view word, std::size_t from = 0) {
  for (auto at = code.find(word, from); at != npos; at = code.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool starts = at == 0 || !word_character(code[at - 1]);
    if (starts && (end == code.size() || !word_character(code[end]))) return at;
  }
  return npos;
}
bool has_word(std::string_view code, std::string_view word) { return find_word(code, word) != npos; }

bool calls(std::string_view code, std::string_view name) {
  for (auto at = find_word(code, name); at != npos; at = find_word(code, name, at + 1)) {
    const auto next = code.find_first_not_of(" \t\n", at + name.size());
    if (next != npos && code[next] == '(') return true;
  }
  return false;
}

/// Blanks [begin, end) but for line ends.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (auto at = begin; at < std::min(end, text.size()); ++at)
    if (text[at] != '\n') text[at] = ' ';
}

/// Code alone, without the preprocessor's lines and what continues them.
std::string without_directives(std::string_view source) {
  std::string code = code_only(source);
  for (std::size_t at = 0; at < code.size();) {
    const auto first = code.find_first_not_of(" \t", at);
    auto end = std::min(code.find('\n', at), code.size());
    if (first != npos && code[first] == '#') {
      while (end < code.size() && end > at && code[end - 1] == '\\')
        end = std::min(code.find('\n', end + 1), code.size());
      blank(code, at, end);
    }
    at = end + 1;
  }
  return code;
}

/// A declaration or definition outside of functions: [begin, end), where [open, close) is its body between braces.
struct Item {
  std::size_t begin, end, open, close;
  bool function = false;
};

class Items {
 public:
  explicit Items(std::string_view code) : code_(code) { read(0, code.size()); }
  [[nodiscard]] const std::vector<Item>& all() const { return items_; }

 private:
  void read(std::size_t at, std::size_t end) {
    while (at < end) {
      at = code_.find_first_not_of(" \t\r\n;", at);
      if (at == npos || at >= end) return;
      at = read_item(at, end);
    }
  }
  /// Behind the closing brace of the one at `open`.
  [[nodiscard]] std::size_t behind(std::size_t open, std::size_t end) const {
    int depth = 0;
    for (auto at = open; at < end; ++at) {
      if (code_[at] == '{') ++depth;
      if (code_[at] == '}' && --depth == 0) return at + 1;
    }
    return end;
  }
  std::size_t read_item(std::size_t begin, std::size_t end) {
    int depth = 0;  // of parentheses
    for (auto at = begin; at < end; ++at) {
      const char c = code_[at];
      if (c == '(') ++depth;
      if (c == ')') --depth;
      if (c == '}') return at + 1;  // nothing opened it: whatever was read ends
      if (depth > 0) continue;
      if (c == ';') return add({begin, at + 1, npos, npos});
      if (c == '{') return read_braces(begin, at, end);
    }
    return add({begin, end, npos, npos});
  }
  std::size_t read_braces(std::size_t begin, std::size_t open, std::size_t end) {
    const auto head = code_.substr(begin, open - begin);
    const auto close = behind(open, end);
    if (is_container(head)) {
      read(open + 1, close - 1);
      return close;
    }
    if (is_function(head)) return add({begin, close, open, close, true});
    // An initialiser or an enumeration: the item ends with its semicolon.
    const auto semicolon = code_.find(';', close);
    return add({begin, semicolon == npos || semicolon >= end ? close : semicolon + 1, open, close});
  }
  static bool is_function(std::string_view head) {
    const auto parenthesis = head.find('('), equals = head.find('=');
    return parenthesis != npos && (equals == npos || parenthesis < equals || has_word(head, "operator"));
  }
  /// A namespace, a class, extern "C": what stands in its braces are items again.
  static bool is_container(std::string_view head) {
    static constexpr std::array words{"namespace", "class", "struct", "union", "extern"};
    const bool named = std::any_of(words.begin(), words.end(), [&](const char* word) { return has_word(head, word); });
    const auto last = head.find_last_not_of(" \t\r\n");
    return named && (last == npos || head[last] != ')') && !has_word(head, "const") && head.find('=') == npos;
  }
  std::size_t add(const Item& item) {
    items_.push_back(item);
    return item.end;
  }

  std::string_view code_;
  std::vector<Item> items_;
};

/// Does the item say that it is for the device?
bool for_device(std::string_view head) {
  static constexpr std::array words{"__global__", "__device__",  "__constant__",
                                    "__shared__", "__managed__", "constexpr"};
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return has_word(head, word); });
}
std::string_view head_of(std::string_view code, const Item& item) {
  return code.substr(item.begin, (item.open == npos ? item.end : item.open) - item.begin);
}

constexpr std::string_view empty_body = "{ asm volatile(\"// ";

bool is_taken_out(std::string_view text, const Item& item) { return text.substr(item.open).starts_with(empty_body); }

/// A body that compiles, and shows where it is compiled for the device. Its lines stay.
void take_out_body(std::string& text, const Item& item) {
  const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(item.open),
                                text.begin() + static_cast<std::ptrdiff_t>(item.close), '\n');
  text.replace(
      item.open, item.close - item.open,
      fmt::format("{}{}\"); {}}}", empty_body, host_body_mark, std::string(static_cast<std::size_t>(lines), '\n')));
}

/// Where the lines of a text begin; one more at its end.
std::vector<std::size_t> line_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (auto at = text.find('\n'); at != npos; at = text.find('\n', at + 1)) starts.push_back(at + 1);
  starts.push_back(text.size() + 1);
  return starts;
}

bool is_include(std::string_view line) {
  const auto hash = line.find_first_not_of(" \t");
  if (hash == npos || line[hash] != '#') return false;
  const auto word = line.find_first_not_of(" \t", hash + 1);
  return word != npos && line.substr(word).starts_with("include");
}

}  // namespace

std::vector<std::string> host_code(std::string_view source) {
  const auto code = code_only(source);
  std::vector<std::string> found;
  if (calls(code, "main")) found.emplace_back("main");
  if (code.find("<<<") != npos) found.emplace_back("<<<>>>");
  return found;
}

std::optional<std::string> without_host_code(const std::string& source, const std::vector<int>& lines) {
  const auto code = without_directives(source);
  const Items items(code);
  const auto starts = line_starts(source);
  std::vector<Item> bodies, whole;
  std::string text = source;
  for (const int line : lines) {
    if (line < 1 || static_cast<std::size_t>(line) >= starts.size()) return std::nullopt;
    const auto begin = starts[static_cast<std::size_t>(line) - 1], end = starts[static_cast<std::size_t>(line)] - 1;
    if (is_include(std::string_view(source).substr(begin, end - begin))) {
      blank(text, begin, end);
      continue;
    }
    // Several items may share the line: what is for the device keeps it.
    std::vector<Item> here;
    for (const auto& item : items.all())
      if (item.begin < end && item.end > begin) here.push_back(item);
    if (here.empty()) return std::nullopt;
    for (const auto& item : here) {
      if (for_device(head_of(code, item))) {
        if (here.size() == 1) return std::nullopt;
        continue;
      }
      const bool in_body = item.function && item.open < end && !is_taken_out(source, item);
      (in_body ? bodies : whole).push_back(item);
    }
  }
  for (const auto& item : whole) blank(text, item.begin, item.end);
  // From behind, because a body that is replaced moves what follows.
  const auto later = [](const Item& a, const Item& b) { return a.begin > b.begin; };
  std::sort(bodies.begin(), bodies.end(), later);
  bodies.erase(
      std::unique(bodies.begin(), bodies.end(), [](const Item& a, const Item& b) { return a.begin == b.begin; }),
      bodies.end());
  const auto gone = [&](const Item& body) {
    return std::any_of(whole.begin(), whole.end(), [&](const Item& item) { return item.begin == body.begin; });
  };
  for (const auto& item : bodies)
    if (!gone(item)) take_out_body(text, item);
  return text == source ? std::nullopt : std::optional(text);
}

std::string without_host_bodies(const std::string& source) {
  const auto code = without_directives(source);
  auto items = Items(code).all();
  std::string text = source;
  for (auto item = items.rbegin(); item != items.rend(); ++item)
    if (item->function && !for_device(head_of(code, *item))) take_out_body(text, *item);
  return text;
}

}  // namespace gpulab
