#include "common/cuda_api/runtime/launch_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "common/cuda_api/runtime/host/clock/host_clock.h"
#include "common/progress/launch_progress.h"
#include "common/progress/ticker.h"
#include "common/text.h"

namespace gpulab::cuda_api {

namespace {

using Clock = std::chrono::steady_clock;

/// Of this process. A thread writes the line, several times a second; a child that the program forks has no such
/// thread, and shows nothing.
class Display {
 public:
  Display() {
    // The program's signals are for its own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    // Its waits, too, are of the machine's time: the program's stands still while a launch is under way.
    ticker_ =
        std::make_unique<Ticker>([this] { show(); }, std::chrono::milliseconds(200), host_clock::leave_this_thread);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  [[nodiscard]] bool is_of_this_process() const { return process_ == getpid(); }
  void begin(std::string_view kernel) {
    const std::lock_guard lock(mutex_);
    kernel_ = kernel;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    kernel_.clear();
    if (std::exchange(shown_, false)) write(no_progress_line);
  }

 private:
  void show() {
    const auto elapsed = Clock::now() - start_;
    const std::lock_guard lock(mutex_);
    const auto launch = text_of(launch_progress.now());
    if (kernel_.empty() || launch.empty() || elapsed < progress_patience) return;
    const double ms = std::chrono::duration<double, std::milli>(elapsed).count();
    write(progress_line(fmt::format("{}: {}  {}", visible(kernel_), launch, duration_text(ms))));
    shown_ = true;
  }
  /// Past the program's own buffers.
  static void write(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

  pid_t process_ = getpid();
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::string kernel_;
  bool shown_ = false;
  std::unique_ptr<Ticker> ticker_;
};

/// From the first launch until the process ends; null where nobody looks, and in a forked child.
Display* display() {
  static Display* const made = is_progress_wanted() ? new Display : nullptr;
  return made && made->is_of_this_process() ? made : nullptr;
}

}  // namespace

ShownLaunch::ShownLaunch(std::string_view kernel) {
  if (Display* shown = display()) shown->begin(kernel);
}
ShownLaunch::~ShownLaunch() {
  if (Display* shown = display()) shown->end();
}

}  // namespace gpulab::cuda_api
