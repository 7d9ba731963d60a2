#pragma once
// What compilers say, read and made fit for a terminal.

#include <optional>
#include <string>
#include <string_view>

namespace gpulab {

/// The first error of a compiler's output ("FILE(LINE): error: TEXT", "FILE:LINE:COLUMN: fatal error: TEXT").
struct CompileError {
  std::string file, text;
  int line = 0;
};
[[nodiscard]] std::optional<CompileError> first_error(std::string_view log);

/// The one without a place, with which the preprocessor ends at a file that it may not open, whoever asked for it.
[[nodiscard]] std::optional<CompileError> unplaced_error(std::string_view log);

/// Which limit ended one of the compiler's programs, in words: "16 s of CPU time"; empty: none.
[[nodiscard]] std::string limit_in(std::string_view log);

/// One of the compiler's programs was killed from outside (common/child/killed.h).
[[nodiscard]] bool was_killed(std::string_view log);

/// The text without what moves a terminal's cursor or changes its colours: it holds lines of a stranger's file. Blanks
/// and line ends stay.
[[nodiscard]] std::string without_controls(std::string_view text);

void replace_all(std::string& text, std::string_view what, std::string_view by);

}  // namespace gpulab
