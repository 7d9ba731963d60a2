// Mistakes whose remedy is not the usual one: each has its sentence.
// long
// case: -- barrier_of_the_grid :: 4
// err: error: step never ends: .* wait at .*, and no thread of the launch will change what they wait for; 136 of 400 blocks cannot start while 264 wait
// err: hint: a barrier of the whole grid needs all its blocks on the GPU at once: launch at most 264 of this kind, each working on several pieces, or use cudaLaunchCooperativeKernel and grid\.sync\(\), which refuse more
// case: -- one_waits :: 4
// err: error: waits never ends: 32 threads wait at \S*remedies.cu:\d+, and no thread of the launch will change what they wait for
// err: hint: a lock has to be given back on every way out \(return, break, continue\), and a flag be set by a thread that does not wait itself modelled
// case: -- waits_in_a_stream :: 4
// err: hint: a lock has to be given back .*; nobody is left to write what it polls: all threads of the program wait for it, or have ended modelled
// case: -- heap :: 4
// err: error: out-of-bounds store of 4 bytes at the null address 0x14 in scratch
// err: hint: malloc or new in a kernel gave null, for the device's heap of 8388608 bytes was used up: check what they give, and have more by cudaDeviceSetLimit\(cudaLimitMallocHeapSize, bytes\) before the first launch
// case: -- null :: 4
// err: hint: is the pointer argument set\?
// case: -- trap :: 4
// err: error: trap instruction in traps, block
// case: -- unprinted :: 0
// out: ^$
// err: warning: api: 3 lines that kernels printed are never shown: the program ends without waiting for them; call cudaDeviceSynchronize\(\) behind speaks, launched at remedies\.cu:\d+
// case: -- printed :: 0
// out: ^0\n1\n2\ncudaSuccess\n$
// err: exit code 0\n\n
// case: -- text_of_the_host :: 4
// out: ^cudaErrorIllegalAddress\n$
// err: error: out-of-bounds load of 1 byte at 0x\w+, which is host memory \(global variables and constants of the host's program\) in says, block
// case: -- no_text :: 0
// out: ^\(null\)\ncudaSuccess\n$
// case: -- prints_too_much :: 0
// err: warning: api: shouts prints more than printf's buffer holds, by \d+ bytes: on a GPU the first lines are lost; wait for the kernel more often, or have more by cudaDeviceSetLimit\(cudaLimitPrintfFifoSize, bytes\) \(called by remedies\.cu:\d+\)
// case: -- host_writes :: 139
// err: error: the host read or wrote 'cudaMalloc #1', which is memory of the device: copy it with cudaMemcpy first \(at remedies\.cu:\d+\)
// case: -- frees :: 139
// err: error: free\(\) or delete was given 'cudaMalloc #1', which malloc did not give: give it back by cudaFree \(at remedies\.cu:\d+\)
// case: -- frees_pinned :: 139
// err: error: free\(\) or delete was given 'cudaHostAlloc #1', which malloc did not give: give it back by cudaFreeHost \(at remedies\.cu:\d+\)
// case: -- library_writes :: 139
// err: error: the host read or wrote 'cudaMalloc #1', which is memory of the device: copy it with cudaMemcpy first \(at remedies\.cu:\d+\)
// case: -- divides :: 136
// err: error: the host divided an integer by 0, or the least one by -1 \(at remedies\.cu:\d+\)
// case: --sanitize racecheck -- wide :: 1
// err: racecheck: half_waits: race in shared memory: .*:@s[threadIdx.x] = @ write by block \(0,0,0\), thread \(1,0,0\), s\[1\] .*:@double2 last@ read by block \(0,0,0\), thread \(32,0,0\), s\[1\]
// case: --sanitize initcheck -- some :: 1
// err: initcheck: adds: global memory is read before anything was written there; initialise it first; cudaMemcpy brought 64 of its 256 bytes \(called by remedies.cu:@brings a quarter@\): sizes are in bytes
// case: -- captures :: 1
// err: \(called by remedies.cu:@while it captures@; cudaErrorStreamCaptureImplicit, which the program did not look at\); queue it in the stream that captures
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ unsigned arrived = 0;

__global__ void __launch_bounds__(1024) step(int* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < gridDim.x) {
    }
  }
  __syncthreads();
}
__global__ void waits(volatile int* x) {
  while (*x == 0) {
  }
}
__global__ void scratch(int* out) {
  int* mine = static_cast<int*>(malloc(1 << 20));
  mine[5] = threadIdx.x;
  out[threadIdx.x] = mine[5];
  free(mine);
}
__global__ void says(const char* text) { printf("%s\n", text); }

__global__ void speaks(int n) {
  for (int i = 0; i < n; ++i) printf("%d\n", i);
}
__global__ void shouts() {
  for (int i = 0; i < 4; ++i) printf("%s\n", "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789");
}
__global__ void traps() { asm("trap;"); }

// The compiler loads two elements at once: the race is for the second one.
__global__ void half_waits(double* out) {
  __shared__ alignas(16) double s[2];
  if (threadIdx.x < 2) s[threadIdx.x] = 1 + threadIdx.x;
  if (threadIdx.x == 0) s[0] = 1;
  const double2 last = *reinterpret_cast<const double2*>(s);
  if (threadIdx.x == 32) out[0] = last.y;
}

__global__ void adds(int* x) { x[threadIdx.x] += 1; }

void some() {
  int *x, host[64] = {};
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, 64, cudaMemcpyHostToDevice);  // brings a quarter
  adds<<<1, 64>>>(x);
  cudaFree(x);
}
void captures(int* x) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemcpy(x, x + 1, 4, cudaMemcpyDeviceToDevice);  // while it captures
  (void)cudaStreamEndCapture(stream, &graph);
  cudaStreamDestroy(stream);
}

void frees_pinned() {
  int* p = nullptr;
  cudaMallocHost(&p, 4096);
  delete p;
}

int main(int, char** argv) {
  const auto is = [&](const char* word) { return std::strcmp(argv[1], word) == 0; };
  int* x = nullptr;
  cudaMalloc(&x, 400 * 1024 * sizeof(int));
  cudaMemset(x, 0, 4096);
  if (is("barrier_of_the_grid")) step<<<400, 1024>>>(x);
  if (is("one_waits")) waits<<<1, 32>>>(x);
  if (is("waits_in_a_stream")) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    waits<<<1, 32, 0, stream>>>(x);
    (void)cudaStreamSynchronize(stream);
  }
  if (is("heap")) scratch<<<1, 64>>>(x);
  if (is("null")) waits<<<1, 32>>>(nullptr);
  if (is("unprinted")) return speaks<<<1, 1>>>(3), 0;
  if (is("printed")) speaks<<<1, 1>>>(3);
  if (is("text_of_the_host")) says<<<1, 1>>>("of the host");
  if (is("no_text")) says<<<1, 1>>>(nullptr);
  if (is("prints_too_much")) shouts<<<16, 256>>>();
  if (is("host_writes")) *x = 1;
  if (is("frees")) std::free(x);
  if (is("frees_pinned")) frees_pinned();
  if (is("library_writes")) std::memset(x, argv[1][0], 4096 + argv[1][1]);
  if (is("wide")) half_waits<<<1, 64>>>(reinterpret_cast<double*>(x));
  if (is("some")) some();
  if (is("captures")) captures(x);
  if (is("divides")) std::printf("%d\n", 7 / (argv[1][0] - 'd'));
  if (is("trap")) traps<<<1, 1>>>();
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(x);
}
