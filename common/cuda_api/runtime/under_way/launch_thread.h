#pragma once
// Threads for launches that may not end by themselves. One that has nothing to do waits for the next: to start one
// costs more than to wake one.

#include <functional>

namespace gpulab::cuda_api {

/// Runs it on a thread of ours, which no signal of the program's reaches and whose clock is the machine's. False: no
/// thread can be had, and nothing was run.
[[nodiscard]] bool run_on_launch_thread(std::function<void()> work);

/// This process is a fork of one that has such threads: it has none, and the lock may be theirs for ever.
[[nodiscard]] bool is_fork_without_launch_threads();

/// The program has started threads, of which nobody knows what they do. The simulator's own do not count.
[[nodiscard]] bool program_has_threads();

}  // namespace gpulab::cuda_api
