#pragma once
#include "common/error.h"

namespace gpulab {

/// A launch that failed: the case ends, the sweep goes on.
class LaunchError : public Error {
 public:
  LaunchError(std::string kind, const std::string& what, std::string where = {}, std::string hint = {})
      : Error(ExitCode::launch_failed, what, std::move(where), std::move(hint)), kind(std::move(kind)) {}
  std::string kind;  ///< "fault", "hung", "out_of_memory"
};

}  // namespace gpulab
