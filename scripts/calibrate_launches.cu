// Probes for calibrate.py of what one kernel behind another costs: in a stream, in a graph, and blocks that wait for the whole grid.
// Writes rows as calibrate.py does: probe,grid,block,n,stride,elements,warm,units,cycles,median_ms,q1_ms,q3_ms; n is the number
// of kernels (or of waits), stride the cycles that each of them spins.
#include <cooperative_groups.h>
#include <cstdio>
#include <algorithm>
#include <chrono>
#include <vector>

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__global__ void empty() {}

// A word read and written by each thread, of a place of its own in each launch: what a kernel takes that does something.
__global__ void touch(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }

__global__ void sync_grid(int times) {
  for (int i = 0; i < times; ++i) cooperative_groups::this_grid().sync();
}

struct Timer {
  cudaEvent_t start, stop;
  Timer() {
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
  }
  template <class Work>
  void row(const char* probe, int grid, int block, int n, long long cycles, Work work) {
    std::vector<float> times;
    for (int i = 0; i < 24; ++i) {
      cudaDeviceSynchronize();
      cudaEventRecord(start);
      work();
      cudaEventRecord(stop);
      cudaEventSynchronize(stop);
      float ms = 0;
      cudaEventElapsedTime(&ms, start, stop);
      if (i >= 3) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    std::printf("%s,%d,%d,%d,%lld,0,1,1,0,%.9g,%.9g,%.9g\n", probe, grid, block, n, cycles, times[10], times[5], times[15]);
  }
};

int main() {
  Timer timer;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (const long long cycles : {0LL, 1000LL, 4000LL, 12000LL})
    for (const int n : {1, 2, 4, 16, 64, 256, 1024}) {
      if (cycles == 12000 && n > 256) continue;
      const auto launch = [&](cudaStream_t where) {
        for (int i = 0; i < n; ++i) {
          if (cycles)
            spin<<<1, 32, 0, where>>>(cycles);
          else
            empty<<<1, 32, 0, where>>>();
        }
      };
      timer.row("launches", 1, 32, n, cycles, [&] { launch(nullptr); });
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
      launch(stream);
      cudaStreamEndCapture(stream, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      timer.row("graph", 1, 32, n, cycles, [&] { cudaGraphLaunch(exec, nullptr); });
      cudaGraphExecDestroy(exec);
      cudaGraphDestroy(graph);
    }
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  for (const int block : {32, 256})
    for (const int n : {1, 16, 256}) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
      for (int i = 0; i < n; ++i) touch<<<1, block, 0, stream>>>(in + i * 4096, out + i * 4096);
      cudaStreamEndCapture(stream, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      timer.row("graph_touch", 1, block, n, 0, [&] { cudaGraphLaunch(exec, nullptr); });
      cudaGraphExecDestroy(exec);
      cudaGraphDestroy(graph);
    }
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  for (const int per_sm : {1, 8})
    for (int times : {0, 1, 2, 8, 64}) {
      void* arguments[] = {&times};
      timer.row("sync_grid", sms * per_sm, 256, times, 0, [&] {
        cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sync_grid), dim3(sms * per_sm), dim3(256), arguments, 0, nullptr);
      });
    }
  // The host alone: how long it takes to launch.
  for (const int n : {1, 256}) {
    cudaDeviceSynchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < n; ++i) empty<<<1, 32>>>();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    std::printf("host_launch,1,32,%d,0,0,1,1,0,%.9g,%.9g,%.9g\n", n, ms, ms, ms);
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
