#pragma once
// Completion scripts for shells: one file each (completion_bash.cpp …).

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/manual/vocabulary.h"

namespace gpulab {

[[nodiscard]] std::string bash_completion(const Vocabulary& all);
[[nodiscard]] std::string zsh_completion(const Vocabulary& all);
[[nodiscard]] std::string fish_completion(const Vocabulary& all);

/// 'text' as one word of these shells: within single quotes nothing means anything but the quote itself.
[[nodiscard]] std::string single_quoted(std::string_view text, std::string_view quote = "'\\''");

/// Patterns of a shell's `case`: 'reduce'|'explain reduce'.
[[nodiscard]] std::string case_patterns(const std::vector<std::string>& words);

// What scripts of bash and zsh share: a `case` is spelt alike, lists of words are not.
using WordsText = std::function<std::string(const std::vector<KnownWord>&)>;
/// What stands behind an option, by context and option: its kind, and its words, as `assigned` sets a variable to them.
[[nodiscard]] std::string value_cases(const Vocabulary& all, const WordsText& assigned);
/// A script's head with labs and commands in place of $commands, contexts of two words in place of $contexts.
[[nodiscard]] std::string with_commands(std::string_view head, const Vocabulary& all, const WordsText& words);

}  // namespace gpulab
