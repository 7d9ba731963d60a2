#include "common/simt/compiled/background.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "common/simt/compiled/library.h"

namespace gpulab::simt::compiled {

namespace {

/// What LLVM may need at once, of an address space that is limited (ulimit -v). Where it finds no memory it ends the
/// process.
constexpr std::uint64_t kRoom = std::uint64_t{1} << 30;

/// To open LLVM and to make its tables, once (tests/bench/where_cycles_go.md).
constexpr int kOpening = 25;

/// Of the address space, or of data, where there is a limit.
bool has_room() {
  unsigned long long all = 0, data = 0;  // pages
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  const bool read = file && std::fscanf(file, "%llu %*u %*u %*u %*u %llu", &all, &data) == 2;
  if (file) std::fclose(file);
  const auto fits = [&](int which, std::uint64_t taken) {
    rlimit limit{};
    if (getrlimit(which, &limit) != 0) return false;
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return limit.rlim_cur == RLIM_INFINITY || (read && taken * page + kRoom < limit.rlim_cur);
  };
  return fits(RLIMIT_AS, all) && fits(RLIMIT_DATA, data);
}

/// Never destroyed: the thread may be in it when the process ends.
class Background {
 public:
  static Background& get() {
    static Background* const background = new Background;
    return *background;
  }
  bool run(std::function<void()> work) {
    if (is_copy()) return false;
    const std::lock_guard lock(mutex_);
    if (ended_ || !has_room() || !start()) return false;
    queue_.push_back(std::move(work));
    wake_.notify_all();
    return true;
  }
  void wait(std::chrono::milliseconds most) {
    if (is_copy()) return;
    std::unique_lock lock(mutex_);
    idle_.wait_for(lock, most, [&] { return queue_.empty() && !busy_; });
  }
  bool is_busy() {
    if (is_copy()) return false;
    const std::lock_guard lock(mutex_);
    return busy_ || !queue_.empty();
  }
  void open_in_background() { in_background_ = true; }
  [[nodiscard]] int milliseconds_to_open() const { return opened_ ? 0 : kOpening; }
  /// Before LLVM's own statics go: nothing more is begun, and what runs is waited for.
  void end() {
    if (is_copy()) return;
    std::unique_lock lock(mutex_);
    ended_ = true;
    queue_.clear();
    idle_.wait(lock, [&] { return !busy_; });
  }

 private:
  /// The thread is not in it, and may hold the lock for ever.
  [[nodiscard]] bool is_copy() const { return process_ != getpid(); }
  bool start() {
    if (running_) return true;
    if (!in_background_ && !open()) return false;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { serve(); }).detach();
      running_ = true;
    } catch (const std::system_error&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return running_;
  }
  bool open() {
    std::string why;
    const Library* const llvm = Library::get(why);
    if (llvm) llvm->make_tables();
    // Behind LLVM's, and so before it.
    if (llvm) std::atexit([] { get().end(); });
    opened_ = true;
    return llvm != nullptr;
  }
  void serve() {
    if (!opened_) open();
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return !queue_.empty(); });
      const auto work = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      work();
      lock.lock();
      busy_ = false;
      idle_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<std::function<void()>> queue_;
  bool running_ = false, busy_ = false, ended_ = false;
  std::atomic<bool> in_background_{false}, opened_{false};
  const pid_t process_ = getpid();
};

}  // namespace

bool in_background(std::function<void()> work) { return Background::get().run(std::move(work)); }
void wait_for_background(int most_ms) { Background::get().wait(std::chrono::milliseconds(most_ms)); }
void open_in_background() { Background::get().open_in_background(); }
int milliseconds_to_open() { return Background::get().milliseconds_to_open(); }
bool is_busy_in_background() { return Background::get().is_busy(); }

}  // namespace gpulab::simt::compiled
