#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace gpulab {

/// While it lives, a thread of its own calls `begin`, if there is one, and then `tick` again and again, with such a
/// pause in front of each call. Where no thread can be had, nobody does.
class Ticker {
 public:
  explicit Ticker(std::function<void()> tick, std::chrono::milliseconds pause = std::chrono::milliseconds(200),
                  std::function<void()> begin = {});
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace gpulab
