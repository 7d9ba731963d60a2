#pragma once
// Where the tests' own files are.

#include <filesystem>

namespace gpulab::tests {

/// $GPULAB_TESTS, else the tree that the program was built from, else tests/ of the working directory: a program may be
/// carried to a machine that has another copy of the tree (scripts/gpu_test.sh).
std::filesystem::path tests_folder();

}  // namespace gpulab::tests
