#pragma once
// Which files a preprocessor has read, and whether it would read the same again: then its text is the same, and it need
// not run.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

/// The files that the line markers of a preprocessed text name (# 1 "FILE" 1), in a preprocessor that ran in `folder`.
[[nodiscard]] std::vector<std::string> files_read(std::string_view preprocessed, const std::string& folder);

/// What must stay for the same text to come out: `read`, each with its size, times and number, and that there is
/// nothing where a file in `own_folder` would be found before one of them; where that is empty, the preprocessor sees
/// no folder of the file's. Nothing where that cannot be told from the texts: an include whose name is computed,
/// __has_include, the time of day. `source` is the text of the file itself.
[[nodiscard]] std::optional<std::string> state_of(const std::string& source, const std::vector<std::string>& read,
                                                  const std::string& own_folder);
/// Is all as it was when `state` was written?
[[nodiscard]] bool holds(const std::string& state);

}  // namespace gpulab
