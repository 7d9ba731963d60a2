#include "common/simt/compiled/background.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "common/simt/compiled/llvm/library.h"

namespace gpulab::simt::compiled {

namespace {

/// What LLVM may need at once, of an address space that is limited (ulimit -v). Where it finds no memory it ends the
/// process.
constexpr std::uint64_t kRoom = std::uint64_t{1} << 30;

/// To open LLVM and to make its tables, once (tests/bench/where_cycles_go.md).
constexpr int kOpening = 25;

/// Of the address space, and of data, where there is a limit: asked by taking it, since a confined process must not
/// read how much it has (/proc/self).
bool has_room() {
  void* const room = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && munmap(room, kRoom) == 0;
}

/// Never destroyed: the thread may be in it when the process ends.
class Background {
 public:
  static Background& get() {
    static Background* const background = new Background;
    return *background;
  }
  bool run(std::function<void()> work) {
    pid_t nobody = 0;
    process_.compare_exchange_strong(nobody, getpid());
    if (!is_mine()) return false;
    const std::lock_guard lock(mutex_);
    if (ended_ || !has_room() || !start()) return false;
    queue_.push_back(std::move(work));
    wake_.notify_all();
    return true;
  }
  void wait(std::chrono::milliseconds most) {
    if (!is_mine()) return;
    std::unique_lock lock(mutex_);
    idle_.wait_for(lock, most, [&] { return queue_.empty() && !busy_; });
  }
  bool is_busy() {
    if (!is_mine()) return false;
    const std::lock_guard lock(mutex_);
    return busy_ || !queue_.empty();
  }
  void open_in_background() { in_background_ = true; }
  [[nodiscard]] int milliseconds_to_open() const { return opened_ ? 0 : kOpening; }
  /// Before LLVM's own statics go: nothing more is begun, and what runs is waited for.
  void end() {
    if (!is_mine()) return;
    std::unique_lock lock(mutex_);
    ended_ = true;
    queue_.clear();
    idle_.wait(lock, [&] { return !busy_; });
  }

 private:
  /// In a copy of the process that had work for it the thread is not there, and may hold the lock for ever. A copy of
  /// one that had none, as each worker is, has a thread of its own.
  [[nodiscard]] bool is_mine() const { return process_ == getpid(); }
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
  std::atomic<pid_t> process_{0};  ///< which had work first
};

}  // namespace

bool in_background(std::function<void()> work) { return Background::get().run(std::move(work)); }
void wait_for_background(int most_ms) { Background::get().wait(std::chrono::milliseconds(most_ms)); }
void open_in_background() { Background::get().open_in_background(); }
int milliseconds_to_open() { return Background::get().milliseconds_to_open(); }
bool is_busy_in_background() { return Background::get().is_busy(); }

}  // namespace gpulab::simt::compiled
