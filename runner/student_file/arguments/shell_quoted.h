#pragma once
// Words of a command line that somebody is to copy into a shell.

#include <string>

namespace gpulab {

/// In quotes where it needs them.
[[nodiscard]] std::string shell_quoted(const std::string& word);

}  // namespace gpulab
