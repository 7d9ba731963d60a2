#include "common/progress/ticker.h"

#include <system_error>
#include <utility>

namespace gpulab {

Ticker::Ticker(std::function<void()> tick, std::chrono::milliseconds pause, std::function<void()> begin)
    : tick_(std::move(tick)) {
  try {
    thread_ = std::thread([this, pause, begin = std::move(begin)] {
      if (begin) begin();
      std::unique_lock lock(mutex_);
      while (!changed_.wait_for(lock, pause, [this] { return over_; })) tick_();
    });
  } catch (const std::system_error&) {
    // Nobody ticks.
  }
}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace gpulab
