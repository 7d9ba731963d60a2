#include "runner/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>  // here alone: it takes seconds to compile
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "common/text.h"
#include "labs/registry.h"
#include "runner/lab_run.h"
#include "runner/listing/glossary.h"
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

/// "--block", "--n"; "-I" of an option that is one capital letter, as compilers have them, and "-m MODULE" as Python
/// has it.
std::string dashed(const Option& option) {
  const bool capital = option.name.size() == 1 && option.name[0] >= 'A' && option.name[0] <= 'Z';
  const bool of_python = option.name == "m" && option.value == "MODULE";
  return (capital || of_python ? "-" : "--") + option.name;
}

/// The option that `word` is, as --name, --name=value or -I.
const Option* option_of(std::string_view word, const OptionList& options) {
  if (!word.starts_with("--")) {
    const auto it = std::find_if(options.begin(), options.end(), [&](const Option& o) { return dashed(o) == word; });
    return it == options.end() ? nullptr : &*it;
  }
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

/// CLI11 keeps the values that it reads; nobody looks at these.
std::vector<std::string>& unread() {
  static std::vector<std::string> values;
  return values;
}

/// CLI11's text but for its first line, which names the arguments that we place ourselves.
class HelpText : public CLI::Formatter {
 public:
  explicit HelpText(std::string usage) : usage_(std::move(usage)) { column_width(32); }
  std::string make_usage(const CLI::App*, std::string) const override { return usage_; }

 private:
  std::string usage_;
};

/// "Usage: gpulab explain [OPTIONS] LAB|FILE".
std::string usage_line(const Command& command, const std::string& name) {
  std::string line = fmt::format("Usage: gpulab {} [OPTIONS]", name);
  for (const auto& place : command.positionals) {
    const auto word = fmt::format("{}{}", place.name, place.repeats ? "..." : "");
    line += place.question.empty() ? fmt::format(" [{}]", word) : " " + word;
  }
  return command.rest.empty() ? line + "\n" : fmt::format("{} [-- {}]\n", line, command.rest);
}

/// CLI11's picture of a command: it places words, and writes --help.
std::unique_ptr<CLI::App> app_of(const Command& command, const std::string& name, const Lab* lab) {
  const auto usage = usage_of(command, lab);
  const auto help = &command == &lab_command ? lab->question : std::string(command.help);
  auto app = std::make_unique<CLI::App>(help);
  app->formatter(std::make_shared<HelpText>(usage_line(command, name)));
  for (const auto& option : usage.options) {
    const auto word = dashed(option);
    auto* added = option.value.empty() ? app->add_flag(word)->disable_flag_override() : app->add_option(word, unread());
    if (!option.value.empty()) added->type_name(option.value)->expected(1)->allow_extra_args(false);
    // All values are kept: that one is given twice is our error, in our words (single_value).
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    added->group(std::string(option.heading))->description(option.help);
  }
  app->footer(usage.notes);
  app->allow_extras();
  return app;
}

/// The words as CLI11 takes them: a value apart from its option (CLI11 takes "--n=" for an option without one), and
/// with the value of a switch, which may be left out.
std::vector<std::string> with_values_apart(const std::vector<std::string>& words, const OptionList& options) {
  std::vector<std::string> apart;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto* option = option_of(words[i], options);
    const auto equals = words[i].find('=');
    if (option != nullptr && !option->value.empty() && equals != std::string::npos) {
      apart.push_back(words[i].substr(0, equals));
      apart.push_back(words[i].substr(equals + 1));
      continue;
    }
    apart.push_back(words[i]);
    if (!takes_next(words[i], options)) continue;
    const bool is_last = i + 1 == words.size();
    if (option->is_switch && (is_last || words[i + 1].starts_with('-'))) {
      apart.emplace_back("true");
    } else if (!is_last) {
      apart.push_back(words[++i]);
    }
  }
  return apart;
}

[[noreturn]] void refuse_option(const std::string& command, std::string_view word, const OptionList& options) {
  const std::string name(word.substr(0, word.find('=')));
  std::vector<std::string> names{"--help"};
  for (const auto& option : options) names.push_back(dashed(option));
  throw usage_error(fmt::format("{}: unknown option '{}'", command, name),
                    did_you_mean(name, names, its_usage(command)));
}

/// CLI11's complaint in our words: an option without its value, or a flag with one (then its name comes without
/// dashes).
Error parse_error(const CLI::ParseError& error, const std::string& command) {
  const std::string text = error.what();
  const auto name = text.substr(0, text.find_first_of(": "));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr)
    return usage_error(fmt::format("{}: {}", command, text), its_usage(command));
  return usage_error(name.starts_with('-') ? name + " needs a value" : fmt::format("--{} takes no value", name),
                     its_usage(command));
}

void add_argument(const Command& command, const std::string& word, CommandLine& line) {
  const auto& places = command.positionals;
  if (line.arguments.size() >= places.size() && (places.empty() || !places.back().repeats))
    throw usage_error(fmt::format("{}: unexpected argument '{}'", line.name, word), its_usage(line.name));
  line.arguments.push_back(word);
}

/// Reads the words behind the command's name into `line`.
void place_words(const Command& command, std::span<const std::string> words, const OptionList& options,
                 CommandLine& line) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const auto app = app_of(command, line.name, line.lab.get());
  auto apart = with_values_apart({words.begin(), dashes}, options);
  std::reverse(apart.begin(), apart.end());  // as CLI11 takes them
  try {
    app->parse(std::move(apart));
  } catch (const CLI::ParseError& error) {
    throw parse_error(error, line.name);
  }
  for (const auto& word : app->remaining()) {  // what is no option's: arguments, or unknown options
    if (is_option(word)) refuse_option(line.name, word, options);
    add_argument(command, word, line);
  }
  for (const auto* option : app->get_options()) {
    const auto name = option->get_name();
    if (option->count() > 0) line.given[name.substr(name.find_first_not_of('-'))] = option->results();
  }
  if (dashes == words.end()) return;
  if (!command.rest.empty()) line.rest.assign(dashes + 1, words.end());
  if (command.rest.empty())
    for (const auto& word : words.subspan(static_cast<std::size_t>(dashes - words.begin()) + 1))
      add_argument(command, word, line);
}

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
  // `explain FILE.cu --kernel scan` names no lab: what options that need no lab take as their value is none.
  const auto options = command == &lab_command ? OptionList{} : usage_of(*command, nullptr).options;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (i > 0 && takes_next(words[i - 1], options)) continue;
    for (const auto& lab : labs)
      if (lab.name == words[i]) return &lab;
  }
  return nullptr;
}

namespace {

/// What people type for a command of ours that is called otherwise.
struct Guess {
  std::string_view word, instead;
};
constexpr std::array guesses{
    Guess{"analyse", "'gpulab explain FILE.cu' for a kernel's lines, 'gpulab exec PROGRAM --explain' for a program"},
    Guess{"analyze", "'gpulab explain FILE.cu' for a kernel's lines, 'gpulab exec PROGRAM --explain' for a program"},
    Guess{"autograde", "'gpulab grade ASSIGNMENT --submission class/*', with --export for a course's service"},
    Guess{"autograder", "'gpulab grade ASSIGNMENT --submission class/*', with --export for a course's service"},
    Guess{"bench", "'gpulab LAB --device gpu' measures, 'gpulab LAB --model' models"},
    Guess{"benchmark", "'gpulab LAB --device gpu' measures, 'gpulab LAB --model' models"},
    Guess{"build", "'gpulab nvcc FILE.cu -o PROGRAM' builds, 'gpulab exec FILE.cu' builds and runs"},
    Guess{"compile", "'gpulab nvcc FILE.cu -o PROGRAM' builds, 'gpulab exec FILE.cu' builds and runs"},
    Guess{"compute-sanitizer", "'gpulab exec PROGRAM --sanitize all', of a kernel 'gpulab run FILE.cu --sanitize all'"},
    Guess{"course", "'gpulab list' shows the course, 'gpulab list --html DIR' writes it as a site"},
    Guess{"cuda-memcheck", "'gpulab exec PROGRAM --sanitize memcheck'"},
    Guess{"cuda-gdb", "'gpulab trace FILE.cu' steps a kernel forward and back"},
    Guess{"debug", "'gpulab trace FILE.cu' steps a kernel forward and back"},
    Guess{"env", "'gpulab doctor' says what is here and what is missing"},
    Guess{"example", "'gpulab LAB' runs a kernel of a lab, 'gpulab list' shows all labs"},
    Guess{"examples", "'gpulab LAB' runs a kernel of a lab, 'gpulab list' shows all labs"},
    Guess{"glossary", "'gpulab help TERM' explains a term, 'gpulab help --glossary' has all"},
    Guess{"html", "'gpulab LAB --format html' writes a page, 'gpulab list --html DIR' the course as a site"},
    Guess{"info", "'gpulab doctor' says what is here, 'gpulab devices' which GPUs"},
    Guess{"init", "'gpulab new LAB' writes a file to begin with"},
    Guess{"install", "'gpulab doctor' says what is here, what is missing, and how to mend it"},
    Guess{"json", "'--format json' of most commands; 'gpulab schema NAME' describes the document"},
    Guess{"judge", "'gpulab check LAB FILE.cu' judges a kernel, 'gpulab grade' a class"},
    Guess{"labs", "'gpulab list' shows all labs"},
    Guess{"lint", "'gpulab assignment lint ASSIGNMENT'"},
    Guess{"measure", "'gpulab LAB --device gpu' measures, 'gpulab LAB --model' models"},
    Guess{"memcheck",
          "'gpulab exec PROGRAM --sanitize memcheck', of a kernel 'gpulab run FILE.cu --sanitize memcheck'"},
    Guess{"metrics", "'gpulab list --metrics' has all counters and metrics"},
    Guess{"nsight", "'gpulab ncu PROGRAM' has Nsight Compute's sections"},
    Guess{"nsys", "'gpulab exec PROGRAM --print-gpu-trace', or --chrome-trace FILE"},
    Guess{"nvprof", "'gpulab exec PROGRAM --print-gpu-summary' has nvprof's layout"},
    Guess{"profile", "'gpulab explain FILE.cu' for a kernel's lines, 'gpulab ncu PROGRAM' for a program"},
    Guess{"profiler", "'gpulab explain FILE.cu' for a kernel's lines, 'gpulab ncu PROGRAM' for a program"},
    Guess{"racecheck",
          "'gpulab exec PROGRAM --sanitize racecheck', of a kernel 'gpulab run FILE.cu --sanitize racecheck'"},
    Guess{"sanitize", "'gpulab exec PROGRAM --sanitize all', of a kernel 'gpulab run FILE.cu --sanitize all'"},
    Guess{"sanitizer", "'gpulab exec PROGRAM --sanitize all', of a kernel 'gpulab run FILE.cu --sanitize all'"},
    Guess{"score", "'gpulab grade ASSIGNMENT --submission FILE'"},
    Guess{"site", "'gpulab list --html DIR' writes the course as a site"},
    Guess{"solution", "'gpulab list LAB' shows a lab's kernels, 'gpulab explain LAB' the source of one"},
    Guess{"step", "'gpulab trace FILE.cu' steps a kernel forward and back"},
    Guess{"submit", "'gpulab check LAB FILE.cu' judges a kernel, 'gpulab grade' a class"},
    Guess{"test", "'gpulab check LAB FILE.cu' judges a kernel"},
    Guess{"verify", "'gpulab check LAB FILE.cu' judges a kernel"},
    Guess{"time", "'gpulab LAB --device gpu' measures, 'gpulab LAB --model' models"},
    Guess{"version", "'gpulab --version'"}};

/// Throws where it is known what was meant.
void refuse_guess(const std::string& name, const std::vector<Lab>& labs) {
  const auto guess = std::find_if(guesses.begin(), guesses.end(), [&](const Guess& one) { return one.word == name; });
  if (guess != guesses.end())
    throw usage_error(fmt::format("there is no command '{}'", name), fmt::format("it is here: {}", guess->instead));
  if (name.ends_with(".cu") || name.ends_with(".ptx"))
    throw usage_error(fmt::format("'{}' is a file, and no command", visible(name)),
                      "'gpulab run FILE' launches one of its kernels, 'gpulab exec FILE.cu' runs it whole");
  if (has_meaning(name, labs))
    throw usage_error(fmt::format("'{}' is neither a command nor a lab", name),
                      fmt::format("'gpulab help {}' explains the word", name));
}

}  // namespace

void refuse_name(const std::string& name, const std::vector<Lab>& labs) {
  constexpr const char* all = "'gpulab --help' shows all commands and labs";
  for (const auto& later : {later_commands(), later_labs()})
    if (std::find(later.begin(), later.end(), name) != later.end())
      throw usage_error(fmt::format("'{}' {}", name, why_later()), all);
  if (name.starts_with('-'))
    throw usage_error(fmt::format("unknown option '{}'", name), did_you_mean(name, {"--version", "--help"}, all));
  refuse_guess(name, labs);
  auto names = lab_names(labs);
  for (const auto* command : commands()) names.emplace_back(command->name);
  if (did_you_mean(name, names, {}).empty())
    for (const auto& term : glossary()) names.emplace_back(term.name);
  throw usage_error(
      fmt::format("'{}' is neither a command nor a lab", visible(name)),
      did_you_mean(name, names, "'gpulab --help' shows all commands and labs, 'gpulab help --glossary' all terms"));
}

Call parse_command_line(const std::vector<std::string>& words, const Labs& labs) {
  CommandLine line;
  line.labs = labs;
  if (words.empty() || is_help(words[0])) return help_call(words, std::move(line));
  line.name = words[0];
  if (line.name == version_command.name) return {&version_command, std::move(line)};
  const auto* command = command_named(line.name, *labs);
  if (command == nullptr) refuse_name(line.name, *labs);
  if (command->raw) {
    if (words.size() == 2 && is_help(words[1])) return help_call(words, std::move(line));
    line.rest.assign(words.begin() + 1, words.end());
    return {command, std::move(line)};
  }
  if (const auto* lab = named_lab(words, *labs)) line.lab = {labs, lab};
  const auto options = usage_of(*command, line.lab.get()).options;
  if (asks_for_help(words, options)) return help_call(words, std::move(line));
  place_words(*command, std::span(words).subspan(1), options, line);
  check_arguments(*command, line);
  return {command, std::move(line)};
}

namespace {

std::string overview(const std::vector<Lab>& labs) {
  CLI::App app("CUDA teaching labs on a GPU and on an embedded SIMT simulator.", "gpulab");
  app.get_formatter()->column_width(32);
  for (const auto& lab : labs) app.add_subcommand(lab.name, lab.question)->group("Labs");
  for (const auto* command : commands())
    app.add_subcommand(std::string(command->name), std::string(command->help))->group("Commands");
  app.add_flag("--version")->description("the version");
  app.footer("\nTry: gpulab reduce --variant warp --block 256");
  return app.help();
}

constexpr std::size_t help_columns = 80;

/// Where the words behind an option, a lab or an example begin: behind the first gap of two spaces. 0: there is no gap.
std::size_t column_of_words(std::string_view line) {
  const auto first = line.find_first_not_of(' ');
  const auto gap = first == std::string_view::npos ? first : line.find("  ", first);
  const auto words = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  return words > help_columns / 2 ? 0 : words;  // npos is larger, too
}

/// Prose: it begins at the left, and nothing stands in a column of its own.
bool is_prose(std::string_view line) { return !line.empty() && line.front() != ' ' && column_of_words(line) == 0; }

/// The lines; those of a paragraph from the first that is too long on are one, to be broken anew.
std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> lines;
  bool goes_on = false;
  for (auto& line : split(text, '\n')) {
    const bool prose = is_prose(line);
    const bool is_long = columns(line) > help_columns;
    if (goes_on && prose) {
      lines.back() += " " + line;
    } else {
      lines.push_back(std::move(line));
    }
    goes_on = prose && (goes_on || is_long);
  }
  return lines;
}

/// Lines that are longer than a terminal of 80 columns go on below their words.
std::string within_columns(const std::string& text) {
  std::string all;
  for (const auto& line : paragraphs(text)) {
    const auto column = column_of_words(line);
    const auto first = std::min(line.find_first_not_of(' '), line.size());
    const auto indent = column > 0 ? column : first + (first > 0 ? 2 : 0);
    if (columns(line) <= help_columns) {
      all += line + '\n';
      continue;
    }
    const auto start = column > 0 ? column : first;  // in bytes: what stands before it is no more than ASCII
    std::string before = line.substr(0, start);
    before.resize(std::max(before.size(), indent), ' ');
    if (column == 0) before = line.substr(0, start);
    for (const auto& part : wrapped(line.substr(start), help_columns - indent)) {
      all += before + part + '\n';
      before.assign(indent, ' ');
    }
  }
  all.pop_back();  // behind the last line's end
  return all;
}

}  // namespace

std::string help_text(const std::vector<std::string>& words, const std::vector<Lab>& labs) {
  if (words.empty()) return within_columns(overview(labs));
  const auto* command = command_named(words[0], labs);
  if (command == nullptr) refuse_name(words[0], labs);
  return within_columns(app_of(*command, words[0], named_lab(words, labs))->help());
}

}  // namespace gpulab
