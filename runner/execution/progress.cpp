#include "runner/execution/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "common/progress/launch_progress.h"
#include "common/text.h"

namespace gpulab {
namespace {

/// What count() hears within this time was known before.
constexpr std::chrono::milliseconds at_once{500};
/// Between two lines: people read no faster.
constexpr std::chrono::milliseconds pause{100};

}  // namespace

Progress::Progress()
    : terminal_(isatty(STDERR_FILENO) != 0), wanted_(is_progress_wanted()), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { end(); }

void Progress::end() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(shown_, false)) fmt::print(stderr, "{}", no_progress_line);
  std::fflush(stderr);
  terminal_ = wanted_ = false;
}

std::chrono::milliseconds Progress::elapsed() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start_);
}

/// "  launch 2 of 3, 17 of 64 blocks, about 3 s left  8.2 s"
std::string Progress::launch_text() const {
  const auto launch = text_of(launch_progress.now());
  return fmt::format("{}{}  {}", launch.empty() ? "" : "  ", launch,
                     duration_text(static_cast<double>(elapsed().count())));
}

void Progress::show_line(std::string_view text) {
  const auto now = elapsed();
  if (!wanted_ || printed_ || now < progress_patience || now - last_ < pause) return;
  last_ = now;
  fmt::print(stderr, "{}", progress_line(text));
  std::fflush(stderr);
  shown_ = true;
}

void Progress::show(std::size_t done, std::size_t total, const std::string& what) {
  const std::lock_guard lock(mutex_);
  show_line(fmt::format("[{}/{}] {}{}", done + 1, total, what, launch_text()));
}

void Progress::show(const std::string& what) {
  const std::lock_guard lock(mutex_);
  show_line(what + launch_text());
}

void Progress::count(std::size_t done, std::size_t total, std::string_view what) {
  const std::lock_guard lock(mutex_);
  if (elapsed() < at_once) {
    done_at_once_ = done;
    return;
  }
  const auto left = time_left(done - done_at_once_, total - done_at_once_, elapsed().count());
  show_line(fmt::format("{} of {} {}{}{}", done, total, what, left.empty() ? "" : ", ", left));
}

void Progress::print(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!terminal_) return;
  if (std::exchange(shown_, false)) fmt::print(stderr, "{}", no_progress_line);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  printed_ = true;
}

}  // namespace gpulab
