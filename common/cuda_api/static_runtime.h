#pragma once
// NVIDIA's runtime in a program's own file: its functions by their names, where the file has names.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpulab::cuda_api {

struct StaticFunction {
  std::string name;           ///< "cudaMalloc"
  std::uint64_t address = 0;  ///< in the file's own addresses
  std::size_t room = 0;       ///< bytes up to the next one that begins
};

/// Set in the environment of a program whose file has them.
inline constexpr const char* kStaticVariable = "GPULAB_STATIC_RUNTIME";

/// By ascending address; none where the file has no names, or no runtime. A stranger's file: each place is checked.
[[nodiscard]] std::vector<StaticFunction> static_runtime_functions(std::span<const std::byte> file);

}  // namespace gpulab::cuda_api
