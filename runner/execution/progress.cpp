#include "runner/execution/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "common/text.h"

namespace gpulab {
namespace {

constexpr std::chrono::milliseconds patience{500};

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { end(); }

void Progress::end() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(shown_, false)) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  terminal_ = false;
}

void Progress::show(std::size_t done, std::size_t total, const std::string& what) {
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  const std::lock_guard lock(mutex_);
  if (!terminal_ || printed_ || elapsed < patience) return;
  const double ms = std::chrono::duration<double, std::milli>(elapsed).count();
  fmt::print(stderr, "\r\x1b[K[{}/{}] {}  {}", done + 1, total, what, duration_text(ms));
  std::fflush(stderr);
  shown_ = true;
}

void Progress::print(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!terminal_) return;
  if (std::exchange(shown_, false)) fmt::print(stderr, "\r\x1b[K");
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  printed_ = true;
}

}  // namespace gpulab
