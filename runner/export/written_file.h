#pragma once
// Files that are there whole or not at all.

#include <string>

namespace gpulab {

/// The file, at most 16 MiB. Throws usage_error with `option` in it.
[[nodiscard]] std::string read_whole(const std::string& path, const std::string& option);

/// Written beside it, then renamed over what was there; folders on the way are made. Throws usage_error.
void write_whole(const std::string& path, const std::string& text, const std::string& option);

/// A regular file that is no longer true. Throws usage_error where it cannot be removed.
void remove_stale(const std::string& path, const std::string& option);

}  // namespace gpulab
