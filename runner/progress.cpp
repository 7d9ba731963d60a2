#include "runner/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "common/text.h"

namespace gpulab {
namespace {

constexpr std::chrono::milliseconds patience{500};

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

void Progress::show(std::size_t done, std::size_t total, const std::string& what) {
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  if (!terminal_ || elapsed < patience) return;
  const double ms = std::chrono::duration<double, std::milli>(elapsed).count();
  fmt::print(stderr, "\r\x1b[K[{}/{}] {}  {}", done + 1, total, what, duration_text(ms));
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace gpulab
