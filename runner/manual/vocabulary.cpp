#include "runner/manual/vocabulary.h"

#include <algorithm>
#include <string_view>

#include "common/text.h"
#include "runner/command_line.h"
#include "runner/lab_run.h"

namespace gpulab {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// "FILE", "ASSIGNMENT", "DIR": whatever names a place.
bool names_file(std::string_view value) {
  const auto place = [&](std::string_view word) { return contains(value, word); };
  return place("FILE") || place("FOLDER") || place("DIR") || place("PATH") || place("PROGRAM") || place("ASSIGNMENT");
}

std::string summary_of(const Lab* lab, std::string_view variant) {
  if (lab != nullptr)
    for (const auto& one : lab->variants)
      if (one.name == variant) return one.summary;
  return {};
}

/// The words that an option declares, or those of "auto|gpu[:I]|sim".
std::vector<KnownWord> words_of(const Option& option, const Lab* lab) {
  std::vector<KnownWord> words;
  for (const auto& word : option.words)
    words.push_back({word, option.name == "variant" || option.name == "baseline" ? summary_of(lab, word) : ""});
  if (!words.empty() || !contains(option.value, "|")) return words;
  for (const auto& alternative : split(option.value, '|')) {
    const auto word = alternative.substr(0, alternative.find('['));
    if (std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; })) words.push_back({std::string(word)});
  }
  return words;
}

KnownOption known(const Option& option, const Lab* lab) {
  const bool capital = option.name.size() == 1 && option.name[0] >= 'A' && option.name[0] <= 'Z';
  return {.name = (capital ? "-" : "--") + option.name,
          .help = option.help,
          .value = option.value,
          .heading = option.heading,
          .words = words_of(option, lab),
          .is_file = names_file(option.value),
          .is_list = contains(option.value, ",") || option.value == "LIST",
          .optional_value = option.is_switch};
}

bool same(const KnownOption& a, const KnownOption& b) {
  return a.name == b.name && a.help == b.help && a.value == b.value && a.heading == b.heading && a.words == b.words &&
         a.optional_value == b.optional_value;
}

void add_options(Vocabulary& all, const std::string& context, const OptionList& options, const Lab* lab) {
  for (const auto& option : options) {
    auto one = known(option, lab);
    auto place = std::ranges::find_if(all.options, [&](const KnownOption& other) { return same(one, other); });
    if (place == all.options.end()) place = all.options.insert(place, std::move(one));
    place->contexts.push_back(context);
  }
}

Context context_of(const Vocabulary& all, const Command& command, const Usage& usage, const std::string& name) {
  Context context{.name = name, .words = {}};
  for (const auto& word : usage.words) context.words.push_back({word});
  for (const auto& place : command.positionals) {
    if (contains(place.name, "LAB")) context.words.insert(context.words.end(), all.labs.begin(), all.labs.end());
    if (contains(place.name, "COMMAND"))
      context.words.insert(context.words.end(), all.commands.begin(), all.commands.end());
    context.takes_files = context.takes_files || names_file(place.name);
  }
  context.takes_files = context.takes_files || command.raw || !command.rest.empty();
  return context;
}

}  // namespace

Vocabulary vocabulary(const std::vector<Lab>& labs) {
  Vocabulary all;
  for (const auto& lab : labs) all.labs.push_back({lab.name, lab.question});
  for (const auto* command : commands())
    all.commands.push_back({std::string(command->name), std::string(command->help)});
  for (const auto& lab : labs) {
    const auto usage = usage_of(lab_command, &lab);
    all.contexts.push_back({.name = lab.name, .words = {}});
    add_options(all, lab.name, usage.options, &lab);
  }
  for (const auto* command : commands()) {
    const std::string name(command->name);
    const auto usage = usage_of(*command, nullptr);
    all.contexts.push_back(context_of(all, *command, usage, name));
    add_options(all, name, usage.options, nullptr);
    const bool takes_lab =
        std::ranges::any_of(command->positionals, [](const Positional& place) { return contains(place.name, "LAB"); });
    if (!takes_lab || command->usage == nullptr) continue;
    for (const auto& lab : labs) {
      const auto told = name + " " + lab.name;
      auto context = context_of(all, *command, usage, told);
      context.words.clear();
      all.contexts.push_back(std::move(context));
      add_options(all, told, usage_of(*command, &lab).options, &lab);
    }
  }
  return all;
}

}  // namespace gpulab
