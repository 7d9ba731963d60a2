// Programs for which each thread has a default stream of its own (streamcheck).
// long
// build: --default-stream per-thread
//
// case: --sanitize streamcheck -- right :: 0
// case: --sanitize streamcheck -- wrong :: 1
// err: fill\(int\*\) \(launch 2\) in a thread's own default stream writes 128 bytes of 'cudaMalloc #1' that fill\(int\*\) \(launch 1\) in a thread's own default stream may still be writing, .* \(called by own_streams.cu:@in its own@;
#include <cstring>
#include <thread>

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main(int, char** arguments) {
  int* x;
  cudaMalloc(&x, 256);
  const bool right = std::strcmp(arguments[1], "right") == 0;
  std::thread([&] {
    fill<<<1, 32>>>(x);
    if (right) cudaStreamSynchronize(nullptr);
  }).join();
  fill<<<1, 32>>>(x);  // in its own
  cudaDeviceSynchronize();
  cudaFree(x);
}
