#include <fmt/format.h>

#include "runner/manual/completion.h"

namespace gpulab {

std::string single_quoted(std::string_view text, std::string_view quote) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += quote;
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string case_patterns(const std::vector<std::string>& words) {
  std::string patterns;
  for (const auto& word : words) patterns += (patterns.empty() ? "" : "|") + single_quoted(word);
  return patterns;
}

std::string value_cases(const Vocabulary& all, const WordsText& assigned) {
  std::string text = "  case \"$context $option\" in\n";
  for (const auto& option : all.options) {
    if (option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const auto& context : option.contexts) patterns.push_back(context + " " + option.name);
    const char* kind = option.optional_value  ? ""
                       : option.words.empty() ? (option.is_file ? "files" : "other")
                       : option.is_list       ? "list"
                                              : "words";
    text += fmt::format("    {}) kind={} {} ;;\n", case_patterns(patterns), kind, assigned(option.words));
  }
  return text + "  esac\n";
}

std::string with_commands(std::string_view head, const Vocabulary& all, const WordsText& words) {
  std::vector<std::string> told;
  for (const auto& context : all.contexts)
    if (context.name.find(' ') != std::string::npos) told.push_back(context.name);
  std::string text(head);
  const auto put = [&](std::string_view mark, const std::string& there) {
    text.replace(text.find(mark), mark.size(), there);
  };
  put("$commands", words(all.labs) + " " + words(all.commands));
  put("$contexts", case_patterns(told));
  return text;
}

}  // namespace gpulab
