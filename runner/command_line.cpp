#include "runner/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "common/text.h"
#include "labs/registry.h"
#include "runner/lab_run.h"
#include "runner/report/report_target.h"
#include "runner/version.h"

namespace gpulab {
namespace {

ExitCode print_version(const CommandLine&) {
  print_report(fmt::format("gpulab {}\n", version()));
  return ExitCode::ok;
}
const Command version_command{.name = "--version", .help = "the version", .run = print_version};

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }
bool is_help(std::string_view word) { return word == "--help" || word == "-h"; }

/// The option that `word` is, as --name or --name=value.
const Option* option_of(std::string_view word, const OptionList& options) {
  if (!word.starts_with("--")) return nullptr;
  const auto name = word.substr(2, word.find('=') - 2);
  const auto it = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
  return it == options.end() ? nullptr : &*it;
}

/// Does `word` take the word behind it as its value?
bool takes_next(std::string_view word, const OptionList& options) {
  const auto* option = option_of(word, options);
  return option != nullptr && !option->value.empty() && word.find('=') == std::string_view::npos;
}

std::string its_usage(std::string_view command) { return fmt::format("'gpulab {} --help' shows its options", command); }

[[noreturn]] void refuse_option(const std::string& command, std::string_view word, const OptionList& options) {
  const std::string name(word.substr(0, word.find('=')));
  std::vector<std::string> names{"--help"};
  for (const auto& option : options) names.push_back("--" + option.name);
  throw usage_error(fmt::format("{}: unknown option '{}'", command, name),
                    did_you_mean(name, names, its_usage(command)));
}

/// Words in, Given and arguments out.
class Reader {
 public:
  Reader(const Command& command, const OptionList& options, CommandLine& line)
      : command_(command), options_(options), line_(line) {}

  void read(std::span<const std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto& word = words[i];
      if (word == "--") {
        behind_dashes(words.subspan(i + 1));
        return;
      }
      if (!is_option(word)) {
        argument(word);
      } else if (takes_value(words, i)) {
        option(words[i], words[i + 1]);
        ++i;
      } else {
        option(word, std::nullopt);
      }
    }
  }

 private:
  bool takes_value(std::span<const std::string> words, std::size_t i) const {
    if (!takes_next(words[i], options_)) return false;
    const bool last = i + 1 == words.size();
    if (option_of(words[i], options_)->is_switch) return !last && !words[i + 1].starts_with('-');
    if (last) throw usage_error(fmt::format("{} needs a value", words[i]), its_usage(line_.name));
    return true;
  }

  void option(std::string_view word, std::optional<std::string> value) {
    const auto* known = option_of(word, options_);
    if (known == nullptr) refuse_option(line_.name, word, options_);
    if (const auto equals = word.find('='); equals != std::string_view::npos) value = word.substr(equals + 1);
    if (value && known->value.empty())
      throw usage_error(fmt::format("--{} takes no value", known->name), its_usage(line_.name));
    line_.given[known->name].push_back(value.value_or("true"));
  }

  void argument(const std::string& word) {
    const auto& places = command_.positionals;
    if (line_.arguments.size() >= places.size() && (places.empty() || !places.back().repeats))
      throw usage_error(fmt::format("{}: unexpected argument '{}'", line_.name, word), its_usage(line_.name));
    line_.arguments.push_back(word);
  }

  void behind_dashes(std::span<const std::string> words) {
    if (!command_.rest.empty()) line_.rest.assign(words.begin(), words.end());
    if (command_.rest.empty())
      for (const auto& word : words) argument(word);
  }

  const Command& command_;
  const OptionList& options_;
  CommandLine& line_;
};

void check_arguments(const Command& command, const CommandLine& line) {
  for (std::size_t i = line.arguments.size(); i < command.positionals.size(); ++i) {
    if (command.positionals[i].question.empty()) continue;
    throw usage_error(fmt::format("{}: {}", line.name, command.positionals[i].question),
                      fmt::format("as in: {}", command.example));
  }
}

bool asks_for_help(const std::vector<std::string>& words, const OptionList& options) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i)
    if (is_help(words[i]) && (i == 0 || !takes_next(words[i - 1], options))) return true;
  return false;
}

/// `help` for these words.
Call help_call(const std::vector<std::string>& words, CommandLine line) {
  line.name = "help";
  line.given.clear();
  line.arguments.clear();
  for (const auto& word : words)
    if (!is_help(word)) line.arguments.push_back(word);
  return {command_named(line.name, *line.labs), std::move(line)};
}

}  // namespace

const Command* command_named(std::string_view name, const std::vector<Lab>& labs) {
  const auto all = commands();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Command* command) { return command->name == name; });
  if (it != all.end()) return *it;
  const bool is_lab = std::any_of(labs.begin(), labs.end(), [&](const Lab& lab) { return lab.name == name; });
  return is_lab ? &lab_command : nullptr;
}

Usage usage_of(const Command& command, const Lab* lab) {
  return command.usage == nullptr ? Usage{} : command.usage(lab);
}

const Lab* named_lab(const std::vector<std::string>& words, const std::vector<Lab>& labs) {
  const auto* command = words.empty() ? nullptr : command_named(words[0], labs);
  if (command == nullptr) return nullptr;
  // `explain scan.cu --kernel scan` names no lab: what options that need no lab take as their value is none.
  const auto options = command == &lab_command ? OptionList{} : usage_of(*command, nullptr).options;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (i > 0 && takes_next(words[i - 1], options)) continue;
    for (const auto& lab : labs)
      if (lab.name == words[i]) return &lab;
  }
  return nullptr;
}

void refuse_name(const std::string& name, const std::vector<Lab>& labs) {
  constexpr const char* all = "'gpulab --help' shows all commands and labs";
  const auto later = later_commands();
  if (std::find(later.begin(), later.end(), name) != later.end())
    throw usage_error(fmt::format("'{}' is not in this version of gpulab", name), all);
  if (name.starts_with('-'))
    throw usage_error(fmt::format("unknown option '{}'", name), did_you_mean(name, {"--version", "--help"}, all));
  auto names = lab_names(labs);
  for (const auto* command : commands()) names.emplace_back(command->name);
  throw usage_error(fmt::format("unknown lab '{}'", name), did_you_mean(name, names, "'gpulab list' shows all labs"));
}

Call parse_command_line(const std::vector<std::string>& words, const Labs& labs) {
  CommandLine line;
  line.labs = labs;
  if (words.empty() || is_help(words[0])) return help_call(words, std::move(line));
  line.name = words[0];
  if (line.name == version_command.name) return {&version_command, std::move(line)};
  const auto* command = command_named(line.name, *labs);
  if (command == nullptr) refuse_name(line.name, *labs);
  if (const auto* lab = named_lab(words, *labs)) line.lab = {labs, lab};
  const auto options = usage_of(*command, line.lab.get()).options;
  if (asks_for_help(words, options)) return help_call(words, std::move(line));
  Reader(*command, options, line).read(std::span(words).subspan(1));
  check_arguments(*command, line);
  return {command, std::move(line)};
}

}  // namespace gpulab
