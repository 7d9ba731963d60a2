#pragma once
// The files of a program that its own folders and its checkout hold: what nvcc is given, and what these include in
// quotes, one from the other.

#include <filesystem>
#include <string>
#include <vector>

#include "runner/student_file/compilers/advice.h"

namespace gpulab {

/// `words`: of nvcc, of which -I is looked at. Names are as they were given or, of what is included, paths.
[[nodiscard]] std::vector<SourceText> included_texts(const std::vector<std::string>& words);

/// The checkout (the nearest folder above with .git) that holds a file; empty where none does.
[[nodiscard]] std::filesystem::path checkout_of(const std::filesystem::path& file);

/// Folders of the texts that lie in the checkout of one of `files`: these may be read, too.
[[nodiscard]] std::vector<std::string> folders_in_checkout(const std::vector<SourceText>& texts,
                                                           const std::vector<std::string>& files);

}  // namespace gpulab
