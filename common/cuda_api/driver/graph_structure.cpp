// Graphs (CUDA Driver API: Graph Management): what there is of one, nodes of all types, and what changes them.

#include <cuda_runtime_api.h>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/graph_words.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

extern "C" {

CUresult cuGraphDestroyNode(CUgraphNode node) {
  return by_runtime("cuGraphDestroyNode", [&] { return cudaGraphDestroyNode(node); });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return by_runtime("cuGraphChildGraphNodeGetGraph", [&] { return cudaGraphChildGraphNodeGetGraph(node, graph); });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode node, CUgraph clone) {
  return by_runtime("cuGraphNodeFindInClone", [&] { return cudaGraphNodeFindInClone(found, node, clone); });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned on) {
  return by_runtime("cuGraphNodeSetEnabled", [&] { return cudaGraphNodeSetEnabled(exec, node, on); });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* on) {
  return by_runtime("cuGraphNodeGetEnabled", [&] { return cudaGraphNodeGetEnabled(exec, node, on); });
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
  return by_runtime("cuGraphDebugDotPrint", [&] { return cudaGraphDebugDotPrint(graph, path, flags); });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                                   CUevent event) {
  return by_runtime("cuGraphAddEventRecordNode",
                    [&] { return cudaGraphAddEventRecordNode(node, graph, before, count, event); });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                                 CUevent event) {
  return by_runtime("cuGraphAddEventWaitNode",
                    [&] { return cudaGraphAddEventWaitNode(node, graph, before, count, event); });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return by_runtime("cuGraphEventRecordNodeGetEvent", [&] { return cudaGraphEventRecordNodeGetEvent(node, event); });
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return by_runtime("cuGraphEventRecordNodeSetEvent", [&] { return cudaGraphEventRecordNodeSetEvent(node, event); });
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return by_runtime("cuGraphExecEventRecordNodeSetEvent",
                    [&] { return cudaGraphExecEventRecordNodeSetEvent(exec, node, event); });
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return by_runtime("cuGraphEventWaitNodeGetEvent", [&] { return cudaGraphEventWaitNodeGetEvent(node, event); });
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return by_runtime("cuGraphEventWaitNodeSetEvent", [&] { return cudaGraphEventWaitNodeSetEvent(node, event); });
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return by_runtime("cuGraphExecEventWaitNodeSetEvent",
                    [&] { return cudaGraphExecEventWaitNodeSetEvent(exec, node, event); });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
  return by_runtime("cuGraphExecChildGraphNodeSetParams",
                    [&] { return cudaGraphExecChildGraphNodeSetParams(exec, node, child); });
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
  return by_runtime("cuGraphExecGetFlags", [&] {
    unsigned long long told = 0;
    const auto error = flags == nullptr ? cudaErrorInvalidValue : cudaGraphExecGetFlags(exec, &told);
    if (error == cudaSuccess) *flags = told;
    return error;
  });
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* asked) {
  return by_runtime("cuGraphHostNodeGetParams", [&] {
    cudaHostNodeParams known{};
    const auto error = asked == nullptr ? cudaErrorInvalidValue : cudaGraphHostNodeGetParams(node, &known);
    if (error == cudaSuccess) *asked = {known.fn, known.userData};
    return error;
  });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* asked) {
  return by_runtime("cuGraphMemsetNodeGetParams", [&] {
    cudaMemsetParams known{};
    const auto error = asked == nullptr ? cudaErrorInvalidValue : cudaGraphMemsetNodeGetParams(node, &known);
    if (error == cudaSuccess)
      *asked = {address_of(known.dst), known.pitch, known.value, known.elementSize, known.width, known.height};
    return error;
  });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* asked) {
  return by_runtime("cuGraphMemAllocNodeGetParams", [&] {
    cudaMemAllocNodeParams known{};
    const auto error = asked == nullptr ? cudaErrorInvalidValue : cudaGraphMemAllocNodeGetParams(node, &known);
    if (error != cudaSuccess) return error;
    *asked = {};
    asked->bytesize = known.bytesize;
    asked->dptr = address_of(known.dptr);
    return error;
  });
}

// A value of an attribute is the same bytes in both APIs.

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue* value) {
  return by_runtime("cuGraphKernelNodeGetAttribute", [&] {
    return cudaGraphKernelNodeGetAttribute(node, static_cast<cudaLaunchAttributeID>(attribute),
                                           reinterpret_cast<cudaLaunchAttributeValue*>(value));
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue* value) {
  return by_runtime("cuGraphKernelNodeSetAttribute", [&] {
    return cudaGraphKernelNodeSetAttribute(node, static_cast<cudaLaunchAttributeID>(attribute),
                                           reinterpret_cast<const cudaLaunchAttributeValue*>(value));
  });
}

#if CUDA_VERSION >= 13000  // before, other parameters
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return by_runtime("cuGraphKernelNodeCopyAttributes", [&] { return cudaGraphKernelNodeCopyAttributes(to, from); });
}

// Edges have no data here, and where there is room for it, it is none.

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count) {
  return by_runtime("cuGraphGetEdges", [&] {
    return cudaGraphGetEdges(graph, from, to, reinterpret_cast<cudaGraphEdgeData*>(data), count);
  });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data, size_t* count) {
  return by_runtime("cuGraphNodeGetDependencies", [&] {
    return cudaGraphNodeGetDependencies(node, nodes, reinterpret_cast<cudaGraphEdgeData*>(data), count);
  });
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data, size_t* count) {
  return by_runtime("cuGraphNodeGetDependentNodes", [&] {
    return cudaGraphNodeGetDependentNodes(node, nodes, reinterpret_cast<cudaGraphEdgeData*>(data), count);
  });
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData*, size_t count) {
  return by_runtime("cuGraphRemoveDependencies",
                    [&] { return cudaGraphRemoveDependencies(graph, from, to, nullptr, count); });
}

CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, const CUgraphEdgeData*,
                        size_t count, CUgraphNodeParams* asked) {
  return driver_call("cuGraphAddNode", Needs::context, [&](Session& s) {
    if (asked == nullptr) return cudaErrorInvalidValue;
    auto wanted = in_words_of_runtime(s, *asked);
    if (!wanted) return cudaErrorInvalidResourceHandle;
    const auto error = cudaGraphAddNode(node, graph, before, nullptr, count, &*wanted);
    if (error == cudaSuccess && asked->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
      asked->alloc.dptr = address_of(wanted->alloc.dptr);
    if (error == cudaSuccess && asked->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
      asked->conditional.phGraph_out = wanted->conditional.phGraph_out;
    return error;
  });
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* asked) {
  return driver_call("cuGraphNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return cudaErrorInvalidValue;
    auto wanted = in_words_of_runtime(s, *asked);
    return wanted ? cudaGraphNodeSetParams(node, &*wanted) : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams* asked) {
  return driver_call("cuGraphExecNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return cudaErrorInvalidValue;
    auto wanted = in_words_of_runtime(s, *asked);
    return wanted ? cudaGraphExecNodeSetParams(exec, node, &*wanted) : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph, CUcontext, unsigned value,
                                        unsigned flags) {
  return by_runtime("cuGraphConditionalHandleCreate", [&] {
    cudaGraphConditionalHandle made = 0;
    const auto error = cudaGraphConditionalHandleCreate(&made, graph, value, flags);
    if (error == cudaSuccess && handle != nullptr) *handle = made;
    return error;
  });
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* nodes, const CUgraphEdgeData*, size_t count,
                                           unsigned flags) {
  return by_runtime("cuStreamUpdateCaptureDependencies",
                    [&] { return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags); });
}
#endif

}  // extern "C"
