#include "common/demangle.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

constexpr std::size_t shown_names = 4;  ///< near misses in one hint

/// Where the argument list begins: the parenthesis that matches the last one. Whole length if there is none.
std::size_t arguments_begin(std::string_view name) {
  const std::size_t last = name.rfind(')');
  if (last == std::string_view::npos) return name.size();
  int depth = 0;
  for (std::size_t i = last + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return name.size();
}

/// Behind the return type: the last space outside of <>, () and {}.
std::size_t name_begin(std::string_view name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == ' ' && depth == 0) begin = i + 1;
  }
  return begin;
}

void erase_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) text.erase(at, what.size());
}

/// Numba's kernels have tags in their names: a version ("[abi:v1]"), and what they were compiled with ("[abi:cw51c…]").
std::string without_tags_of_numba(std::string name) {
  constexpr std::string_view begin = "[abi:";
  for (std::size_t at = name.find(begin); at != std::string::npos; at = name.find(begin, at)) {
    const std::size_t end = name.find(']', at);
    if (end == std::string::npos) break;
    const auto tag = std::string_view(name).substr(at + begin.size(), end - at - begin.size());
    const bool is_version = tag.size() > 1 && tag[0] == 'v' && tag.find_first_not_of("0123456789", 1) == tag.npos;
    if (is_version || tag.starts_with("cw"))
      name.erase(at, end + 1 - at);
    else
      at = end;
  }
  return name;
}

bool word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Without blanks (but between words: "unsigned int") and without the suffix of integers: "f<unsigned int,256>".
std::string normalized(std::string_view name) {
  std::string compact;
  bool number = false;  // inside a token that began with a digit
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == ' ') {
      const bool separates =
          !compact.empty() && word_character(compact.back()) && i + 1 < name.size() && word_character(name[i + 1]);
      if (separates) compact += c;
      continue;
    }
    if (!word_character(c)) number = false;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 && (compact.empty() || !word_character(compact.back())))
      number = true;
    const bool suffix = number && (c == 'u' || c == 'l' || c == 'U' || c == 'L');
    if (!suffix) compact += c;
  }
  return compact;
}

std::string_view base_name(std::string_view name) { return name.substr(0, name.find('<')); }

/// Names ordered by likeness to `asked`: the same base name first, then edit distance.
std::vector<std::string> nearest_names(std::string_view asked, std::vector<std::string> names) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (auto& name : names) {
    const std::size_t base = edit_distance(base_name(asked), base_name(name));
    ranked.emplace_back(base * 1000 + edit_distance(asked, name), std::move(name));
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> first;
  for (auto& [distance, name] : ranked)
    if (first.size() < shown_names) first.push_back(fmt::format("'{}'", name));
  return first;
}

Error no_such_kernel(std::string_view asked, const std::vector<std::string>& names) {
  if (names.empty()) return usage_error(fmt::format("no kernel '{}': nothing loaded has a kernel", asked));
  const auto near = nearest_names(asked, names);
  const auto more = names.size() - near.size();
  const std::string rest = more == 0 ? "" : fmt::format(" (and {} more)", more);
  return usage_error(fmt::format("no kernel '{}'", asked), fmt::format("there is {}{}", fmt::join(near, ", "), rest));
}

}  // namespace

std::string demangle(std::string_view mangled) {
  const std::string name(mangled);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  // __cxa_demangle takes a lone "i" for the type int: only _Z names are mangled functions.
  return status == 0 && text && name.starts_with("_Z") ? without_tags_of_numba(text.get()) : name;
}

std::string kernel_name(std::string_view mangled) {
  std::string name = demangle(mangled);
  erase_all(name, "(anonymous namespace)::");
  name.erase(arguments_begin(name));
  return name.substr(name_begin(name));
}

bool same_kernel_name(std::string_view left, std::string_view right) { return normalized(left) == normalized(right); }

std::string_view find_entry(std::string_view asked, std::span<const std::string_view> entries) {
  const auto exact = std::find(entries.begin(), entries.end(), asked);
  if (exact != entries.end()) return *exact;
  const std::string wanted = normalized(asked);
  std::vector<std::string> names;
  std::set<std::string_view> instances;
  for (const auto entry : entries) {
    names.push_back(kernel_name(entry));
    if (normalized(names.back()) == wanted) return entry;
    if (base_name(names.back()) == asked) instances.insert(entry);
  }
  if (instances.size() == 1) return *instances.begin();
  if (instances.empty()) throw no_such_kernel(asked, names);
  throw usage_error(fmt::format("'{}' is a template with {} instances", asked, instances.size()),
                    fmt::format("name one of them, such as {}", fmt::join(nearest_names(asked, names), ", ")));
}

}  // namespace gpulab
