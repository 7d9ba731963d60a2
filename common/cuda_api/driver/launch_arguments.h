#pragma once
// The arguments of a launch as the driver's API takes them: each by its address, or all in one buffer.

#include <string>
#include <vector>

#include "common/device/device.h"

namespace gpulab::cuda_api {

class LaunchArguments {
 public:
  /// `extra`: CU_LAUNCH_PARAM_BUFFER_POINTER and what follows.
  LaunchArguments(const Kernel& kernel, void** parameters, void** extra);

  /// What is wrong with them; empty: nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Where each lies.
  [[nodiscard]] void** places() const { return places_.data(); }

 private:
  void take_buffer(const Kernel& kernel, void** extra);

  mutable std::vector<void*> places_;
  std::string problem_;
};

}  // namespace gpulab::cuda_api
