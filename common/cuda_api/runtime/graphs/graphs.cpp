// Graphs as wholes: recorded by a stream that is captured, copied, instantiated and launched. How they are made node by
// node: graph_nodes.cpp.

#include "common/cuda_api/runtime/graphs/graphs.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/graphs/graph_memory.h"
#include "common/cuda_api/runtime/graphs/node_work.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

std::unordered_map<const void*, std::shared_ptr<Nodes>>& graphs() {
  static auto& all = *new std::unordered_map<const void*, std::shared_ptr<Nodes>>;
  return all;
}

struct Capture {
  std::vector<Recorded> recorded;  ///< that is not in `nodes` yet
  cudaStream_t stream = nullptr;   ///< that it was begun in
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  void* graph = nullptr;
  std::shared_ptr<Nodes> nodes;             ///< of `graph`
  std::vector<const GraphNode*> by_number;  ///< as CaptureOrder counts them
  std::vector<cudaGraphNode_t> last;        ///< that a program was told of
  bool ordered_by_program = false;          ///< it has said itself what waits for what
};
Capture& current() {
  static auto& capture = *new Capture;
  return capture;
}

/// How the thread deals with other calls while a stream captures (cudaThreadExchangeStreamCaptureMode).
cudaStreamCaptureMode& mode_of_thread() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

/// What has been recorded becomes nodes, in the order in which they were queued; each waits for those that its stream
/// has queued before, or waited for by events.
void take_nodes(Capture& capture) {
  const auto& before = Session::instance().streams.capture().before();
  for (auto& one : capture.recorded) {
    auto node = std::make_shared<GraphNode>();
    node->type = one.type;
    node->graph = capture.nodes;
    node->work = std::move(one.work);
    if (one.launch != nullptr) be_kernel(*node, std::move(one.launch));
    if (one.child != nullptr) node->child = copy_of(*one.child);
    for (const auto number : before[capture.by_number.size()]) node->before.push_back(capture.by_number[number]);
    capture.by_number.push_back(node.get());
    capture.nodes->push_back(std::move(node));
  }
  capture.recorded.clear();
}

/// Numbers of nodes of the captured graph; nothing where one is not of it.
std::optional<CaptureOrder::Nodes> numbers_of(Capture& capture, const cudaGraphNode_t* handles, std::size_t count) {
  CaptureOrder::Nodes numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const GraphNode* node = node_of(handles[i]);
    if (node == nullptr || node->graph.lock() != capture.nodes) return std::nullopt;
    const auto known = std::ranges::find(capture.by_number, node);
    if (known != capture.by_number.end()) {
      numbers.push_back(static_cast<std::uint32_t>(known - capture.by_number.begin()));
    } else {  // the program has added it itself
      numbers.push_back(Session::instance().streams.capture().added());
      capture.by_number.push_back(node);
    }
  }
  return numbers;
}

/// `nodes`: of the graph that is captured to, which the first ones are to wait for.
[[gnu::always_inline]] inline cudaError_t begin(const char* name, cudaStream_t stream, cudaStreamCaptureMode mode,
                                                void* graph, const cudaGraphNode_t* before, std::size_t count) {
  return call(name, Waits::no, [&](Session& s) {
    if (stream_of(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    if (number_on_gpu(stream_number(stream)) == Timeline::kDefault) return cudaErrorStreamCaptureUnsupported;
    if (s.captured != nullptr) return cudaErrorIllegalState;
    if (static_cast<unsigned>(mode) > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (graph == nullptr) graph = add_graph(std::make_shared<Nodes>());
    auto nodes = nodes_of(graph);
    if (nodes == nullptr || (count > 0 && before == nullptr)) return cudaErrorInvalidValue;
    current() = {.recorded = {},
                 .stream = stream,
                 .mode = mode,
                 .thread = std::this_thread::get_id(),
                 .graph = graph,
                 .nodes = std::move(nodes),
                 .by_number = {},
                 .last = {},
                 .ordered_by_program = false};
    s.streams.begin_capture(stream);
    const auto first = numbers_of(current(), before, count);
    if (!first) return cudaErrorInvalidValue;
    s.streams.waits_only_in_capture(stream, *first);
    s.captured = &current().recorded;
    s.capture_waits_for_default = stream_of(stream)->blocking();
    s.capture_is_broken = false;
    return cudaSuccess;
  });
}

/// What instances were made with.
std::unordered_map<const void*, unsigned long long>& flags_of_instances() {
  static auto& all = *new std::unordered_map<const void*, unsigned long long>;
  return all;
}

[[gnu::always_inline]] inline cudaError_t instantiate(const char* name, cudaGraphExec_t* exec, cudaGraph_t graph,
                                                      unsigned long long flags) {
  return call(name, Waits::no, [&](Session&) {
    const auto nodes = nodes_of(graph);
    if (nodes == nullptr || exec == nullptr) return cudaErrorInvalidValue;
    auto copies = copy_of(*nodes);
    if (copies->size() < nodes->size()) return cudaErrorInvalidValue;  // some wait for each other in a circle
    *exec = static_cast<cudaGraphExec_t>(add_graph(std::move(copies)));
    share_user_objects(graph, *exec);
    flags_of_instances()[*exec] = flags;
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
      copy->graph = copies;
      for (auto& one : copy->before) one = copied.at(one);
      if (copy->child != nullptr) copy->child = copy_of(*copy->child);
      copy->child_handle = nullptr;
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
    for (const auto* one : nodes[i]->before)
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

namespace {

/// The calling thread may not do what might not go into a capture.
bool capture_forbids_calls() {
  const Capture& capture = current();
  const auto mode = mode_of_thread();
  if (mode == cudaStreamCaptureModeRelaxed || capture.mode == cudaStreamCaptureModeRelaxed) return false;
  return capture.thread == std::this_thread::get_id() ||
         (capture.mode == cudaStreamCaptureModeGlobal && mode == cudaStreamCaptureModeGlobal);
}

}  // namespace

cudaError_t ends_capture(Session& session) {
  if (session.captured == nullptr || !capture_forbids_calls()) return cudaSuccess;
  session.capture_is_broken = true;
  return session.because(cudaErrorStreamCaptureUnsupported, ended_capture());
}

cudaError_t ends_capture(Session& session, cudaStream_t stream) {
  if (!session.captures(stream)) return cudaSuccess;
  session.capture_is_broken = true;
  return session.because(cudaErrorStreamCaptureUnsupported, ended_capture());
}

cudaError_t run_nodes(Session& session, const Nodes& nodes, cudaStream_t stream, const void* instance) {
  StreamCheck& streams = session.streams;
  if (streams.is_on()) streams.begin_graph(stream, instance, order_of(nodes));
  cudaError_t error = cudaSuccess;
  const GraphKernels within(session.graph_kernels);
  for (std::size_t i = 0; i < nodes.size() && error == cudaSuccess; ++i) {
    streams.node(static_cast<std::uint32_t>(i), nodes[i]->place);
    if (!nodes[i]->enabled) continue;
    if (nodes[i]->child != nullptr)
      error = run_nodes(session, *nodes[i]->child, stream, nullptr);
    else if (nodes[i]->work)
      error = nodes[i]->work(session, stream);
  }
  streams.end_graph();
  return error;
}

}  // namespace gpulab::cuda_api

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return begin("cudaStreamBeginCapture", stream, mode, nullptr, nullptr, 0);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call("cudaStreamEndCapture", Waits::no, [&](Session& s) {
    if (!s.captures(stream)) return cudaErrorIllegalState;
    if (current().stream != stream) return s.because(cudaErrorStreamCaptureUnmatched, capture_of_another());
    if (graph != nullptr) *graph = nullptr;
    s.captured = nullptr;
    take_nodes(current());
    const bool is_forked = !current().ordered_by_program && s.streams.capture_is_forked(stream);
    const Capture ended = std::exchange(current(), {});
    if (s.capture_is_broken) return cudaErrorStreamCaptureInvalidated;
    if (is_forked) return s.because(cudaErrorStreamCaptureUnjoined, fork_not_joined());
    if (graph != nullptr) *graph = static_cast<cudaGraph_t>(ended.graph);
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* before,
                                          const cudaGraphEdgeData*, size_t count, cudaStreamCaptureMode mode) {
  return begin("cudaStreamBeginCaptureToGraph", stream, mode, graph, before, count);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** before,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  return call("cudaStreamGetCaptureInfo", Waits::no, [&](Session& s) {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = !s.captures(stream)   ? cudaStreamCaptureStatusNone
              : s.capture_is_broken ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
    if (!s.captures(stream)) return cudaSuccess;
    Capture& capture = current();
    take_nodes(capture);
    capture.last.clear();
    for (const auto number : s.streams.capture_heads(stream))
      for (const auto& node : *capture.nodes)
        if (node.get() == capture.by_number[number]) capture.last.push_back(handle_of(node));
    if (id != nullptr) *id = reinterpret_cast<std::uint64_t>(capture.graph);
    if (graph != nullptr) *graph = static_cast<cudaGraph_t>(capture.graph);
    if (before != nullptr) *before = capture.last.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = capture.last.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData*,
                                                size_t count, unsigned flags) {
  return call("cudaStreamUpdateCaptureDependencies", Waits::no, [&](Session& s) {
    if (!s.captures(stream)) return cudaErrorIllegalState;
    take_nodes(current());
    auto numbers = numbers_of(current(), nodes, count);
    if (!numbers) return cudaErrorInvalidValue;
    if (flags != cudaStreamSetCaptureDependencies)
      for (const auto one : s.streams.capture_heads(stream)) numbers->push_back(one);
    s.streams.waits_only_in_capture(stream, std::move(*numbers));
    current().ordered_by_program = true;
    return cudaSuccess;
  });
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call("cudaThreadExchangeStreamCaptureMode", Waits::no, [&](Session&) {
    if (mode == nullptr || static_cast<unsigned>(*mode) > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    *mode = std::exchange(mode_of_thread(), *mode);
    return cudaSuccess;
  });
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
    const auto flags = flags_of_instances().find(exec);
    const bool frees =
        flags != flags_of_instances().end() && (flags->second & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    const auto run = [nodes, frees](Session& now, cudaStream_t on) {
      const FreesFirst frees_first(frees);
      return run_nodes(now, *nodes, on, nodes.get());
    };
    if (s.captures(stream)) {
      s.captured->push_back({.work = {}, .type = cudaGraphNodeTypeGraph, .launch = {}, .child = nodes});
      s.streams.captured(stream);
      return cudaSuccess;
    }
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

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return call("cudaGraphExecGetFlags", Waits::no, [&](Session&) {
    const auto known = flags_of_instances().find(exec);
    if (known == flags_of_instances().end() || nodes_of(exec) == nullptr || flags == nullptr)
      return cudaErrorInvalidValue;
    *flags = known->second;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return destroy("cudaGraphExecDestroy", exec); }

cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return destroy("cudaGraphDestroy", graph); }

}  // extern "C"
