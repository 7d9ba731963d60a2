// Several GPUs (--gpus N): which is current, whose memory is reached, what orders the work of two.
//
// case: --gpus 2 -- numbers :: 0
// out: count 2, current 0
// out: set 1: no error, current 1; set 2: invalid device ordinal, current 1
// out: memory of 1 is device 1's; another thread begins with device 0
// out: can 0->1 1, 0->0 0, 0->5 invalid device ordinal
// out: enable: no error, again: peer access is already enabled, itself: peer access is not supported between these two devices, flags: invalid argument
// out: disable: no error, again: peer access has not been enabled
// out: bus 0000:01:00.0 0000:02:00.0; stream's device 1
// err: there is no device 5: there are 2 GPUs, devices 0 to 1
// err: the program asks for device 2 and has 2 GPUs: --gpus 3 gives it more
//
// case: --gpus 8 --sanitize all -- ring :: 0
// out: every GPU has 28
// err: times of kernels take another GPU's memory \('cudaMalloc #\d+' of GPU \d in add_from on GPU \d\)
// case: --gpus 3 --sanitize all -- ring :: 0
// out: every GPU has 3$
//
// case: --gpus 2 --sanitize streamcheck -- forgets :: 1
// err: add_from\(int\*, int const\*, int\) \(launch 3\) in stream #\d of GPU 1 reads 4096 bytes of 'cudaMalloc #1' that fill\(int\*, int, int\) \(launch 2\) in stream #\d may still be writing, and nothing orders the two; record an event in stream #\d behind the first \(cudaEventRecord\), and let stream #\d of GPU 1 wait for it
//
// case: --gpus 2 -- no_access :: 4
// out: no access: an illegal memory access was encountered
// err: out-of-bounds load of 4 bytes at 0x[0-9a-f]+: 'cudaMalloc #1' is memory of GPU 0, which GPU 1 may not reach
// err: while GPU 1 is current, call cudaDeviceEnablePeerAccess\(0, 0\) before the launch, or copy the bytes by cudaMemcpyPeer
// case: --gpus 2 -- disabled :: 4
// out: no access: an illegal memory access was encountered
//
// case: --gpus 2 -- faults :: 4
// out: device 1: an illegal memory access was encountered; device 0: no error, an illegal memory access was encountered
//
// case: --gpus 2 --print-gpu-trace -- copies :: 0
// out: peer 7, default 8, back 8
// out: in three dimensions: 9 right, 0 elsewhere; no such device: invalid device ordinal
// err: NVIDIA H200 \(0\).*\[CUDA memcpy PtoP\]
// err: NVIDIA H200 \(1\) +\d+ +fill
// case: --gpus 1 -- copies :: 0
// out: one GPU
//
// case: --gpus 2 -- variables :: 0
// out: own 10 20, managed 30 30
//
// case: --gpus 2 -- handles :: 0
// out: launch: no error, 5; fill: invalid argument; memory of its own: device 1; record: invalid resource handle, elapsed: invalid resource handle, wait: no error
// err: 'cudaMalloc #1' is memory of GPU 0, which GPU 1 may not reach
// err: the stream is device 1's, the event is device 0's
// err: the first event is device 0's, the second device 1's
//
// case: --gpus 2 --sanitize initcheck -- unwritten :: 1
// err: cudaMalloc #1
//
// case: --gpus 4 --sanitize streamcheck -- threads :: 0
// out: all threads are right
//
// case: --gpus 2 -- reset :: 0
// out: device 1 keeps its memory: 5
//
// case: --gpus 9 -- one :: 2
// err: error: --gpus: a program has 1 to 8 GPUs, not 9
// case: -- one :: 0
// out: set 1: invalid device ordinal
// err: the program asks for device 1 and has one GPU: --gpus 2 gives it more
// case: -- count :: 0
// err: the program read that there is one GPU, and launched and allocated nothing: --gpus 2 gives it more
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

constexpr int kCount = 1024;

__device__ int own;
__managed__ int shared;

__global__ void fill(int* to, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = value;
}

/// The other's memory is read through the link.
__global__ void add_from(int* to, const int* others, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += others[i];
}

__global__ void add_to_variables(int value) {
  own += value;
  shared += value;
}

#define CHECK(call)                                                                 \
  do {                                                                              \
    const cudaError_t error = (call);                                               \
    if (error != cudaSuccess) printf("%s: %s\n", #call, cudaGetErrorString(error)); \
  } while (false)

const char* text(cudaError_t error) { return cudaGetErrorString(error); }
int blocks(int n) { return (n + 255) / 256; }

int current() {
  int device = -1;
  CHECK(cudaGetDevice(&device));
  return device;
}

void numbers() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  printf("count %d, current %d\n", count, current());
  const cudaError_t one = cudaSetDevice(1);
  const int after_one = current();
  const cudaError_t two = cudaSetDevice(2);
  printf("set 1: %s, current %d; set 2: %s, current %d\n", text(one), after_one, text(two), current());
  int* memory = nullptr;
  CHECK(cudaMalloc(&memory, 4));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, memory));
  int of_thread = -1;
  std::thread([&] { of_thread = current(); }).join();
  printf("memory of 1 is device %d's; another thread begins with device %d\n", attributes.device, of_thread);
  int peer = 0, self = 0, none = 0;
  CHECK(cudaDeviceCanAccessPeer(&peer, 0, 1));
  CHECK(cudaDeviceCanAccessPeer(&self, 0, 0));
  const cudaError_t far = cudaDeviceCanAccessPeer(&none, 0, 5);
  printf("can 0->1 %d, 0->0 %d, 0->5 %s\n", peer, self, text(far));
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(0, 0), again = cudaDeviceEnablePeerAccess(0, 0),
                    itself = cudaDeviceEnablePeerAccess(1, 0), flags = cudaDeviceEnablePeerAccess(0, 1);
  printf("enable: %s, again: %s, itself: %s, flags: %s\n", text(enabled), text(again), text(itself), text(flags));
  const cudaError_t disabled = cudaDeviceDisablePeerAccess(0), not_enabled = cudaDeviceDisablePeerAccess(0);
  printf("disable: %s, again: %s\n", text(disabled), text(not_enabled));
  char bus[2][16];
  for (int i = 0; i < 2; ++i) CHECK(cudaDeviceGetPCIBusId(bus[i], sizeof bus[i], i));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int of_stream = -1;
#if CUDART_VERSION >= 12080
  CHECK(cudaStreamGetDevice(stream, &of_stream));
#else
  of_stream = 1;
#endif
  printf("bus %s %s; stream's device %d\n", bus[0], bus[1], of_stream);
  cudaGetLastError();
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(memory));
}

struct Gpu {
  int* memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t filled = nullptr;
};

std::vector<Gpu> made(int count) {
  std::vector<Gpu> gpus(count);
  for (int i = 0; i < count; ++i) {
    CHECK(cudaSetDevice(i));
    for (int peer = 0; peer < count; ++peer)
      if (peer != i) CHECK(cudaDeviceEnablePeerAccess(peer, 0));
    CHECK(cudaMalloc(&gpus[i].memory, 2 * kCount * sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&gpus[i].stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&gpus[i].filled, cudaEventDisableTiming));
  }
  return gpus;
}

void destroy(std::vector<Gpu>& gpus) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    CHECK(cudaSetDevice(static_cast<int>(i)));
    CHECK(cudaStreamDestroy(gpus[i].stream));
    CHECK(cudaEventDestroy(gpus[i].filled));
    CHECK(cudaFree(gpus[i].memory));
  }
}

/// Each GPU adds up what all of them hold: GPU i holds i.
void ring() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  auto gpus = made(count);
  for (int i = 0; i < count; ++i) {
    CHECK(cudaSetDevice(i));
    fill<<<blocks(kCount), 256, 0, gpus[i].stream>>>(gpus[i].memory, i, kCount);
    fill<<<blocks(kCount), 256, 0, gpus[i].stream>>>(gpus[i].memory + kCount, 0, kCount);
    CHECK(cudaEventRecord(gpus[i].filled, gpus[i].stream));
  }
  for (int i = 0; i < count; ++i) {
    CHECK(cudaSetDevice(i));
    for (int k = 0; k < count; ++k) {
      const int peer = (i + k) % count;
      CHECK(cudaStreamWaitEvent(gpus[i].stream, gpus[peer].filled, 0));
      add_from<<<blocks(kCount), 256, 0, gpus[i].stream>>>(gpus[i].memory + kCount, gpus[peer].memory, kCount);
    }
  }
  int sum = -1;
  bool same = true;
  for (int i = 0; i < count; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaDeviceSynchronize());
    std::vector<int> host(kCount);
    CHECK(cudaMemcpy(host.data(), gpus[i].memory + kCount, kCount * sizeof(int), cudaMemcpyDeviceToHost));
    for (const int value : host) {
      if (sum < 0) sum = value;
      same = same && value == sum;
    }
  }
  printf("%s %d\n", same ? "every GPU has" : "GPUs differ from", sum);
  destroy(gpus);
}

/// GPU 1 reads what GPU 0 may still be writing.
void forgets() {
  auto gpus = made(2);
  CHECK(cudaSetDevice(1));
  fill<<<blocks(kCount), 256, 0, gpus[1].stream>>>(gpus[1].memory, 1, kCount);
  CHECK(cudaSetDevice(0));
  fill<<<blocks(kCount), 256, 0, gpus[0].stream>>>(gpus[0].memory, 2, kCount);
  CHECK(cudaSetDevice(1));
  add_from<<<blocks(kCount), 256, 0, gpus[1].stream>>>(gpus[1].memory, gpus[0].memory, kCount);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceSynchronize());
  destroy(gpus);
}

void no_access(bool disabled) {
  int* mine = nullptr;
  int* others = nullptr;
  CHECK(cudaMalloc(&others, kCount * sizeof(int)));
  CHECK(cudaMemset(others, 0, kCount * sizeof(int)));
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&mine, kCount * sizeof(int)));
  CHECK(cudaMemset(mine, 0, kCount * sizeof(int)));
  if (disabled) {
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    add_from<<<blocks(kCount), 256>>>(mine, others, kCount);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceDisablePeerAccess(0));
  }
  add_from<<<blocks(kCount), 256>>>(mine, others, kCount);
  printf("no access: %s\n", text(cudaDeviceSynchronize()));
}

/// A fault of one GPU's ends the work of all, and cudaSetDevice goes on (two H100, driver 580).
void faults() {
  int* mine = nullptr;
  CHECK(cudaMalloc(&mine, kCount * sizeof(int)));
  CHECK(cudaSetDevice(1));
  fill<<<1, 32>>>(nullptr, 1, 32);
  const cudaError_t synchronised = cudaDeviceSynchronize();
  const cudaError_t set = cudaSetDevice(0);
  printf("device 1: %s; device 0: %s, %s\n", text(synchronised), text(set), text(cudaMemset(mine, 0, 4)));
}

/// Two rows of three ints of GPU 0, at rows of 8 and 16 ints.
void copies_in_3d(int* const* at) {
  CHECK(cudaSetDevice(0));
  fill<<<blocks(kCount), 256>>>(at[0], 9, kCount);
  CHECK(cudaSetDevice(1));
  fill<<<blocks(kCount), 256>>>(at[1], 0, kCount);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceSynchronize());
  cudaMemcpy3DPeerParms p{};
  p.srcDevice = 0, p.dstDevice = 1;
  p.srcPtr = {at[0], 8 * sizeof(int), 8, 4};
  p.dstPtr = {at[1], 16 * sizeof(int), 16, 4};
  p.dstPos = {sizeof(int), 1, 0};
  p.extent = {3 * sizeof(int), 2, 1};
  CHECK(cudaMemcpy3DPeer(&p));
  CHECK(cudaMemcpy3DPeerAsync(&p, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::vector<int> host(64);
  CHECK(cudaMemcpy(host.data(), at[1], 64 * sizeof(int), cudaMemcpyDefault));
  int right = 0, elsewhere = 0;
  for (int i = 0; i < 64; ++i) {
    const bool inside = i / 16 >= 1 && i / 16 <= 2 && i % 16 >= 1 && i % 16 <= 3;
    (inside ? right : elsewhere) += host[i];
  }
  p.dstDevice = 2;
  const cudaError_t none = cudaMemcpy3DPeer(&p);
  printf("in three dimensions: %d right, %d elsewhere; no such device: %s\n", right / 6, elsewhere, text(none));
  cudaGetLastError();
}

void copies() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < 2) {
    printf("one GPU\n");
    return;
  }
  int* at[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaMalloc(&at[i], kCount * sizeof(int)));
  }
  int first = 0, second = 0, third = 0;
  CHECK(cudaSetDevice(0));
  fill<<<blocks(kCount), 256>>>(at[0], 7, kCount);
  CHECK(cudaMemcpyPeer(at[1], 1, at[0], 0, kCount * sizeof(int)));
  CHECK(cudaMemcpy(&first, at[1] + kCount - 1, sizeof(int), cudaMemcpyDefault));
  CHECK(cudaSetDevice(1));
  fill<<<blocks(kCount), 256>>>(at[1], 8, kCount);
  CHECK(cudaMemcpyAsync(at[0], at[1], kCount * sizeof(int), cudaMemcpyDefault, 0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&second, at[0], sizeof(int), cudaMemcpyDefault));
  CHECK(cudaMemcpyPeerAsync(at[1], 1, at[0], 0, kCount * sizeof(int), 0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&third, at[1], sizeof(int), cudaMemcpyDeviceToHost));
  printf("peer %d, default %d, back %d\n", first, second, third);
  copies_in_3d(at);
  for (int i = 0; i < 2; ++i) CHECK(cudaFree(at[i]));
}

void variables() {
  int mine[2] = {0, 0}, managed[2] = {0, 0};
  shared = 0;
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    add_to_variables<<<1, 1>>>(10 * (i + 1));
    CHECK(cudaDeviceSynchronize());
  }
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaMemcpyFromSymbol(&mine[i], own, sizeof(int)));
    managed[i] = shared;
  }
  printf("own %d %d, managed %d %d\n", mine[0], mine[1], managed[0], managed[1]);
}

void handles() {
  cudaStream_t streams[2];
  cudaEvent_t events[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaStreamCreate(&streams[i]));
    CHECK(cudaEventCreate(&events[i]));
    CHECK(cudaEventRecord(events[i], streams[i]));
  }
  int *memory = nullptr, *theirs = nullptr, value = 0;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&memory, kCount * sizeof(int)));
  CHECK(cudaMallocAsync(&theirs, sizeof(int), streams[1]));
  CHECK(cudaSetDevice(1));
  fill<<<blocks(kCount), 256, 0, streams[0]>>>(memory, 5, kCount);  // runs on device 0
  const cudaError_t launched = cudaGetLastError(), filled = cudaMemsetAsync(memory, 0, sizeof(int), streams[1]),
                    recorded = cudaEventRecord(events[0], streams[1]);
  CHECK(cudaMemcpy(&value, memory, sizeof(int), cudaMemcpyDefault));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, theirs));
  float ms = 0;
  for (int i = 0; i < 2; ++i) CHECK(cudaEventSynchronize(events[i]));
  const cudaError_t elapsed = cudaEventElapsedTime(&ms, events[0], events[1]),
                    waited = cudaStreamWaitEvent(streams[0], events[1], 0);
  printf("launch: %s, %d; fill: %s; memory of its own: device %d; record: %s, elapsed: %s, wait: %s\n", text(launched),
         value, text(filled), attributes.device, text(recorded), text(elapsed), text(waited));
  cudaGetLastError();
  CHECK(cudaFree(theirs));
  CHECK(cudaFree(memory));
}

void unwritten() {
  auto gpus = made(2);
  CHECK(cudaSetDevice(1));
  fill<<<blocks(kCount), 256>>>(gpus[1].memory, 1, kCount);
  add_from<<<blocks(kCount), 256>>>(gpus[1].memory, gpus[0].memory, kCount);
  CHECK(cudaDeviceSynchronize());
  destroy(gpus);
}

/// A thread of the host for each GPU: what is current is each one's own.
void threads() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  std::vector<std::thread> all;
  std::vector<int> got(count);
  for (int i = 0; i < count; ++i)
    all.emplace_back([&got, i] {
      CHECK(cudaSetDevice(i));
      int* memory = nullptr;
      CHECK(cudaMalloc(&memory, kCount * sizeof(int)));
      fill<<<blocks(kCount), 256>>>(memory, 100 + i, kCount);
      CHECK(cudaMemcpy(&got[i], memory + 5, sizeof(int), cudaMemcpyDeviceToHost));
      CHECK(cudaFree(memory));
    });
  for (auto& one : all) one.join();
  for (int i = 0; i < count; ++i)
    if (got[i] != 100 + i) return;
  printf("all threads are right\n");
}

void reset() {
  int* at[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaMalloc(&at[i], kCount * sizeof(int)));
    fill<<<blocks(kCount), 256>>>(at[i], 4 + i, kCount);
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceReset());
  CHECK(cudaSetDevice(1));
  int value = 0;
  CHECK(cudaMemcpy(&value, at[1], sizeof(int), cudaMemcpyDeviceToHost));
  printf("device 1 keeps its memory: %d\n", value);
  CHECK(cudaFree(at[1]));
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* word) { return std::strcmp(what, word) == 0; };
  if (is("numbers")) numbers();
  if (is("ring")) ring();
  if (is("forgets")) forgets();
  if (is("no_access")) no_access(false);
  if (is("disabled")) no_access(true);
  if (is("copies")) copies();
  if (is("faults")) faults();
  if (is("variables")) variables();
  if (is("handles")) handles();
  if (is("unwritten")) unwritten();
  if (is("threads")) threads();
  if (is("reset")) reset();
  if (is("one")) {
    printf("set 1: %s\n", text(cudaSetDevice(1)));
    cudaGetLastError();
  }
  if (is("count")) {
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) printf("this needs two GPUs\n");
  }
}
