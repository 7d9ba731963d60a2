#include "common/cuda_api/runtime/host/clock/host_work.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda_api/runtime/host/clock/host_clock.h"

namespace gpulab::cuda_api::host_work {
namespace {

constexpr std::int64_t kLeastNs = 200'000;

/// What this thread has had of the CPU, and how often it has waited for something else.
struct Usage {
  std::int64_t cpu_ns = 0;
  long waits = -1;
};
Usage usage() {
  rusage told{};
  if (getrusage(RUSAGE_THREAD, &told) != 0) return {};
  const auto ns = [](const timeval& t) { return (std::int64_t{t.tv_sec} * 1'000'000 + t.tv_usec) * 1000; };
  return {ns(told.ru_utime) + ns(told.ru_stime), told.ru_nvcsw};
}

std::int64_t last_ns = 0;  ///< of any thread; with the session's lock
std::uint64_t calls = 0;
thread_local Usage then;
thread_local std::uint64_t my_last = 0;

}  // namespace

Gap before_call() {
  const std::int64_t gap = last_ns == 0 ? 0 : std::max<std::int64_t>(host_clock::now_ns() - last_ns, 0);
  if (gap < kLeastNs) return {static_cast<double>(gap) * 1e-6, false};
  std::int64_t worked = gap;
  // A thread that never waited was at work, or other programs had its CPU.
  if (my_last == calls) {
    const Usage now = usage();
    if (then.waits >= 0 && now.waits == then.waits) worked = std::min(gap, now.cpu_ns - then.cpu_ns);
  }
  return {static_cast<double>(gap) * 1e-6, worked >= kLeastNs};
}

void after_call() {
  last_ns = host_clock::now_ns();
  my_last = ++calls;
  then = usage();
}

}  // namespace gpulab::cuda_api::host_work
