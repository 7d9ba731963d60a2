#pragma once
// What a compiler may see and use while it reads a stranger's file.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "common/child/child.h"

namespace gpulab {

struct Isolation {
  bool on = true;
  bool alone = false;  ///< the file sees no file beside it: a submission that is judged
  /// Of each program of the compiler. A thrust::sort takes 5 s.
  std::chrono::seconds cpu{12};
};

/// Folders of the system that compilers and their headers live in, and the toolkit of `tool`, a program or a library.
[[nodiscard]] std::vector<std::string> toolchain_folders(const std::string& tool);

/// A plan for a compiler that works in `folder`. `readable`: what it may read beyond the toolkit of `tool`. Its
/// environment is PATH, the host compiler that nvcc was told to take, and nothing else of ours.
[[nodiscard]] ChildPlan compiler_plan(const Isolation& isolation, std::vector<std::string> command,
                                      const std::string& tool, const std::filesystem::path& folder,
                                      std::vector<std::string> readable);

/// Where there is no Landlock: the files that a compiler has read (`read`), before anything is made of them. Throws
/// usage_error for the first one that is outside of the folders that it may read, or no regular file.
void check_dependencies(const std::string& file, const std::vector<std::string>& read,
                        const std::vector<std::string>& allowed);

}  // namespace gpulab
