#include "common/cuda_api/runtime/host/clock/host_clock.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <mutex>

namespace gpulab::cuda_api::host_clock {
namespace {

constexpr std::int64_t kNsOfSecond = 1'000'000'000;

/// Clocks that go as the monotonic one does, and the coarse ones, which are read as their finer twins.
struct Twin {
  clockid_t clock, read_as;
};
constexpr Twin kTwins[] = {{CLOCK_MONOTONIC, CLOCK_MONOTONIC},
                           {CLOCK_REALTIME, CLOCK_REALTIME},
                           {CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC},
                           {CLOCK_BOOTTIME, CLOCK_BOOTTIME},
                           {CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC},
                           {CLOCK_REALTIME_COARSE, CLOCK_REALTIME},
                           {CLOCK_TAI, CLOCK_TAI}};

/// Readers take no lock, for a program may read its clock in a signal's handler: they look whether `version` is odd or
/// has changed, and try again.
struct State {
  std::mutex one_writes;
  std::atomic<std::uint32_t> version{0};
  std::atomic<std::int64_t> offset{0};
  std::atomic<std::int64_t> stopped_at{0};  ///< 0: it goes
  std::atomic<std::int64_t> last{0};        ///< what was read last
  int threads = 0;                          ///< that are in our library
  std::int64_t cpu_offset = 0, cpu_stopped_at = 0, cpu_last = 0;
  std::int64_t behind[std::size(kTwins)] = {};
};
/// Never destroyed: programs read clocks while they end.
State& state() {
  static auto* const one = new State;
  return *one;
}

std::atomic<bool> shown{false}, read{false}, wants_cpu{false};
thread_local int depth = 0;
thread_local bool ours = false;
thread_local std::int64_t thread_cpu_offset = 0, thread_cpu_began = 0;

template <typename Change>
void write(State& s, const Change& change) {
  s.version.fetch_add(1, std::memory_order_acq_rel);
  change();
  s.version.fetch_add(1, std::memory_order_release);
}

void stop() {
  State& s = state();
  const std::lock_guard lock(s.one_writes);
  if (wants_cpu) thread_cpu_began = machine_ns(CLOCK_THREAD_CPUTIME_ID);
  if (s.threads++ > 0) return;
  if (wants_cpu) s.cpu_stopped_at = machine_ns(CLOCK_PROCESS_CPUTIME_ID);
  write(s, [&] { s.stopped_at = machine_ns(CLOCK_MONOTONIC); });
}

void go() {
  State& s = state();
  const std::lock_guard lock(s.one_writes);
  if (thread_cpu_began != 0) thread_cpu_offset += thread_cpu_began - machine_ns(CLOCK_THREAD_CPUTIME_ID);
  thread_cpu_began = 0;
  if (--s.threads > 0) return;
  if (s.cpu_stopped_at != 0) s.cpu_offset += s.cpu_stopped_at - machine_ns(CLOCK_PROCESS_CPUTIME_ID);
  s.cpu_stopped_at = 0;
  write(s, [&] {
    s.offset += s.stopped_at - machine_ns(CLOCK_MONOTONIC);
    s.stopped_at = 0;
  });
}

/// A child has one thread, the one that forked.
void in_child() {
  State& s = state();
  if (!s.one_writes.try_lock() && depth == 0) return;  // another thread had it: the clock stays as it is
  s.one_writes.unlock();
  if (depth > 0 || s.threads == 0) return;
  s.threads = 1;
  go();
}

std::int64_t later(std::atomic<std::int64_t>& last, std::int64_t now) {
  std::int64_t before = last.load(std::memory_order_relaxed);
  while (before < now && !last.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
  return before > now ? before : now;
}

void want_cpu() {
  if (wants_cpu.exchange(true)) return;
  State& s = state();
  if (s.threads > 0) s.cpu_stopped_at = machine_ns(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace

std::int64_t machine_ns(clockid_t clock) {
  timespec now{};
  static const auto next = reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  if (next == nullptr || next(clock, &now) != 0) return 0;
  return std::int64_t{now.tv_sec} * kNsOfSecond + now.tv_nsec;
}

void show() {
  State& s = state();
  for (std::size_t i = 0; i < std::size(kTwins); ++i) {
    const std::int64_t other = machine_ns(kTwins[i].read_as);
    s.behind[i] = kTwins[i].read_as == CLOCK_MONOTONIC ? 0 : other - machine_ns(CLOCK_MONOTONIC);
  }
  pthread_atfork(nullptr, nullptr, in_child);
  shown = true;
}

Stopped::Stopped() {
  if (depth++ == 0) stop();
}
Stopped::~Stopped() {
  if (--depth == 0) go();
}
bool Stopped::outermost() { return depth == 1; }

Going::Going() : depth_(depth) {
  depth = 0;
  if (depth_ > 0) go();
}
Going::~Going() {
  if (depth_ > 0) stop();
  depth = depth_;
}

void add(double ms) {
  const auto ns = static_cast<std::int64_t>(ms * 1e6);
  if (ns <= 0) return;
  State& s = state();
  const std::lock_guard lock(s.one_writes);
  s.cpu_offset += ns;  // who waits for a GPU looks again and again, unless asked to sleep
  thread_cpu_offset += ns;
  write(s, [&] { s.offset += ns; });
}

std::int64_t now_ns() {
  State& s = state();
  std::int64_t now = 0;
  constexpr int most_tries = 1000;  // who has interrupted the one that writes would try without end
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto version = s.version.load(std::memory_order_acquire);
    const std::int64_t stopped_at = s.stopped_at, offset = s.offset;
    now = (stopped_at != 0 ? stopped_at : machine_ns(CLOCK_MONOTONIC)) + offset;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (version % 2 == 0 && version == s.version.load(std::memory_order_relaxed)) break;
  }
  return later(s.last, now);
}

std::int64_t offset_ns() {
  const std::int64_t now = now_ns();
  return now - machine_ns(CLOCK_MONOTONIC);
}

std::int64_t process_cpu_ns() {
  State& s = state();
  const std::lock_guard lock(s.one_writes);
  want_cpu();
  const std::int64_t now =
      (s.cpu_stopped_at != 0 ? s.cpu_stopped_at : machine_ns(CLOCK_PROCESS_CPUTIME_ID)) + s.cpu_offset;
  return s.cpu_last = s.cpu_last > now ? s.cpu_last : now;
}

std::int64_t thread_cpu_ns() {
  {
    State& s = state();
    const std::lock_guard lock(s.one_writes);
    want_cpu();
  }
  return machine_ns(CLOCK_THREAD_CPUTIME_ID) + thread_cpu_offset;
}

bool behind_monotonic(clockid_t clock, std::int64_t& ns) {
  for (std::size_t i = 0; i < std::size(kTwins); ++i)
    if (kTwins[i].clock == clock) {
      ns = state().behind[i];
      return true;
    }
  return false;
}

bool is_of_program() { return depth == 0 && !ours; }
bool is_shown() { return shown.load(std::memory_order_relaxed) && is_of_program(); }
void leave_this_thread() { ours = true; }
bool was_read() { return read; }
void is_read() {
  if (!read.load(std::memory_order_relaxed) && state().offset != 0) read = true;
}

}  // namespace gpulab::cuda_api::host_clock
