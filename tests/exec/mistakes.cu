// Mistakes of host code and of kernels: what the program is told, and what the report says.
// case: -- beyond :: 4
// out: ^launched: no error\n$
// err: error: out-of-bounds store of 4 bytes at 0x[0-9a-f]+, byte 400 of 'cudaMalloc #1', which has 400 bytes in
// err: mistakes\.cu:\d+
// err: launch 1 of the program, fill\(int\*, int\) with grid 1 and block 128, called by mistakes\.cu:\d+
// err: cudaErrorIllegalAddress; the program did not look
// case: -- beyond look :: 5
// out: ^launched: no error\nan illegal memory access was encountered\nno error\nstays: an illegal memory access was encountered\n$
// err: cudaErrorIllegalAddress, which the program was told
// case: --explain -- beyond look :: 5
// err: fill +1 +1 +128 +- +-
// err: fill: not explained, because its launch failed, and of such a launch nothing is counted
// case: -- shape :: 5
// out: ^launched: invalid argument\nno error\nno error\nstays: no error\n$
// err: error: a launch that cannot be: a block of 2048 threads; 1024 are the most; the kernel did not run
// err: which the program was told
// case: -- unseen :: 4
// out: ^done\n$
// err: error: a launch that cannot be: a block of 2048 threads; 1024 are the most; the kernel did not run
// err: cudaErrorInvalid\w+; the program did not look: cudaGetLastError was not called behind it
// case: -- shared :: 5
// out: ^launched: invalid argument\n
// err: 100000 bytes of shared memory; 49152 are the most, unless cudaFuncSetAttribute allows more
// case: -- assert look :: 5
// out: device-side assert triggered
// err: assertion 'x < 3' failed
// case: --budget 100000 -- forever look :: 4
// out: the launch timed out and was terminated
// err: did not end within 100000 warp instructions
// case: --sanitize racecheck --budget 100000 -- forever look :: 4
// err: hint: look for a loop that cannot end, or waits for a lock that nobody releases; or raise --budget; what --sanitize looks up counts, too: fewer tools or a smaller problem take less
// case: --budget 100000 -- waits_for_host :: 4
// out: the launch timed out and was terminated
// err: hint: .*; what the host writes while a kernel runs is seen by volatile reads and atomics alone
// case: -- free_twice :: 1
// err: error: api: cudaFree: 'cudaMalloc #1' has been freed already, at mistakes\.cu:\d+ \(called by mistakes\.cu:\d+
// case: -- too_long :: 1
// err: error: api: cudaMemcpy: 404 bytes, but the source, 'cudaMalloc #1', has 400 from there on
// case: -- direction :: 1
// err: error: api: cudaMemcpy: the destination is not memory of the device
// case: -- device_to_device :: 0
// out: no error
// err: warning: api: cudaMemcpy: the source is 'cudaMalloc #1', memory of the device; the kind of copy says the host's
// case: -- host_pointer :: 1
// err: error: api: cudaMemcpy: the source is not memory of the device
// case: -- after_free :: 1
// err: error: api: cudaMemcpy: the source lies in 'cudaMalloc #1', which has been freed
// case: -- host_reads :: 139
// err: error: the host read or wrote 'cudaMalloc #1', which is memory of the device: copy it with cudaMemcpy first
// err: ended by signal 11
// case: -- leak :: 0
// err: note: never freed: cudaMalloc #1 \(400 bytes\)
// case: -- mipmaps :: 3
// out: ^before\n$
// err: error: unsupported: cudaMallocMipmappedArray, called by mistakes\.cu:\d+
// case: -- race :: 0
// case: --sanitize racecheck -- race :: 1
// err: error: racecheck: .*race
// case: --sanitize memcheck -- beyond :: 4
// err: ^gpulab: mistakes on a simulated h200: exit code 0\nerror: out-of-bounds store .*(\n .*)*\n\n
// case: --sanitize memcheck -- leak :: 0
// err: warning: leakcheck: cudaMalloc #1, 400 bytes, is never freed \(called by mistakes\.cu:\d+\)
// case: -- kernel_after_free :: 4
// err: 'cudaMalloc #1' has been freed
// err: hint: 'cudaMalloc #1' was allocated at mistakes\.cu:\d+ and freed at mistakes\.cu:\d+
// case: --sanitize racecheck -- unordered :: 1
// out: ^3\n7\n$
// err: error: racecheck: the host reads 'cudaMallocManaged #1', which launch 1, fill\(int\*, int\), has changed, without waiting for it: call cudaDeviceSynchronize\(\) between them \(called by mistakes\.cu:\d+\)
// case: -- registers :: 5
// out: ^too many resources requested for launch\nno error\n$
// err: a launch that cannot be: a block of 1024 threads with \d+ registers each: an SM has fewer; __launch_bounds__\(1024\) lets the compiler spare them
// case: -- launch_bounds :: 5
// out: ^invalid argument\nno error\n$
// err: a launch that cannot be: a block of 128 threads; its __launch_bounds__ says 64
// case: -- reset :: 4
// out: ^an illegal memory access was encountered\nno error\nno error, 1 device\nno error\nCUDA-capable device\(s\) is/are busy or unavailable\nCUDA-capable device\(s\) is/are busy or unavailable\n$
// err: cudaDeviceReset does not bring a GPU back behind a fault: calls fail with cudaErrorDevicesUnavailable until
// case: -- device :: 5
// out: invalid device ordinal
// case: -- prints :: 0
// out: ^host\nkernel 7\ndone\n$
#include <cassert>
#include <cstdio>
#include <cstring>

__global__ void __launch_bounds__(64) small(int*) {}

__global__ void fill(int* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] = i;
}
__global__ void asserts(int x) { assert(x < 3); }
__global__ void forever(volatile int* x) {
  int n = 0;
  while (*x == 0) ++n;
  *x = n;
}
__global__ void races(int* x) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  x[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void speaks() { printf("kernel %d\n", 7); }

__global__ void heavy(int* x) {
  int v[100];
#pragma unroll
  for (int i = 0; i < 100; ++i) v[i] = x[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 100; ++i) x[99 - i] = v[i] + v[(i + 7) % 100];
}

static int launched() {
  std::printf("launched: %s\n", cudaGetErrorString(cudaPeekAtLastError()));
  cudaGetLastError();
  return 0;
}

static int look() {
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaGetLastError();
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("stays: %s\n", cudaGetErrorString(cudaFree(nullptr)));
  return 5;
}

static int tell(cudaError_t error, int code = 0) {
  std::printf("%s\n", cudaGetErrorString(error));
  return code;
}

int main(int argc, char** argv) {
  const auto is = [&](const char* word) { return argc > 1 && std::strcmp(argv[1], word) == 0; };
  int *x = nullptr, host[200] = {};
  if (is("mipmaps")) {
    cudaMipmappedArray_t array;
    const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    std::puts("before");
    return tell(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(4, 4, 0), 2));
  }
  if (is("waits_for_host")) {
    cudaMallocHost(&x, 4);
    forever<<<1, 1>>>(x);
    *x = 1;
    return tell(cudaDeviceSynchronize());
  }
  if (is("launch_bounds")) {
    small<<<1, 128>>>(x);
    tell(cudaGetLastError());
    small<<<1, 64>>>(x);
    return tell(cudaDeviceSynchronize(), 5);
  }
  if (is("reset")) {
    fill<<<1, 32>>>(nullptr, 32);
    tell(cudaDeviceSynchronize());
    tell(cudaSetDevice(0));
    int count = 0;
    const cudaError_t asked = cudaGetDeviceCount(&count);
    std::printf("%s, %d device\n", cudaGetErrorString(asked), count);
    tell(cudaDeviceReset());
    tell(cudaSetDevice(0));
    return tell(cudaMalloc(&x, 400));
  }
  if (is("device")) return tell(cudaSetDevice(1), 5);
  cudaMalloc(&x, 400);
  if (is("leak")) return 0;
  if (is("registers")) {
    cudaFuncAttributes known;
    cudaFuncGetAttributes(&known, heavy);
    if (known.numRegs > 64) heavy<<<1, 1024>>>(x);
    tell(cudaGetLastError());
    heavy<<<1, 1>>>(x);
    return tell(cudaDeviceSynchronize(), 5);
  }
  if (is("beyond")) fill<<<1, 128>>>(x, 101);
  if (is("shape")) fill<<<1, 2048>>>(x, 1);
  if (is("unseen")) {
    fill<<<1, 2048>>>(x, 1);
    cudaDeviceSynchronize();
    std::puts("done");
  }
  if (is("shared")) fill<<<1, 1, 100000>>>(x, 1);
  if (is("assert")) asserts<<<1, 1>>>(4);
  if (is("forever")) forever<<<1, 1>>>(x);
  if (is("race")) races<<<1, 64>>>(x);
  if (is("prints")) {
    speaks<<<1, 1>>>();
    std::puts("host");
    cudaDeviceSynchronize();
    std::puts("done");
  }
  if (is("beyond") || is("shape") || is("shared") || is("assert") || is("forever")) {
    launched();
    return argc > 2 || is("shape") || is("shared") ? look() : 0;
  }
  if (is("too_long")) cudaMemcpy(host, x, 404, cudaMemcpyDeviceToHost);
  if (is("direction")) cudaMemcpy(host, x, 4, cudaMemcpyHostToDevice);
  if (is("device_to_device")) return tell(cudaMemcpy(x, x, 4, cudaMemcpyHostToDevice));
  if (is("host_pointer")) cudaMemcpy(host, host + 10, 4, cudaMemcpyDeviceToHost);
  if (is("host_reads")) std::printf("%d\n", x[3]);
  cudaFree(x);
  if (is("free_twice")) cudaFree(x);
  if (is("kernel_after_free")) fill<<<1, 32>>>(x, 32);
  if (is("unordered")) {
    cudaMallocManaged(&x, 400);
    fill<<<1, 32>>>(x, 32);
    std::printf("%d\n", x[3]);
    fill<<<1, 32>>>(x, 32);
    cudaDeviceSynchronize();
    std::printf("%d\n", x[7]);
  }
  if (is("after_free")) cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost);
}
