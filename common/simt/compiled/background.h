#pragma once
// The process's thread that makes code.

#include <functional>

namespace gpulab::simt::compiled {

/// Runs `work` on that thread, one after another, no signal delivered to it. False: there is none, because LLVM is not
/// here, this process is a copy of one that had the thread (fork), or its memory is nearly used up.
bool in_background(std::function<void()> work);
/// Returns when it has nothing to do, or after so many milliseconds.
void wait_for_background(int most_ms = 1'000'000'000);
[[nodiscard]] bool is_busy_in_background();
/// LLVM, too, is opened on that thread. Only for who ends the process by _Exit while that thread is busy: LLVM's
/// statics come into being there at any time, and exit() would destroy them, before it waits, under the thread that
/// uses them.
void open_in_background();
/// Milliseconds that whoever asks first waits for LLVM to be opened.
[[nodiscard]] int milliseconds_to_open();

}  // namespace gpulab::simt::compiled
