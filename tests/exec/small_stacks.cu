// Threads with the smallest stack that there is, 16 KiB: what our libraries have thread-local lies in it, too.
// long
// case: :: 0
// out: ^64 threads: 2080\nlast: 64\n$
#include <pthread.h>

#include <climits>
#include <cstdio>

__global__ void set(int* x, int value) { *x = value; }

static void* add(void* number) {
  static int sum = 0;  // one thread after the other
  return reinterpret_cast<void*>(static_cast<long>(sum += *static_cast<int*>(number)));
}

int main() {
  int *x, last = 0;
  long sum = 0;
  cudaMalloc(&x, sizeof *x);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
  for (int i = 1; i <= 64; ++i) {
    pthread_t thread;
    void* result;
    if (const int error = pthread_create(&thread, &small, add, &i); error != 0) {
      std::printf("no thread: %d\n", error);
      return 1;
    }
    pthread_join(thread, &result);
    sum = reinterpret_cast<long>(result);
    set<<<1, 1>>>(x, i);
  }
  cudaMemcpy(&last, x, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("64 threads: %ld\nlast: %d\n", sum, last);
}
