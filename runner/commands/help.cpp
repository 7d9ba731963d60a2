// `gpulab help COMMAND …`, and all that ends in --help.

#include "runner/command.h"
#include "runner/command_line.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

ExitCode run(const CommandLine& line) {
  print_report(help_text(line.arguments, *line.labs));
  return ExitCode::ok;
}

}  // namespace

extern const Command help{
    .name = "help",
    .positionals = {{"LAB|COMMAND", "", true}},
    .help = "what can be asked for; with LAB or COMMAND its options, as --help",
    .run = run,
};

}  // namespace gpulab::command
