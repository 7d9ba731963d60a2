#pragma once
// A process of ours that was killed from outside: by Linux where memory runs out, or by somebody. That is no verdict on
// what it worked on, which may be right: limits of ours end a process by other signals (limits.h).

#include <string>

#include "common/error.h"

namespace gpulab {

class Killed : public Error {
 public:
  /// `which`: "the process that simulates it".
  explicit Killed(const std::string& which)
      : Error(ExitCode::launch_failed, which + " was killed from outside, as Linux does where memory runs out", {},
              "less at a time needs less memory") {}
};

}  // namespace gpulab
