#include <fmt/format.h>

#include "runner/manual/completion.h"

namespace gpulab {
namespace {

// Needs nothing of the package bash-completion. "=" and ":" part words: --variant=warp comes as three.
constexpr std::string_view head =
    R"BASH(# Completion of gpulab for bash, written by `gpulab completion bash`. To use it here:
#   source <(gpulab completion bash)
_gpulab_reply() { # PREFIX WORDS: those that begin with what is typed, each behind PREFIX
  local word
  while IFS= read -r word; do COMPREPLY+=("$1$word"); done < <(compgen -W "$2" -- "${typed#"$1"}")
}
_gpulab_files() {
  local file
  compopt -o filenames 2> /dev/null
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$typed")
}
_gpulab() {
  COMPREPLY=()
  local typed=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} context word
  local option= kind= words= options= arguments= files=
  if ((COMP_CWORD == 1)); then
    _gpulab_reply '' "$commands --help --version"
    return
  fi
  context=$command
  for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    case $word in
      --) _gpulab_files; return ;;
      -*) ;;
      *) case "$command $word" in $contexts) context="$command $word" ;; esac ;;
    esac
  done
  if [ "$typed" = = ]; then option=$before typed=
  elif [ "$before" = = ]; then option=${COMP_WORDS[COMP_CWORD-2]}
  else option=$before; fi
)BASH";

constexpr std::string_view tail = R"BASH(  case $kind in
    list) word=; [[ $typed != *,* ]] || word=${typed%,*},
      compopt -o nospace 2> /dev/null
      _gpulab_reply "$word" "$words"; return ;;
    words) [[ $words != *=* ]] || compopt -o nospace 2> /dev/null
      _gpulab_reply '' "$words"; return ;;
    files) _gpulab_files; return ;;
    other) return ;;
  esac
  if [[ $typed = -* ]]; then
    _gpulab_reply '' "$options --help"
    return
  fi
  _gpulab_reply '' "$words $arguments"
  [ -z "$files" ] || _gpulab_files
}
complete -F _gpulab gpulab
)BASH";

std::string texts(const std::vector<KnownWord>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : " ") + word.text;
  return all;
}

std::string context_cases(const Vocabulary& all) {
  std::string text = "  case $context in\n";
  for (const auto& context : all.contexts) {
    std::string options;
    for (const auto& option : all.options)
      for (const auto& one : option.contexts)
        if (one == context.name) options += (options.empty() ? "" : " ") + option.name;
    text += fmt::format("    {}) options={} arguments={} files={} ;;\n", single_quoted(context.name),
                        single_quoted(options), single_quoted(texts(context.words)), context.takes_files ? "yes" : "");
  }
  return text + "  esac\n";
}

}  // namespace

std::string bash_completion(const Vocabulary& all) {
  const auto values = value_cases(all, [](const auto& words) { return "words=" + single_quoted(texts(words)); });
  return with_commands(head, all, texts) + context_cases(all) + values + std::string(tail);
}

}  // namespace gpulab
