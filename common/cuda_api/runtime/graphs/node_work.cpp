#include "common/cuda_api/runtime/graphs/node_work.h"

#include <cuda_runtime_api.h>

#include <cstring>
#include <utility>
#include <vector>

#include "common/cuda_api/runtime/clusters.h"

namespace gpulab::cuda_api {

namespace {

cudaError_t set(GraphNode& node, Work work) {
  node.work = std::move(work);
  return cudaSuccess;
}

/// In the words of a copy of a box: what a program is told that asks.
cudaMemcpy3DParms one_row(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms box{};
  box.dstPtr = {to, bytes, bytes, 1};
  box.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  box.extent = {bytes, 1, 1};
  box.kind = kind;
  return box;
}

cudaError_t fill_rows(const cudaMemsetParams& asked, cudaStream_t stream) {
  if (asked.elementSize <= 1)
    return cudaMemset2DAsync(asked.dst, asked.height > 1 ? asked.pitch : asked.width, static_cast<int>(asked.value),
                             asked.width, asked.height, stream);
  std::vector<std::byte> row(asked.width * asked.elementSize);
  for (std::size_t at = 0; at < row.size(); at += asked.elementSize)
    std::memcpy(row.data() + at, &asked.value, asked.elementSize);
  for (std::size_t y = 0; y < asked.height; ++y) {
    auto* to = static_cast<std::byte*>(asked.dst) + y * asked.pitch;
    if (const auto e = cudaMemcpyAsync(to, row.data(), row.size(), cudaMemcpyHostToDevice, stream); e != cudaSuccess)
      return e;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t be_kernel(Session& s, GraphNode& node, const cudaKernelNodeParams* asked, void* caller) {
  if (asked == nullptr) return cudaErrorInvalidValue;
  FunctionEntry* function = s.modules.function(asked->func);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (asked->kernelParams == nullptr && asked->extra != nullptr)
    s.refuse("a kernel node with 'extra' arguments (cudaGraphAddKernelNode)", caller);
  if (asked->kernelParams == nullptr && !s.kernel_of(*function).kernel.parameter_sizes.empty())
    return cudaErrorInvalidValue;
  LaunchRequest request;
  request.function = function;
  request.grid = {asked->gridDim.x, asked->gridDim.y, asked->gridDim.z};
  request.block = {asked->blockDim.x, asked->blockDim.y, asked->blockDim.z};
  request.shared_bytes = asked->sharedMemBytes;
  request.arguments = asked->kernelParams;
  request.caller = caller;
  const auto kept = s.keep(request);  // first: what it is given may be the node's own
  be_kernel(node, kept);
  node.kernel.func = asked->func;
  return take_attributes(s, node);
}

void be_kernel(GraphNode& node, std::shared_ptr<KeptLaunch> launch) {
  const LaunchRequest& request = launch->request;
  node.kernel = {};
  node.kernel.func = const_cast<void*>(request.function->host);
  node.kernel.gridDim = {request.grid.x, request.grid.y, request.grid.z};
  node.kernel.blockDim = {request.block.x, request.block.y, request.block.z};
  node.kernel.sharedMemBytes = static_cast<unsigned>(request.shared_bytes);
  node.kernel.kernelParams = launch->places.data();
  node.launch = launch;
  node.work = Session::work_of(std::move(launch));
}

cudaError_t take_attributes(Session& s, GraphNode& node) {
  if (node.launch == nullptr) return cudaErrorInvalidValue;
  const auto cluster = node.attributes.find(cudaLaunchAttributeClusterDimension);
  const auto cooperative = node.attributes.find(cudaLaunchAttributeCooperative);
  if (cooperative != node.attributes.end() || cluster != node.attributes.end()) {
    // What the node was copied from keeps its own.
    auto launch = s.keep(node.launch->request);
    if (cooperative != node.attributes.end()) launch->request.cooperative = cooperative->second.cooperative != 0;
    if (cluster != node.attributes.end()) launch->request.cluster = asked_cluster(cluster->second);
    void* const function = node.kernel.func;
    be_kernel(node, std::move(launch));
    node.kernel.func = function;
  }
  return cudaSuccess;
}

cudaError_t be_copy(GraphNode& node, const cudaMemcpy3DParms* asked) {
  if (asked == nullptr) return cudaErrorInvalidValue;
  node.copy = *asked;
  return set(node, [box = *asked](Session&, cudaStream_t stream) { return cudaMemcpy3DAsync(&box, stream); });
}

cudaError_t be_copy(GraphNode& node, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  node.copy = one_row(to, from, bytes, kind);
  return set(node, [=](Session&, cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}

cudaError_t be_copy(GraphNode& node, const SymbolCopy& asked) {
  node.copy = one_row(asked.to, asked.from, asked.bytes, asked.kind);
  return set(node, [asked](Session&, cudaStream_t stream) {
    return asked.to == nullptr
               ? cudaMemcpyToSymbolAsync(asked.symbol, asked.from, asked.bytes, asked.offset, asked.kind, stream)
               : cudaMemcpyFromSymbolAsync(asked.to, asked.symbol, asked.bytes, asked.offset, asked.kind, stream);
  });
}

cudaError_t be_fill(GraphNode& node, const cudaMemsetParams* asked) {
  if (asked == nullptr) return cudaErrorInvalidValue;
  node.fill = *asked;
  return set(node, [given = *asked](Session&, cudaStream_t stream) { return fill_rows(given, stream); });
}

cudaError_t be_host_function(GraphNode& node, const cudaHostNodeParams* asked) {
  if (asked == nullptr || asked->fn == nullptr) return cudaErrorInvalidValue;
  node.host = *asked;
  return set(node, [given = *asked](Session& s, cudaStream_t on) {
    s.print();
    s.streams.begin_callback(on);
    given.fn(given.userData);
    s.streams.end_callback();
    return cudaSuccess;
  });
}

cudaError_t be_graph(GraphNode& node, cudaGraph_t child) {
  const auto nodes = nodes_of(child);
  if (nodes == nullptr) return cudaErrorInvalidValue;
  node.child = copy_of(*nodes);
  node.child_handle = nullptr;
  return cudaSuccess;
}

cudaError_t be_record(GraphNode& node, cudaEvent_t event) {
  if (event == nullptr) return cudaErrorInvalidValue;
  node.event = event;
  return set(node, [event](Session&, cudaStream_t stream) { return cudaEventRecord(event, stream); });
}

cudaError_t be_wait(GraphNode& node, cudaEvent_t event) {
  if (event == nullptr) return cudaErrorInvalidValue;
  node.event = event;
  return set(node, [event](Session&, cudaStream_t stream) { return cudaStreamWaitEvent(stream, event, 0); });
}

}  // namespace gpulab::cuda_api
