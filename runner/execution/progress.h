#pragma once
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace gpulab {

/// What people see on standard error while work goes on, where that is a terminal: what kernels print, and, if it takes
/// long, one line that says how far it is (common/progress/launch_progress.h). Any thread may call.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Called a few times a second; `done` of `total` cases have ended, `what` runs.
  void show(std::size_t done, std::size_t total, const std::string& what);
  /// The same where nobody knows how many cases there will be.
  void show(const std::string& what);
  /// Whenever another one of so many submissions has been judged; what came at once was judged before.
  void count(std::size_t done, std::size_t total, std::string_view what);
  /// After this the line of show() stays away: what kernels print shows that something runs.
  void print(std::string_view text);
  /// Takes the line away; nothing is shown or printed any more.
  void end();
  [[nodiscard]] bool is_seen() const { return terminal_; }

 private:
  void show_line(std::string_view text);
  [[nodiscard]] std::chrono::milliseconds elapsed() const;
  [[nodiscard]] std::string launch_text() const;

  std::mutex mutex_;
  bool terminal_, wanted_;
  bool shown_ = false, printed_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::milliseconds last_{0};  ///< when the line was written
  std::size_t done_at_once_ = 0;       ///< count()
};

}  // namespace gpulab
