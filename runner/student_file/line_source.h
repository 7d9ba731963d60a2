#pragma once
// The text of a file that line information names: of a kernel that lies in a header.

#include <string>
#include <vector>

namespace gpulab {

/// The text of `path`, where that lies below the folder of `file` or one of `folders`; empty where it does not, or
/// cannot be read. What a file claims to be made of is its own saying: nothing else is shown.
[[nodiscard]] std::string line_source(const std::string& path, const std::string& file,
                                      const std::vector<std::string>& folders);

}  // namespace gpulab
