#include <fmt/format.h>

#include "runner/manual/completion.h"

namespace gpulab {
namespace {

constexpr std::string_view head = R"ZSH(#compdef gpulab
# Completion of gpulab for zsh, written by `gpulab completion zsh`: a file _gpulab in a folder of $fpath; or
#   source <(gpulab completion zsh)
_gpulab() {
  local context=$words[2] option=$words[CURRENT-1] kind= word
  local -a choices options arguments
  local files=
  if ((CURRENT == 2)); then
    arguments=($commands '--help:what can be asked for' '--version:the version')
    _describe -t commands 'lab or command' arguments
    return
  fi
  for word in ${words[3,CURRENT-1]}; do
    case $word in
      --) _files; return ;;
      -*) ;;
      *) case "$words[2] $word" in $contexts) context="$words[2] $word" ;; esac ;;
    esac
  done
  if [[ $words[CURRENT] = --*=* ]]; then
    option=${words[CURRENT]%%=*}
    compset -P '--[^=]#='
  fi
)ZSH";

constexpr std::string_view tail = R"ZSH(  case $kind in
    list) compset -P '*,'; compset -S ',*'; _describe -t values "${option#--}" choices -qS ,; return ;;
    words) _describe -t values "${option#--}" choices; return ;;
    files) _files; return ;;
    other) _message "${option#--}"; return ;;
  esac
  if [[ $words[CURRENT] = -* ]]; then
    options+=('--help:every option')
    _describe -o -t options 'option' options
    return
  fi
  choices+=($arguments)
  (($#choices)) && _describe -t arguments 'argument' choices
  [[ -z $files ]] || _files
}
# Loaded by compinit it is the function's body; sourced, it says what it is for.
if [[ $funcstack[1] = _gpulab ]]; then _gpulab "$@"; elif (($+functions[compdef])); then compdef _gpulab gpulab; fi
)ZSH";

/// 'word:what it is', as _describe takes them.
std::string described(std::string_view word, std::string_view help) {
  std::string text;
  for (const char c : word) text += c == ':' ? "\\:" : std::string(1, c);
  return single_quoted(help.empty() ? text : fmt::format("{}:{}", text, help));
}

std::string texts(const std::vector<KnownWord>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : " ") + described(word.text, word.help);
  return all;
}

std::string option_cases(const Vocabulary& all) {
  std::string text;
  for (const auto& option : all.options)
    text += fmt::format("  case $context in {}) options+=({}) ;; esac\n", case_patterns(option.contexts),
                        described(option.name, option.help));
  text += "  case $context in\n";
  for (const auto& context : all.contexts)
    if (!context.words.empty() || context.takes_files)
      text += fmt::format("    {}) arguments=({}) files={} ;;\n", single_quoted(context.name), texts(context.words),
                          context.takes_files ? "yes" : "");
  return text + "  esac\n";
}

}  // namespace

std::string zsh_completion(const Vocabulary& all) {
  const auto values = value_cases(all, [](const auto& words) { return fmt::format("choices=({})", texts(words)); });
  return with_commands(head, all, texts) + option_cases(all) + values + std::string(tail);
}

}  // namespace gpulab
