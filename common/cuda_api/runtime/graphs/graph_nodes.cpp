// Graphs made node by node. How nodes are changed: node_changes.cpp; what there is of a graph: graph_structure.cpp.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "common/cuda_api/runtime/graphs/add_node.h"
#include "common/cuda_api/runtime/graphs/node_work.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

std::unordered_map<cudaGraphNode_t, std::shared_ptr<GraphNode>>& handles() {
  static auto& all = *new std::unordered_map<cudaGraphNode_t, std::shared_ptr<GraphNode>>;
  return all;
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

GraphNode* instance_of(const void* copy, cudaGraphNode_t handle) {
  const auto nodes = nodes_of(copy);
  const GraphNode* node = node_of(handle);
  if (nodes == nullptr || node == nullptr) return nullptr;
  const auto found = std::ranges::find_if(*nodes, [&](const auto& one) { return one->origin == node; });
  return found == nodes->end() ? nullptr : found->get();
}

}  // namespace gpulab::cuda_api

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaKernelNodeParams* asked) {
  void* const caller = __builtin_return_address(0);
  return add("cudaGraphAddKernelNode", {node, graph, before, count}, cudaGraphNodeTypeKernel,
             [&](Session& s, GraphNode& made) { return be_kernel(s, made, asked, caller); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaMemcpy3DParms* asked) {
  return add("cudaGraphAddMemcpyNode", {node, graph, before, count}, cudaGraphNodeTypeMemcpy,
             [&](Session&, GraphNode& made) { return be_copy(made, asked); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNode1D", {node, graph, before, count}, cudaGraphNodeTypeMemcpy,
             [&](Session&, GraphNode& made) { return be_copy(made, to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                           size_t count, const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNodeToSymbol", {node, graph, before, count}, cudaGraphNodeTypeMemcpy,
             [&](Session&, GraphNode& made) {
               return be_copy(made, {symbol, nullptr, from, bytes, offset, kind});
             });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                             size_t count, void* to, const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNodeFromSymbol", {node, graph, before, count}, cudaGraphNodeTypeMemcpy,
             [&](Session&, GraphNode& made) {
               return be_copy(made, {symbol, to, nullptr, bytes, offset, kind});
             });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaMemsetParams* asked) {
  return add("cudaGraphAddMemsetNode", {node, graph, before, count}, cudaGraphNodeTypeMemset,
             [&](Session&, GraphNode& made) { return be_fill(made, asked); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, size_t count,
                                 const cudaHostNodeParams* asked) {
  return add("cudaGraphAddHostNode", {node, graph, before, count}, cudaGraphNodeTypeHost,
             [&](Session&, GraphNode& made) { return be_host_function(made, asked); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                  size_t count) {
  return add("cudaGraphAddEmptyNode", {node, graph, before, count}, cudaGraphNodeTypeEmpty,
             [&](Session&, GraphNode&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                       size_t count, cudaGraph_t child) {
  return add("cudaGraphAddChildGraphNode", {node, graph, before, count}, cudaGraphNodeTypeGraph,
             [&](Session&, GraphNode& made) { return be_graph(made, child); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                        size_t count, cudaEvent_t event) {
  return add("cudaGraphAddEventRecordNode", {node, graph, before, count}, cudaGraphNodeTypeEventRecord,
             [&](Session&, GraphNode& made) { return be_record(made, event); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                      size_t count, cudaEvent_t event) {
  return add("cudaGraphAddEventWaitNode", {node, graph, before, count}, cudaGraphNodeTypeWaitEvent,
             [&](Session&, GraphNode& made) { return be_wait(made, event); });
}

}  // extern "C"
