#include "common/cuda_api/runtime/host/clock/timed_waits.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "common/cuda_api/runtime/host/clock/host_clock.h"

namespace gpulab::cuda_api::host_clock {
namespace {

constexpr std::int64_t kNsOfSecond = 1'000'000'000;
/// Who waits while the program's clock stands still looks so often whether it goes again.
constexpr std::int64_t kLeastNs = 1'000'000;

}  // namespace

Deadline::Deadline(const timespec* program) : given_(program != nullptr) {
  if (!given_) return;
  machine_ = *program;
  if (!is_shown() || program->tv_nsec < 0 || program->tv_nsec >= kNsOfSecond)
    return;  // the last is an error, and stays
  moved_ = true;
  offset_ = offset_ns();
  const std::int64_t moved = program->tv_nsec - offset_ + kLeastNs;
  const std::int64_t seconds = moved / kNsOfSecond - (moved % kNsOfSecond < 0 ? 1 : 0);
  machine_.tv_sec += static_cast<time_t>(seconds);
  machine_.tv_nsec = static_cast<long>(moved - seconds * kNsOfSecond);
  if (machine_.tv_sec < 0) machine_ = {0, 0};
}

bool Deadline::is_to_come() const { return moved_ && offset_ns() < offset_ - kLeastNs; }

}  // namespace gpulab::cuda_api::host_clock

using gpulab::cuda_api::host_clock::Deadline;

namespace {

/// The C library's newest of this name: older ones have other conditions.
template <typename Function>
Function next_of(const char* name) {
  void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function>(found);
}

}  // namespace

/// `name` of the C library, in front of it. A condition wakes whoever waits at any time: where the point is still to
/// come it does so, and the program looks whether it has what it waits for.
#define GPULAB_WAIT(name, parameters, arguments, on_time)       \
  extern "C" [[gnu::used]] int gpulab_##name parameters {       \
    static const auto next = next_of<int(*) parameters>(#name); \
    for (const timespec* const given = until;; until = given) { \
      const Deadline deadline(given);                           \
      until = deadline.machine();                               \
      const int result = next arguments;                        \
      if (!(on_time) || !deadline.is_to_come()) return result;  \
      if (GPULAB_IS_CONDITION) return 0;                        \
    }                                                           \
  }                                                             \
  __asm__(".symver gpulab_" #name "," #name "@@")

// NOLINTBEGIN(bugprone-macro-parentheses): the C library's names
#define GPULAB_IS_CONDITION true
GPULAB_WAIT(pthread_cond_timedwait, (pthread_cond_t * what, pthread_mutex_t* lock, const timespec* until),
            (what, lock, until), result == ETIMEDOUT);
GPULAB_WAIT(pthread_cond_clockwait,
            (pthread_cond_t * what, pthread_mutex_t* lock, clockid_t clock, const timespec* until),
            (what, lock, clock, until), result == ETIMEDOUT);
#undef GPULAB_IS_CONDITION
#define GPULAB_IS_CONDITION false
GPULAB_WAIT(pthread_mutex_timedlock, (pthread_mutex_t * what, const timespec* until), (what, until),
            result == ETIMEDOUT);
GPULAB_WAIT(pthread_mutex_clocklock, (pthread_mutex_t * what, clockid_t clock, const timespec* until),
            (what, clock, until), result == ETIMEDOUT);
GPULAB_WAIT(pthread_rwlock_timedrdlock, (pthread_rwlock_t * what, const timespec* until), (what, until),
            result == ETIMEDOUT);
GPULAB_WAIT(pthread_rwlock_timedwrlock, (pthread_rwlock_t * what, const timespec* until), (what, until),
            result == ETIMEDOUT);
GPULAB_WAIT(pthread_rwlock_clockrdlock, (pthread_rwlock_t * what, clockid_t clock, const timespec* until),
            (what, clock, until), result == ETIMEDOUT);
GPULAB_WAIT(pthread_rwlock_clockwrlock, (pthread_rwlock_t * what, clockid_t clock, const timespec* until),
            (what, clock, until), result == ETIMEDOUT);
GPULAB_WAIT(pthread_timedjoin_np, (pthread_t what, void** value, const timespec* until), (what, value, until),
            result == ETIMEDOUT);
GPULAB_WAIT(sem_timedwait, (sem_t * what, const timespec* until), (what, until), result != 0 && errno == ETIMEDOUT);
GPULAB_WAIT(sem_clockwait, (sem_t * what, clockid_t clock, const timespec* until), (what, clock, until),
            result != 0 && errno == ETIMEDOUT);
// NOLINTEND(bugprone-macro-parentheses)

extern "C" [[gnu::used]] int gpulab_clock_nanosleep(clockid_t clock, int flags, const timespec* until,
                                                    timespec* remaining) {
  static const auto next = next_of<int (*)(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  if ((flags & TIMER_ABSTIME) == 0) return next(clock, flags, until, remaining);
  for (;;) {
    const Deadline deadline(until);
    const int result = next(clock, flags, deadline.machine(), remaining);
    if (result != 0 || !deadline.is_to_come()) return result;
  }
}
__asm__(".symver gpulab_clock_nanosleep,clock_nanosleep@@");
