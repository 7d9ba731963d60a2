// A thread that calls again and again while an object lives.

#include "common/progress/ticker.h"

#include <atomic>

#include "tests/catch.h"

namespace gpulab {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a ticker calls until it is gone, and never before its pause is over") {
  std::atomic<int> ticks{0};
  {
    const Ticker ticker([&] { ++ticks; }, 1ms);
    while (ticks < 3) std::this_thread::yield();
  }
  const int at_end = ticks;
  std::this_thread::sleep_for(5ms);
  CHECK(ticks == at_end);
  {
    const Ticker ticker([&] { ++ticks; }, 1h);
  }
  CHECK(ticks == at_end);
}

}  // namespace
}  // namespace gpulab
