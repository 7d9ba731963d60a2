#pragma once
// Graphs: nodes with what they do and which come before them, and what was instantiated of them. All under the
// session's lock.

#include <driver_types.h>

#include <map>
#include <memory>
#include <vector>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

struct GraphNode;
using Nodes = std::vector<std::shared_ptr<GraphNode>>;

struct GraphNode {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  Work work;                             ///< null: nothing
  std::vector<const GraphNode*> before;  ///< that are done first
  std::vector<const void*> place{};      ///< where it was added: return addresses; empty: its work knows
  const GraphNode* origin = nullptr;     ///< of which it is a copy
  std::weak_ptr<Nodes> graph{};          ///< that it belongs to
  bool hidden = false;                   ///< the runtime's own: the program does not know of it
  bool enabled = true;                   ///< else it does nothing (cudaGraphNodeSetEnabled)
  std::shared_ptr<Nodes> child{};        ///< of a graph within: done in place of `work`
  void* child_handle = nullptr;          ///< by which the program knows that

  // As it was given, for whoever asks.
  cudaMemAllocNodeParams memory{};
  cudaKernelNodeParams kernel{};
  std::shared_ptr<KeptLaunch> launch{};  ///< has the arguments of `kernel`
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes{};
  cudaMemcpy3DParms copy{};
  cudaMemsetParams fill{};
  cudaHostNodeParams host{};
  cudaEvent_t event{};
};

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
/// The node of an instance, or of a copy, that was made of this one; null where there is none.
[[nodiscard]] GraphNode* instance_of(const void* copy, cudaGraphNode_t handle);
/// What a program is told of a list: as many as there is room for, and how many there are.
cudaError_t list_nodes(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* nodes, std::size_t* count);

/// A call that may not be while this thread's streams capture, or while this stream does: it ends the capture, and
/// gives cudaErrorStreamCaptureUnsupported.
cudaError_t ends_capture(Session& session);
cudaError_t ends_capture(Session& session, cudaStream_t stream);
/// Others that do the same, in an order in which each comes behind those that it waits for.
[[nodiscard]] std::shared_ptr<Nodes> copy_of(const Nodes& nodes);
/// Does what they do, on a stream. `instance`: whose launches come one behind the other.
cudaError_t run_nodes(Session& session, const Nodes& nodes, cudaStream_t stream, const void* instance);

}  // namespace gpulab::cuda_api
