#pragma once
// Launches that go on while the host does, because they only poll, and what is queued behind them. All under the
// session's lock, which such a launch holds in its turns.

#include <driver_types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "common/simt/machine/others.h"

namespace gpulab {
class Device;
}

namespace gpulab::cuda_api {

class Session;

/// A launch that may go on so.
struct BesideLaunch {
  cudaStream_t stream = nullptr;
  std::function<void()> work;                    ///< on the device
  std::function<void(std::exception_ptr)> over;  ///< of one that went on: it has ended, or failed so
};

class UnderWay {
 public:
  using Work = std::function<cudaError_t(Session&, cudaStream_t)>;

  explicit UnderWay(Session& session) : session_(session) {}

  /// Runs it. True: it has ended; throws what it threw. False: it polls, and goes on by itself.
  bool run(BesideLaunch launch);

  [[nodiscard]] bool any() const { return !launches_.empty() || !later_.empty(); }
  /// What is queued on this stream now waits for such a launch.
  [[nodiscard]] bool holds(cudaStream_t stream) const;
  /// Keeps work for when all has ended that the stream waits for, and `*after` is so. False: nothing holds it up.
  bool later(cudaStream_t stream, Work work, std::shared_ptr<const bool> after = {});
  /// The same behind all that goes on: memory is freed.
  bool later_than_all(cudaStream_t stream, Work work);
  /// The thread that calls waits until `so`, and lets the launches go on. What ended meanwhile is told as at any wait:
  /// the error is that.
  cudaError_t wait(const std::function<bool()>& so);
  cudaError_t wait_for_stream(cudaStream_t stream);
  cudaError_t wait_for_all();
  /// The host has called something: it may do more.
  void host_is_active() { active_ = Clock::now(); }
  /// The program ends: what goes on is ended, too.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  struct Running;
  struct Later {
    std::uint64_t number = 0;
    cudaStream_t stream = nullptr;
    Work work;
    std::shared_ptr<const bool> after;
    bool behind_all = false;
  };
  [[nodiscard]] simt::OthersTurn turn(Running& mine, simt::Polling polling);
  /// Nobody is left who could do anything for those that poll.
  [[nodiscard]] bool is_nobody_left() const;
  void serve(const std::shared_ptr<Running>& mine);
  /// Does what waits for nothing any more.
  void go_on();
  [[nodiscard]] bool may_go(std::size_t index) const;
  /// Does work of the one stream come behind that of the other?
  [[nodiscard]] bool in_order(std::uint64_t one, std::uint64_t other) const;

  Session& session_;
  std::vector<std::shared_ptr<Running>> launches_;  ///< that go on beside the host
  std::deque<Later> later_;                         ///< in the order in which it was queued
  int waiting_ = 0;                                 ///< threads of the program, in wait()
  bool ends_ = false;                               ///< the program does
  bool goes_on_ = false;                            ///< work of later_ is being done
  Clock::time_point active_{};                      ///< when somebody did something
};

}  // namespace gpulab::cuda_api
