#include <fmt/format.h>

#include "runner/manual/completion.h"

namespace gpulab {
namespace {

constexpr std::string_view head =
    R"FISH(# Completion of gpulab for fish, written by `gpulab completion fish`. To use it here:
#   gpulab completion fish | source
function __gpulab_begins # nothing but the program's name stands before the cursor
    test (count (commandline -opc)) -eq 1
end
function __gpulab_in # CONTEXT…: the command, or "COMMAND LAB", is one of these
    set -l words (commandline -opc)
    test (count $words) -gt 1; or return 1
    set -l context $words[2]
    for word in $words[3..-1]
        contains -- "$words[2] $word" $contexts; and set context "$words[2] $word"
    end
    contains -- $context $argv
end
function __gpulab_list # WORD…: behind the commas that are typed
    set -l typed (commandline -ct | string replace -r '^--[^=]*=' '')
    set -l before (string match -r '.*,' -- $typed)
    for word in $argv
        echo "$before$word"
    end
end
complete -c gpulab -f
complete -c gpulab -n __gpulab_begins -l help -d 'what can be asked for'
complete -c gpulab -n __gpulab_begins -l version -d 'the version'
)FISH";

/// fish knows \' within single quotes, and \\ for a backslash.
std::string in_quotes(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '\\' ? "\\\\" : std::string(1, c);
  return single_quoted(escaped, "\\'");
}

std::string in_contexts(const std::vector<std::string>& contexts) {
  std::string condition = "__gpulab_in";
  for (const auto& context : contexts)
    condition += context.find(' ') == std::string::npos ? " " + context : fmt::format(" \"{}\"", context);
  return in_quotes(condition);
}

/// 'word\t'help' …', as -a takes them.
std::string choices(const std::vector<KnownWord>& words) {
  std::string all;
  for (const auto& word : words) {
    std::string help;
    for (const char c : word.help) help += c == '\'' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
    all += (all.empty() ? "" : " ") + word.text + (help.empty() ? "" : fmt::format("\\t'{}'", help));
  }
  return all;
}

std::string texts(const std::vector<KnownWord>& words) {
  std::string all;
  for (const auto& word : words) all += " " + word.text;
  return all;
}

std::string line_of(const KnownOption& option) {
  const bool is_short = !option.name.starts_with("--");
  auto line = fmt::format("complete -c gpulab -n {} {} {} -d {}", in_contexts(option.contexts), is_short ? "-s" : "-l",
                          option.name.substr(is_short ? 1 : 2), in_quotes(option.help));
  if (option.value.empty()) return line + "\n";
  if (!option.optional_value) line += option.is_file && option.words.empty() ? " -r -F" : " -x";
  if (option.is_list && !option.words.empty())
    return line + fmt::format(" -a '(__gpulab_list{})'\n", texts(option.words));
  return option.words.empty() ? line + "\n" : line + fmt::format(" -a {}\n", in_quotes(choices(option.words)));
}

}  // namespace

std::string fish_completion(const Vocabulary& all) {
  std::string told;
  for (const auto& context : all.contexts)
    if (context.name.find(' ') != std::string::npos) told += fmt::format(" \"{}\"", context.name);
  std::string text(head);
  constexpr std::string_view mark = " $contexts;";
  text.replace(text.find(mark), mark.size(), told + ";");
  for (const auto* group : {&all.labs, &all.commands})
    for (const auto& word : *group)
      text += fmt::format("complete -c gpulab -n __gpulab_begins -a {} -d {}\n", word.text, in_quotes(word.help));
  for (const auto& context : all.contexts) {
    if (context.takes_files) text += fmt::format("complete -c gpulab -n {} -F\n", in_contexts({context.name}));
    if (!context.words.empty())
      text += fmt::format("complete -c gpulab -n {} -a {}\n", in_contexts({context.name}),
                          in_quotes(choices(context.words)));
  }
  for (const auto& option : all.options) text += line_of(option);
  return text;
}

}  // namespace gpulab
