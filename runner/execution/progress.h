#pragma once
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace gpulab {

/// What people see on standard error while work goes on, where that is a terminal: one line that says what runs, if it
/// takes long, and what kernels print. Any thread may call.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Called a few times a second; `done` of `total` cases have ended, `what` runs.
  void show(std::size_t done, std::size_t total, const std::string& what);
  /// After this the line of show() stays away: what kernels print shows that something runs.
  void print(std::string_view text);
  /// Takes the line away; nothing is shown or printed any more.
  void end();
  [[nodiscard]] bool is_seen() const { return terminal_; }

 private:
  std::mutex mutex_;
  bool terminal_;
  bool shown_ = false, printed_ = false;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace gpulab
