// Kernels that wait for what the host, or another stream, does while they run.
// case: -- flag :: 0
// out: ^query: device not ready\nevent: device not ready\nbehind: 7, then 8, copy 5\nquery: no error\n$
// err: note: waits polls what others write while it runs: it ran beside the host, and its counters and its time differ from run to run
// err: it polls what others write while it runs, and ends when they do
// case: --sanitize all -- flag :: 0
// out: behind: 7, then 8, copy 5
// case: -- mailbox :: 0
// out: ^1 squared is 1\n2 squared is 4\n3 squared is 9\nstopped\n$
// case: -- managed :: 0
// out: ^managed: 42\n$
// case: -- streams :: 0
// out: ^by a copy\nby a kernel\nby a fill\n$
// case: -- counted :: 0
// out: ^gave up: no\n$
// case: -- thread :: 0
// out: ^written by a thread\n$
// case: -- forked :: 0
// out: ^child ended: yes\ndone\n$
// case: -- in_vain :: 4
// out: ^wait: the launch timed out and was terminated\n$
// err: error: waits never ends: 1 thread waits at \S*polling\.cu:@while (\*flag == 0) {} // waits@, and no thread of the launch will change what they wait for
// err: hint: a lock has to be given back on every way out .*; nobody is left to write what it polls: all threads of the program wait for it, or have ended
// case: -- left_behind :: 4
// err: error: waits never ends
// case: -- fault :: 4
// out: ^wait: an illegal memory access was encountered\n$
// err: error: out-of-bounds store of 4 bytes
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

__global__ void waits(volatile int* flag, int* out, int value) {
  while (*flag == 0) {} // waits
  *out = value;
}
__global__ void adds(int* out) { *out += 1; }
__global__ void answers(volatile int* question, volatile int* answer) {
  for (int last = 0;;) {
    int asked;
    while ((asked = *question) == last) {}
    if (asked < 0) return;
    *answer = asked * asked;
    __threadfence_system();
    answer[1] = last = asked;
  }
}
__global__ void sets(volatile int* flag) { *flag = 1; }
__global__ void counts(volatile int* flag, int* gave_up) {
  unsigned long long looks = 0;
  while (*flag == 0 && ++looks < 1ull << 60) {}
  *gave_up = looks >= 1ull << 60;
}
__global__ void goes_wrong(volatile int* flag, int* out) {
  while (*flag == 0) {}
  out[100] = 1;
}

static int* pinned(int count) {
  int* p;
  cudaHostAlloc(&p, count * sizeof(int), cudaHostAllocMapped);
  std::memset(p, 0, count * sizeof(int));
  return p;
}
static const char* name(cudaError_t e) { return cudaGetErrorString(e); }

static void flag() {
  int *p = pinned(1), *out, result = 0, copied = 0, *in;
  cudaStream_t stream;
  cudaEvent_t event;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaMalloc(&out, 4);
  cudaMalloc(&in, 4);
  waits<<<1, 1, 0, stream>>>(p, out, 7);
  cudaMemcpyAsync(&result, out, 4, cudaMemcpyDeviceToHost, stream);
  adds<<<1, 1, 0, stream>>>(out);
  int five = 5;
  cudaMemcpyAsync(in, &five, 4, cudaMemcpyHostToDevice, stream);
  five = 6;
  cudaEventRecord(event, stream);
  std::printf("query: %s\n", name(cudaStreamQuery(stream)));
  std::printf("event: %s\n", name(cudaEventQuery(event)));
  *static_cast<volatile int*>(p) = 1;
  cudaEventSynchronize(event);
  int then = 0;
  cudaMemcpy(&then, out, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&copied, in, 4, cudaMemcpyDeviceToHost);
  std::printf("behind: %d, then %d, copy %d\nquery: %s\n", result, then, copied, name(cudaStreamQuery(stream)));
  cudaStreamDestroy(stream);
  cudaEventDestroy(event);
  cudaFree(out);
  cudaFree(in);
  cudaFreeHost(p);
}

static void mailbox() {
  volatile int* p = pinned(3);
  answers<<<1, 1>>>(p, p + 1);
  for (int i = 1; i <= 3; ++i) {
    *p = i;
    while (p[2] != i) std::this_thread::yield();
    std::printf("%d squared is %d\n", i, p[1]);
  }
  *p = -1;
  cudaDeviceSynchronize();
  std::printf("stopped\n");
  cudaFreeHost(const_cast<int*>(p));
}

static void managed() {
  int* m;
  cudaMallocManaged(&m, 8);
  m[0] = m[1] = 0;
  waits<<<1, 1>>>(m, m + 1, 42);
  static_cast<volatile int*>(m)[0] = 1;
  cudaDeviceSynchronize();
  std::printf("managed: %d\n", m[1]);
  cudaFree(m);
}

static void streams() {
  int *flags, *out;
  cudaMalloc(&flags, 12);
  cudaMalloc(&out, 4);
  cudaMemset(flags, 0, 12);
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  waits<<<1, 1, 0, one>>>(flags, out, 1);
  const int yes = 1;
  cudaMemcpyAsync(flags, &yes, 4, cudaMemcpyHostToDevice, other);
  std::printf(cudaStreamSynchronize(one) == cudaSuccess ? "by a copy\n" : "WRONG\n");
  waits<<<1, 1, 0, one>>>(flags + 1, out, 1);
  sets<<<1, 1, 0, other>>>(flags + 1);
  std::printf(cudaStreamSynchronize(one) == cudaSuccess ? "by a kernel\n" : "WRONG\n");
  waits<<<1, 1, 0, one>>>(flags + 2, out, 1);
  cudaMemsetAsync(flags + 2, 1, 4, other);
  std::printf(cudaDeviceSynchronize() == cudaSuccess ? "by a fill\n" : "WRONG\n");
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
  cudaFree(flags);
  cudaFree(out);
}

static void counted() {
  volatile int* p = pinned(2);
  counts<<<1, 1>>>(p, const_cast<int*>(p + 1));
  *p = 1;
  cudaDeviceSynchronize();
  std::printf("gave up: %s\n", p[1] ? "yes" : "no");
  cudaFreeHost(const_cast<int*>(p));
}

/// A thread that calls nothing of CUDA's writes the flag while all others wait.
static void thread() {
  volatile int* p = pinned(2);
  waits<<<1, 1>>>(p, const_cast<int*>(p + 1), 1);
  std::thread writer([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    *p = 1;
  });
  const bool good = cudaDeviceSynchronize() == cudaSuccess && p[1] == 1;
  writer.join();
  std::printf(good ? "written by a thread\n" : "WRONG\n");
  cudaFreeHost(const_cast<int*>(p));
}

/// A child of the program ends by exit() while a kernel of its parent polls.
static void forked() {
  volatile int* p = pinned(2);
  waits<<<1, 1>>>(p, const_cast<int*>(p + 1), 1);
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int status = 1;
  std::printf("child ended: %s\n", waitpid(child, &status, 0) == child && status == 0 ? "yes" : "no");
  *p = 1;
  std::printf(cudaDeviceSynchronize() == cudaSuccess ? "done\n" : "WRONG\n");
  cudaFreeHost(const_cast<int*>(p));
}

static void in_vain(bool waits_for_it) {
  int* p = pinned(2);
  waits<<<1, 1>>>(p, p + 1, 1);
  if (waits_for_it) std::printf("wait: %s\n", name(cudaDeviceSynchronize()));
}

static void fault() {
  int* p = pinned(1);
  int* out;
  cudaMalloc(&out, 40);
  goes_wrong<<<1, 1>>>(p, out);
  *static_cast<volatile int*>(p) = 1;
  std::printf("wait: %s\n", name(cudaDeviceSynchronize()));
}

int main(int, char** argv) {
  const auto is = [&](const char* what) { return std::strcmp(argv[1], what) == 0; };
  if (is("flag")) flag();
  if (is("mailbox")) mailbox();
  if (is("managed")) managed();
  if (is("streams")) streams();
  if (is("counted")) counted();
  if (is("thread")) thread();
  if (is("forked")) forked();
  if (is("in_vain")) in_vain(true);
  if (is("left_behind")) in_vain(false);
  if (is("fault")) fault();
}
