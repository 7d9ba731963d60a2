#pragma once
// Where the tests' own files are.

#include <cstdlib>
#include <filesystem>

namespace gpulab::tests {

/// $GPULAB_TESTS, else the tree that the program was built from, else tests/ of the working directory: a program may be
/// carried to a machine that has another copy of the tree (scripts/gpu_test.sh).
inline std::filesystem::path tests_folder() {
  if (const char* given = std::getenv("GPULAB_TESTS")) return given;
  std::error_code unreadable;
  const std::filesystem::path built_in = GPULAB_TESTS_DIR;
  return std::filesystem::is_directory(built_in, unreadable) ? built_in : "tests";
}

}  // namespace gpulab::tests
