#pragma once
// Graphs: nodes with what they do and which come before them, and what was instantiated of them. All under the
// session's lock.

#include <driver_types.h>

#include <memory>
#include <optional>
#include <vector>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

struct GraphNode {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  Work work;                             ///< null: nothing
  std::vector<const GraphNode*> before;  ///< that are done first
  /// Those that order it by the rules of streams, where it was captured: `before` has the one queued before, too.
  std::optional<std::vector<const GraphNode*>> ordered_by{};
  std::vector<const void*> place{};   ///< where it was added: return addresses; empty: its work knows
  const GraphNode* origin = nullptr;  ///< of which it is a copy
  bool hidden = false;                ///< the runtime's own: the program does not know of it
  cudaMemAllocNodeParams memory{};    ///< that it allocates or frees
  cudaKernelNodeParams kernel{};      ///< as it was given, for whoever asks; its arguments are kept in `work`
};
using Nodes = std::vector<std::shared_ptr<GraphNode>>;

/// What a handle of a graph or of an instance of one stands for; null where nothing does.
[[nodiscard]] std::shared_ptr<Nodes> nodes_of(const void* handle);
/// A handle of its own.
[[nodiscard]] void* add_graph(std::shared_ptr<Nodes> nodes);
/// What a program has tied to a graph (user objects) is tied to its copy or instance, too.
void share_user_objects(const void* graph, const void* copy);
/// The graph, copy or instance is gone: what it alone was tied to is told.
void release_user_objects(const void* graph);
/// The node behind a handle, which stays while the process lives.
[[nodiscard]] GraphNode* node_of(cudaGraphNode_t handle);
[[nodiscard]] cudaGraphNode_t handle_of(const std::shared_ptr<GraphNode>& node);
/// Others that do the same, in an order in which each comes behind those that it waits for.
[[nodiscard]] std::shared_ptr<Nodes> copy_of(const Nodes& nodes);
/// Does what they do, on a stream. `instance`: whose launches come one behind the other.
cudaError_t run_nodes(Session& session, const Nodes& nodes, cudaStream_t stream, const void* instance);

}  // namespace gpulab::cuda_api
