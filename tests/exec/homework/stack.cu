// A thread's stack is as large as a GPU's: 1024 bytes, or what cudaDeviceSetLimit has asked for. On an H100 the same calls end
// with the same error; what ptxas has not been asked about is only warned of.
// long
// case: -- deep :: 5
// out: ^an illegal memory access was encountered\n$
// err: error: stack overflow: calls that have not returned take \d+ bytes of stack, of which a thread has 1024 in descend, block \(0,0,0\), thread \(0,0,0\)
// err: at \S*stack\.cu:@down(n - 1, x)@
// err: as cudaErrorIllegalAddress, which the program was told
// err: hint: cudaDeviceSetLimit\(cudaLimitStackSize, bytes\) before the launch gives threads more; a loop takes less
// case: -- shallow :: 0
// out: ^10\n$
// err: exit code 0\n(?!(.|\n)*stack)
// case: -- asked :: 0
// out: ^limit 100000\n500500\n$
// err: exit code 0\n(?!(.|\n)*stack)
// case: -- behind_large :: 0
// out: ^1830\n$
// err: exit code 0\n(?!(.|\n)*stack)
// case: -- limits :: 0
// out: ^1024\n1 invalid argument: 1024\n0 no error: 32\nreset: 1024\n$
// case: --nvcc -rdc=true -- deep :: 0
// out: ^1830\n$
// err: warning: stack: descend: calls that have not returned take about \d+ bytes of stack, by the PTX's variables alone; a thread of a GPU has 1024 here, and the launch may end with cudaErrorIllegalAddress: cudaDeviceSetLimit\(cudaLimitStackSize, bytes\) gives more
#include <cstdio>
#include <cstring>

__device__ __noinline__ int down(int n, int* x) {
  int own[8];
  for (int i = 0; i < 8; ++i) own[i] = n * i + x[i];
  const int below = n > 1 ? down(n - 1, x) : 0;
  return below + n + own[(n + below) & 7] - n * ((n + below) & 7);
}
__global__ void descend(int* x, int n) { x[8 + threadIdx.x] = down(n, x); }

__global__ void large(int* x, int n) {
  int own[2000];
  for (int i = 0; i < n; ++i) own[i] = x[i & 7];
  x[8] = own[n * 7 % 2000];
}

static int* x;

static int sum_of(int n) {
  int sum = 0;
  descend<<<1, 32>>>(x, n);
  const cudaError_t error = cudaMemcpy(&sum, x + 8, sizeof sum, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) std::puts(cudaGetErrorString(error));
  else std::printf("%d\n", sum);
  return error == cudaSuccess ? 0 : 5;
}

static std::size_t limit() {
  std::size_t bytes = 0;
  cudaDeviceGetLimit(&bytes, cudaLimitStackSize);
  return bytes;
}

static void set(std::size_t bytes) {
  const cudaError_t error = cudaDeviceSetLimit(cudaLimitStackSize, bytes);
  std::printf("%d %s: %zu\n", error, cudaGetErrorString(error), limit());
}

int main(int, char** argv) {
  const auto is = [&](const char* word) { return std::strcmp(argv[1], word) == 0; };
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 4096);
  if (is("deep")) return sum_of(60);
  if (is("shallow")) return sum_of(4);
  if (is("asked")) {
    cudaDeviceSetLimit(cudaLimitStackSize, 100000);
    std::printf("limit %zu\n", limit());
    return sum_of(1000);
  }
  if (is("behind_large")) {  // a GPU keeps the room that a kernel before has needed
    large<<<1, 1>>>(x, 8);
    cudaMemset(x, 0, 4096);
    return sum_of(60);
  }
  std::printf("%zu\n", limit());
  set(std::size_t{1} << 30);
  set(17);
  cudaDeviceReset();
  std::printf("reset: %zu\n", limit());
}
