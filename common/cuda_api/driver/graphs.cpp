// Graphs (CUDA Driver API: Graph Management). Handles are the runtime's; descriptions are said in its words.

#include <cuda_runtime_api.h>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/graph_words.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

Reason no_parameters() { return null_argument("node's description"); }

}  // namespace

extern "C" {

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return by_runtime("cuGraphCreate", [&] { return cudaGraphCreate(graph, flags); });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return by_runtime("cuGraphDestroy", [&] { return cudaGraphDestroy(graph); });
}

CUresult cuGraphClone(CUgraph* clone, CUgraph graph) {
  return by_runtime("cuGraphClone", [&] { return cudaGraphClone(clone, graph); });
}

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS* asked) {
  return driver_call("cuGraphAddKernelNode", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const auto wanted = in_words_of_runtime(*asked);
    return cudaGraphAddKernelNode(node, graph, before, count, &wanted);
  });
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* asked) {
  return driver_call("cuGraphKernelNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const auto wanted = in_words_of_runtime(*asked);
    return cudaGraphKernelNodeSetParams(node, &wanted);
  });
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* asked) {
  return by_runtime("cuGraphKernelNodeGetParams", [&] {
    cudaKernelNodeParams known{};
    const auto error = cudaGraphKernelNodeGetParams(node, &known);
    if (error != cudaSuccess) return error;
    *asked = {};
    asked->func = static_cast<CUfunction>(known.func);
    asked->gridDimX = known.gridDim.x, asked->gridDimY = known.gridDim.y, asked->gridDimZ = known.gridDim.z;
    asked->blockDimX = known.blockDim.x, asked->blockDimY = known.blockDim.y, asked->blockDimZ = known.blockDim.z;
    asked->sharedMemBytes = known.sharedMemBytes;
    asked->kernelParams = known.kernelParams;
    return cudaSuccess;
  });
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* asked) {
  return driver_call("cuGraphExecKernelNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const auto wanted = in_words_of_runtime(*asked);
    return cudaGraphExecKernelNodeSetParams(exec, node, &wanted);
  });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                              const CUDA_MEMCPY3D* asked, CUcontext) {
  return driver_call("cuGraphAddMemcpyNode", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const auto wanted = in_words_of_runtime(s, *asked);
    return wanted ? cudaGraphAddMemcpyNode(node, graph, before, count, &*wanted) : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* asked) {
  return driver_call("cuGraphMemcpyNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const auto wanted = in_words_of_runtime(s, *asked);
    return wanted ? cudaGraphMemcpyNodeSetParams(node, &*wanted) : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* asked, CUcontext) {
  return driver_call("cuGraphExecMemcpyNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const auto wanted = in_words_of_runtime(s, *asked);
    return wanted ? cudaGraphExecMemcpyNodeSetParams(exec, node, &*wanted) : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* asked, CUcontext) {
  return driver_call("cuGraphAddMemsetNode", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const auto wanted = in_words_of_runtime(*asked);
    return cudaGraphAddMemsetNode(node, graph, before, count, &wanted);
  });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* asked) {
  return driver_call("cuGraphMemsetNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const auto wanted = in_words_of_runtime(*asked);
    return cudaGraphMemsetNodeSetParams(node, &wanted);
  });
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                            const CUDA_HOST_NODE_PARAMS* asked) {
  return driver_call("cuGraphAddHostNode", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const cudaHostNodeParams wanted{asked->fn, asked->userData};
    return cudaGraphAddHostNode(node, graph, before, count, &wanted);
  });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* asked,
                                        CUcontext) {
  return driver_call("cuGraphExecMemsetNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const auto wanted = in_words_of_runtime(*asked);
    return cudaGraphExecMemsetNodeSetParams(exec, node, &wanted);
  });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* asked) {
  return driver_call("cuGraphHostNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const cudaHostNodeParams wanted{asked->fn, asked->userData};
    return cudaGraphHostNodeSetParams(node, &wanted);
  });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* asked) {
  return driver_call("cuGraphExecHostNodeSetParams", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    const cudaHostNodeParams wanted{asked->fn, asked->userData};
    return cudaGraphExecHostNodeSetParams(exec, node, &wanted);
  });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS* asked) {
  return driver_call("cuGraphAddMemAllocNode", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, no_parameters());
    cudaMemAllocNodeParams wanted{};
    wanted.bytesize = asked->bytesize;
    const auto error = cudaGraphAddMemAllocNode(node, graph, before, count, &wanted);
    asked->dptr = address_of(wanted.dptr);
    return error;
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                               CUdeviceptr address) {
  return by_runtime("cuGraphAddMemFreeNode",
                    [&] { return cudaGraphAddMemFreeNode(node, graph, before, count, pointer_of(address)); });
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return by_runtime("cuDeviceGraphMemTrim", [&] { return cudaDeviceGraphMemTrim(device); });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  return by_runtime("cuDeviceGetGraphMemAttribute", [&] {
    return cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value);
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  return by_runtime("cuDeviceSetGraphMemAttribute", [&] {
    return cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value);
  });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count) {
  return by_runtime("cuGraphAddEmptyNode", [&] { return cudaGraphAddEmptyNode(node, graph, before, count); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                                  CUgraph child) {
  return by_runtime("cuGraphAddChildGraphNode",
                    [&] { return cudaGraphAddChildGraphNode(node, graph, before, count, child); });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return by_runtime("cuGraphGetNodes", [&] { return cudaGraphGetNodes(graph, nodes, count); });
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return by_runtime("cuGraphGetRootNodes", [&] { return cudaGraphGetRootNodes(graph, nodes, count); });
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return by_runtime("cuGraphNodeGetType", [&] {
    cudaGraphNodeType known{};
    const auto error = cudaGraphNodeGetType(node, &known);
    if (error == cudaSuccess) *type = static_cast<CUgraphNodeType>(known);
    return error;
  });
}

#if CUDA_VERSION >= 13000
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData*,
                                size_t count) {
  return by_runtime("cuGraphAddDependencies",
                    [&] { return cudaGraphAddDependencies(graph, from, to, nullptr, count); });
}
#endif

/// Under its newest name, cuGraphInstantiateWithFlags.
CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return by_runtime("cuGraphInstantiate", [&] { return cudaGraphInstantiateWithFlags(exec, graph, flags); });
}

#undef cuGraphInstantiate
/// As CUDA 10 and 11 have it.
CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* wrong, char* log, size_t bytes) {
  if (wrong != nullptr) *wrong = nullptr;
  if (log != nullptr && bytes > 0) *log = '\0';
  return by_runtime("cuGraphInstantiate", [&] { return cudaGraphInstantiateWithFlags(exec, graph, 0); });
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* asked) {
  return by_runtime("cuGraphInstantiateWithParams", [&] {
    if (asked != nullptr) asked->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return cudaGraphInstantiateWithFlags(exec, graph, asked == nullptr ? 0 : asked->flags);
  });
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return by_runtime("cuGraphUpload", [&] { return cudaGraphUpload(exec, stream); });
}

CUresult cuUserObjectCreate(CUuserObject* object, void* data, CUhostFn destroy, unsigned count, unsigned flags) {
  return by_runtime("cuUserObjectCreate", [&] { return cudaUserObjectCreate(object, data, destroy, count, flags); });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return by_runtime("cuUserObjectRetain", [&] { return cudaUserObjectRetain(object, count); });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return by_runtime("cuUserObjectRelease", [&] { return cudaUserObjectRelease(object, count); });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  return by_runtime("cuGraphRetainUserObject", [&] { return cudaGraphRetainUserObject(graph, object, count, flags); });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return by_runtime("cuGraphReleaseUserObject", [&] { return cudaGraphReleaseUserObject(graph, object, count); });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return by_runtime("cuGraphLaunch", [&] { return cudaGraphLaunch(exec, stream); });
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return by_runtime("cuGraphExecDestroy", [&] { return cudaGraphExecDestroy(exec); });
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* result) {
  return by_runtime("cuGraphExecUpdate", [&] {
    cudaGraphExecUpdateResultInfo told{};
    const auto error = cudaGraphExecUpdate(exec, graph, &told);
    if (result != nullptr) {
      *result = {};
      result->result = static_cast<CUgraphExecUpdateResult>(told.result);
    }
    return error;
  });
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return by_runtime("cuStreamBeginCapture",
                    [&] { return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)); });
}

#if CUDA_VERSION >= 13000
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* before, const CUgraphEdgeData*,
                                     size_t count, CUstreamCaptureMode mode) {
  return by_runtime("cuStreamBeginCaptureToGraph", [&] {
    return cudaStreamBeginCaptureToGraph(stream, graph, before, nullptr, count,
                                         static_cast<cudaStreamCaptureMode>(mode));
  });
}
#endif

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return by_runtime("cuStreamEndCapture", [&] { return cudaStreamEndCapture(stream, graph); });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return by_runtime("cuStreamIsCapturing", [&] {
    cudaStreamCaptureStatus known{};
    const auto error = cudaStreamIsCapturing(stream, &known);
    if (error == cudaSuccess && status != nullptr) *status = static_cast<CUstreamCaptureStatus>(known);
    return error;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return by_runtime("cuThreadExchangeStreamCaptureMode", [&] {
    return cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode));
  });
}

#if CUDA_VERSION >= 13000
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                const CUgraphNode** before, const CUgraphEdgeData** edges, size_t* count) {
  return by_runtime("cuStreamGetCaptureInfo", [&] {
    cudaStreamCaptureStatus known{};
    unsigned long long number = 0;
    const auto error = cudaStreamGetCaptureInfo(stream, &known, &number, graph, before, nullptr, count);
    if (error != cudaSuccess) return error;
    if (status != nullptr) *status = static_cast<CUstreamCaptureStatus>(known);
    if (id != nullptr) *id = number;
    if (edges != nullptr) *edges = nullptr;
    return error;
  });
}
#endif

}  // extern "C"
