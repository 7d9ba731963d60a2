#pragma once
// The libraries of ours that a program finds in place of NVIDIA's. This binary holds them.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

inline constexpr const char* driver_library_name = "libcuda.so.1";
/// "libcudart.so.13", of the toolkit that built this binary.
[[nodiscard]] std::string runtime_library_name();

struct LentLibraries {
  std::vector<std::string> environment;  ///< NAME=VALUE, for the loader and for our libraries
  std::vector<std::string> readable;     ///< places beyond its own that the program needs to read for them
};

/// Puts into `folder` what a program of these bytes may ask for.
[[nodiscard]] LentLibraries lend_libraries(const std::filesystem::path& folder, std::string_view program);

}  // namespace gpulab
