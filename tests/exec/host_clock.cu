// The program's own clocks: modelled time while it waits for a kernel, its own work between, and no time of the simulation.
// long
// case: -- order :: 0
// out: ^order ok\n$
// err: note: the program's clocks \(clock_gettime, gettimeofday, clock, chrono\) go by modelled time and the host's own work; --real-clock gives the machine's
// case: --real-clock -- machine :: 0
// out: ^machine ok\n$
// case: -- waits :: 0
// out: ^sleep_until ok\nwait_for ok\nwait_until ok\nfuture ok\nclock_nanosleep ok\nmutex ok\nsemaphore ok\n$
// case: -- threads :: 0
// out: ^a thread that waits for a kernel ok\nforwards ok\n$
// case: -- events :: 0
// out: ^host work ok\ndestroyed streams ok\ngraph ok\n$
// case: -- host_function :: 0
// out: ^host function ok\n$
// case: -- far :: 0
// err: note: kernels reach pinned memory of the host \('cudaHostAlloc #1' in work\) over the link, modelled at 51 GB/s \(PCIe 5.0, an H100\); what is used more than once is faster copied to the GPU's own
// err: note: times of kernels take managed memory \('cudaMallocManaged #1' in work\) for memory that lies on the GPU already; a GPU would move its pages first
// case: --host-memory 1Gi -- memory :: 0
// out: ^memory ok\n$
// err: note: cudaMemGetInfo: [0-9]+ MiB are free, as this machine has no more; the simulated GPU has [0-9]+ MiB
#include <semaphore.h>
#include <sys/time.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

__global__ void work(float* x, int rounds) {
  float sum = threadIdx.x;
  for (int i = 0; i < rounds; ++i) sum = sum * 1.01f + 1;
  x[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
static double since(Clock::time_point t) { return std::chrono::duration<double, std::milli>(Clock::now() - t).count(); }
static void say(const char* what, bool good) { std::printf("%s %s\n", what, good ? "ok" : "WRONG"); }
static float* memory() {
  float* x;
  cudaMalloc(&x, 8 * 128 * sizeof(float));
  return x;
}
static void launch(float* x, int rounds) {
  work<<<8, 128>>>(x, rounds);
  cudaDeviceSynchronize();
}
/// What the simulation takes by far: some hundred ms, of which a GPU takes 3.
constexpr int kLong = 1000000;

/// A kernel of four times the rounds takes four times as long, by each clock, and a launch comes back at once.
static bool order() {
  float* x = memory();
  launch(x, 1);
  double ms[3][2];
  for (int k = 0; k < 2; ++k) {
    timeval from, to;
    struct timezone zone;
    gettimeofday(&from, &zone);
    const auto start = Clock::now();
    const clock_t ticks = clock();
    launch(x, k == 0 ? kLong / 4 : kLong);
    ms[0][k] = since(start);
    ms[1][k] = 1e3 * (clock() - ticks) / CLOCKS_PER_SEC;
    gettimeofday(&to, nullptr);
    ms[2][k] = (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_usec - from.tv_usec) * 1e-3;
  }
  bool good = true;
  for (const auto& m : ms) good &= m[1] > 2 * m[0] && m[0] > 0.3 && m[1] < 60;
  const auto start = Clock::now();
  work<<<8, 128>>>(x, kLong);
  good &= since(start) < 3;
  cudaDeviceSynchronize();
  if (!good) for (const auto& m : ms) std::printf("%g %g ms\n", m[0], m[1]);
  return good;
}

static bool machine() {
  float* x = memory();
  const auto start = Clock::now();
  launch(x, kLong);
  return since(start) > 15;
}

/// Deadlines are met, though the machine's clock is far ahead of the program's.
static void waits() {
  launch(memory(), kLong);
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock<std::mutex> lock(mutex);
  const auto good = [](Clock::time_point t) { return since(t) > 49 && since(t) < 400; };
  auto start = Clock::now();
  std::this_thread::sleep_until(start + milliseconds(50));
  say("sleep_until", good(start));
  start = Clock::now();
  bool late = condition.wait_for(lock, milliseconds(50)) == std::cv_status::timeout;
  say("wait_for", late && good(start));
  start = Clock::now();
  late = !condition.wait_until(lock, std::chrono::system_clock::now() + milliseconds(50), [] { return false; });
  say("wait_until", late && good(start));
  std::promise<int> promise;
  start = Clock::now();
  late = promise.get_future().wait_for(milliseconds(50)) == std::future_status::timeout;
  say("future", late && good(start));
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 50000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  start = Clock::now();
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  say("clock_nanosleep", good(start));
  std::timed_mutex timed;
  std::thread([&] { timed.lock(); }).join();
  start = Clock::now();
  late = !timed.try_lock_for(milliseconds(50));
  say("mutex", late && good(start));
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 50000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  start = Clock::now();
  say("semaphore", sem_timedwait(&semaphore, &until) != 0 && good(start));
}

/// One thread gives a kernel 20 ms, which a GPU needs 3 of and we some hundred; nobody's clock goes back.
static void threads() {
  float* x = memory();
  launch(x, 1);
  std::mutex mutex;
  std::condition_variable condition;
  bool done = false, in_time = false, begun = false, forwards = true;
  std::thread other([&] {
    std::unique_lock<std::mutex> lock(mutex);
    begun = true;
    condition.notify_all();
    in_time = condition.wait_for(lock, milliseconds(20), [&] { return done; });
  });
  std::thread reader([&] {
    auto last = Clock::now();
    for (;;) {
      const auto now = Clock::now();
      forwards &= now >= last;
      last = now;
      const std::lock_guard<std::mutex> lock(mutex);
      if (done) break;
    }
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [&] { return begun; });
  }
  launch(x, kLong);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  condition.notify_all();
  other.join();
  reader.join();
  say("a thread that waits for a kernel", in_time);
  say("forwards", forwards);
}

static void spin(double ms) {
  const auto start = Clock::now();
  while (since(start) < ms) {
  }
}

static void events() {
  cudaEvent_t a, b;
  cudaEventCreate(&a), cudaEventCreate(&b);
  float ms = 0, first = 0;
  cudaEventRecord(a);
  spin(20);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
  say("host work", ms > 15 && ms < 200);
  float* x = memory();
  bool good = true;
  for (int round = 0; round < 3; ++round) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaEventRecord(a);
    work<<<8, 128, 0, stream>>>(x, 10000);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    if (round == 0) first = ms;
    good &= ms > 0.9f * first && ms < 1.1f * first;
    cudaStreamDestroy(stream);
  }
  say("destroyed streams", good);
  // Ten small kernels by themselves, and as a graph: a GPU starts these sooner one after the other.
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamCreate(&stream);
  float taken[2];
  for (int k = 0; k < 2; ++k) {
    if (k == 1) cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    if (k == 0) cudaEventRecord(a, stream);
    for (int i = 0; i < 10; ++i) work<<<8, 128, 0, stream>>>(x, 10);
    if (k == 1) {
      cudaStreamEndCapture(stream, &graph);
      cudaGraphInstantiate(&instance, graph, 0);
      cudaEventRecord(a, stream);
      cudaGraphLaunch(instance, stream);
    }
    cudaEventRecord(b, stream);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&taken[k], a, b);
  }
  say("graph", taken[1] < 0.8f * taken[0]);
}

/// What a stream calls is the program's own work.
static void host_function() {
  launch(memory(), kLong);
  const auto start = Clock::now();
  cudaLaunchHostFunc(nullptr, [](void*) { std::this_thread::sleep_for(milliseconds(30)); }, nullptr);
  cudaDeviceSynchronize();
  say("host function", since(start) > 29);
}

static void far_memory() {
  float *pinned, *managed;
  cudaHostAlloc(&pinned, 8 * 128 * sizeof(float), cudaHostAllocMapped);
  cudaMallocManaged(&managed, 8 * 128 * sizeof(float));
  cudaEvent_t a, b;
  float ms;
  cudaEventCreate(&a), cudaEventCreate(&b), cudaEventRecord(a);
  work<<<8, 128>>>(pinned, 1);
  work<<<8, 128>>>(managed, 1);
  cudaEventRecord(b), cudaEventSynchronize(b), cudaEventElapsedTime(&ms, a, b);
}

static bool memory_info() {
  size_t free_bytes, total;
  void* half;
  return cudaMemGetInfo(&free_bytes, &total) == cudaSuccess && free_bytes <= size_t{1} << 30 && total > size_t{100} << 30 &&
         cudaMalloc(&half, free_bytes / 2) == cudaSuccess;
}

int main(int, char** argv) {
  const char* what = argv[1];
  if (!std::strcmp(what, "order")) say("order", order());
  if (!std::strcmp(what, "machine")) say("machine", machine());
  if (!std::strcmp(what, "waits")) waits();
  if (!std::strcmp(what, "threads")) threads();
  if (!std::strcmp(what, "events")) events();
  if (!std::strcmp(what, "host_function")) host_function();
  if (!std::strcmp(what, "far")) far_memory();
  if (!std::strcmp(what, "memory")) say("memory", memory_info());
}
