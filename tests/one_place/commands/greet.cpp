// A command that one_place_test.py adds: nothing but this file knows of it.

#include "runner/command.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

Usage usage(const Lab* lab) {
  Usage usage{{{"loud", "", "in capitals"}, {"times", "N", "how often [1]"}}, "Greetings are not verified.\n"};
  if (lab != nullptr) usage.options.push_back({"of-" + lab->name, "", "an option that this lab brings"});
  return usage;
}

ExitCode run(const CommandLine& line) {
  std::string text = line.given.contains("loud") ? "HELLO" : "hello";
  for (const auto& name : line.arguments) text += ' ' + name;
  for (const auto& word : line.rest) text += " [" + word + ']';
  print_report(text + '\n');
  return ExitCode::ok;
}

}  // namespace

extern const Command greet{
    .name = "greet",
    .positionals = {{"WHOM", "whom?"}, {"MORE", "", true}},
    .help = "says hello",
    .usage = usage,
    .run = run,
    .example = "gpulab greet you",
    .rest = "WORDS",
};

}  // namespace gpulab::command
