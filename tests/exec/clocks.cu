// Streams, events and what programs ask of the device.
// long
// case: :: 0
// out: ^events ok\nstreams ok\nproperties ok\noccupancy ok\ncallback ok\ncooperative ok\n$
// err: note: cudaEventElapsedTime gives modelled time, not measured time
#include <cooperative_groups.h>

#include <cstdio>

__global__ void work(float* x, int rounds) {
  float sum = threadIdx.x;
  for (int i = 0; i < rounds; ++i) sum = sum * 1.01f + 1;
  x[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void together(int* x) {
  atomicAdd(x, 1);
  cooperative_groups::this_grid().sync();
  if (*x != 4) x[1] = 1;
}

static void say(const char* what, bool good) { std::printf("%s %s\n", what, good ? "ok" : "WRONG"); }

static float time_of(float* x, int rounds) {
  cudaEvent_t start, stop;
  float ms = 0;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  work<<<8, 128>>>(x, rounds);
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  if (cudaEventElapsedTime(&ms, start, stop) != cudaSuccess) ms = -1;
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return ms;
}

static void properties() {
  cudaDeviceProp p;
  int count = 0, sms = 0;
  bool good = cudaGetDeviceCount(&count) == cudaSuccess && count == 1;
  good &= cudaGetDeviceProperties(&p, 0) == cudaSuccess && p.warpSize == 32 && p.major == 9;
  good &= cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess;
  good &= sms == p.multiProcessorCount && sms == 132 && cudaGetDeviceProperties(&p, 1) == cudaErrorInvalidDevice;
  cudaGetLastError();
  say("properties", good);
  int blocks = 0, grid = 0, block = 0;
  cudaFuncAttributes attributes;
  good = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work, 128, 0) == cudaSuccess && blocks == 16;
  good &= cudaOccupancyMaxPotentialBlockSize(&grid, &block, work) == cudaSuccess && grid * block == 132 * 2048;
  good &= cudaFuncGetAttributes(&attributes, work) == cudaSuccess && attributes.maxThreadsPerBlock == 1024;
  say("occupancy", good);
}

int main() {
  float* x;
  cudaMalloc(&x, 8 * 128 * sizeof(float));
  const float few = time_of(x, 100), many = time_of(x, 10000);
  say("events", few > 0 && many > few);
  cudaStream_t streams[2];
  for (auto& stream : streams) cudaStreamCreate(&stream);
  for (auto& stream : streams) work<<<8, 128, 0, stream>>>(x, 10);
  bool good = true;
  for (auto& stream : streams) good &= cudaStreamSynchronize(stream) == cudaSuccess;
  for (auto& stream : streams) good &= cudaStreamDestroy(stream) == cudaSuccess;
  say("streams", good);
  properties();
  int called = 0;
  cudaLaunchHostFunc(nullptr, [](void* data) { *static_cast<int*>(data) = 5; }, &called);
  cudaDeviceSynchronize();
  say("callback", called == 5);
  int* flags;
  cudaMallocManaged(&flags, 8);
  void* arguments[] = {&flags};
  good = cudaLaunchCooperativeKernel(together, 4, 1, arguments, 0, nullptr) == cudaSuccess;
  good &= cudaDeviceSynchronize() == cudaSuccess && flags[0] == 4 && flags[1] == 0;
  good &= cudaLaunchCooperativeKernel(together, 1000000, 1, arguments, 0, nullptr) == cudaErrorCooperativeLaunchTooLarge;
  say("cooperative", good);
  cudaFree(flags);
  cudaFree(x);
}
