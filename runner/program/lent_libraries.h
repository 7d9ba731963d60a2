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

/// Its bytes.
[[nodiscard]] std::string_view runtime_library();

/// Which of them a program may ask for, beside the runtime and the driver's API.
struct LibraryNeeds {
  bool compiler = false;              ///< NVRTC
  bool static_runtime = false;        ///< it has NVIDIA's in its own file, by names
  bool interpreter = false;           ///< Python, whose packages open libraries while they run
  std::vector<std::string> linked{};  ///< sonames of cuBLAS and its kin that it is linked with, and that are ours
};

struct LentLibraries {
  std::vector<std::string> environment;  ///< NAME=VALUE, for the loader and for our libraries
  std::vector<std::string> readable;     ///< places beyond its own that the program needs to read for them
};

/// Puts into `folder` what a program of these needs may ask for.
[[nodiscard]] LentLibraries lend_libraries(const std::filesystem::path& folder, const LibraryNeeds& needs);

}  // namespace gpulab
