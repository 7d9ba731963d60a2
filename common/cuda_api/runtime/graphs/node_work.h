#pragma once
// What a node of a graph does, by the description that a program gives of it. A description that is null, or that no
// node can have, leaves the node as it was.

#include <driver_types.h>

#include <cstddef>
#include <memory>

#include "common/cuda_api/runtime/graphs/graphs.h"

namespace gpulab::cuda_api {

cudaError_t be_kernel(Session& session, GraphNode& node, const cudaKernelNodeParams* asked, void* caller);
/// Of a launch that was captured.
void be_kernel(GraphNode& node, std::shared_ptr<KeptLaunch> launch);
/// Its launch goes by the attributes that the node has.
cudaError_t take_attributes(Session& session, GraphNode& node);
cudaError_t be_copy(GraphNode& node, const cudaMemcpy3DParms* asked);
cudaError_t be_copy(GraphNode& node, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);

/// A copy to or from a variable.
struct SymbolCopy {
  const void* symbol;
  void* to;          ///< null: to the symbol
  const void* from;  ///< null: from the symbol
  std::size_t bytes, offset;
  cudaMemcpyKind kind;
};
cudaError_t be_copy(GraphNode& node, const SymbolCopy& asked);
cudaError_t be_fill(GraphNode& node, const cudaMemsetParams* asked);
cudaError_t be_host_function(GraphNode& node, const cudaHostNodeParams* asked);
/// Of a copy of the graph.
cudaError_t be_graph(GraphNode& node, cudaGraph_t child);
cudaError_t be_record(GraphNode& node, cudaEvent_t event);
cudaError_t be_wait(GraphNode& node, cudaEvent_t event);

}  // namespace gpulab::cuda_api
