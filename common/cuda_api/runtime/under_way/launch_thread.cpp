#include "common/cuda_api/runtime/under_way/launch_thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "common/cuda_api/runtime/host/clock/host_clock.h"

namespace gpulab::cuda_api {

static std::atomic<int> program_threads = 0;  ///< 1: the program has started some

namespace {

/// Never destroyed: its threads wait until the process ends.
struct Pool {
  std::mutex mutex;
  std::condition_variable work_comes;
  std::deque<std::function<void()>> work;
  std::size_t idle = 0;
  pid_t process = getpid();  ///< a child that the program forks has none of our threads
};

Pool* made = nullptr;  ///< under the session's lock

Pool& pool() {
  if (made == nullptr || made->process != getpid()) made = new Pool;
  return *made;
}

void serve(Pool& all) {
  host_clock::leave_this_thread();
  std::unique_lock lock(all.mutex);
  for (;;) {
    ++all.idle;
    all.work_comes.wait(lock, [&] { return !all.work.empty(); });
    --all.idle;
    const auto work = std::move(all.work.front());
    all.work.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace

bool run_on_launch_thread(std::function<void()> work) {
  Pool& all = pool();
  const std::lock_guard lock(all.mutex);
  if (all.idle <= all.work.size()) {
    // The program's signals are for its own threads.
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    bool made = true;
    try {
      std::thread([&all] { serve(all); }).detach();
    } catch (const std::system_error&) {
      made = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!made) return false;
  }
  all.work.push_back(std::move(work));
  all.work_comes.notify_one();
  return true;
}

bool is_fork_without_launch_threads() { return made != nullptr && made->process != getpid(); }

bool program_has_threads() { return program_threads != 0; }

}  // namespace gpulab::cuda_api

// The program's own threads, as it starts them; ours are started by calls of the runtime, and by threads of ours.
extern "C" [[gnu::used]] int gpulab_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                   void* (*start)(void*), void* argument) {
  static const auto next = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (gpulab::cuda_api::host_clock::is_of_program()) gpulab::cuda_api::program_threads = 1;
  return next(thread, attributes, start, argument);
}
__asm__(".symver gpulab_pthread_create, pthread_create@@");
