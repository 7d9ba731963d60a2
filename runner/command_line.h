#pragma once
// The command line: which command, what was typed for it, and --help. CLI11 places the words and writes the help, from
// what the commands (command.h) and the groups of options (options/) declare.

#include <string>
#include <vector>

#include "runner/command.h"

namespace gpulab {

struct Call {
  const Command* command = nullptr;
  CommandLine line;
};

/// `gpulab … --help` calls `help`. Throws usage_error: unknown command, lab or option, a missing value, too many
/// arguments or too few.
[[nodiscard]] Call parse_command_line(const std::vector<std::string>& words, const Labs& labs);

/// The command of that name, which may be a lab's; null where there is none.
[[nodiscard]] const Command* command_named(std::string_view name, const std::vector<Lab>& labs);
[[nodiscard]] Usage usage_of(const Command& command, const Lab* lab);

/// The lab that the words of a command line name; null where none does.
[[nodiscard]] const Lab* named_lab(const std::vector<std::string>& words, const std::vector<Lab>& labs);

/// --help of the command or lab that `words` begin with, which may name a lab (explain reduce); of gpulab where there
/// are none. Throws usage_error where there is no such command.
[[nodiscard]] std::string help_text(const std::vector<std::string>& words, const std::vector<Lab>& labs);

/// Throws the error of a command line that begins with a word that no command and no lab has as its name.
[[noreturn]] void refuse_name(const std::string& name, const std::vector<Lab>& labs);

}  // namespace gpulab
