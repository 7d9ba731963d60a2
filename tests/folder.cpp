#include "tests/folder.h"

#include <cstdlib>

namespace gpulab::tests {

std::filesystem::path tests_folder() {
  if (const char* given = std::getenv("GPULAB_TESTS")) return given;
  std::error_code unreadable;
  const std::filesystem::path built_in = GPULAB_TESTS_DIR;
  return std::filesystem::is_directory(built_in, unreadable) ? built_in : "tests";
}

}  // namespace gpulab::tests
