#pragma once
// Files that people go on with: written where nothing is.

#include <filesystem>
#include <string>

namespace gpulab {

/// Never over a file that is there: it may hold a week of work. Throws usage_error, as both do; `command` is what its
/// words call the command.
void write_new(const std::filesystem::path& file, const std::string& text, const std::string& command);
void make_folder(const std::filesystem::path& folder, const std::string& command);

}  // namespace gpulab
