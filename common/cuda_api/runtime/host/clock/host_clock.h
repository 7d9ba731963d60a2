#pragma once
// How far the program's time is from the machine's. It stands still while a thread of the program is in our library,
// for a GPU would not have taken the time that we take; it goes on by the modelled time that the host waits for the
// device. Before the first call of the runtime both are the same. It never goes back, and all clocks of the system
// (monotonic, the time of day) are moved by the same.

#include <cstdint>
#include <ctime>

namespace gpulab::cuda_api::host_clock {

/// From now on the program's own readings are of this clock; without, it only runs.
void show();

/// While one lives the program's time stands still. One within another counts once.
class Stopped {
 public:
  Stopped();
  ~Stopped();
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;
  /// Of this thread.
  [[nodiscard]] static bool outermost();
};

/// We call a function of the program's: within a Stopped of this thread its time goes on.
class Going {
 public:
  Going();
  ~Going();
  Going(const Going&) = delete;
  Going& operator=(const Going&) = delete;

 private:
  int depth_;
};

/// The host has waited for the device so long, or has queued work for it.
void add(double ms);

/// Of this clock, monotonic.
[[nodiscard]] std::int64_t now_ns();
/// Of the CPU, by all threads of the program or by this one, without what we took.
[[nodiscard]] std::int64_t process_cpu_ns();
[[nodiscard]] std::int64_t thread_cpu_ns();
/// Added to a time of the machine's it gives the program's.
[[nodiscard]] std::int64_t offset_ns();
/// Added to a time of the monotonic clock it gives that of another one, as both were at the begin; false: no clock
/// that goes with the others.
[[nodiscard]] bool behind_monotonic(clockid_t clock, std::int64_t& ns);

/// The thread that calls is the program's, and is not in our library: what it reads is this clock.
[[nodiscard]] bool is_shown();
/// The thread that calls is the program's, and is not in our library.
[[nodiscard]] bool is_of_program();
/// The thread that calls is ours.
void leave_this_thread();
/// The program has read a clock that we had moved.
[[nodiscard]] bool was_read();
void is_read();

/// Of the machine, past what stands in front of it.
[[nodiscard]] std::int64_t machine_ns(clockid_t clock);

}  // namespace gpulab::cuda_api::host_clock
