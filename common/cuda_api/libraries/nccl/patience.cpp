#include "common/cuda_api/libraries/nccl/patience.h"

#include <ctime>
#include <utility>

namespace gpulab::nccl {
namespace {

/// A thread may sleep, or wait for its user, before it calls: then it takes no time of a processor either.
constexpr std::chrono::seconds kAlone{1}, kOfSeveral{10};
/// Part of the time that looking around takes itself; who computes takes more.
constexpr int kShare = 25;

}  // namespace

Patience::Patience(bool alone) : most_(alone ? kAlone : kOfSeveral) {}

std::chrono::nanoseconds Patience::worked() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool Patience::is_over() {
  const auto now = Clock::now();
  const auto work = worked();
  const auto passed = now - std::exchange(looked_, now);
  if ((work - std::exchange(worked_, work)) * kShare > passed) quiet_since_ = now;
  return now - quiet_since_ > most_;
}

}  // namespace gpulab::nccl
