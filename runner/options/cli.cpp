#include "runner/options/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>

#include "common/text.h"
#include "runner/options/registry.h"
#include "runner/report/report.h"

namespace gpulab {
namespace {

/// An option of a lab run. No `value`: a flag.
struct OptionText {
  const char *name, *value, *help, *group;
};

constexpr const char *what = "What runs", *where = "Where", *simulating = "Simulator", *timing = "Timing on a GPU",
                     *explaining = "Explanation", *reporting = "Report";
constexpr std::array lab_options{
    OptionText{"variant", "V[,V...]|all", "rungs of the ladder", what},
    OptionText{"block", "B[,B...]", "threads per block: 256, 32x8, 8x8x4", what},
    OptionText{"grid", "G|auto", "blocks; auto covers the problem", what},
    OptionText{"seed", "N", "of the inputs [42]", what},
    OptionText{"device", "auto|gpu[:I]|sim", "auto: a GPU where there is one, else the simulator", where},
    OptionText{"profile", "NAME", "the GPU that the simulator models ('gpulab devices')", where},
    OptionText{"threads", "N", "CPU threads of the simulator [all]", where},
    OptionText{"counters", nullptr, "simulator counters, beside a GPU too", simulating},
    OptionText{"no-counters", nullptr, "no simulator counters", simulating},
    OptionText{"sanitize", "LIST", "memcheck,racecheck,initcheck,synccheck, all or none", simulating},
    OptionText{"allow-racy", nullptr, "run variants that race on purpose without racecheck, too", simulating},
    OptionText{"schedule", "SEED", "another order of blocks, warps and splits, replayable", simulating},
    OptionText{"budget", "N", "warp instructions before a launch counts as hung", simulating},
    OptionText{"reps", "N", "samples, exactly [as many as the next two ask for]", timing},
    OptionText{"warmup", "N", "runs before the first sample [3]", timing},
    OptionText{"min-time", "SECONDS", "of all samples together [0.1]", timing},
    OptionText{"max-noise", "PERCENT", "spread of the middle half that is quiet enough [5]", timing},
    OptionText{"warm", nullptr, "leave the L2 cache as it is between samples", timing},
    OptionText{"baseline", "V", "the variant that speed-ups refer to", reporting},
    OptionText{"format", "FORMAT", "table, json, csv or markdown [table]", reporting},
    OptionText{"output", "FILE", "instead of standard output", reporting},
    OptionText{"image", "FILE", "draw it: a lab's picture (.png), its curve or the ladder (.svg)", reporting},
};

/// Beside these, `run` has those of a lab but for the two that need several variants.
constexpr std::array run_options{
    OptionText{"kernel", "NAME", "'scale', an instance 'scale<float>', or a mangled name [the only one]", what},
    OptionText{"arg", "SPEC", "one argument, in order: 'x:f32[1024]=iota', n:i32=1024", what},
    OptionText{"shared", "BYTES", "dynamic shared memory of a block [0]", what},
    OptionText{"compiler", "auto|nvcc|nvrtc", "auto: nvcc, else NVRTC", what},
    OptionText{"expect", "NAME=INIT", "what a buffer must hold afterwards: 'y=@right.bin', y=3.5", what},
    OptionText{"tolerance", "T", "of floating-point buffers under --expect, absolute [0]", what},
    OptionText{"dump", "NAME=FILE", "write a buffer's bytes, raw, little endian", reporting},
};
constexpr const char* run_help =
    "SPEC  name:TYPE[COUNT]=INIT  a buffer     TYPE  u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64\n"
    "      name:TYPE=VALUE        a scalar     INIT  zeros ones iota random none VALUE @FILE (raw, little endian)\n"
    "--grid auto, the default, gives each element of the longest buffer a thread; --block is 256.\n"
    "Compiled for the device's architecture with line information, and kept in ~/.cache/gpulab.\n";

/// Of `explain`, beside those of the lab or of `run` that say what runs and what is simulated.
constexpr std::array explain_options{
    OptionText{"phases", nullptr, "per block, split by its barriers", explaining},
    OptionText{"banks", "LINE", "which lane meets which bank, for one access of the line", explaining},
    OptionText{"launch", "N", "of several launches [the one that executes most]", explaining},
};
constexpr std::array<std::string_view, 5> also_explained{"seed", "profile", "device", "schedule", "budget"};
constexpr const char* explain_help =
    "Each line of the kernel with its counters (simulator), the worst lines with the reason in words.\n"
    "  gpulab explain reduce --variant shared_strided --banks 225\n"
    "  gpulab explain scale.cu --arg 'x:f32[1024]=iota' --arg n:i32=1024     (arguments as for run)\n"
    "--format table or json (gpulab.explain.v1).\n";

struct CommandText {
  std::string_view name;
  const char *argument, *help;  ///< no `argument`: it takes none
};
constexpr std::array commands{
    CommandText{"list", "LAB", "labs; with LAB its variants, parameters and contracts; --metrics: all counters"},
    CommandText{"devices", nullptr, "GPUs found, the simulator, and the GPU profiles that it can model"},
    CommandText{"doctor", nullptr, "what is here, what is missing, how to mend it"},
    CommandText{"run", "FILE", "any kernel of your own .cu or .ptx file"},
    CommandText{"explain", "LAB|FILE", "a kernel's source, each line with its counters and what makes it slow"},
    CommandText{"schema", "NAME", "a JSON Schema (2020-12): run, explain, error"},
};
/// Commands of the contract that later versions bring.
constexpr std::array<std::string_view, 3> later{"check", "grade", "completion"};

CLI::Option* add_option(CLI::App& app, const OptionText& text) {
  const std::string name = fmt::format("--{}", text.name);
  // All values are taken: that one is given twice is our error, with our words.
  static std::vector<std::string> ignored;
  auto* option = text.value != nullptr ? app.add_option(name, ignored) : app.add_flag(name);
  if (text.value != nullptr) option->type_name(text.value)->expected(1)->allow_extra_args(false);
  return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->group(text.group)->description(text.help);
}

std::string param_help(const Param& param) {
  std::string help = param.help;
  if (!param.choices.empty()) help += ": " + join(param.choices);
  const auto fallback = std::visit([](const auto& value) { return fmt::format("{}", value); }, param.fallback);
  return fmt::format("{} [{}]", help, fallback);
}

std::string ladder_text(const Lab& lab) {
  std::string text = "Variants, worst to best:\n";
  for (const auto& variant : lab.variants) {
    text += fmt::format("  {}{:<24} {}\n", variant.name == lab.headline ? '*' : ' ', variant.name, variant.summary);
  }
  return text + "  (* runs by default; 'gpulab list " + lab.name + "' says more)\n";
}

void add_params(CLI::App& app, const Lab& lab) {
  for (const auto& param : lab.params) {
    const auto help = param_help(param);
    const char* value = !param.choices.empty()                           ? "WORD[,...]"
                        : std::holds_alternative<double>(param.fallback) ? "NUMBER[,...]"
                                                                         : "SIZE[,...]";
    add_option(app, {param.name.c_str(), value, help.c_str(), "Problem"});
  }
}

CLI::App* add_lab(CLI::App& app, const Lab& lab) {
  auto* sub = app.add_subcommand(lab.name, lab.question)->group("Labs");
  add_params(*sub, lab);
  for (const auto& text : lab_options) add_option(*sub, text);
  sub->footer(ladder_text(lab));
  return sub;
}

/// A lab's switch ({"false", "true"}) may stand without its value: `--print` is `--print true`.
std::vector<std::string> with_switch_values(const std::vector<std::string>& arguments, const Lab& lab) {
  const std::vector<std::string> truth{"false", "true"};
  std::vector<std::string> complete;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    complete.push_back(arguments[i]);
    const bool is_switch = std::any_of(lab.params.begin(), lab.params.end(), [&](const Param& param) {
      return param.choices == truth && arguments[i] == "--" + param.name;
    });
    if (is_switch && (i + 1 == arguments.size() || arguments[i + 1].starts_with("-"))) complete.emplace_back("true");
  }
  return complete;
}

CLI::App* add_command(CLI::App& app, const CommandText& text) {
  auto* sub = app.add_subcommand(std::string(text.name), text.help)->group("Commands");
  if (text.name == "list") {
    add_option(*sub, {"metrics", nullptr, "every counter, with its names in ncu and nvprof", "Options"});
    add_option(*sub, {"resources", nullptr, "of LAB: registers and shared memory of its kernels", "Options"});
  }
  if (text.name == "run") {
    for (const auto& option : run_options) add_option(*sub, option);
    for (const auto& option : lab_options) {
      static constexpr std::array<std::string_view, 4> of_labs{"variant", "baseline", "allow-racy", "image"};
      if (std::find(of_labs.begin(), of_labs.end(), option.name) == of_labs.end()) add_option(*sub, option);
    }
    sub->footer(run_help);
  }
  return sub;
}

/// Options of `explain` for what it is to explain: `lab`, or a file (nullptr).
void add_explain_options(CLI::App& app, const Lab* lab) {
  for (const auto& option : explain_options) add_option(app, option);
  if (lab != nullptr) add_params(app, *lab);
  if (lab == nullptr)
    for (const auto& option : run_options)
      if (option.group == what) add_option(app, option);
  for (const auto& option : lab_options) {
    const std::string_view name = option.name;
    const bool runs = name == "block" || name == "grid" || name == "format" || name == "output";
    const bool also = std::find(also_explained.begin(), also_explained.end(), name) != also_explained.end();
    if (runs || also || (lab != nullptr && name == "variant")) add_option(app, option);
  }
  app.footer(explain_help);
}

/// The lab that the command line of `explain` names.
const Lab* explained_lab(const std::vector<std::string>& arguments, std::span<const Lab> labs) {
  for (std::size_t i = 1; i < arguments.size(); ++i)
    for (const auto& lab : labs)
      if (lab.name == arguments[i]) return &lab;
  return nullptr;
}

std::string usage_of(std::string_view command) {
  return command.empty() ? "'gpulab --help' shows all commands and labs"
                         : fmt::format("'gpulab {} --help' shows its options", command);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) names.push_back(option->get_name());
  return names;
}

/// What CLI11 could not place: unknown options, and arguments that a command does not take.
void check_extras(const CLI::App& app, const std::string& command, std::size_t taken,
                  std::vector<std::string>& arguments) {
  for (const auto& extra : app.remaining()) {
    if (extra.size() > 1 && extra.front() == '-') {
      const auto name = extra.substr(0, extra.find('='));
      throw usage_error(fmt::format("{}: unknown option '{}'", command, name),
                        did_you_mean(name, option_names(app), usage_of(command)));
    }
    if (arguments.size() == taken)
      throw usage_error(fmt::format("{}: unexpected argument '{}'", command, extra), usage_of(command));
    arguments.push_back(extra);
  }
}

/// CLI11's complaint in our words: the only one left is an option without its value.
Error parse_error(const CLI::ParseError& error, const std::string& command) {
  const std::string text = error.what();
  const auto colon = text.find(':');
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.starts_with("--") &&
      colon != std::string::npos) {
    return usage_error(fmt::format("{} needs a value", text.substr(0, colon)), usage_of(command));
  }
  return usage_error(fmt::format("{}: {}", command, text), usage_of(command));
}

/// Values by option name; flags as "true".
Given given_options(const CLI::App& app) {
  Given given;
  for (const auto* option : app.get_options()) {
    if (option->count() == 0) continue;
    auto& values = given[option->get_name().substr(2)];
    values = option->results();
  }
  return given;
}

std::unique_ptr<CLI::App> make_app() {
  auto app = std::make_unique<CLI::App>("CUDA teaching labs on a GPU and on an embedded SIMT simulator.", "gpulab");
  app->get_formatter()->column_width(32);
  return app;
}

std::string top_help(std::span<const Lab> labs) {
  const auto app = make_app();
  for (const auto& lab : labs) add_lab(*app, lab);
  for (const auto& text : commands) add_command(*app, text);
  app->add_flag("--version")->description("the version");
  app->footer("\nTry: gpulab reduce --variant warp --block 256");
  return app->help();
}

void refuse_unknown(const std::string& name, std::span<const Lab> labs) {
  if (std::find(later.begin(), later.end(), name) != later.end()) {
    throw usage_error(fmt::format("'{}' is not in this version of gpulab", name), usage_of({}));
  }
  if (name.starts_with('-')) {
    throw usage_error(fmt::format("unknown option '{}'", name),
                      did_you_mean(name, {"--version", "--help"}, usage_of({})));
  }
  auto names = lab_names(labs);
  for (const auto& command : commands) names.emplace_back(command.name);
  throw usage_error(fmt::format("unknown lab '{}'", name), did_you_mean(name, names, "'gpulab list' shows all labs"));
}

}  // namespace

std::span<const std::string_view> command_names() {
  static constexpr auto all = [] {
    std::array<std::string_view, commands.size() + later.size()> names;
    for (std::size_t i = 0; i < commands.size(); ++i) names[i] = commands[i].name;
    for (std::size_t i = 0; i < later.size(); ++i) names[commands.size() + i] = later[i];
    return names;
  }();
  return all;
}

bool asks_for_json(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--format=json") return true;
    if (arguments[i] == "--format" && i + 1 < arguments.size() && arguments[i + 1] == "json") return true;
  }
  return false;
}

Command parse_command_line(const std::vector<std::string>& arguments, std::span<const Lab> labs) {
  Command command;
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    command.name = "--help";
    command.help = top_help(labs);
    return command;
  }
  command.name = arguments[0];
  if (command.name == "--version") return command;

  // Only the command at hand is built: a run does not wait for the options of all labs.
  const auto app = make_app();
  const auto lab = std::find_if(labs.begin(), labs.end(), [&](const Lab& l) { return l.name == command.name; });
  const auto text =
      std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return c.name == command.name; });
  CLI::App* sub = nullptr;
  if (lab != labs.end()) {
    sub = add_lab(*app, *lab);
  } else if (text != commands.end()) {
    sub = add_command(*app, *text);
    if (command.name == "explain") add_explain_options(*sub, explained_lab(arguments, labs));
  } else {
    refuse_unknown(command.name, labs);
  }
  sub->allow_extras();
  try {
    const auto* known = lab != labs.end()           ? &*lab
                        : command.name == "explain" ? explained_lab(arguments, labs)
                                                    : nullptr;
    const auto complete = known != nullptr ? with_switch_values(arguments, *known) : arguments;
    // CLI11 takes its arguments last first.
    app->parse(std::vector<std::string>(complete.rbegin(), complete.rend()));
  } catch (const CLI::CallForHelp&) {
    command.help = sub->help("gpulab");
    command.name = "--help";
    return command;
  } catch (const CLI::ParseError& error) {
    throw parse_error(error, command.name);
  }
  check_extras(*sub, command.name, text != commands.end() && text->argument != nullptr ? 1 : 0, command.arguments);
  if (command.name == "run" && command.arguments.empty())
    throw usage_error("run: which file?", "as in: gpulab run scale.cu --kernel scale --arg 'x:f32[1024]=iota'");
  if (command.name == "explain" && command.arguments.empty())
    throw usage_error("explain: which lab or file?", "as in: gpulab explain reduce --variant shared_strided");
  command.given = given_options(*sub);
  return command;
}

}  // namespace gpulab
