// What a device's timeline is made of: copies, fills, kernels, launches behind one another, streams, graphs, waits.
// Each way is a program of its own: timeline NAME. scripts/compare_timeline.py has a GPU's timeline of each beside that
// of `gpulab exec`.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t error = (call);                                                     \
    if (error != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

namespace {

constexpr int kBlock = 256;

__global__ void scale(float* data, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * by + 1;
}

__global__ void work(float* data, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = data[i];
  for (int k = 0; k < rounds; ++k) value = value * 0.999f + 0.5f;
  data[i] = value;
}

__global__ void sum(const float* data, float* out, int n) {
  __shared__ float part[kBlock];
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += data[i];
  part[threadIdx.x] = mine;
  for (int step = kBlock / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

struct Memory {
  explicit Memory(int n, bool pinned = false) : n(n), bytes(sizeof(float) * static_cast<size_t>(n)), pinned(pinned) {
    if (pinned)
      CHECK(cudaMallocHost(&host, bytes));
    else
      host = static_cast<float*>(std::malloc(bytes));
    for (int i = 0; i < n; ++i) host[i] = 1;
    CHECK(cudaMalloc(&device, bytes));
  }
  ~Memory() {
    cudaFree(device);
    pinned ? static_cast<void>(cudaFreeHost(host)) : std::free(host);
  }
  void up(cudaStream_t stream = nullptr) const {
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
  }
  void down(cudaStream_t stream = nullptr) const {
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
  }
  int blocks() const { return (n + kBlock - 1) / kBlock; }
  int n;
  size_t bytes;
  bool pinned;
  float *host = nullptr, *device = nullptr;
};

void round_trip(int n, bool pinned) {
  const Memory m(n, pinned);
  m.up();
  scale<<<m.blocks(), kBlock>>>(m.device, m.n, 2);
  m.down();
  CHECK(cudaDeviceSynchronize());
}

void loop(int n, int times, bool waits) {
  const Memory m(n);
  m.up();
  for (int i = 0; i < times; ++i) {
    scale<<<m.blocks(), kBlock>>>(m.device, m.n, 1);
    if (waits) CHECK(cudaDeviceSynchronize());
  }
  m.down();
}

void in_streams(int streams, int n, bool computes) {
  const Memory m(n, true);
  std::vector<cudaStream_t> all(static_cast<size_t>(streams));
  for (auto& stream : all) CHECK(cudaStreamCreate(&stream));
  const int part = n / streams;
  for (int s = 0; s < streams; ++s) {
    float *device = m.device + s * part, *host = m.host + s * part;
    CHECK(cudaMemcpyAsync(device, host, sizeof(float) * part, cudaMemcpyHostToDevice, all[s]));
    if (computes)
      work<<<part / kBlock, kBlock, 0, all[s]>>>(device, part, 2000);
    else
      scale<<<part / kBlock, kBlock, 0, all[s]>>>(device, part, 2);
    CHECK(cudaMemcpyAsync(host, device, sizeof(float) * part, cudaMemcpyDeviceToHost, all[s]));
  }
  CHECK(cudaDeviceSynchronize());
}

void as_graph(int kernels, int replays) {
  const Memory m(1 << 16);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  m.up(stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kernels; ++i) scale<<<m.blocks(), kBlock, 0, stream>>>(m.device, m.n, 1);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < replays; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
}

void by_events() {
  const Memory a(1 << 20), b(1 << 20);
  cudaStream_t first, second;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreate(&second));
  cudaEvent_t ready;
  CHECK(cudaEventCreate(&ready));
  for (int i = 0; i < 10; ++i) {
    work<<<a.blocks(), kBlock, 0, first>>>(a.device, a.n, 200);
    CHECK(cudaEventRecord(ready, first));
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    scale<<<b.blocks(), kBlock, 0, second>>>(b.device, b.n, 2);
  }
  CHECK(cudaDeviceSynchronize());
}

void two_steps(int times) {
  const Memory m(1 << 22), parts(1024);
  m.up();
  for (int i = 0; i < times; ++i) {
    sum<<<1024, kBlock>>>(m.device, parts.device, m.n);
    sum<<<1, kBlock>>>(parts.device, parts.device, 1024);
    float result = 0;
    CHECK(cudaMemcpy(&result, parts.device, sizeof result, cudaMemcpyDeviceToHost));
  }
}

void fills_and_copies() {
  const Memory a(1 << 24), b(1 << 24);
  for (int i = 0; i < 8; ++i) {
    CHECK(cudaMemset(a.device, i, a.bytes));
    CHECK(cudaMemcpy(b.device, a.device, a.bytes, cudaMemcpyDeviceToDevice));
  }
  CHECK(cudaDeviceSynchronize());
}

void small_copies() {
  const Memory m(1 << 12, true);
  for (int i = 0; i < 64; ++i) {
    m.up();
    scale<<<m.blocks(), kBlock>>>(m.device, m.n, 1);
    m.down();
  }
  CHECK(cudaDeviceSynchronize());
}

void side_by_side() {
  std::vector<cudaStream_t> streams(4);
  const Memory m(1 << 14);
  for (auto& stream : streams) CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 16; ++i) work<<<8, kBlock, 0, streams[i % 4]>>>(m.device + (i % 4) * 2048, 2048, 20000);
  CHECK(cudaDeviceSynchronize());
}

const std::map<std::string, std::function<void()>> programs{
    {"round_trip_64k", [] { round_trip(1 << 14, false); }},
    {"round_trip_16m", [] { round_trip(1 << 22, false); }},
    {"round_trip_256k_pinned", [] { round_trip(1 << 16, true); }},
    {"round_trip_64m_pinned", [] { round_trip(1 << 24, true); }},
    {"launches_20", [] { loop(1 << 12, 20, false); }},
    {"launches_500", [] { loop(1 << 12, 500, false); }},
    {"launches_and_waits", [] { loop(1 << 12, 100, true); }},
    {"large_launches", [] { loop(1 << 22, 50, false); }},
    {"large_launches_and_waits", [] { loop(1 << 22, 50, true); }},
    {"streams_2", [] { in_streams(2, 1 << 22, false); }},
    {"streams_8", [] { in_streams(8, 1 << 22, false); }},
    {"streams_4_compute", [] { in_streams(4, 1 << 20, true); }},
    {"graph_10", [] { as_graph(10, 20); }},
    {"graph_100", [] { as_graph(100, 5); }},
    {"events", by_events},
    {"two_steps", [] { two_steps(5); }},
    {"two_steps_often", [] { two_steps(40); }},
    {"fills_and_copies", fills_and_copies},
    {"small_copies", small_copies},
    {"side_by_side", side_by_side},
};

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "--list") == 0) {
    for (const auto& [name, run] : programs) std::puts(name.c_str());
    return 0;
  }
  const auto found = count == 2 ? programs.find(words[1]) : programs.end();
  if (found == programs.end()) return std::fprintf(stderr, "usage: timeline NAME|--list\n"), 2;
  CHECK(cudaFree(nullptr));
  found->second();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDeviceReset());
  return 0;
}
