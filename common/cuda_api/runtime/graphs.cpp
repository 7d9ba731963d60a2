// Graphs, as streams record them: the work of a captured stream, in the order in which it was queued, done again by
// each launch.

#include <cuda_runtime_api.h>

#include <memory>
#include <unordered_map>

#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

using Nodes = std::shared_ptr<std::vector<Work>>;

/// Graphs and what was instantiated of them, by their handles; under the session's lock.
std::unordered_map<void*, Nodes>& graphs() {
  static auto& all = *new std::unordered_map<void*, Nodes>;
  return all;
}

struct Capture {
  Nodes nodes;
  cudaStream_t stream = nullptr;
};
Capture& current() {
  static auto& capture = *new Capture;
  return capture;
}

/// A handle of its own.
void* added(const Nodes& nodes) {
  void* handle = new char;  // never freed: no other graph gets it
  graphs()[handle] = nodes;
  return handle;
}

Nodes find(void* handle) {
  const auto found = graphs().find(handle);
  return found == graphs().end() ? nullptr : found->second;
}

[[gnu::always_inline]] inline cudaError_t instantiate(const char* name, cudaGraphExec_t* exec, cudaGraph_t graph) {
  return call(name, Waits::no, [&](Session&) {
    const Nodes nodes = find(graph);
    if (nodes == nullptr || exec == nullptr) return cudaErrorInvalidValue;
    *exec = static_cast<cudaGraphExec_t>(added(nodes));
    return cudaSuccess;
  });
}

[[gnu::always_inline]] inline cudaError_t destroy(const char* name, void* handle) {
  return call(name, Waits::no,
              [&](Session&) { return graphs().erase(handle) == 1 ? cudaSuccess : cudaErrorInvalidValue; });
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return call("cudaStreamBeginCapture", Waits::no, [&](Session& s) {
    if (stream_of(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream_number(stream) == Timeline::kDefault) return cudaErrorStreamCaptureUnsupported;
    if (s.captured != nullptr) return cudaErrorIllegalState;
    current() = {std::make_shared<std::vector<Work>>(), stream};
    s.captured = current().nodes.get();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call("cudaStreamEndCapture", Waits::no, [&](Session& s) {
    if (s.captured == nullptr || current().stream != stream) return cudaErrorIllegalState;
    s.captured = nullptr;
    *graph = static_cast<cudaGraph_t>(added(current().nodes));
    current() = {};
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
  return call("cudaThreadExchangeStreamCaptureMode", Waits::no, [](Session&) { return cudaSuccess; });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return instantiate("cudaGraphInstantiate", exec, graph);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return instantiate("cudaGraphInstantiateWithFlags", exec, graph);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return call("cudaGraphUpload", Waits::no,
              [&](Session&) { return find(exec) != nullptr ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call("cudaGraphLaunch", Waits::no, [&](Session& s) {
    const Nodes nodes = find(exec);
    if (nodes == nullptr) return cudaErrorInvalidValue;
    if (stream_of(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    for (const auto& work : *nodes)
      if (const cudaError_t error = work(s, stream); error != cudaSuccess) return error;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call("cudaGraphGetNodes", Waits::no, [&](Session&) {
    const Nodes known = find(graph);
    if (known == nullptr || count == nullptr) return cudaErrorInvalidValue;
    if (nodes != nullptr) std::fill_n(nodes, *count, nullptr);
    *count = known->size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return destroy("cudaGraphExecDestroy", exec); }

cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return destroy("cudaGraphDestroy", graph); }

}  // extern "C"
