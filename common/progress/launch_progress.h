#pragma once
// How far the launch is that this process simulates, or that its worker process does: counted where blocks end, shown
// on a terminal by who waits for it.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace gpulab {

class LaunchProgress {
 public:
  struct Now {
    std::string kernel{};                ///< that runs; empty: none
    std::uint64_t launch = 0;            ///< its number, from 1
    std::uint64_t launches = 0;          ///< that are known of; 0: nobody knows how many there will be
    std::uint64_t blocks = 0, done = 0;  ///< of the launch
    std::int64_t elapsed_ms = 0;         ///< since it began
  };

  /// So many launches will come, which are numbered from 1; 0: nobody knows.
  void expect(std::uint64_t launches);
  void begin(std::string_view kernel, std::uint64_t blocks);
  void end();
  void block_ended() { done_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] Now now() const;
  /// Another process's: it runs our launch.
  void show(Now other);

 private:
  mutable std::mutex mutex_;
  Now now_;
  std::chrono::steady_clock::time_point begun_;
  alignas(64) std::atomic<std::uint64_t> done_{0};
};

inline LaunchProgress launch_progress;

/// While it lives, a kernel's launch is under way.
class LaunchUnderWay {
 public:
  LaunchUnderWay(std::string_view kernel, std::uint64_t blocks) { launch_progress.begin(kernel, blocks); }
  ~LaunchUnderWay() { launch_progress.end(); }
  LaunchUnderWay(const LaunchUnderWay&) = delete;
  LaunchUnderWay& operator=(const LaunchUnderWay&) = delete;
};

/// "launch 2 of 3, 1234 of 16384 blocks, about 12 s left"; empty where no launch is under way. The time that is left is
/// the launch's, as fast as its blocks were so far, and is not told before some have ended.
[[nodiscard]] std::string text_of(const LaunchProgress::Now& now);

/// What is left of `total` pieces of work, `done` of which took `elapsed`: "about 12 s left"; empty where that says
/// little.
[[nodiscard]] std::string time_left(std::uint64_t done, std::uint64_t total, std::int64_t elapsed_ms);

/// How long work goes on before a line says how far it is.
inline constexpr std::chrono::milliseconds progress_patience{2000};
/// Standard error is a terminal in front of a person: not in continuous integration (CI is set), nor a dumb one.
[[nodiscard]] bool is_progress_wanted();
/// The line, cut to the width of that terminal, instead of what stands there.
[[nodiscard]] std::string progress_line(std::string_view text);
/// Takes it away.
inline constexpr std::string_view no_progress_line = "\r\x1b[K";

}  // namespace gpulab
