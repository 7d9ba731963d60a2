// Graphs as wholes: recorded by a stream that is captured, copied, instantiated and launched. How they are made node by
// node: graph_nodes.cpp.

#include "common/cuda_api/runtime/graphs/graphs.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "common/cuda_api/runtime/graphs/graph_memory.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

std::unordered_map<const void*, std::shared_ptr<Nodes>>& graphs() {
  static auto& all = *new std::unordered_map<const void*, std::shared_ptr<Nodes>>;
  return all;
}

struct Capture {
  std::vector<Work> work;  ///< that is not in `nodes` yet
  cudaStream_t stream = nullptr;
  void* graph = nullptr;
  std::shared_ptr<Nodes> nodes;  ///< of `graph`
  std::vector<cudaGraphNode_t> last;
  std::size_t others = 0;  ///< nodes that the graph had before
};
Capture& current() {
  static auto& capture = *new Capture;
  return capture;
}

/// What has been recorded becomes nodes: each waits for the one before, in the order in which they were queued.
void take_nodes(Capture& capture) {
  Nodes& nodes = *capture.nodes;
  const auto& order = Session::instance().streams.capture();
  for (auto& work : capture.work) {
    auto node = std::make_shared<GraphNode>();
    node->type = cudaGraphNodeTypeKernel;
    node->work = std::move(work);
    if (!nodes.empty()) node->before = {nodes.back().get()};
    const std::size_t number = nodes.size() - capture.others;
    if (order.is_known() && number < order.before().size()) {
      auto& by = node->ordered_by.emplace();
      for (const auto one : order.before()[number]) by.push_back(nodes[capture.others + one].get());
    }
    nodes.push_back(std::move(node));
  }
  capture.work.clear();
}

[[gnu::always_inline]] inline cudaError_t begin(const char* name, cudaStream_t stream, void* graph) {
  return call(name, Waits::no, [&](Session& s) {
    if (stream_of(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    if (number_on_gpu(stream_number(stream)) == Timeline::kDefault) return cudaErrorStreamCaptureUnsupported;
    if (s.captured != nullptr) return cudaErrorIllegalState;
    if (graph == nullptr) graph = add_graph(std::make_shared<Nodes>());
    auto nodes = nodes_of(graph);
    if (nodes == nullptr) return cudaErrorInvalidValue;
    const std::size_t others = nodes->size();
    current() = {{}, stream, graph, std::move(nodes), {}, others};
    s.streams.begin_capture(stream, others == 0);
    s.captured = &current().work;
    s.capture_waits_for_default = stream_of(stream)->blocking();
    s.capture_is_broken = false;
    return cudaSuccess;
  });
}

/// Instances that free what their launch before has left, before they allocate it again.
std::unordered_set<const void*>& freeing_first() {
  static auto& all = *new std::unordered_set<const void*>;
  return all;
}

[[gnu::always_inline]] inline cudaError_t instantiate(const char* name, cudaGraphExec_t* exec, cudaGraph_t graph,
                                                      unsigned long long flags) {
  return call(name, Waits::no, [&](Session&) {
    const auto nodes = nodes_of(graph);
    if (nodes == nullptr || exec == nullptr) return cudaErrorInvalidValue;
    *exec = static_cast<cudaGraphExec_t>(add_graph(copy_of(*nodes)));
    share_user_objects(graph, *exec);
    if ((flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0) freeing_first().insert(*exec);
    return cudaSuccess;
  });
}

[[gnu::always_inline]] inline cudaError_t destroy(const char* name, void* handle) {
  return call(name, Waits::no, [&](Session&) {
    if (graphs().erase(handle) == 0) return cudaErrorInvalidValue;
    release_user_objects(handle);
    return cudaSuccess;
  });
}

}  // namespace

namespace gpulab::cuda_api {

std::shared_ptr<Nodes> nodes_of(const void* handle) {
  const auto found = graphs().find(handle);
  return found == graphs().end() ? nullptr : found->second;
}

void* add_graph(std::shared_ptr<Nodes> nodes) {
  void* handle = new char;  // never freed: no other graph gets it
  graphs()[handle] = std::move(nodes);
  return handle;
}

std::shared_ptr<Nodes> copy_of(const Nodes& nodes) {
  auto copies = std::make_shared<Nodes>();
  std::unordered_map<const GraphNode*, const GraphNode*> copied;
  // Most were added behind those that they wait for: one round. Those in a circle never come.
  for (bool more = true; more;) {
    more = false;
    for (const auto& node : nodes) {
      const auto is_there = [&](const GraphNode* one) { return copied.contains(one); };
      if (copied.contains(node.get()) || !std::ranges::all_of(node->before, is_there)) continue;
      auto copy = std::make_shared<GraphNode>(*node);
      copy->origin = node.get();
      for (auto& one : copy->before) one = copied.at(one);
      // Each was queued before this one, so that it is one of those before.
      if (copy->ordered_by)
        for (auto& one : *copy->ordered_by) one = copied.contains(one) ? copied.at(one) : nullptr;
      copied[node.get()] = copy.get();
      copies->push_back(std::move(copy));
      more = true;
    }
  }
  return copies;
}

namespace {

/// By node, in their order: which ones put it behind them.
std::vector<std::vector<std::uint32_t>> order_of(const Nodes& nodes) {
  std::unordered_map<const GraphNode*, std::uint32_t> numbers;
  std::vector<std::vector<std::uint32_t>> before(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const auto* one : nodes[i]->ordered_by.value_or(nodes[i]->before))
      if (const auto known = numbers.find(one); known != numbers.end()) before[i].push_back(known->second);
    numbers[nodes[i].get()] = static_cast<std::uint32_t>(i);
  }
  return before;
}

}  // namespace

namespace {

/// Kernels of a graph and of those within are counted from its launch on.
class GraphKernels {
 public:
  explicit GraphKernels(std::optional<std::uint64_t>& count) : count_(count), outer_(!count) {
    if (outer_) count_ = 0;
  }
  ~GraphKernels() {
    if (outer_) count_.reset();
  }
  GraphKernels(const GraphKernels&) = delete;
  GraphKernels& operator=(const GraphKernels&) = delete;

 private:
  std::optional<std::uint64_t>& count_;
  bool outer_;
};

}  // namespace

cudaError_t run_nodes(Session& session, const Nodes& nodes, cudaStream_t stream, const void* instance) {
  StreamCheck& streams = session.streams;
  if (streams.is_on()) streams.begin_graph(stream, instance, order_of(nodes));
  cudaError_t error = cudaSuccess;
  const GraphKernels within(session.graph_kernels);
  for (std::size_t i = 0; i < nodes.size() && error == cudaSuccess; ++i) {
    streams.node(static_cast<std::uint32_t>(i), nodes[i]->place);
    if (nodes[i]->work) error = nodes[i]->work(session, stream);
  }
  streams.end_graph();
  return error;
}

}  // namespace gpulab::cuda_api

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return begin("cudaStreamBeginCapture", stream, nullptr);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call("cudaStreamEndCapture", Waits::no, [&](Session& s) {
    if (s.captured == nullptr || current().stream != stream) return cudaErrorIllegalState;
    s.captured = nullptr;
    if (s.capture_is_broken) {
      current() = {};
      if (graph != nullptr) *graph = nullptr;
      return cudaErrorStreamCaptureInvalidated;
    }
    take_nodes(current());
    if (graph != nullptr) *graph = static_cast<cudaGraph_t>(current().graph);
    current() = {};
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
/// What is recorded goes behind all that the graph has: whatever it is to wait for.
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t*,
                                          const cudaGraphEdgeData*, size_t, cudaStreamCaptureMode) {
  return begin("cudaStreamBeginCaptureToGraph", stream, graph);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** before,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  return call("cudaStreamGetCaptureInfo", Waits::no, [&](Session& s) {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = s.captures(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (!s.captures(stream)) return cudaSuccess;
    Capture& capture = current();
    take_nodes(capture);
    capture.last.clear();
    if (!capture.nodes->empty()) capture.last.push_back(handle_of(capture.nodes->back()));
    if (id != nullptr) *id = reinterpret_cast<std::uint64_t>(capture.graph);
    if (graph != nullptr) *graph = static_cast<cudaGraph_t>(capture.graph);
    if (before != nullptr) *before = capture.last.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = capture.last.size();
    return cudaSuccess;
  });
}

/// What is recorded next waits for all nodes that there are anyway.
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t*, const cudaGraphEdgeData*, size_t,
                                                unsigned) {
  return call("cudaStreamUpdateCaptureDependencies", Waits::no, [&](Session& s) {
    s.streams.lose_capture();
    return s.captures(stream) ? cudaSuccess : cudaErrorIllegalState;
  });
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
  return call("cudaThreadExchangeStreamCaptureMode", Waits::no, [](Session&) { return cudaSuccess; });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return instantiate("cudaGraphInstantiate", exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return instantiate("cudaGraphInstantiateWithFlags", exec, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return call("cudaGraphUpload", Waits::no,
              [&](Session&) { return nodes_of(exec) != nullptr ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call("cudaGraphLaunch", Waits::no, [&](Session& s) {
    const auto nodes = nodes_of(exec);
    if (nodes == nullptr) return cudaErrorInvalidValue;
    if (stream_of(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    const auto run = [nodes, frees = freeing_first().contains(exec)](Session& now, cudaStream_t on) {
      const FreesFirst frees_first(frees);
      return run_nodes(now, *nodes, on, nodes.get());
    };
    s.host_launches();
    return s.under_way.later(stream, run) ? cudaSuccess : run(s, stream);
  });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  if (parameters != nullptr) parameters->result_out = cudaGraphInstantiateSuccess;
  return instantiate("cudaGraphInstantiateWithParams", exec, graph, parameters == nullptr ? 0 : parameters->flags);
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return call("cudaGraphCreate", Waits::no, [&](Session&) {
    *graph = static_cast<cudaGraph_t>(add_graph(std::make_shared<Nodes>()));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return call("cudaGraphClone", Waits::no, [&](Session&) {
    const auto nodes = nodes_of(graph);
    if (nodes == nullptr || clone == nullptr) return cudaErrorInvalidValue;
    *clone = static_cast<cudaGraph_t>(add_graph(copy_of(*nodes)));
    share_user_objects(graph, *clone);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return destroy("cudaGraphExecDestroy", exec); }

cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return destroy("cudaGraphDestroy", graph); }

}  // extern "C"
