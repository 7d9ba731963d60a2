#include "common/child/interrupt.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "common/error.h"

namespace gpulab {
namespace {

std::atomic<bool> noted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void note(int) {
  if (noted.exchange(true)) std::_Exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace

void watch_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};  // of nohup
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return noted.load(); }

}  // namespace gpulab
