#include "runner/listing/ptx_excerpt.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

namespace gpulab {
namespace {

using Names = std::set<std::string_view>;

bool of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

/// The next line, with its end.
std::string_view take_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n') + (text.find('\n') == std::string_view::npos ? 0 : 1));
  text.remove_prefix(line.empty() ? text.size() : line.size());
  return line;
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

/// A line without its comment.
std::string_view code_of(std::string_view line) { return without_blanks(line.substr(0, line.find("//"))); }

/// Of code: what comments name counts for nothing.
Names names_in(std::string_view text) {
  Names names;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "//") i = std::min(text.find('\n', i), text.size());
    std::size_t end = i;
    while (end < text.size() && of_name(text[end])) ++end;
    if (end > i) names.insert(text.substr(i, end - i));
    i = end + (end == i ? 1 : 0);
  }
  return names;
}

/// A directive of one line, a variable, a function or a section, with the comments before it.
struct Part {
  std::string_view text;
  std::string_view code{};  ///< without these
  std::string_view name{};  ///< of a function or variable
  bool is_head = false;     ///< of the module: .version, .target, .file …
  bool is_section = false;
};

/// What a variable or function is called: the name before its parameters, its size, its value or its end.
std::string_view name_in(std::string_view code) {
  std::size_t at = 0;
  if (const auto function = code.find(".func"); function != std::string_view::npos) {
    at = function + 5;
    const auto open = code.find_first_not_of(" \t\n", at);
    if (open != std::string_view::npos && code[open] == '(') at = code.find(')', open) + 1;  // what it returns
  } else if (const auto entry = code.find(".entry"); entry != std::string_view::npos) {
    at = entry + 6;
  }
  const auto end = code.find_last_not_of(" \t\n", code.find_first_of("([=;{", at) - 1) + 1;
  auto begin = end;
  while (begin > at && of_name(code[begin - 1])) --begin;
  return code.substr(begin, end - begin);
}

std::vector<Part> parts_of(std::string_view ptx) {
  std::vector<Part> parts;
  int depth = 0;
  const char* begin = ptx.data();
  const char* code_begin = nullptr;  // behind the comments
  for (auto rest = ptx; !rest.empty();) {
    const auto line = take_line(rest);
    const auto code = code_of(line);
    if (code.empty()) continue;
    if (code_begin == nullptr) code_begin = code.data();
    for (const char c : code) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    bool is_head = false;
    for (const std::string_view word : {".version", ".target", ".address_size", ".file"})
      is_head = is_head || (code_begin == code.data() && code.starts_with(word));
    if (depth > 0 || !(is_head || code.ends_with(';') || code.ends_with('}'))) continue;
    const auto* end = line.data() + line.size();
    const std::string_view whole(code_begin, static_cast<std::size_t>(end - code_begin));
    Part part{.text = {begin, static_cast<std::size_t>(end - begin)},
              .code = whole,
              .is_head = is_head,
              .is_section = whole.starts_with(".section")};
    if (!is_head && !part.is_section) part.name = name_in(whole);
    parts.push_back(part);
    begin = end;
    code_begin = nullptr;
  }
  return parts;
}

/// ".target sm_75, debug" promises the tables that are left out.
std::string without_debug(std::string_view head) {
  std::string text(head);
  constexpr std::string_view promise = ", debug";
  const auto at = text.find(".target") == std::string::npos ? std::string::npos : text.find(promise);
  return at == std::string::npos ? text : text.erase(at, promise.size());
}

/// The section of names of inlined functions, those that are referred to; nothing for other sections.
std::string needed_strings(std::string_view section, const Names& referred) {
  std::string text;
  bool wanted = false, any = false;
  for (auto rest = section; !rest.empty();) {
    const auto line = take_line(rest);
    const auto code = code_of(line);
    if (code.ends_with(':')) {
      wanted = referred.contains(code.substr(0, code.size() - 1));
      any = any || wanted;
    }
    if (wanted || code.starts_with(".section") || code == "{" || code == "}") text += line;
  }
  return any ? text : std::string();
}

}  // namespace

std::string ptx_excerpt(std::string_view ptx, std::span<const std::string_view> entries) {
  const auto parts = parts_of(ptx);
  std::multimap<std::string_view, const Part*> named;
  for (const auto& part : parts)
    if (!part.name.empty()) named.emplace(part.name, &part);

  std::set<const Part*> needed;
  Names referred;
  std::vector<std::string_view> open(entries.begin(), entries.end());
  while (!open.empty()) {
    const auto [first, last] = named.equal_range(open.back());
    open.pop_back();
    for (auto it = first; it != last; ++it) {
      if (!needed.insert(it->second).second) continue;
      for (const auto name : names_in(it->second->code)) {
        if (referred.insert(name).second && named.contains(name)) open.push_back(name);
      }
    }
  }
  std::string text;
  for (const auto& part : parts) {
    if (part.is_head) text += without_debug(part.text);
    if (needed.contains(&part)) text += part.code;
    if (part.is_section) text += needed_strings(part.text, referred);
  }
  return text;
}

}  // namespace gpulab
