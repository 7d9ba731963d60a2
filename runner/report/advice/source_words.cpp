#include "runner/report/advice/source_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace gpulab {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where the word stands by itself, from `at` on; npos: nowhere.
std::size_t find_word(std::string_view line, std::string_view word, std::size_t at = 0) {
  for (at = line.find(word, at); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end]))) return at;
  }
  return at;
}
bool has(std::string_view line, std::string_view word) { return find_word(line, word) != std::string_view::npos; }

/// What begins at `at` and goes on as numbers and names do ("1.5e-3f", "0x1F", "x1").
std::size_t end_of_token(std::string_view line, std::size_t at) {
  const bool number = is_digit(line[at]) || line[at] == '.';
  std::size_t end = at;
  for (; end < line.size(); ++end) {
    const char c = line[end];
    const bool sign = number && (c == '+' || c == '-') && end > at && (line[end - 1] == 'e' || line[end - 1] == 'E');
    if (!is_word(c) && !(number && c == '.') && !(number && c == '\'') && !sign) break;
  }
  return end;
}

/// "0.5", "1e-3", ".5": not 0.5f, 1, 0x1E.
bool is_double(std::string_view token) {
  if (token.empty() || token.starts_with("0x") || token.starts_with("0X")) return false;
  if (!is_digit(token[0]) && !(token.size() > 1 && token[0] == '.' && is_digit(token[1]))) return false;
  if (token.find_first_of(".eE") == std::string_view::npos) return false;
  const char last = token.back();
  return is_digit(last) || last == '.';
}

/// Functions of the C library that take doubles, or a double for an int beside a float.
bool is_double_function(std::string_view name) {
  constexpr std::array names = {"pow",  "fmod", "fmax", "fmin", "atan2", "hypot", "exp10", "ldexp", "scalbn", "erf",
                                "sin",  "cos",  "tan",  "exp",  "exp2",  "log",   "log2",  "log10", "sqrt",   "rsqrt",
                                "tanh", "sinh", "cosh", "fabs", "floor", "ceil",  "round", "trunc", "cbrt",   "rint"};
  return std::ranges::find(names, name) != names.end();
}

/// Is `name` a #define of a double, or a constant that the file declares as one?
bool is_double_constant(const std::vector<std::string>& code, std::string_view name) {
  for (const std::string& line : code) {
    const auto at = find_word(line, name);
    if (at == std::string::npos) continue;
    const std::string_view before = std::string_view(line).substr(0, at);
    if (has(before, "double") && (has(before, "const") || has(before, "constexpr"))) return true;
    if (before.find('#') == std::string_view::npos || !has(before, "define")) continue;
    for (std::size_t i = at + name.size(); i < line.size();) {
      if (!is_word(line[i]) && line[i] != '.') {
        ++i;
        continue;
      }
      const auto end = std::max(end_of_token(line, i), i + 1);
      if (is_double(std::string_view(line).substr(i, end - i))) return true;
      i = end;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> code_lines(const std::vector<std::string_view>& text) {
  std::vector<std::string> code;
  bool comment = false;
  for (const std::string_view line : text) {
    std::string kept;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto two = line.substr(i, 2);
      if (comment) {
        if (two == "*/") comment = false, ++i;
      } else if (quote != 0) {
        if (line[i] == '\\')
          ++i;
        else if (line[i] == quote)
          quote = 0;
      } else if (two == "//") {
        break;
      } else if (two == "/*") {
        comment = true, ++i;
      } else if (line[i] == '"' || (line[i] == '\'' && (i == 0 || !is_word(line[i - 1])))) {
        quote = line[i];
      } else {
        kept += line[i];
      }
    }
    code.push_back(std::move(kept));
  }
  return code;
}

FunctionLines kernel_around(const std::vector<std::string>& code, std::uint32_t line) {
  FunctionLines found;
  for (std::uint32_t i = std::min<std::uint32_t>(line, static_cast<std::uint32_t>(code.size())); i > 0; --i)
    if (has(code[i - 1], "__global__")) {
      found.head = i;
      break;
    }
  if (found.head == 0) return {};
  int depth = 0;
  bool begun = false;
  for (std::uint32_t i = found.head; i <= code.size(); ++i) {
    for (const char c : code[i - 1]) {
      if (c == '{') begun = true, ++depth;
      if (c == '}') --depth;
    }
    if (!begun || depth > 0) continue;
    found.last = i;
    return found.last >= line ? found : FunctionLines{};  // the line is of what stands behind the kernel
  }
  return {};
}

bool has_word(const std::vector<std::string>& code, FunctionLines lines, std::string_view word) {
  for (std::uint32_t i = std::max(lines.head, 1U); i <= lines.last && i <= code.size(); ++i)
    if (has(code[i - 1], word)) return true;
  return false;
}

std::uint32_t shared_declaration(const std::vector<std::string>& code, FunctionLines lines) {
  std::uint32_t best = 0;
  std::uint64_t most = 0;
  for (std::uint32_t i = std::max(lines.head, 1U); i <= lines.last && i <= code.size(); ++i) {
    const std::string& line = code[i - 1];
    const auto at = find_word(line, "__shared__");
    if (at == std::string::npos) continue;
    std::uint64_t elements = 1;
    for (auto open = line.find('[', at); open != std::string::npos; open = line.find('[', open + 1)) {
      std::uint64_t number = 0;
      for (auto digit = open + 1; digit < line.size() && is_digit(line[digit]) && number < 1'000'000; ++digit)
        number = number * 10 + static_cast<std::uint64_t>(line[digit] - '0');
      elements = std::min<std::uint64_t>(elements * std::max<std::uint64_t>(number, 1), 1'000'000'000);
    }
    if (best != 0 && elements <= most) continue;
    best = i;
    most = elements;
  }
  return best;
}

std::string double_word(const std::vector<std::string>& code, std::uint32_t number) {
  if (number == 0 || number > code.size()) return {};
  constexpr std::size_t longest = 4000;
  const std::string_view line = std::string_view(code[number - 1]).substr(0, longest);
  std::string function;
  std::optional<std::string> constant;
  constexpr std::size_t most_looked_up = 8;
  std::size_t looked_up = 0;
  for (std::size_t i = 0; i < line.size();) {
    const bool number_begins = line[i] == '.' && i + 1 < line.size() && is_digit(line[i + 1]);
    if (!is_word(line[i]) && !number_begins) {
      ++i;
      continue;
    }
    const auto end = std::max(end_of_token(line, i), i + 1);
    const auto token = line.substr(i, end - i);
    const bool member = i > 0 && (line[i - 1] == '.' || (i > 1 && line.substr(i - 2, 2) == "->"));
    if (is_double(token)) return std::string(token);
    const bool call = end < line.size() && line[end] == '(';
    if (call && !member && function.empty() && is_double_function(token)) function = std::string(token) + "()";
    const bool name = !is_digit(token[0]) && token[0] != '.' && !call && !member;
    if (name && !constant && token.starts_with("M_")) constant = std::string(token);
    if (name && !constant && std::isupper(static_cast<unsigned char>(token[0])) != 0 && looked_up++ < most_looked_up &&
        is_double_constant(code, token))
      constant = std::string(token);
    i = end;
  }
  return constant.value_or(function);
}

std::uint32_t work_line(const std::vector<std::string>& code, FunctionLines lines) {
  std::uint32_t last = 0;
  for (std::uint32_t i = std::max(lines.head, 1U); i <= lines.last && i <= code.size(); ++i) {
    const std::string& line = code[i - 1];
    if (has(line, "for") || has(line, "while")) return i;
    for (auto at = line.find('='); at != std::string::npos; at = line.find('=', at + 1)) {
      const bool compares = (at + 1 < line.size() && line[at + 1] == '=') ||
                            (at > 0 && std::string_view("=!<>").find(line[at - 1]) != std::string_view::npos);
      if (!compares) last = i;
    }
  }
  return last;
}

}  // namespace gpulab
