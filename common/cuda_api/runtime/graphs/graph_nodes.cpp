// Graphs made node by node, and nodes that are changed.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/cuda_api/runtime/graphs/add_node.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

std::unordered_map<cudaGraphNode_t, std::shared_ptr<GraphNode>>& handles() {
  static auto& all = *new std::unordered_map<cudaGraphNode_t, std::shared_ptr<GraphNode>>;
  return all;
}

cudaError_t fill_kernel(Session& s, GraphNode& node, const cudaKernelNodeParams* asked, void* caller) {
  if (asked == nullptr) return cudaErrorInvalidValue;
  FunctionEntry* function = s.modules.function(asked->func);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  LaunchRequest request;
  request.function = function;
  request.grid = {asked->gridDim.x, asked->gridDim.y, asked->gridDim.z};
  request.block = {asked->blockDim.x, asked->blockDim.y, asked->blockDim.z};
  request.shared_bytes = asked->sharedMemBytes;
  request.arguments = asked->kernelParams;
  request.caller = caller;
  if (asked->kernelParams == nullptr && asked->extra != nullptr)
    s.refuse("a kernel node with 'extra' arguments (cudaGraphAddKernelNode)", caller);
  node.work = s.work_of(request);
  node.kernel = *asked;
  return cudaSuccess;
}

// Each by the function that does it on a stream.
Work copying(const cudaMemcpy3DParms& asked) {
  return [asked](Session&, cudaStream_t stream) { return cudaMemcpy3DAsync(&asked, stream); };
}
Work copying(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return [=](Session&, cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); };
}
Work filling(const cudaMemsetParams& asked) {
  return [asked](Session&, cudaStream_t stream) {
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
  };
}
Work calling(const cudaHostNodeParams& asked) {
  return [asked](Session& s, cudaStream_t on) {
    s.print();
    s.streams.begin_callback(on);
    asked.fn(asked.userData);
    s.streams.end_callback();
    return cudaSuccess;
  };
}

/// The node of an instance that was made of this one.
GraphNode* instance_of(cudaGraphExec_t exec, cudaGraphNode_t handle) {
  const auto nodes = nodes_of(exec);
  const GraphNode* node = node_of(handle);
  if (nodes == nullptr || node == nullptr) return nullptr;
  const auto found = std::ranges::find_if(*nodes, [&](const auto& one) { return one->origin == node; });
  return found == nodes->end() ? nullptr : found->get();
}

/// `body` with a node that there is.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t with(const char* name, GraphNode* node, const Body& body) {
  return call(name, Waits::no, [&](Session& s) {
    if (node == nullptr) return cudaErrorInvalidValue;
    return body(s, *node);
  });
}

cudaError_t set(GraphNode& node, Work work) {
  node.work = std::move(work);
  return cudaSuccess;
}

/// As many as there is room for, and how many there are.
cudaError_t list(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* nodes, std::size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (nodes != nullptr) std::copy_n(all.begin(), std::min(*count, all.size()), nodes);
  *count = nodes != nullptr ? std::min(*count, all.size()) : all.size();
  return cudaSuccess;
}

}  // namespace

namespace gpulab::cuda_api {

GraphNode* node_of(cudaGraphNode_t handle) {
  const auto found = handles().find(handle);
  return found == handles().end() ? nullptr : found->second.get();
}

cudaGraphNode_t handle_of(const std::shared_ptr<GraphNode>& node) {
  auto* const handle = reinterpret_cast<cudaGraphNode_t>(node.get());
  handles()[handle] = node;
  return handle;
}

}  // namespace gpulab::cuda_api

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaKernelNodeParams* asked) {
  void* const caller = __builtin_return_address(0);
  return add("cudaGraphAddKernelNode", {node, graph, before, count}, cudaGraphNodeTypeKernel,
             [&](Session& s, GraphNode& made) { return fill_kernel(s, made, asked, caller); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaMemcpy3DParms* asked) {
  return add("cudaGraphAddMemcpyNode", {node, graph, before, count}, cudaGraphNodeTypeMemcpy,
             [&](Session&, GraphNode& made) { return set(made, copying(*asked)); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNode1D", {node, graph, before, count}, cudaGraphNodeTypeMemcpy,
             [&](Session&, GraphNode& made) { return set(made, copying(to, from, bytes, kind)); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaMemsetParams* asked) {
  return add("cudaGraphAddMemsetNode", {node, graph, before, count}, cudaGraphNodeTypeMemset,
             [&](Session&, GraphNode& made) { return set(made, filling(*asked)); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, size_t count,
                                 const cudaHostNodeParams* asked) {
  return add("cudaGraphAddHostNode", {node, graph, before, count}, cudaGraphNodeTypeHost,
             [&](Session&, GraphNode& made) { return set(made, calling(*asked)); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                  size_t count) {
  return add("cudaGraphAddEmptyNode", {node, graph, before, count}, cudaGraphNodeTypeEmpty,
             [](Session&, GraphNode&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                       size_t count, cudaGraph_t child) {
  return add("cudaGraphAddChildGraphNode", {node, graph, before, count}, cudaGraphNodeTypeGraph,
             [&](Session&, GraphNode& made) {
               const auto nodes = nodes_of(child);
               if (nodes == nullptr) return cudaErrorInvalidValue;
               return set(made, [copies = copy_of(*nodes)](Session& s, cudaStream_t stream) {
                 return run_nodes(s, *copies, stream, nullptr);
               });
             });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData*, size_t count) {
#else
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count) {
#endif
  return call("cudaGraphAddDependencies", Waits::no, [&](Session&) {
    for (std::size_t i = 0; i < count; ++i) {
      GraphNode *first = node_of(from[i]), *second = node_of(to[i]);
      if (first == nullptr || second == nullptr) return cudaErrorInvalidValue;
      second->before.push_back(first);
      if (second->ordered_by) second->ordered_by->push_back(first);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call("cudaGraphGetNodes", Waits::no, [&](Session&) {
    const auto known = nodes_of(graph);
    if (known == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const auto& one : *known)
      if (!one->hidden) all.push_back(handle_of(one));
    return list(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call("cudaGraphGetRootNodes", Waits::no, [&](Session&) {
    const auto known = nodes_of(graph);
    if (known == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const auto& one : *known)
      if (one->before.empty() && !one->hidden) all.push_back(handle_of(one));
    return list(all, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return with("cudaGraphNodeGetType", node_of(node), [&](Session&, GraphNode& one) {
    *type = one.type;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* asked) {
  return with("cudaGraphKernelNodeGetParams", node_of(node), [&](Session&, GraphNode& one) {
    if (one.kernel.func == nullptr) return cudaErrorInvalidValue;  // of a captured stream
    *asked = one.kernel;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* asked) {
  void* const caller = __builtin_return_address(0);
  return with("cudaGraphKernelNodeSetParams", node_of(node),
              [&](Session& s, GraphNode& one) { return fill_kernel(s, one, asked, caller); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* asked) {
  void* const caller = __builtin_return_address(0);
  return with("cudaGraphExecKernelNodeSetParams", instance_of(exec, node),
              [&](Session& s, GraphNode& one) { return fill_kernel(s, one, asked, caller); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* asked) {
  return with("cudaGraphMemcpyNodeSetParams", node_of(node),
              [&](Session&, GraphNode& one) { return set(one, copying(*asked)); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* asked) {
  return with("cudaGraphExecMemcpyNodeSetParams", instance_of(exec, node),
              [&](Session&, GraphNode& one) { return set(one, copying(*asked)); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return with("cudaGraphMemcpyNodeSetParams1D", node_of(node),
              [&](Session&, GraphNode& one) { return set(one, copying(to, from, bytes, kind)); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from,
                                               size_t bytes, cudaMemcpyKind kind) {
  return with("cudaGraphExecMemcpyNodeSetParams1D", instance_of(exec, node),
              [&](Session&, GraphNode& one) { return set(one, copying(to, from, bytes, kind)); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* asked) {
  return with("cudaGraphMemsetNodeSetParams", node_of(node),
              [&](Session&, GraphNode& one) { return set(one, filling(*asked)); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* asked) {
  return with("cudaGraphExecMemsetNodeSetParams", instance_of(exec, node),
              [&](Session&, GraphNode& one) { return set(one, filling(*asked)); });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* asked) {
  return with("cudaGraphHostNodeSetParams", node_of(node),
              [&](Session&, GraphNode& one) { return set(one, calling(*asked)); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* asked) {
  return with("cudaGraphExecHostNodeSetParams", instance_of(exec, node),
              [&](Session&, GraphNode& one) { return set(one, calling(*asked)); });
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result) {
  return call("cudaGraphExecUpdate", Waits::no, [&](Session&) {
    const auto nodes = nodes_of(graph), instance = nodes_of(exec);
    if (nodes == nullptr || instance == nullptr) return cudaErrorInvalidValue;
    if (result != nullptr) *result = {};
    const auto same = [](const auto& one, const auto& other) {
      return one->type == other->type && one->before.size() == other->before.size();
    };
    const auto copies = copy_of(*nodes);
    if (!std::ranges::equal(*copies, *instance, same)) {
      if (result != nullptr) result->result = cudaGraphExecUpdateErrorTopologyChanged;
      return cudaErrorGraphExecUpdateFailure;
    }
    // The instance's nodes are still known by those that it was first made of.
    for (std::size_t i = 0; i < copies->size(); ++i) (*copies)[i]->origin = (*instance)[i]->origin;
    *instance = std::move(*copies);
    return cudaSuccess;
  });
}
#endif

}  // extern "C"
