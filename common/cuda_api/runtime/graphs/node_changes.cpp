// Nodes of graphs and of instances that are changed, and asked for what they do.

#include <cuda_runtime_api.h>

#include "common/cuda_api/runtime/graphs/add_node.h"
#include "common/cuda_api/runtime/graphs/node_work.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// What a node of this type was given.
template <typename Asked>
[[gnu::always_inline]] inline cudaError_t tell(const char* name, cudaGraphNode_t node, cudaGraphNodeType type,
                                               Asked GraphNode::*member, Asked* asked) {
  return with_node(name, node_of(node), [&](Session&, GraphNode& one) {
    if (one.type != type || asked == nullptr) return cudaErrorInvalidValue;
    *asked = one.*member;
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* asked) {
  void* const caller = __builtin_return_address(0);
  return with_node("cudaGraphKernelNodeSetParams", node_of(node),
                   [&](Session& s, GraphNode& one) { return be_kernel(s, one, asked, caller); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* asked) {
  void* const caller = __builtin_return_address(0);
  return with_node("cudaGraphExecKernelNodeSetParams", instance_of(exec, node),
                   [&](Session& s, GraphNode& one) { return be_kernel(s, one, asked, caller); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* asked) {
  return with_node("cudaGraphMemcpyNodeSetParams", node_of(node),
                   [&](Session&, GraphNode& one) { return be_copy(one, asked); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* asked) {
  return with_node("cudaGraphExecMemcpyNodeSetParams", instance_of(exec, node),
                   [&](Session&, GraphNode& one) { return be_copy(one, asked); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return with_node("cudaGraphMemcpyNodeSetParams1D", node_of(node),
                   [&](Session&, GraphNode& one) { return be_copy(one, to, from, bytes, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from,
                                               size_t bytes, cudaMemcpyKind kind) {
  return with_node("cudaGraphExecMemcpyNodeSetParams1D", instance_of(exec, node),
                   [&](Session&, GraphNode& one) { return be_copy(one, to, from, bytes, kind); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return with_node("cudaGraphMemcpyNodeSetParamsToSymbol", node_of(node), [&](Session&, GraphNode& one) {
    return be_copy(one, {symbol, nullptr, from, bytes, offset, kind});
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void* symbol,
                                                     const void* from, size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind) {
  return with_node("cudaGraphExecMemcpyNodeSetParamsToSymbol", instance_of(exec, node), [&](Session&, GraphNode& one) {
    return be_copy(one, {symbol, nullptr, from, bytes, offset, kind});
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol, size_t bytes,
                                                   size_t offset, cudaMemcpyKind kind) {
  return with_node("cudaGraphMemcpyNodeSetParamsFromSymbol", node_of(node), [&](Session&, GraphNode& one) {
    return be_copy(one, {symbol, to, nullptr, bytes, offset, kind});
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                                       const void* symbol, size_t bytes, size_t offset,
                                                       cudaMemcpyKind kind) {
  return with_node("cudaGraphExecMemcpyNodeSetParamsFromSymbol", instance_of(exec, node),
                   [&](Session&, GraphNode& one) {
                     return be_copy(one, {symbol, to, nullptr, bytes, offset, kind});
                   });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* asked) {
  return with_node("cudaGraphMemsetNodeSetParams", node_of(node),
                   [&](Session&, GraphNode& one) { return be_fill(one, asked); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* asked) {
  return with_node("cudaGraphExecMemsetNodeSetParams", instance_of(exec, node),
                   [&](Session&, GraphNode& one) { return be_fill(one, asked); });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* asked) {
  return with_node("cudaGraphHostNodeSetParams", node_of(node),
                   [&](Session&, GraphNode& one) { return be_host_function(one, asked); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* asked) {
  return with_node("cudaGraphExecHostNodeSetParams", instance_of(exec, node),
                   [&](Session&, GraphNode& one) { return be_host_function(one, asked); });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return with_node("cudaGraphEventRecordNodeSetEvent", node_of(node),
                   [&](Session&, GraphNode& one) { return be_record(one, event); });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
  return with_node("cudaGraphExecEventRecordNodeSetEvent", instance_of(exec, node),
                   [&](Session&, GraphNode& one) { return be_record(one, event); });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return with_node("cudaGraphEventWaitNodeSetEvent", node_of(node),
                   [&](Session&, GraphNode& one) { return be_wait(one, event); });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
  return with_node("cudaGraphExecEventWaitNodeSetEvent", instance_of(exec, node),
                   [&](Session&, GraphNode& one) { return be_wait(one, event); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child) {
  return with_node("cudaGraphExecChildGraphNodeSetParams", instance_of(exec, node),
                   [&](Session&, GraphNode& one) { return be_graph(one, child); });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* asked) {
  return tell("cudaGraphKernelNodeGetParams", node, cudaGraphNodeTypeKernel, &GraphNode::kernel, asked);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* asked) {
  return tell("cudaGraphMemcpyNodeGetParams", node, cudaGraphNodeTypeMemcpy, &GraphNode::copy, asked);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* asked) {
  return tell("cudaGraphMemsetNodeGetParams", node, cudaGraphNodeTypeMemset, &GraphNode::fill, asked);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* asked) {
  return tell("cudaGraphHostNodeGetParams", node, cudaGraphNodeTypeHost, &GraphNode::host, asked);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* asked) {
  return tell("cudaGraphEventRecordNodeGetEvent", node, cudaGraphNodeTypeEventRecord, &GraphNode::event, asked);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* asked) {
  return tell("cudaGraphEventWaitNodeGetEvent", node, cudaGraphNodeTypeWaitEvent, &GraphNode::event, asked);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value) {
  return with_node("cudaGraphKernelNodeGetAttribute", node_of(node), [&](Session&, GraphNode& one) {
    if (one.type != cudaGraphNodeTypeKernel || value == nullptr) return cudaErrorInvalidValue;
    const auto known = one.attributes.find(attribute);
    *value = known == one.attributes.end() ? cudaLaunchAttributeValue{} : known->second;
    if (attribute == cudaLaunchAttributeCooperative && known == one.attributes.end() && one.launch != nullptr)
      value->cooperative = one.launch->request.cooperative ? 1 : 0;
    if (attribute == cudaLaunchAttributeClusterDimension && known == one.attributes.end() && one.launch != nullptr) {
      const Dim3& cluster = one.launch->request.cluster;
      value->clusterDim.x = cluster.x, value->clusterDim.y = cluster.y, value->clusterDim.z = cluster.z;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue* value) {
  return with_node("cudaGraphKernelNodeSetAttribute", node_of(node), [&](Session& s, GraphNode& one) {
    if (one.type != cudaGraphNodeTypeKernel || value == nullptr) return cudaErrorInvalidValue;
    one.attributes[attribute] = *value;
    return take_attributes(s, one);
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
#else
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to) {
#endif
  return with_node("cudaGraphKernelNodeCopyAttributes", node_of(to), [&](Session& s, GraphNode& one) {
    const GraphNode* other = node_of(from);
    if (other == nullptr || other->type != cudaGraphNodeTypeKernel || one.type != cudaGraphNodeTypeKernel)
      return cudaErrorInvalidValue;
    one.attributes = other->attributes;
    return take_attributes(s, one);
  });
}

}  // extern "C"
