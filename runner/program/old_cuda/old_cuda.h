#pragma once
// What `--old-cuda` gives a program's build: a header before its files (old_cuda.cuh), the old name of NVTX, C++17 for
// thrust.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/student_file/compilers/advice.h"

namespace gpulab {

/// The word of `gpulab nvcc`; nvcc has none of it.
constexpr std::string_view old_cuda_word = "--old-cuda";

/// The program's own words for nvcc, but for what would be in the way.
[[nodiscard]] std::vector<std::string> old_cuda_options(const std::vector<std::string>& words);

/// Words for nvcc behind those; files go into `folder`. `texts`: the program's, of which some parts depend.
[[nodiscard]] std::vector<std::string> old_cuda_words(const std::filesystem::path& folder,
                                                      std::span<const SourceText> texts);

/// A line for each name that was supplied.
[[nodiscard]] std::string old_cuda_notes(std::span<const SourceText> texts);

/// A file of ours that a build reads.
[[nodiscard]] bool is_of_old_cuda(std::string_view path);

}  // namespace gpulab
