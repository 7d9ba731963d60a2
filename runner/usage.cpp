#include "runner/usage.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/command_line.h"
#include "runner/lab_run.h"

namespace gpulab {
namespace {

constexpr std::size_t indent = 32;

/// "  left                help".
std::string row(const std::string& left, std::string_view help) {
  const auto cell = "  " + left;
  const auto gap = columns(cell) < indent ? std::string(indent - columns(cell), ' ') : '\n' + std::string(indent, ' ');
  return fmt::format("{}{}{}\n", cell, gap, help);
}

std::string options_text(const OptionList& own) {
  OptionList options{{"help", "", "this text"}};
  options.insert(options.end(), own.begin(), own.end());
  std::vector<std::string_view> headings;
  for (const auto& option : options)
    if (std::find(headings.begin(), headings.end(), option.heading) == headings.end())
      headings.push_back(option.heading);
  std::string text;
  for (const auto heading : headings) {
    text += fmt::format("\n{}:\n", heading);
    for (const auto& option : options)
      if (option.heading == heading)
        text += row(fmt::format("--{}{}{}", option.name, option.value.empty() ? "" : " ", option.value), option.help);
  }
  return text;
}

std::string command_text(const Command& command, const std::string& name, const Lab* lab) {
  const auto usage = usage_of(command, lab);
  std::string line = fmt::format("gpulab {} [OPTIONS]", name);
  for (const auto& place : command.positionals) {
    const auto word = fmt::format("{}{}", place.name, place.repeats ? "..." : "");
    line += place.question.empty() ? fmt::format(" [{}]", word) : " " + word;
  }
  if (!command.rest.empty()) line += fmt::format(" [-- {}]", command.rest);
  const std::string_view help = &command == &lab_command ? std::string_view(lab->question) : command.help;
  return fmt::format("{}\nUsage: {}\n{}{}{}", help, line, options_text(usage.options), usage.notes.empty() ? "" : "\n",
                     usage.notes);
}

std::string overview(const std::vector<Lab>& labs) {
  std::string text =
      "CUDA teaching labs on a GPU and on an embedded SIMT simulator.\n"
      "Usage: gpulab LAB|COMMAND [OPTIONS]\n";
  text += options_text({{"version", "", "the version"}});
  text += "\nLabs:\n";
  for (const auto& lab : labs) text += row(lab.name, lab.question);
  text += "\nCommands:\n";
  for (const auto* command : commands()) text += row(std::string(command->name), command->help);
  return text +
         "\n'gpulab LAB --help' and 'gpulab COMMAND --help' show their options.\n"
         "Try: gpulab reduce --variant warp --block 256\n";
}

}  // namespace

std::string help_text(const std::vector<std::string>& words, const std::vector<Lab>& labs) {
  if (words.empty()) return overview(labs);
  const auto* command = command_named(words[0], labs);
  if (command == nullptr) refuse_name(words[0], labs);
  return command_text(*command, words[0], named_lab(words, labs));
}

}  // namespace gpulab
