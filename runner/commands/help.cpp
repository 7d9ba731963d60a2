// `gpulab help COMMAND …`, and all that ends in --help; `gpulab help --man`, the manual page.

#include "common/error.h"
#include "runner/command.h"
#include "runner/command_line.h"
#include "runner/manual/manual_page.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

Usage usage_of_help(const Lab*) {
  return {.options = {{"man", "", "all of it as a manual page: gpulab help --man | man -l -"}}};
}

ExitCode run_help(const CommandLine& line) {
  if (line.given.contains("man") && !line.arguments.empty())
    throw usage_error("help: --man is the page of all commands",
                      "leave out '" + line.arguments.front() + "', or --man");
  print_report(line.given.contains("man") ? manual_page(*line.labs) : help_text(line.arguments, *line.labs));
  return ExitCode::ok;
}

}  // namespace

extern const Command help{
    .name = "help",
    .positionals = {{"LAB|COMMAND", "", true}},
    .help = "what can be asked for; with LAB or COMMAND its options, as --help",
    .usage = usage_of_help,
    .run = run_help,
};

}  // namespace gpulab::command
