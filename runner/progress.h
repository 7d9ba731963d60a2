#pragma once
#include <chrono>
#include <cstddef>
#include <string>

namespace gpulab {

/// One line on standard error that says what runs; nothing where that is no terminal, or before work takes long.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Called a few times a second; `done` of `total` cases have ended, `what` runs.
  void show(std::size_t done, std::size_t total, const std::string& what);

 private:
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace gpulab
