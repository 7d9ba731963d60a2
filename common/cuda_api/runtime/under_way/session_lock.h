#pragma once
// The session's one lock. A thread may hold it several times, for functions of the runtime call others, and may give it
// away for a while however often it does.

#include <mutex>

namespace gpulab::cuda_api {

class SessionLock {
 public:
  void lock() {
    mutex_.lock();
    ++depth_;
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    ++depth_;
    return true;
  }
  void unlock() {
    --depth_;
    mutex_.unlock();
  }
  /// Others may have it while `meanwhile` runs. The caller holds it.
  void give_away(const auto& meanwhile) {
    const int depth = depth_;
    for (int i = 0; i < depth; ++i) unlock();
    meanwhile();
    for (int i = 0; i < depth; ++i) lock();
  }

 private:
  std::recursive_mutex mutex_;
  int depth_ = 0;  ///< how often its owner holds it
};

}  // namespace gpulab::cuda_api
