// Nodes whose bodies run if, while or where a condition says so, and nodes of any kind by one function. A condition is
// a word of the device's memory, its handle the address: kernels set it by cudaGraphSetConditional.

#include <cuda_runtime_api.h>

#include <cstring>
#include <span>

#include "common/cuda_api/runtime/graphs/add_node.h"
#include "common/cuda_api/runtime/graphs/node_work.h"

#if CUDART_VERSION >= 13000  // before, other parameters: unsupported.cpp

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

std::uint32_t value_of(Session& session, cudaGraphConditionalHandle handle) {
  std::uint32_t value = 0;
  session.device().read(std::as_writable_bytes(std::span(&value, 1)), handle);
  return value;
}

void set_value(Session& session, cudaGraphConditionalHandle handle, std::uint32_t value) {
  session.device().write(handle, std::as_bytes(std::span(&value, 1)));
}

using Bodies = std::vector<std::shared_ptr<Nodes>>;

/// Bodies are filled behind the node's making, until the graph is instantiated.
Work deciding(const cudaConditionalNodeParams& asked, const Bodies& bodies) {
  return [handle = asked.handle, type = asked.type, bodies](Session& s, cudaStream_t stream) {
    const auto run = [&](const Nodes& body) { return run_nodes(s, *copy_of(body), stream, nullptr); };
    std::uint32_t value = value_of(s, handle);
    if (type != cudaGraphCondTypeWhile) {
      const std::size_t which = type == cudaGraphCondTypeSwitch ? value : value != 0 ? 0 : 1;
      return which < bodies.size() ? run(*bodies[which]) : cudaSuccess;
    }
    for (; value != 0; value = value_of(s, handle))
      if (const cudaError_t error = run(*bodies.front()); error != cudaSuccess) return error;
    return s.sticky();
  };
}

cudaError_t make_bodies(cudaConditionalNodeParams& asked, Work& work) {
  const bool fits = asked.type == cudaGraphCondTypeWhile ? asked.size == 1
                    : asked.type == cudaGraphCondTypeIf  ? asked.size == 1 || asked.size == 2
                                                         : asked.size > 0;
  constexpr unsigned most_bodies = 1U << 16;
  if (!fits || asked.size > most_bodies || asked.handle == 0) return cudaErrorInvalidValue;
  auto* const handles = new cudaGraph_t[asked.size];  // the program's, as long as the node is there: for good
  Bodies bodies;
  for (unsigned i = 0; i < asked.size; ++i) {
    bodies.push_back(std::make_shared<Nodes>());
    handles[i] = static_cast<cudaGraph_t>(add_graph(bodies.back()));
  }
  asked.phGraph_out = handles;
  work = deciding(asked, bodies);
  return cudaSuccess;
}

cudaKernelNodeParams plain(const cudaKernelNodeParamsV2& asked) {
  cudaKernelNodeParams kernel{};
  kernel.func = asked.func;
  kernel.gridDim = asked.gridDim;
  kernel.blockDim = asked.blockDim;
  kernel.sharedMemBytes = asked.sharedMemBytes;
  kernel.kernelParams = asked.kernelParams;
  kernel.extra = asked.extra;
  return kernel;
}

cudaMemsetParams plain(const cudaMemsetParamsV2& fill) {
  return {fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width, fill.height};
}

cudaError_t be(Session& session, GraphNode& node, const cudaGraphNodeParams& asked, void* caller) {
  switch (asked.type) {
    case cudaGraphNodeTypeKernel: {
      const auto kernel = plain(asked.kernel);
      return be_kernel(session, node, &kernel, caller);
    }
    case cudaGraphNodeTypeMemcpy:
      return be_copy(node, &asked.memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto fill = plain(asked.memset);
      return be_fill(node, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{asked.host.fn, asked.host.userData};
      return be_host_function(node, &host);
    }
    case cudaGraphNodeTypeGraph:
      return be_graph(node, asked.graph.graph);
    case cudaGraphNodeTypeEventRecord:
      return be_record(node, asked.eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
      return be_wait(node, asked.eventWait.event);
    default:
      return cudaErrorInvalidValue;
  }
}

/// Another thing of the same kind for the node to do.
[[gnu::always_inline]] inline cudaError_t change(const char* name, GraphNode* node, const cudaGraphNodeParams* asked,
                                                 void* caller) {
  return with_node(name, node, [&](Session& s, GraphNode& one) {
    if (asked == nullptr || asked->type != one.type) return cudaErrorInvalidValue;
    return be(s, one, *asked, caller);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned value,
                                             unsigned flags) {
  return call("cudaGraphConditionalHandleCreate", Waits::no, [&](Session& s) {
    const auto nodes = nodes_of(graph);
    if (nodes == nullptr || handle == nullptr || flags > cudaGraphCondAssignDefault) return cudaErrorInvalidValue;
    const auto made = s.device().allocate("condition of a graph", sizeof value);
    set_value(s, made, value);
    *handle = made;
    if (flags != cudaGraphCondAssignDefault) return cudaSuccess;
    auto first = std::make_shared<GraphNode>();
    first->hidden = true;
    first->work = [made, value](Session& session, cudaStream_t) {
      set_value(session, made, value);
      return cudaSuccess;
    };
    nodes->insert(nodes->begin(), std::move(first));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* asked) {
  void* const caller = __builtin_return_address(0);
  if (asked == nullptr) return cudaErrorInvalidValue;
  switch (asked->type) {
    case cudaGraphNodeTypeKernel: {
      const auto kernel = plain(asked->kernel);
      return cudaGraphAddKernelNode(node, graph, before, count, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, before, count, &asked->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto fill = plain(asked->memset);
      return cudaGraphAddMemsetNode(node, graph, before, count, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams plain{asked->host.fn, asked->host.userData};
      return cudaGraphAddHostNode(node, graph, before, count, &plain);
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, before, count, asked->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, before, count);
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams plain{};
      plain.poolProps = asked->alloc.poolProps;
      plain.bytesize = asked->alloc.bytesize;
      const cudaError_t error = cudaGraphAddMemAllocNode(node, graph, before, count, &plain);
      asked->alloc.dptr = plain.dptr;
      return error;
    }
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, before, count, asked->free.dptr);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, before, count, asked->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, before, count, asked->eventWait.event);
    case cudaGraphNodeTypeConditional: {
      if (const cudaError_t error = cudaGraphAddEmptyNode(node, graph, before, count); error != cudaSuccess)
        return error;
      return call("cudaGraphAddNode", Waits::no, [&](Session&) {
        GraphNode& made = *node_of(*node);
        made.type = cudaGraphNodeTypeConditional;
        return make_bodies(asked->conditional, made.work);
      });
    }
    default:
      Session::instance().refuse("a node of this type (cudaGraphAddNode)", caller);
  }
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* asked) {
  return change("cudaGraphNodeSetParams", node_of(node), asked, __builtin_return_address(0));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams* asked) {
  return change("cudaGraphExecNodeSetParams", instance_of(exec, node), asked, __builtin_return_address(0));
}

}  // extern "C"

#endif
