#pragma once
// A command of gpulab is one file, runner/commands/NAME.cpp, which defines `extern const Command NAME` in the namespace
// `gpulab::command` (`new_` for a name that is a word of C++): the build finds it there (scripts/cmake/commands.cmake).
// Command line, --help, near misses and the names that a lab cannot take all follow from it.
//
//   argv --parse_command_line()--> Command and CommandLine --Command::run--> exit code
//
// Every lab is a command, too: they share one Command (lab_run.h).

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "labs/lab.h"
#include "runner/options/option.h"

namespace gpulab {

using Labs = std::shared_ptr<const std::vector<Lab>>;

/// What was typed. Values of options are checked by whoever knows what they mean (runner/options).
struct CommandLine {
  std::string name;                    ///< the command's, or a lab's
  std::vector<std::string> arguments;  ///< in the places of Command::positionals
  Given given;
  std::vector<std::string> rest;   ///< all behind "--"
  std::shared_ptr<const Lab> lab;  ///< the one that is named; null: none
  Labs labs;
};

/// An argument that is known by its place.
struct Positional {
  std::string_view name;      ///< in --help: "FILE"
  std::string_view question;  ///< where it is missing: "which file?"; empty: it may be
  bool repeats = false;       ///< the last one: any number of them
};

/// What can be typed behind the command and its arguments.
struct Usage {
  OptionList options{};
  std::string notes{};  ///< below them in --help
  std::vector<std::string>
      words{};  ///< what an argument can be, where these are words; labs are known by Positional::name
};

struct Command {
  std::string_view name;
  std::vector<Positional> positionals{};
  std::string_view help;  ///< one line
  /// Options may depend on the lab that the command line names (null: none). Null: there are no options.
  Usage (*usage)(const Lab* lab) = nullptr;
  ExitCode (*run)(const CommandLine& line) = nullptr;
  std::string_view example{};  ///< for the hint where an argument is missing
  std::string_view rest{};     ///< what --help calls what stands behind "--"; empty: nothing may
  bool raw = false;            ///< all that is typed is another program's: it goes to CommandLine::rest as it is
  bool knows_labs = true;      ///< false: of all labs only those are made that its words name (a millisecond less)
};

/// Every command, by name.
[[nodiscard]] std::span<const Command* const> commands();
/// Names that later versions give a command, or that the whole program has and this one does not. No lab can have them.
[[nodiscard]] std::span<const std::string_view> later_commands();
/// Of such a command, and of one of later_labs(): "is not in this version of gpulab".
[[nodiscard]] std::string_view why_later();

/// To be called first in main: where this process was started as a child of a command, does the child's work and ends
/// it.
void be_child_if_asked(int argc, const char* const* argv);

}  // namespace gpulab
