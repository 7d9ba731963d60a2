#pragma once
// On a terminal a line that says how far a launch is, while the program waits for it. It goes before the program goes
// on: what the program prints stands in lines of its own.

#include <string_view>

namespace gpulab::cuda_api {

/// While it lives, a launch of `kernel` is shown, once the program has run for a while (progress_patience).
class ShownLaunch {
 public:
  explicit ShownLaunch(std::string_view kernel);
  ~ShownLaunch();
  ShownLaunch(const ShownLaunch&) = delete;
  ShownLaunch& operator=(const ShownLaunch&) = delete;
};

}  // namespace gpulab::cuda_api
