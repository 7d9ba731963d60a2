// Stands in front of the C library's clocks, as system_calls.cpp of its reads and writes: the program's own readings
// are of host_clock.h.

#include <dlfcn.h>
#include <sys/time.h>

#include <ctime>

#include "common/cuda_api/runtime/host/clock/host_clock.h"
#include "common/cuda_api/runtime/host/clock/readings.h"

using namespace gpulab::cuda_api;

namespace {

constexpr std::int64_t kNsOfSecond = 1'000'000'000;

/// False: a clock that is none of the program's time, or nobody is to see ours.
bool read(clockid_t clock, std::int64_t& ns) {
  if (!host_clock::is_shown()) return false;
  if (clock == CLOCK_PROCESS_CPUTIME_ID)
    ns = host_clock::process_cpu_ns();
  else if (clock == CLOCK_THREAD_CPUTIME_ID)
    ns = host_clock::thread_cpu_ns();
  else if (host_clock::behind_monotonic(clock, ns))
    ns += host_clock::now_ns();
  else
    return false;
  host_clock::is_read();
  return true;
}

}  // namespace

/// `name` of the C library, which goes on to `next`.
#define GPULAB_CLOCK(result, name, parameters)                                                \
  extern "C" [[gnu::used]] result gpulab_##name parameters;                                   \
  __asm__(".symver gpulab_" #name "," #name "@@");                                            \
  extern "C" [[gnu::used]] result gpulab_##name parameters {                                  \
    static const auto next = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name)); \
    clocks::read_by(__builtin_return_address(0));                                             \
    std::int64_t ns = 0;

// NOLINTBEGIN(bugprone-macro-parentheses): the C library's names
GPULAB_CLOCK(int, clock_gettime, (clockid_t clock, timespec* to))
if (to == nullptr || !read(clock, ns)) return next(clock, to);
*to = {static_cast<time_t>(ns / kNsOfSecond), static_cast<long>(ns % kNsOfSecond)};
return 0;
}
GPULAB_CLOCK(int, gettimeofday, (timeval * to, void* zone))
if (to == nullptr || !read(CLOCK_REALTIME, ns)) return next(to, zone);
if (zone != nullptr) (void)next(to, zone);  // which books ask for, and do not look at
*to = {static_cast<time_t>(ns / kNsOfSecond), static_cast<suseconds_t>(ns % kNsOfSecond / 1000)};
return 0;
}
GPULAB_CLOCK(clock_t, clock, ())
return read(CLOCK_PROCESS_CPUTIME_ID, ns) ? static_cast<clock_t>(ns / (kNsOfSecond / CLOCKS_PER_SEC)) : next();
}
GPULAB_CLOCK(time_t, time, (time_t * to))
if (!read(CLOCK_REALTIME, ns)) return next(to);
const auto seconds = static_cast<time_t>(ns / kNsOfSecond);
if (to != nullptr) *to = seconds;
return seconds;
}
GPULAB_CLOCK(int, timespec_get, (timespec * to, int base))
if (to == nullptr || base != TIME_UTC || !read(CLOCK_REALTIME, ns)) return next(to, base);
*to = {static_cast<time_t>(ns / kNsOfSecond), static_cast<long>(ns % kNsOfSecond)};
return base;
}
// NOLINTEND(bugprone-macro-parentheses)
