#pragma once
// Waiting until a point of the program's time (host_clock.h), by means that know the machine's.

#include <cstdint>
#include <ctime>

namespace gpulab::cuda_api::host_clock {

/// A point of the program's time, as the machine's clock will have it if nothing stops the program's.
class Deadline {
 public:
  explicit Deadline(const timespec* program);
  /// Null where the program gave null.
  [[nodiscard]] const timespec* machine() const { return given_ ? &machine_ : nullptr; }
  /// The wait ran out, and the program's clock has stood still meanwhile: its point is still to come.
  [[nodiscard]] bool is_to_come() const;

 private:
  timespec machine_{};
  std::int64_t offset_ = 0;
  bool given_ = false, moved_ = false;
};

}  // namespace gpulab::cuda_api::host_clock
