#pragma once
// Completion scripts for shells: one file each (completion_bash.cpp …).

#include <string>

#include "runner/manual/vocabulary.h"

namespace gpulab {

[[nodiscard]] std::string bash_completion(const Vocabulary& all);
[[nodiscard]] std::string zsh_completion(const Vocabulary& all);
[[nodiscard]] std::string fish_completion(const Vocabulary& all);

/// 'text' as one word of these shells: within single quotes nothing means anything but the quote itself.
[[nodiscard]] std::string single_quoted(std::string_view text, std::string_view quote = "'\\''");

/// Patterns of a shell's `case`: 'reduce'|'explain reduce'.
[[nodiscard]] std::string case_patterns(const std::vector<std::string>& words);

}  // namespace gpulab
