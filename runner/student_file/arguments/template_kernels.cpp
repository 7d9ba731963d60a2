#include "runner/student_file/arguments/template_kernels.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "common/text.h"

namespace gpulab {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view blanks = " \t\r\n\f\v";

bool word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Behind the bracket that closes the one at `open`; nothing where none does.
std::optional<std::size_t> behind(std::string_view code, std::size_t open, char opens, char closes) {
  int depth = 0;
  for (auto at = open; at < code.size(); ++at) {
    if (code[at] == opens) ++depth;
    if (code[at] == closes && --depth == 0) return at + 1;
    if (code[at] == ';' || code[at] == '{') return std::nullopt;
  }
  return std::nullopt;
}

/// Parts between commas that stand in no brackets.
std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  if (trimmed(list).empty()) return parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (std::string_view("(<[").find(list[at]) != npos) ++depth;
    if (std::string_view(")>]").find(list[at]) != npos) --depth;
    if (list[at] != ',' || depth != 0) continue;
    parts.push_back(trimmed(list.substr(start, at - start)));
    start = at + 1;
  }
  parts.push_back(trimmed(list.substr(start)));
  return parts;
}

/// "typename" of "class T", "int" of "const int TILE"; nothing of one that has a default, or is not understood.
std::optional<std::string> parameter_of(std::string_view text) {
  std::string type;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto start = text.find_first_not_of(blanks, at);
    if (start == npos) break;
    auto end = start;
    while (end < text.size() && word_character(text[end])) ++end;
    if (end == start) return std::nullopt;
    const auto word = text.substr(start, end - start);
    if (word == "class" || word == "typename")
      return text.find("...", end) == npos ? std::optional<std::string>("typename") : std::nullopt;
    if (word != "const" && type.empty()) type = word;
    at = end;
  }
  return type;
}

/// The kernel whose __global__ stands at `at`, behind `template` at `start`.
std::optional<TemplateKernel> kernel_at(std::string_view code, std::size_t start, std::size_t at) {
  const auto open = code.find('<', start);
  if (open == npos || open > at) return std::nullopt;
  const auto close = behind(code, open, '<', '>');
  if (!close || *close > at) return std::nullopt;
  TemplateKernel kernel;
  if (trimmed(code.substr(open + 1, *close - open - 2)).empty())
    return std::nullopt;  // a specialisation is an instance
  for (const auto part : parts_of(code.substr(open + 1, *close - open - 2))) {
    if (part.find('=') != npos) continue;
    auto parameter = parameter_of(part);
    if (!parameter) return std::nullopt;
    kernel.parameters.push_back(std::move(*parameter));
  }
  for (auto next = code.find('(', at); next != npos;) {
    const auto name_end = code.find_last_not_of(blanks, next - 1) + 1;
    auto name_start = name_end;
    while (name_start > at && word_character(code[name_start - 1])) --name_start;
    const auto end = behind(code, next, '(', ')');
    if (!end || name_start == name_end) return std::nullopt;
    kernel.name = code.substr(name_start, name_end - name_start);
    if (kernel.name != "__launch_bounds__") {
      kernel.arguments = parts_of(code.substr(next + 1, *end - next - 2)).size();
      return kernel;
    }
    next = code.find('(', *end);
  }
  return std::nullopt;
}

/// Where a scope opens: the namespace's name; empty for any other.
std::string namespace_at(std::string_view code, std::size_t brace) {
  auto end = code.find_last_not_of(blanks, brace == 0 ? 0 : brace - 1);
  if (brace == 0 || end == npos) return {};
  auto start = end + 1;
  while (start > 0 && (word_character(code[start - 1]) || code[start - 1] == ':')) --start;
  const auto name = code.substr(start, end + 1 - start);
  const auto before = trimmed(code.substr(0, start));
  return before.ends_with("namespace") ? std::string(name) + "::" : std::string();
}

}  // namespace

std::string instance_of(const TemplateKernel& kernel) {
  std::vector<std::string> arguments;
  for (const auto& parameter : kernel.parameters)
    arguments.emplace_back(parameter == "typename" ? "float" : parameter == "bool" ? "true" : "256");
  return kernel.name + '<' + join(arguments) + '>';
}

std::vector<TemplateKernel> template_kernels(std::string_view code) {
  constexpr std::string_view mark = "__global__", word = "template";
  std::vector<TemplateKernel> kernels;
  std::vector<std::string> scopes;
  std::size_t statement = 0;  // where the one that is read began
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == '{') scopes.push_back(namespace_at(code.substr(statement, at - statement + 1), at - statement));
    if (code[at] == '}' && !scopes.empty()) scopes.pop_back();
    if (code[at] == '{' || code[at] == '}' || code[at] == ';') statement = at + 1;
    if (code[at] != '_' || code.substr(at, mark.size()) != mark) continue;
    const auto start = code.substr(statement, at - statement).find(word);
    if (start == npos) continue;
    if (auto kernel = kernel_at(code, statement + start, at)) {
      std::string prefix;
      for (const auto& scope : scopes) prefix += scope;
      kernel->name = prefix + kernel->name;
      kernels.push_back(std::move(*kernel));
    }
    at += mark.size();
  }
  return kernels;
}

}  // namespace gpulab
