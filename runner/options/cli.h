#pragma once
// The command line: which command, and what was typed for its options. Values are checked later (options.h).

#include <span>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/options/options.h"

namespace gpulab {

struct Command {
  std::string name;  ///< "list", "devices", …, a lab's name, or "--version", "--help"
  Given given;
  std::vector<std::string> arguments;  ///< positional: LAB of list, NAME of schema
  std::string help;                    ///< of --help: the text to print
};

/// Throws usage_error: unknown command, lab or option, a missing value, too many arguments.
[[nodiscard]] Command parse_command_line(const std::vector<std::string>& arguments, std::span<const Lab> labs);

/// Does the command line ask for JSON? Answers even where it cannot be parsed: errors are JSON then too.
[[nodiscard]] bool asks_for_json(const std::vector<std::string>& arguments);

/// The names that a lab cannot take.
[[nodiscard]] std::span<const std::string_view> command_names();

}  // namespace gpulab
