#include "runner/report/error_report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/report/grid_text.h"
#include "runner/report/json_text.h"

namespace gpulab {

namespace {

/// `text` behind `lead`. A line that is longer than `width` goes on below the words that it begins with.
std::string flowing(std::string_view lead, std::string_view text, std::size_t width) {
  std::string all, first(lead);
  for (const auto& line : split(text, '\n')) {
    const auto blanks = std::min(line.find_first_not_of(' '), line.size());
    const auto whole = columns(first) + columns(line) <= width;
    all += whole ? first + line + '\n'
                 : hanging(first, columns(first) + blanks, std::string_view(line).substr(blanks), width);
    first.clear();
  }
  return all;
}

}  // namespace

std::size_t diagnostics_width() {
  constexpr std::size_t fewest = 60;
  winsize size{};
  const char* said = std::getenv("COLUMNS");
  const auto wanted = said != nullptr ? parse_integer(said) : std::nullopt;
  if (wanted && *wanted > 0) return std::max(fewest, static_cast<std::size_t>(*wanted));
  const bool terminal = isatty(STDERR_FILENO) != 0 && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return terminal ? std::max(fewest, std::size_t{size.ws_col}) : std::string::npos;
}

void print_note(std::string_view text) { fmt::print(stderr, "{}", flowing("note: ", text, diagnostics_width())); }

void print_command(std::string_view note, const std::vector<std::string>& words) {
  const auto width = diagnostics_width();
  auto line = fmt::format("note: {}", note);
  const auto room = [&](const std::string& more, std::size_t behind) {
    return width == std::string::npos || columns(line) + 1 + columns(more) + behind <= width;
  };
  const auto all = join(words, " ");
  if (room(all, 0)) return fmt::print(stderr, "{} {}\n", line, all);
  fmt::print(stderr, "{}\n", line);
  line = " ";
  for (const auto& word : words) {
    if (!room(word, 2)) {  // a blank and a backslash
      fmt::print(stderr, "{} \\\n", line);
      line = "     ";
    }
    line += ' ' + word;
  }
  fmt::print(stderr, "{}\n", line);
}

std::string error_text(const Error& error, std::size_t width) {
  // Either may quote a file, or a file's name: visible.
  auto text = flowing("error: ", visible(error.what()), width);
  if (!error.where.empty()) text += flowing("  ", visible(error.where), width);
  if (!error.hint.empty()) text += flowing("  hint: ", visible(error.hint), width);
  return text;
}

std::string error_json(const Error& error) {
  nlohmann::ordered_json json{{"schema", "gpulab.error.v1"},
                              {"error", {{"what", error.what()}, {"where", error.where}, {"hint", error.hint}}}};
  return json_text(json);
}

}  // namespace gpulab
