#include "common/cuda_api/driver/launch_arguments.h"

#include <cuda.h>
#include <fmt/format.h>

namespace gpulab::cuda_api {

LaunchArguments::LaunchArguments(const Kernel& kernel, void** parameters, void** extra) {
  const std::size_t count = kernel.parameter_sizes.size();
  if (parameters != nullptr && extra != nullptr) {
    problem_ = "arguments are given twice, as kernelParams and as extra";
  } else if (extra != nullptr) {
    take_buffer(kernel, extra);
  } else if (count > 0 && parameters == nullptr) {
    problem_ = fmt::format("{} takes {} arguments; kernelParams is a null pointer", kernel.cpp_name, count);
  } else {
    for (std::size_t i = 0; i < count && problem_.empty(); ++i) {
      if (parameters[i] == nullptr)
        problem_ = fmt::format(
            "argument {} of {}, of {} bytes, is a null pointer in kernelParams, which holds the "
            "addresses of arguments",
            i + 1, kernel.cpp_name, kernel.parameter_sizes[i]);
      places_.push_back(parameters[i]);
    }
  }
}

void LaunchArguments::take_buffer(const Kernel& kernel, void** extra) {
  std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  constexpr int most_words = 8;
  for (int i = 0; i < most_words && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<std::byte*>(extra[i + 1]);
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1] != nullptr)
      bytes = *static_cast<const std::size_t*>(extra[i + 1]);
  }
  for (std::size_t i = 0; i < kernel.parameter_sizes.size(); ++i) {
    const std::size_t offset = kernel.parameter_offsets.at(i), size = kernel.parameter_sizes[i];
    if (buffer == nullptr || offset > bytes || size > bytes - offset) {
      problem_ = fmt::format("the buffer of arguments has {} bytes; argument {} of {} has {} from byte {} on",
                             buffer == nullptr ? 0 : bytes, i + 1, kernel.cpp_name, size, offset);
      return;
    }
    places_.push_back(buffer + offset);
  }
}

}  // namespace gpulab::cuda_api
