// Kernels and the kernels that they launch (streamcheck): a child runs beside its parent, which cannot wait for it.
// build: -rdc=true -arch=sm_90 -lcudadevrt
//
// case: --sanitize all -- right :: 0
// out: ^no error$
// case: --sanitize streamcheck -- wrong :: 1
// out: ^no error$
// err: streamcheck: child: writes what early, which launched it, reads at \S*child_order.cu:@reads it at once@, and a kernel cannot wait for those that it launches; read that in a kernel that is launched behind this one, into cudaStreamTailLaunch or by the host \(32 times\) \S*child_order.cu:@void child@ write by
// err: child: writes what behind_barrier, which launched it, reads at \S*child_order.cu:@no barrier waits for it@, and
// err: reader: reads what refills, which launched it, writes at \S*child_order.cu:@is still reading@, and a kernel cannot wait for those that it launches; write that in
// err: streamcheck: add\(int const\*, int\*\) \(launch \d+\) in stream #2 reads 128 bytes of '[^']*' that all_of_it\(int\*\) \(launch \d+\) in stream #1 may still be writing
// case: -- local :: 4
// err: error: out-of-bounds load of 4 bytes at byte 0 of local memory, of which the thread has 0 in reader, block
// err: hint: the pointer is to a local variable of another thread \(a parent's\), which nobody else can use: hand over the value, or a pointer to global memory
#include <cstdio>
#include <cstring>

__global__ void child(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void reader(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void add(const int* x, int* y) { y[threadIdx.x] += x[threadIdx.x]; }

__global__ void early(int* x, int* y) {
  if (threadIdx.x == 0) {
    child<<<1, 32>>>(x);
    for (int i = 0; i < 32; ++i) y[0] += x[i];  // reads it at once
  }
}
__global__ void behind_barrier(int* x, int* y) {
  if (threadIdx.x == 0) child<<<1, 32>>>(x);
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];  // no barrier waits for it
}
__global__ void refills(int* x, int* y) {
  if (threadIdx.x == 0) {
    reader<<<1, 32>>>(x, y);
    x[5] = 7;  // is still reading
  }
}
__global__ void gives_its_own(int* y) {
  int own = threadIdx.x;
  int* volatile to_it = &own;
  reader<<<1, 1>>>(to_it, y);
}
__global__ void all_of_it(int* x) {
  if (threadIdx.x == 0) child<<<1, 32>>>(x);
}

/// Made before the launch, read behind it; what the child has is left alone.
__global__ void in_order(int* x, int* y) {
  x[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    reader<<<1, 32>>>(x, y);
    child<<<1, 32, 0, cudaStreamTailLaunch>>>(x);
  }
  __syncthreads();
  y[32 + threadIdx.x] = x[threadIdx.x];
}

int main(int, char** arguments) {
  int *x, *y;
  cudaStream_t s, t;
  cudaStreamCreate(&s), cudaStreamCreate(&t);
  cudaMalloc(&x, 256), cudaMalloc(&y, 256);
  cudaMemset(x, 0, 256), cudaMemset(y, 0, 256);
  if (std::strcmp(arguments[1], "local") == 0) {
    gives_its_own<<<1, 1>>>(y);
  } else if (std::strcmp(arguments[1], "right") == 0) {
    in_order<<<1, 32>>>(x, y);
    all_of_it<<<1, 32, 0, s>>>(x);
    cudaStreamSynchronize(s);
    add<<<1, 32, 0, t>>>(x, y);
  } else {
    early<<<1, 32>>>(x, y);
    behind_barrier<<<1, 32>>>(x, y);
    refills<<<1, 32>>>(x, y);
    all_of_it<<<1, 32, 0, s>>>(x);
    add<<<1, 32, 0, t>>>(x, y);
  }
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(x), cudaFree(y);
}
