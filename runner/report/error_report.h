#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace gpulab {

/// Columns of what is said on standard error: as COLUMNS says where it is set, else as the terminal has. Without either
/// lines stay whole, so that scripts find a message by its words.
[[nodiscard]] std::size_t diagnostics_width();
/// "note: text\n" on standard error; lines that are too long go on below the words.
void print_note(std::string_view text);
/// "note: text command\n" on standard error. Where that is too long, the command has lines of its own, with a backslash
/// at the end of those that go on, so that it can be copied.
void print_command(std::string_view text, const std::vector<std::string>& words);
/// "error: what\n  where\n  hint: …\n", for standard error.
[[nodiscard]] std::string error_text(const Error& error, std::size_t width);
/// gpulab.error.v1, for standard output under --format json.
[[nodiscard]] std::string error_json(const Error& error);

}  // namespace gpulab
