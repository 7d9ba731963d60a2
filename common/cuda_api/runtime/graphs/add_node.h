#pragma once
// How all functions that add a node to a graph do it.

#include <driver_types.h>

#include <cstddef>
#include <memory>

#include "common/cuda_api/runtime/graphs/graphs.h"

namespace gpulab::cuda_api {

/// Where a node is to be added: behind which others.
struct Place {
  cudaGraphNode_t* added;
  cudaGraph_t graph;
  const cudaGraphNode_t* before;
  std::size_t count;
};

/// `fill` gives the node what it does; where it fails, nothing is added.
template <typename Fill>
[[gnu::always_inline]] inline cudaError_t add(const char* name, const Place& place, cudaGraphNodeType type,
                                              const Fill& fill) {
  void* const caller = __builtin_return_address(0);
  return call(name, Waits::no, [&](Session& s) {
    const auto nodes = nodes_of(place.graph);
    if (nodes == nullptr || place.added == nullptr || (place.count > 0 && place.before == nullptr))
      return cudaErrorInvalidValue;
    auto node = std::make_shared<GraphNode>();
    node->type = type;
    node->graph = nodes;
    if (s.streams.is_on()) node->place = Session::frames_of(caller);
    for (std::size_t i = 0; i < place.count; ++i) {
      const GraphNode* one = node_of(place.before[i]);
      if (one == nullptr) return cudaErrorInvalidValue;
      node->before.push_back(one);
    }
    if (const cudaError_t error = fill(s, *node); error != cudaSuccess) return error;
    nodes->push_back(node);
    *place.added = handle_of(node);
    return cudaSuccess;
  });
}

/// `body` with a node that there is.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t with_node(const char* name, GraphNode* node, const Body& body) {
  return call(name, Waits::no, [&](Session& s) {
    if (node == nullptr) return cudaErrorInvalidValue;
    return body(s, *node);
  });
}

}  // namespace gpulab::cuda_api
