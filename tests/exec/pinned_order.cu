// When the host may touch pinned memory that copies and kernels have (streamcheck): right and wrong programs.
//
// long
// case: --sanitize all -- right :: 0
// out: ^600 3 3 1 5 7 3 9 2$
// case: --sanitize streamcheck -- wrong :: 1
// out: ^wrong ones ran$
// err: error: streamcheck: the host reads 'cudaHostAlloc #\d+' where cudaMemcpyAsync in stream #\d+ may still be writing, and has not waited for it: call cudaStreamSynchronize on stream #\d+ between the two \(called by pinned_order.cu:@reads what comes@; cudaMemcpyAsync by pinned_order.cu:@copies it home@\)
// err: the host writes 'cudaHostAlloc #\d+' where cudaMemcpyAsync in stream #\d+ may still be reading, [^;]* \(called by pinned_order.cu:@writes what goes@; cudaMemcpyAsync by
// err: the host writes [^;]* \(called by pinned_order.cu:@by memset@; cudaMemcpyAsync by
// err: the host reads [^;]* \(called by pinned_order.cu:@by a system call@; cudaMemcpyAsync by
// err: the host reads [^;]* where fill\(int\*, int\) \(launch \d+\) in the default stream may still be writing, [^;]* between the two \(called by pinned_order.cu:@what a kernel writes@; fill\(int\*, int\) by
// err: the host reads [^;]* \(called by pinned_order.cu:@of another stream's@; cudaMemcpyAsync by
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

constexpr int kCount = 1024, kBytes = kCount * 4, kHalf = kBytes / 2;

__global__ void fill(int* x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void answer(int* x, volatile int* flag) {
  x[threadIdx.x] = 9;
  __threadfence_system();
  if (threadIdx.x == 0) *flag = 1;
}

struct Case {
  int *x, *pinned;
  cudaStream_t s, t;
  Case() {
    cudaMalloc(&x, kBytes);
    cudaMallocHost(&pinned, 2 * kBytes);
    std::memset(pinned, 0, 2 * kBytes);
    cudaStreamCreate(&s), cudaStreamCreate(&t);
    fill<<<4, 256, 0, s>>>(x, 3);
    cudaDeviceSynchronize();
  }
  ~Case() {
    cudaDeviceSynchronize();
    cudaFree(x), cudaFreeHost(pinned), cudaStreamDestroy(s), cudaStreamDestroy(t);
  }
};
using Cases = std::vector<std::function<int(const Case&)>>;

const int null_file = open("/dev/null", O_WRONLY);

const Cases right = {
    [](const Case& c) {  // other bytes of its pages, step by step
      cudaMemcpyAsync(c.pinned, c.x, kHalf, cudaMemcpyDeviceToHost, c.s);
      for (int i = kCount / 2; i < kCount; ++i) c.pinned[i] = i;
      return c.pinned[600];
    },
    [](const Case& c) {
      cudaMemcpyAsync(c.pinned, c.x, kBytes, cudaMemcpyDeviceToHost, c.s);
      cudaStreamSynchronize(c.s);
      return c.pinned[0];
    },
    [](const Case& c) {  // other bytes by system calls and another thread
      cudaMemcpyAsync(c.pinned, c.x, kHalf, cudaMemcpyDeviceToHost, c.s);
      write(null_file, c.pinned + kCount / 2, kHalf);
      std::thread([&] { std::memset(c.pinned + kCount / 2, 1, kHalf); }).join();
      while (cudaStreamQuery(c.s) != cudaSuccess) {
      }
      return write(null_file, c.pinned, kBytes) == kBytes ? c.pinned[0] : -1;
    },
    [](const Case& c) {  // what is read may be read
      c.pinned[3] = 1;
      cudaMemcpyAsync(c.x, c.pinned, kBytes, cudaMemcpyHostToDevice, c.s);
      return c.pinned[3];
    },
    [](const Case& c) {  // from pageable memory, which may be used again at once
      std::vector<int> own(kCount, 5);
      cudaMemcpyAsync(c.x, own.data(), kBytes, cudaMemcpyHostToDevice, c.s);
      own.assign(kCount, 0);
      cudaMemcpy(c.pinned, c.x, kBytes, cudaMemcpyDeviceToHost);
      return c.pinned[0];
    },
    [](const Case& c) {  // a host function in its turn
      cudaMemcpyAsync(c.pinned, c.x, kBytes, cudaMemcpyDeviceToHost, c.s);
      cudaLaunchHostFunc(
          c.s, [](void* x) { *static_cast<int*>(x) += 4; }, c.pinned);
      cudaStreamSynchronize(c.s);
      return c.pinned[0];
    },
    [](const Case& c) {  // which tells the host that it has been there
      static volatile int flag;
      flag = 0;
      cudaMemcpyAsync(c.pinned, c.x, kBytes, cudaMemcpyDeviceToHost, c.s);
      cudaLaunchHostFunc(c.s, [](void*) { flag = 1; }, nullptr);
      while (flag == 0) {}
      return c.pinned[0];
    },
    [](const Case& c) {  // a flag
      volatile int* flag = c.pinned + kCount;
      answer<<<1, 32, 0, c.s>>>(c.pinned, c.pinned + kCount);
      while (*flag == 0) {
      }
      return c.pinned[0];
    },
    [](const Case& c) {
      fill<<<4, 256>>>(c.pinned, 2);
      cudaDeviceSynchronize();
      return c.pinned[0];
    },
};

const Cases wrong = {
    [](const Case& c) {
      cudaMemcpyAsync(c.pinned, c.x, kBytes, cudaMemcpyDeviceToHost, c.s);  // copies it home
      return c.pinned[0];                                                   // reads what comes
    },
    [](const Case& c) {
      cudaMemcpyAsync(c.x, c.pinned, kBytes, cudaMemcpyHostToDevice, c.s);
      c.pinned[7] = 1;  // writes what goes
      return 0;
    },
    [](const Case& c) {
      cudaMemcpyAsync(c.x, c.pinned, kBytes, cudaMemcpyHostToDevice, c.s);
      std::memset(c.pinned, 7, kBytes);  // by memset
      return 0;
    },
    [](const Case& c) {
      cudaMemcpyAsync(c.pinned, c.x, kBytes, cudaMemcpyDeviceToHost, c.s);
      return static_cast<int>(write(null_file, c.pinned, 8));  // by a system call
    },
    [](const Case& c) {
      fill<<<4, 256>>>(c.pinned, 2);
      return c.pinned[0];  // what a kernel writes
    },
    [](const Case& c) {
      cudaMemcpyAsync(c.pinned, c.x, kBytes, cudaMemcpyDeviceToHost, c.s);
      cudaLaunchHostFunc(
          c.t, [](void* x) { *static_cast<int*>(x) += 4; }, c.pinned);  // of another stream's
      return 0;
    },
};

int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "right") == 0) {
    for (std::size_t i = 0; i < right.size(); ++i) std::printf(i == 0 ? "%d" : " %d", right[i](Case()));
    std::printf("\n");
  } else {
    for (const auto& one : wrong) one(Case());
    std::printf("wrong ones ran\n");
  }
}
