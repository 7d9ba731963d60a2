#pragma once
// Whether anybody can still come: the process does nothing any more.

#include <chrono>

namespace gpulab::nccl {

class Patience {
 public:
  /// `alone`: one thread of the program calls NCCL, the one that waits: nobody else is likely to.
  explicit Patience(bool alone);
  /// To be asked often. True: nothing in the process has worked for so long that what it waits for will not come.
  [[nodiscard]] bool is_over();
  static constexpr std::chrono::milliseconds kLook{50};

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] static std::chrono::nanoseconds worked();
  const std::chrono::seconds most_;
  Clock::time_point quiet_since_ = Clock::now(), looked_ = quiet_since_;
  std::chrono::nanoseconds worked_ = worked();
};

}  // namespace gpulab::nccl
