// What orders kernels, copies, fills, graphs and memory of a pool, and what does not (streamcheck): a right and a wrong
// program for each rule. All right ones run in one process, all wrong ones in another.
//
// case: --sanitize all -- right :: 0
// out: ^27 cases$
// case: --sanitize streamcheck -- wrong :: 1
// out: ^22 cases$
// err: cudaMemset in the default stream writes 4096 bytes of 'cudaMalloc #\d+' that fill\(int\*, int\) \(launch \d+\) in stream #\d+ may still be writing, and nothing orders the two; a stream made with cudaStreamNonBlocking and the default stream do not wait for each other: call cudaStreamSynchronize on stream #\d+ between the two \(called by stream_order.cu:@a1: n@; fill\(int\*, int\) by stream_order.cu:@first of a1@\)
// err: fill\(int\*, int\) \(launch \d+\) in stream #\d+ writes 4096 bytes of '[^']*' that fill\(int\*, int\) \(launch \d+\) in stream #\d+ may still be writing, and nothing orders the two; record an event in stream #\d+ behind the first \(cudaEventRecord\), and let stream #\d+ wait for it \(cudaStreamWaitEvent\) \(called by stream_order.cu:@a2: n@; fill\(int\*, int\) by stream_order.cu:@first of a2@\)
// err: in a thread's own default stream reads 4096 bytes [^;]* fill\(int\*, int\) \(launch \d+\) in a thread's own default stream may still be writing.* \(called by stream_order.cu:@b1@;
// err: warning: streamcheck: add\(int const\*, int\*\) \(launch \d+\) in stream #\d+ reads 4096 bytes of .cudaMalloc #\d+. that cudaMemcpy in the default stream may still be writing, and nothing orders the two; cudaMemcpy returns when it has read pageable memory, before the bytes are there: call cudaStreamSynchronize on the default stream behind it \(called by stream_order.cu:@c1@;
// err: that cudaMemcpy in the default stream may still be writing, [^:]*: call cudaStreamSynchronize on the default stream between the two \(called by stream_order.cu:@c2@;
// err: writes 4096 bytes [^;]* cudaMemcpyAsync in stream #\d+ may still be reading, [^:]* \(called by stream_order.cu:@d1@;
// err: cudaMemcpyAsync returns when it has read pageable memory, [^:]*: call cudaStreamSynchronize on stream #\d+ behind it \(called by stream_order.cu:@d2@;
// err: that cudaMemset in the default stream may still be writing, [^:]*: [^:]* \(called by stream_order.cu:@e1@;
// err: called by stream_order.cu:@f1@;
// err: called by stream_order.cu:@f2@;
// err: called by stream_order.cu:@f3@;
// err: called by stream_order.cu:@g1@;
// err: called by stream_order.cu:@g2@;
// err: streamcheck: \S+\([^)]*\) \(launch \d+\) \w+ 4096 bytes of 'cudaMalloc #\d+' that fill\(int\*, int\) \(launch \d+\) may still be writing: both are nodes of one graph, and no edges lead from one to the other; name the first one's node as a dependency where the second one is added, or call cudaGraphAddDependencies\(graph, &first, &second, nullptr, 1\); where the graph was captured from several streams, record an event behind the first and let the other stream wait for it \(called by stream_order.cu:@KernelNode\(&two@; fill\(int\*, int\) by stream_order.cu:@KernelNode\(&one@\)
// err: may still be \w+: both are nodes of one graph, and no edges lead from one to the other; [^(]*\(graph, &first, &second, nullptr, 1\);[^(]*\(called by stream_order.cu:@so that this one@; fill\(int\*, int\) by stream_order.cu:@the fork comes@\)
// err: fill\(int\*, int\) \(launch \d+\) in stream #\d+ writes [^;]* add\(int const\*, int\*\) [^;]* may still be reading, [^:]* \(called by stream_order.cu:@KernelNode\(&one@; add\(int const\*, int\*\) by stream_order.cu:@KernelNode\(&two@\)
// err: in stream #\d+ writes 4096 bytes of 'cudaMallocAsync #\d+' that cudaMallocAsync in stream #\d+ may still be allocating, [^:]* \(called by stream_order.cu:@j1@;
// err: cudaFreeAsync in stream #\d+ frees 4096 bytes of 'cudaMallocAsync #\d+' that fill\(int\*, int\) \(launch \d+\) in stream #\d+ may still be writing, and nothing orders the two; call cudaStreamSynchronize on stream #\d+ between the two \(called by stream_order.cu:@j2@;
// err: reads 4 bytes of '[^']*' that count\(int\*\) \(launch \d+\) in stream #\d+ may still be changing, [^:]* \(called by stream_order.cu:@m1@;
// err: called by stream_order.cu:@n1@;
// err: writes 512 bytes of '[^']*' that fill\(int\*, int\) [^;]*; [^:]* \(called by stream_order.cu:@n2@;
// err: writes 4 bytes of 'result' that sum\(int const\*\) [^:]* \(called by stream_order.cu:@v1@;
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

constexpr int kCount = 1024, kBytes = kCount * 4;
__device__ int result;

__global__ void fill(int* x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += in[i];
}
__global__ void every_other(int* x, int first) { x[2 * threadIdx.x + first] = 1; }
__global__ void count(int* x) { atomicAdd(x, 1); }
__global__ void raise(volatile int* flag, int value) { *flag = value; }
__global__ void sum(const int* x) {
  if (threadIdx.x == 0) result = x[0];
}

int made = 0;
/// Memory, streams and an event of one case.
struct Case {
  int *x, *y, *pinned, *managed;
  std::vector<int> host = std::vector<int>(kCount, 3);
  cudaStream_t s, t, nonblocking;
  cudaEvent_t event;
  Case() {
    ++made;
    cudaMalloc(&x, kBytes);
    cudaMalloc(&y, kBytes);
    cudaMallocHost(&pinned, kBytes);
    cudaMallocManaged(&managed, kBytes);
    cudaMemset(x, 0, kBytes);
    cudaMemset(y, 0, kBytes);
    std::memset(pinned, 0, kBytes);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&nonblocking, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    cudaDeviceSynchronize();
  }
  ~Case() {
    cudaDeviceSynchronize();
    cudaFree(x), cudaFree(y), cudaFree(managed), cudaFreeHost(pinned);
    cudaStreamDestroy(s), cudaStreamDestroy(t), cudaStreamDestroy(nonblocking);
    cudaEventDestroy(event);
  }
};

// At the line where they stand: a finding names it.
#define fill_in(stream, x) fill<<<4, 256, 0, stream>>>(x, 1)
#define add_in(stream, in, out) add<<<4, 256, 0, stream>>>(in, out)

/// A graph of two kernels, the second behind the first or not.
cudaGraphExec_t two_nodes(int* x, int* y, bool edge) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  int value = 1;
  void *of_fill[] = {&x, &value}, *of_add[] = {&x, &y};
  cudaKernelNodeParams first{}, second{};
  first.func = reinterpret_cast<void*>(fill), second.func = reinterpret_cast<void*>(add);
  first.gridDim = second.gridDim = 4, first.blockDim = second.blockDim = 256;
  first.kernelParams = of_fill, second.kernelParams = of_add;
  cudaGraphNode_t one, two;
  cudaGraphAddKernelNode(&one, graph, nullptr, 0, &first);
  cudaGraphAddKernelNode(&two, graph, &one, edge ? 1 : 0, &second);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

/// The same captured from two streams; what the second reads is waited for, or only the fork is.
cudaGraphExec_t captured(const Case& c, bool waits) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(c.s, cudaStreamCaptureModeGlobal);
  if (!waits) cudaEventRecord(c.event, c.s);
  fill_in(c.s, c.x);  // i2: the fork comes before it
  if (waits) cudaEventRecord(c.event, c.s);
  cudaStreamWaitEvent(c.t, c.event, 0);
  add_in(c.t, c.x, c.y);  // i2: so that this one runs beside it
  cudaEventRecord(c.event, c.t);
  cudaStreamWaitEvent(c.s, c.event, 0);
  cudaStreamEndCapture(c.s, &graph);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

using Cases = std::vector<std::function<void(Case&)>>;

const Cases right = {
    // a: the legacy default stream and blocking ones
    [](Case& c) {
      fill_in(c.s, c.x);
      fill_in(nullptr, c.x);
      add_in(c.t, c.x, c.y);
    },
    // b: a thread's own stream is a blocking one
    [](Case& c) {
      fill_in(cudaStreamPerThread, c.x);
      cudaMemset(c.x, 0, kBytes);
      add_in(cudaStreamPerThread, c.x, c.y);
    },
    // c: copies that the host waits for
    [](Case& c) {
      fill_in(c.s, c.x);
      cudaMemcpy(c.host.data(), c.x, kBytes, cudaMemcpyDeviceToHost);
      fill_in(c.nonblocking, c.x);
    },
    [](Case& c) {
      cudaMemcpy(c.x, c.pinned, kBytes, cudaMemcpyHostToDevice);
      add_in(c.nonblocking, c.x, c.y);
    },
    [](Case& c) {
      cudaMemcpy(c.x, c.host.data(), kBytes, cudaMemcpyHostToDevice);
      cudaStreamSynchronize(nullptr);
      add_in(c.nonblocking, c.x, c.y);
    },
    [](Case& c) {
      cudaMemcpy(c.managed, c.x, kBytes, cudaMemcpyDeviceToDevice);
      fill_in(c.nonblocking, c.x);
    },
    // d: to pageable memory
    [](Case& c) {
      cudaMemcpyAsync(c.host.data(), c.x, kBytes, cudaMemcpyDeviceToHost, c.s);
      fill_in(c.t, c.x);
    },
    [](Case& c) {
      cudaMemcpyAsync(c.x, c.pinned, kBytes, cudaMemcpyHostToDevice, c.s);
      cudaStreamSynchronize(c.s);
      add_in(c.t, c.x, c.y);
    },
    // e: a fill of managed memory
    [](Case& c) {
      cudaMemset(c.managed, 0, kBytes);
      add_in(c.nonblocking, c.managed, c.y);
    },
    // f: events
    [](Case& c) {
      fill_in(c.s, c.x);
      cudaEventRecord(c.event, c.s);
      cudaStreamWaitEvent(c.t, c.event, 0);
      add_in(c.t, c.x, c.y);
    },
    [](Case& c) {
      fill_in(c.s, c.x);
      cudaEventRecord(c.event, c.s);
      cudaEventSynchronize(c.event);
      add_in(c.t, c.x, c.y);
    },
    [](Case& c) {
      fill_in(c.s, c.x);
      cudaEventRecord(c.event, c.s);
      while (cudaEventQuery(c.event) != cudaSuccess) {
      }
      add_in(c.t, c.x, c.y);
    },
    [](Case& c) {  // through a third stream
      fill_in(c.s, c.x);
      cudaEventRecord(c.event, c.s);
      cudaStreamWaitEvent(c.nonblocking, c.event, 0);
      cudaEventRecord(c.event, c.nonblocking);
      cudaStreamWaitEvent(c.t, c.event, 0);
      add_in(c.t, c.x, c.y);
    },
    // g: what waits for everything
    [](Case& c) {
      fill_in(c.s, c.x);
      cudaDeviceSynchronize();
      add_in(c.t, c.x, c.y);
    },
    [](Case& c) {
      int* other;
      cudaMalloc(&other, 4);
      fill_in(c.s, c.x);
      cudaFree(other);
      add_in(c.t, c.x, c.y);
    },
    // h: a host function comes in its stream's turn
    [](Case& c) {
      fill_in(c.s, c.pinned);
      cudaLaunchHostFunc(
          c.s, [](void* x) { static_cast<int*>(x)[0] = 7; }, c.pinned);
      add_in(c.s, c.pinned, c.x);
    },
    // i: graphs
    [](Case& c) { cudaGraphLaunch(two_nodes(c.x, c.y, true), c.s); },
    [](Case& c) { cudaGraphLaunch(captured(c, true), c.s); },
    [](Case& c) {
      const auto exec = two_nodes(c.x, c.y, true);
      cudaGraphLaunch(exec, c.s), cudaGraphLaunch(exec, c.t);
    },
    // j: memory of a pool
    [](Case& c) {
      int* own;
      cudaMallocAsync(&own, kBytes, c.s);
      cudaEventRecord(c.event, c.s);
      cudaStreamWaitEvent(c.t, c.event, 0);
      fill_in(c.t, own);
      cudaEventRecord(c.event, c.t), cudaStreamWaitEvent(c.s, c.event, 0), cudaFreeAsync(own, c.s);
    },
    // l: threads that join
    [](Case& c) {
      fill_in(c.s, c.x);
      std::thread([&] { cudaStreamSynchronize(c.s); }).join();
      add_in(c.t, c.x, c.y);
    },
    // m: atomics, and flags that others see
    [](Case& c) {
      count<<<1, 32, 0, c.s>>>(c.x);
      count<<<1, 32, 0, c.t>>>(c.x);
    },
    [](Case& c) {
      raise<<<1, 1, 0, c.s>>>(c.pinned, 1);
      raise<<<1, 1, 0, c.t>>>(c.pinned, 2);
    },
    // n: reads, other bytes, the same bytes
    [](Case& c) {
      add_in(c.s, c.x, c.y);
      add_in(c.t, c.x, c.managed);
    },
    [](Case& c) {
      every_other<<<1, 128, 0, c.s>>>(c.x, 0);
      every_other<<<1, 128, 0, c.t>>>(c.x, 1);
    },
    [](Case& c) {
      cudaMemsetAsync(c.x, 0, kBytes, c.s);
      cudaMemsetAsync(c.x, 0, kBytes, c.t);
    },
    [](Case& c) {
      std::memset(c.pinned, 5, kBytes);
      cudaMemcpyAsync(c.x, c.pinned, kBytes / 2, cudaMemcpyHostToDevice, c.s);
      cudaMemcpyAsync(c.x, c.pinned, kBytes, cudaMemcpyHostToDevice, c.t);
    },
};

const Cases wrong = {
    // a
    [](Case& c) {
      fill_in(c.nonblocking, c.x);  // first of a1
      cudaMemset(c.x, 0, kBytes);   // a1: nobody waits
    },
    [](Case& c) {
      fill_in(c.s, c.x);  // first of a2
      fill_in(c.t, c.x);  // a2: nobody waits
    },
    // b
    [](Case& c) {
      std::thread([&] { fill_in(cudaStreamPerThread, c.x); }).join();
      add_in(cudaStreamPerThread, c.x, c.y);  // b1: another thread's stream
    },
    // c
    [](Case& c) {
      cudaMemcpy(c.x, c.host.data(), kBytes, cudaMemcpyHostToDevice);
      add_in(c.nonblocking, c.x, c.y);  // c1: the copy has only been staged
    },
    [](Case& c) {
      cudaMemcpy(c.x, c.y, kBytes, cudaMemcpyDeviceToDevice);
      add_in(c.nonblocking, c.x, c.y);  // c2: the host does not wait
    },
    // d
    [](Case& c) {
      cudaMemcpyAsync(c.pinned, c.x, kBytes, cudaMemcpyDeviceToHost, c.s);
      fill_in(c.t, c.x);  // d1: it may still be read
    },
    [](Case& c) {
      cudaMemcpyAsync(c.x, c.host.data(), kBytes, cudaMemcpyHostToDevice, c.s);
      add_in(c.t, c.x, c.y);  // d2: the copy has only been staged
    },
    // e
    [](Case& c) {
      cudaMemset(c.x, 0, kBytes);
      add_in(c.nonblocking, c.x, c.y);  // e1: a fill does not wait
    },
    // f
    [](Case& c) {
      cudaEventRecord(c.event, c.s);
      fill_in(c.s, c.x);
      cudaStreamWaitEvent(c.t, c.event, 0);
      add_in(c.t, c.x, c.y);  // f1: recorded too early
    },
    [](Case& c) {
      fill_in(c.s, c.x);
      cudaStreamWaitEvent(c.t, c.event, 0);
      add_in(c.t, c.x, c.y);  // f2: never recorded
    },
    [](Case& c) {
      fill_in(c.s, c.x);
      cudaEventRecord(c.event, c.s);
      cudaEventRecord(c.event, c.t);
      cudaStreamWaitEvent(c.nonblocking, c.event, 0);
      add_in(c.nonblocking, c.x, c.y);  // f3: recorded again, elsewhere
    },
    // g
    [](Case& c) {
      cudaStream_t other;
      cudaStreamCreate(&other);
      fill_in(other, c.x);
      cudaStreamDestroy(other);
      add_in(c.t, c.x, c.y);  // g1: to destroy is not to wait
    },
    [](Case& c) {
      int* other;
      fill_in(c.s, c.x);
      cudaMalloc(&other, 4);
      add_in(c.t, c.x, c.y);  // g2: nor is to allocate
      cudaFree(other);
    },
    // i
    [](Case& c) { cudaGraphLaunch(two_nodes(c.x, c.y, false), c.s); },
    [](Case& c) { cudaGraphLaunch(captured(c, false), c.s); },
    [](Case& c) {
      cudaGraphLaunch(two_nodes(c.x, c.y, true), c.s);
      cudaGraphLaunch(two_nodes(c.x, c.y, true), c.t);
    },
    // j
    [](Case& c) {
      int* own;
      cudaMallocAsync(&own, kBytes, c.s);
      fill_in(c.t, own);  // j1: it may not be allocated yet
      cudaDeviceSynchronize();
      cudaFreeAsync(own, c.s);
    },
    [](Case& c) {
      int* own;
      cudaMallocAsync(&own, kBytes, c.s);
      fill_in(c.s, own);
      cudaFreeAsync(own, c.t);  // j2: it may still be written
    },
    // m: by one an atomic, by the other not
    [](Case& c) {
      count<<<1, 32, 0, c.s>>>(c.x);
      add_in(c.t, c.x, c.y);  // m1: nobody waits
    },
    // n
    [](Case& c) {
      cudaMemsetAsync(c.x, 0, kBytes, c.s);
      cudaMemsetAsync(c.x, 1, kBytes, c.t);  // n1: other bytes
    },
    [](Case& c) {
      fill_in(c.s, c.x);
      every_other<<<1, 128, 0, c.t>>>(c.x, 0);  // n2: some bytes of many
    },
    // a variable of the module
    [](Case& c) {
      sum<<<1, 32, 0, c.s>>>(c.x);
      sum<<<1, 32, 0, c.t>>>(c.x);  // v1: both write it
    },
};

int main(int, char** arguments) {
  const Cases& cases = std::strcmp(arguments[1], "right") == 0 ? right : wrong;
  const std::size_t only = arguments[2] != nullptr ? std::stoul(arguments[2]) : cases.size();
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (only == cases.size() || i == only) {
      Case c;
      cases[i](c);
    }
  std::printf("%d cases\n", made);
}
