#include "runner/student_file/compilers/messages.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "common/text.h"

namespace gpulab {
namespace {

/// Longer texts are cut: an #error may be of any length.
constexpr std::size_t longest_text = 500;

bool digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

CompileError made(std::string_view file, std::string_view line, std::string_view text) {
  CompileError error{std::string(file.substr(0, longest_text)), std::string(text.substr(0, longest_text)),
                     static_cast<int>(std::min<std::int64_t>(parse_integer(line).value_or(0), 1'000'000'000))};
  if (text.size() > longest_text) error.text += " …";
  return error;
}

/// Behind "error: ", "error #20: " at the start of `text`; nothing where there is neither.
std::optional<std::string_view> behind_error(std::string_view text) {
  for (const std::string_view kind : {"catastrophic ", "internal ", "fatal "})
    if (text.starts_with(kind)) text.remove_prefix(kind.size());
  if (!text.starts_with("error")) return std::nullopt;
  text.remove_prefix(5);
  if (text.starts_with(" #")) text.remove_prefix(std::min(text.size(), text.find(':')));
  if (!text.starts_with(": ")) return std::nullopt;
  return text.substr(2);
}

/// FILE(LINE): error: TEXT
std::optional<CompileError> of_nvcc(std::string_view line) {
  for (auto close = line.find("): "); close != std::string_view::npos; close = line.find("): ", close + 1)) {
    const auto open = line.rfind('(', close);
    const auto text = behind_error(line.substr(close + 3));
    if (!text || open == std::string_view::npos || open == 0) continue;
    const auto number = line.substr(open + 1, close - open - 1);
    if (digits(number)) return made(line.substr(0, open), number, *text);
  }
  return std::nullopt;
}

/// FILE:LINE:COLUMN: fatal error: TEXT, with or without a column.
std::optional<CompileError> of_preprocessor(std::string_view line) {
  for (auto colon = line.find(": "); colon != std::string_view::npos; colon = line.find(": ", colon + 1)) {
    const auto text = behind_error(line.substr(colon + 2));
    if (!text) continue;
    auto place = line.substr(0, colon);
    auto last = place.rfind(':');
    if (last == std::string_view::npos || !digits(place.substr(last + 1))) continue;
    const auto before = place.rfind(':', last - 1);
    if (last > 0 && before != std::string_view::npos && digits(place.substr(before + 1, last - before - 1))) {
      place = place.substr(0, last);
      last = before;
    }
    if (last > 0) return made(place.substr(0, last), place.substr(last + 1), *text);
  }
  return std::nullopt;
}

}  // namespace

std::optional<CompileError> first_error(std::string_view log) {
  while (!log.empty()) {
    const auto end = std::min(log.size(), log.find('\n'));
    const auto line = log.substr(0, end);
    if (auto found = of_nvcc(line)) return found;
    if (auto found = of_preprocessor(line)) return found;
    log.remove_prefix(std::min(log.size(), end + 1));
  }
  return std::nullopt;
}

std::optional<CompileError> unplaced_error(std::string_view log) {
  constexpr std::string_view said = "cc1plus: fatal error: ";
  for (const auto& line : split(log, '\n'))
    if (line.starts_with(said)) return made("", "", line.substr(said.size()));
  return std::nullopt;
}

std::string limit_in(std::string_view log) {
  struct Limit {
    std::string_view said, words;
  };
  // nvcc says how a program of its own died.
  constexpr std::array limits{Limit{"CPU time limit exceeded", "the CPU time that a compiler may take"},
                              Limit{"died due to signal 24", "the CPU time that a compiler may take"},
                              Limit{"File size limit exceeded", "the size that a file of a compiler may have"},
                              Limit{"out of memory", "the memory that a compiler may take"},
                              Limit{"virtual memory exhausted", "the memory that a compiler may take"},
                              Limit{"bad_alloc", "the memory that a compiler may take"},
                              Limit{"emory allocation failure", "the memory that a compiler may take"}};
  for (const auto& limit : limits)
    if (log.find(limit.said) != std::string_view::npos) return std::string(limit.words);
  return {};
}

bool was_killed(std::string_view log) {
  for (const std::string_view said : {"Killed signal terminated", "died due to signal 9 "})
    if (log.find(said) != std::string_view::npos) return true;
  return false;
}

std::string without_controls(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    clean += control ? '?' : c;
  }
  // The controls of ISO 8859, as UTF-8 has them.
  for (auto at = clean.find('\xc2'); at != std::string::npos && at + 1 < clean.size(); at = clean.find('\xc2', at + 1))
    if (static_cast<unsigned char>(clean[at + 1]) < 0xa0) clean.replace(at, 2, "?");
  return clean;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  if (what.empty()) return;
  std::string made;
  std::size_t from = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, from)) {
    made.append(text, from, at - from).append(by);
    from = at + what.size();
  }
  if (from == 0) return;
  text = made.append(text, from);
}

}  // namespace gpulab
