#include "common/progress/launch_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "common/text.h"

namespace gpulab {

namespace {

using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::steady_clock;

/// Blocks that have run for less say little of those to come.
constexpr std::int64_t least_elapsed_ms = 1000;

}  // namespace

void LaunchProgress::expect(std::uint64_t launches) {
  const std::lock_guard lock(mutex_);
  now_ = {.launches = launches};
}

void LaunchProgress::begin(std::string_view kernel, std::uint64_t blocks) {
  const std::lock_guard lock(mutex_);
  now_.kernel = kernel;
  now_.blocks = blocks;
  ++now_.launch;
  begun_ = steady_clock::now();
  done_.store(0, std::memory_order_relaxed);
}

void LaunchProgress::end() {
  const std::lock_guard lock(mutex_);
  now_.kernel.clear();
}

LaunchProgress::Now LaunchProgress::now() const {
  const std::lock_guard lock(mutex_);
  Now now = now_;
  now.done = done_.load(std::memory_order_relaxed);
  now.elapsed_ms = duration_cast<milliseconds>(steady_clock::now() - begun_).count();
  return now;
}

void LaunchProgress::show(Now other) {
  const std::lock_guard lock(mutex_);
  done_.store(other.done, std::memory_order_relaxed);
  begun_ = steady_clock::now() - milliseconds(other.elapsed_ms);
  now_ = std::move(other);
}

std::string text_of(const LaunchProgress::Now& now) {
  if (now.kernel.empty()) return {};
  std::string text;
  if (now.launches > 1 && now.launch <= now.launches)
    text = fmt::format("launch {} of {}, ", now.launch, now.launches);
  else if (now.launches == 0 && now.launch > 1)
    text = fmt::format("launch {}, ", now.launch);
  text += fmt::format("{} of {}", now.done, plural(now.blocks, "block"));
  if (const auto left = time_left(now.done, now.blocks, now.elapsed_ms); !left.empty()) text += ", " + left;
  return text;
}

std::string time_left(std::uint64_t done, std::uint64_t total, std::int64_t elapsed_ms) {
  if (done == 0 || done >= total || elapsed_ms < least_elapsed_ms) return {};
  const double seconds =
      static_cast<double>(elapsed_ms) / 1000 * static_cast<double>(total - done) / static_cast<double>(done);
  if (seconds < 1) return "less than 1 s left";
  if (seconds < 120) return fmt::format("about {:.0f} s left", std::ceil(seconds));
  if (seconds < 120 * 60) return fmt::format("about {:.0f} min left", seconds / 60);
  return fmt::format("about {:.0f} h left", seconds / 3600);
}

bool is_progress_wanted() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && std::getenv("CI") == nullptr &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string progress_line(std::string_view text) {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  std::size_t left = known ? size.ws_col - 1u : 79;  // in the last column it would begin another line
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && left-- == 0) break;
  return fmt::format("{}{}", no_progress_line, text.substr(0, end));
}

}  // namespace gpulab
