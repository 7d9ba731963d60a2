#include "common/cuda_api/runtime/under_way/under_way.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"
#include "common/cuda_api/runtime/under_way/launch_thread.h"
#include "common/launch_error.h"

namespace gpulab::cuda_api {
namespace {

using namespace std::chrono_literals;

/// How long a launch that polls leaves the lock alone, at first and when it has polled for long: what the host writes
/// is seen so late.
constexpr auto kShortPause = 50us, kLongPause = 500us;
constexpr auto kPollsLong = 10ms;
/// A launch that works gives way to calls of the host's as often.
constexpr auto kWorks = 5ms;
/// All wait, and nobody has done anything for so long: then nobody will. Threads of the program that do not call the
/// runtime may write all the same, and sleep before.
constexpr auto kQuietAlone = 100ms, kQuietWithOthers = 10'000ms;
/// What a launch has left when the program ends.
constexpr auto kLastPolls = 500ms;

}  // namespace

struct UnderWay::Running {
  BesideLaunch launch;
  std::uint64_t number = 0;  ///< of its stream
  // Between its thread and its caller, until it has ended or goes on.
  std::mutex mutex;
  std::condition_variable changed;
  enum class State { waited_for, goes_on, over } state = State::waited_for;
  std::exception_ptr error;
  // Of one that goes on.
  Clock::time_point worked, gave;  ///< when it did not only poll, and when others had their turn
  bool polls = true;

  void become(State now) {
    const std::lock_guard lock(mutex);
    state = now;
    changed.notify_one();
  }
};

bool UnderWay::run(BesideLaunch launch) {
  auto one = std::make_shared<Running>();
  one->launch = std::move(launch);
  one->number = stream_number(one->launch.stream);
  Device& device = session_.device();
  const bool asks = device.next_lets_in([this, one](simt::Polling polling) { return turn(*one, polling); });
  if (!asks || !run_on_launch_thread([this, one] { serve(one); })) {
    (void)device.next_lets_in({});
    one->launch.work();
    return true;
  }
  {
    std::unique_lock lock(one->mutex);
    one->changed.wait(lock, [&] { return one->state != Running::State::waited_for; });
    if (one->state == Running::State::over) {
      if (one->error) std::rethrow_exception(one->error);
      return true;
    }
  }
  // Its thread waits for our lock. Memory stays open for it: the tools do not watch the host meanwhile.
  [[maybe_unused]] static const int ends_before_statics = std::atexit([] {
    if (is_fork_without_launch_threads()) return;
    Session& session = Session::instance();
    const std::lock_guard session_lock(session.mutex);
    session.under_way.end();
  });
  launches_.push_back(one);
  session_.managed.open();
  session_.streams.open();
  active_ = Clock::now();
  return false;
}

void UnderWay::serve(const std::shared_ptr<Running>& mine) {
  try {
    mine->launch.work();
  } catch (...) {
    mine->error = std::current_exception();
  }
  if (mine->state == Running::State::waited_for) return mine->become(Running::State::over);
  // It holds the session's lock.
  std::erase(launches_, mine);
  mine->launch.over(mine->error);
  go_on();
  active_ = Clock::now();
  session_.managed.close();
  session_.streams.close();
  session_.mutex.unlock();
}

/// Of the launch's own thread, between turns of its blocks.
simt::OthersTurn UnderWay::turn(Running& mine, simt::Polling polling) {
  const bool polls = polling != simt::Polling::no;
  if (mine.state == Running::State::waited_for) {
    if (polling != simt::Polling::in_vain) return simt::OthersTurn::not_yet;
    mine.become(Running::State::goes_on);
    session_.mutex.lock();
    mine.worked = mine.gave = Clock::now();
    return simt::OthersTurn::taken;
  }
  const auto now = Clock::now();
  mine.polls = polls;
  if (!polls) mine.worked = now;
  const bool nobody = polls && is_nobody_left();
  if (nobody && ends_ && now - active_ > kLastPolls)
    throw LaunchError(LaunchFailure::hung, "the kernel still polls where the program ends", {},
                      "tell it to stop, and wait for it, before the program ends");
  if ((polls && !nobody) || now - mine.gave > kWorks) {
    const auto pause = polls && now - mine.worked > kPollsLong ? kLongPause : kShortPause;
    session_.mutex.give_away([&] { std::this_thread::sleep_for(pause); });
    mine.gave = Clock::now();
  }
  return nobody ? simt::OthersTurn::nobody_left : simt::OthersTurn::taken;
}

bool UnderWay::is_nobody_left() const {
  if (ends_) return true;
  if (waiting_ == 0) return false;
  const auto now = Clock::now();
  auto last = active_;
  for (const auto& one : launches_) last = std::max(last, one->polls ? one->worked : now);
  if (now - last < kQuietAlone) return false;
  return now - last > (program_has_threads() ? kQuietWithOthers : kQuietAlone);
}

bool UnderWay::in_order(std::uint64_t one, std::uint64_t other) const {
  if (one == other) return true;
  const auto blocks = [&](std::uint64_t number) {
    const StreamState* state = session_.timeline.stream(number);
    return state == nullptr || state->blocking();
  };
  const auto is_default = [](std::uint64_t number) { return number_on_gpu(number) == Timeline::kDefault; };
  return (is_default(one) && blocks(other)) || (is_default(other) && blocks(one));
}

bool UnderWay::holds(cudaStream_t stream) const {
  if (goes_on_) return false;  // what has waited is done now
  const std::uint64_t number = stream_number(stream);
  return std::ranges::any_of(launches_, [&](const auto& one) { return in_order(one->number, number); }) ||
         std::ranges::any_of(later_, [&](const Later& one) { return in_order(one.number, number); });
}

bool UnderWay::later(cudaStream_t stream, Work work, std::shared_ptr<const bool> after) {
  if (!any() || goes_on_ || (!holds(stream) && (!after || *after))) return false;
  later_.push_back({stream_number(stream), stream, std::move(work), std::move(after)});
  return true;
}

bool UnderWay::later_than_all(cudaStream_t stream, Work work) {
  if (!any() || goes_on_) return false;
  later_.push_back({stream_number(stream), stream, std::move(work), {}, true});
  return true;
}

bool UnderWay::may_go(std::size_t index) const {
  const Later& one = later_[index];
  if (one.behind_all && (!launches_.empty() || index > 0)) return false;
  if (one.after && !*one.after) return false;
  return std::ranges::none_of(launches_, [&](const auto& it) { return in_order(it->number, one.number); }) &&
         std::none_of(later_.begin(), later_.begin() + static_cast<std::ptrdiff_t>(index),
                      [&](const Later& it) { return in_order(it.number, one.number); });
}

void UnderWay::go_on() {
  // What is done now belongs to no stream that somebody captures meanwhile, and to no function that somebody calls.
  auto* const captured = std::exchange(session_.captured, nullptr);
  const char* const function = std::exchange(session_.driver_function, nullptr);
  for (std::size_t i = 0; i < later_.size();) {
    if (!may_go(i)) {
      ++i;
      continue;
    }
    const Later one = std::move(later_[i]);
    later_.erase(later_.begin() + static_cast<std::ptrdiff_t>(i));
    goes_on_ = true;
    session_.do_later(one.work, one.stream);
    goes_on_ = false;
    i = 0;
  }
  session_.captured = captured;
  session_.driver_function = function;
}

cudaError_t UnderWay::wait(const std::function<bool()>& so) {
  if (so()) return cudaSuccess;
  const char* const function = std::exchange(session_.driver_function, nullptr);
  void* const caller = std::exchange(session_.driver_caller, nullptr);
  const auto context = std::exchange(session_.context, 0);
  const int depth = session_.failures.suspend();
  ++waiting_;
  while (!so()) session_.mutex.give_away([] { std::this_thread::sleep_for(kShortPause); });
  --waiting_;
  session_.failures.resume(depth);
  session_.context = context;
  session_.driver_caller = caller;
  session_.driver_function = function;
  session_.print();
  return session_.surface();
}

cudaError_t UnderWay::wait_for_stream(cudaStream_t stream) {
  return any() ? wait([&] { return !holds(stream); }) : cudaSuccess;
}

cudaError_t UnderWay::wait_for_all() {
  return any() ? wait([&] { return !any(); }) : cudaSuccess;
}

void UnderWay::end() {
  ends_ = true;
  active_ = Clock::now();
  (void)wait_for_all();
}

}  // namespace gpulab::cuda_api
