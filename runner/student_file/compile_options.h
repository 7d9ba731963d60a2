#pragma once
// What a user adds to the compiler's command line: read from --nvcc "…", -I and -D by runner/options/nvcc_options.h.

#include <optional>
#include <string>
#include <vector>

namespace gpulab {

struct CompileOptions {
  /// A folder or a file of the user's that the compiler reads.
  struct Place {
    std::string flag;  ///< --include-path, --system-include, --pre-include
    std::string path;  ///< absolute
    bool operator==(const Place&) const = default;
  };
  std::string standard = "c++17";
  bool relocatable = false;          ///< -rdc=true; a file whose kernels launch kernels gets it without being asked
  bool debug = false;                ///< -G
  std::optional<int> architecture;   ///< 80 of -arch=sm_80; absent: the device's
  std::vector<Place> places;         ///< in the order in which they are searched
  std::vector<std::string> further;  ///< all else, a word each: "-DN=4", "--use_fast_math"
  bool operator==(const CompileOptions&) const = default;

  /// As nvcc and NVRTC take them, but for the architecture.
  [[nodiscard]] std::vector<std::string> words() const;
};

}  // namespace gpulab
