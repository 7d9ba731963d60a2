// What there is of a graph: its nodes, which wait for which, as lists and as a picture's text; nodes that go, nodes of
// instances that are switched off, and an instance that becomes that of another graph.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/cuda_api/runtime/graphs/add_node.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

using Handles = std::vector<cudaGraphNode_t>;

/// A node's handle by the node, which is its graph's.
cudaGraphNode_t handle_in(const Nodes& nodes, const GraphNode* node) {
  const auto found = std::ranges::find_if(nodes, [&](const auto& one) { return one.get() == node; });
  return found == nodes.end() ? nullptr : handle_of(*found);
}

/// `body` with the nodes of a graph that there is.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t with_graph(const char* name, const void* graph, const Body& body) {
  return call(name, Waits::no, [&](Session& s) {
    const auto nodes = nodes_of(graph);
    if (nodes == nullptr) return cudaErrorInvalidValue;
    return body(s, *nodes);
  });
}

/// As many as there is room for, and how many there are; the rest of the room is empty.
cudaError_t list(const Handles& all, cudaGraphNode_t* nodes, std::size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (nodes == nullptr) {
    *count = all.size();
    return cudaSuccess;
  }
  for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < all.size() ? all[i] : nullptr;
  *count = std::min(*count, all.size());
  return cudaSuccess;
}

Handles visible(const Nodes& nodes, bool roots) {
  Handles all;
  for (const auto& one : nodes)
    if (!one->hidden && (!roots || one->before.empty())) all.push_back(handle_of(one));
  return all;
}

cudaError_t edges(const Nodes& nodes, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
  if (count == nullptr || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
  Handles first, second;
  for (const auto& one : nodes)
    for (const auto* before : one->before) {
      first.push_back(handle_in(nodes, before));
      second.push_back(handle_of(one));
    }
  std::size_t also = *count;
  if (const auto e = list(first, from, count); e != cudaSuccess) return e;
  return list(second, to, &also);
}

cudaError_t dependencies(const GraphNode& node, cudaGraphNode_t* nodes, std::size_t* count) {
  const auto graph = node.graph.lock();
  if (graph == nullptr) return cudaErrorInvalidValue;
  Handles all;
  for (const auto* before : node.before) all.push_back(handle_in(*graph, before));
  return list(all, nodes, count);
}

cudaError_t dependent_nodes(const GraphNode& node, cudaGraphNode_t* nodes, std::size_t* count) {
  const auto graph = node.graph.lock();
  if (graph == nullptr) return cudaErrorInvalidValue;
  Handles all;
  for (const auto& one : *graph)
    if (std::ranges::find(one->before, &node) != one->before.end()) all.push_back(handle_of(one));
  return list(all, nodes, count);
}

/// Two nodes of one graph for each edge.
template <typename Change>
[[gnu::always_inline]] inline cudaError_t change_edges(const char* name, cudaGraph_t graph, const cudaGraphNode_t* from,
                                                       const cudaGraphNode_t* to, std::size_t count,
                                                       const Change& change) {
  return call(name, Waits::no, [&](Session&) {
    const auto nodes = nodes_of(graph);
    if (nodes == nullptr || (count > 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const GraphNode* first = node_of(from[i]);
      GraphNode* second = node_of(to[i]);
      if (first == nullptr || second == nullptr || first == second) return cudaErrorInvalidValue;
      if (first->graph.lock() != nodes || second->graph.lock() != nodes) return cudaErrorInvalidValue;
      const auto known = std::ranges::find(second->before, first);
      if (!change(second->before, known, first)) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

const char* name_of(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "KERNEL";
    case cudaGraphNodeTypeMemcpy:
      return "MEMCPY";
    case cudaGraphNodeTypeMemset:
      return "MEMSET";
    case cudaGraphNodeTypeHost:
      return "HOST";
    case cudaGraphNodeTypeGraph:
      return "GRAPH";
    case cudaGraphNodeTypeWaitEvent:
      return "EVENT_WAIT";
    case cudaGraphNodeTypeEventRecord:
      return "EVENT_RECORD";
    case cudaGraphNodeTypeMemAlloc:
      return "MEM_ALLOC";
    case cudaGraphNodeTypeMemFree:
      return "MEM_FREE";
    case cudaGraphNodeTypeConditional:
      return "CONDITIONAL";
    default:
      return "EMPTY";
  }
}

/// In the language of Graphviz.
std::string picture_of(const Nodes& nodes) {
  std::unordered_map<const GraphNode*, std::size_t> numbers;
  std::string text = "digraph dot {\nsubgraph cluster_0 {\nlabel=\"graph_0\" graph[style=\"dashed\"];\n";
  for (const auto& one : nodes) {
    if (one->hidden) continue;
    const std::size_t number = numbers.size();
    numbers[one.get()] = number;
    std::string what = name_of(one->type);
    if (one->launch != nullptr) what += fmt::format("\\n{}", one->launch->request.function->name);
    text += fmt::format("\"graph_0_node_{}\"[style=\"solid\" shape=\"rectangle\" label=\"{}\\n{}\"];\n", number, number,
                        what);
  }
  for (const auto& one : nodes)
    for (const auto* before : one->before)
      if (numbers.contains(before) && numbers.contains(one.get()))
        text += fmt::format("\"graph_0_node_{}\" -> \"graph_0_node_{}\";\n", numbers[before], numbers[one.get()]);
  return text + "}\n}\n";
}

cudaGraphExecUpdateResultInfo difference(const Nodes& nodes, const Nodes& instance) {
  cudaGraphExecUpdateResultInfo told{};
  told.result = cudaGraphExecUpdateSuccess;
  if (nodes.size() != instance.size()) told.result = cudaGraphExecUpdateErrorTopologyChanged;
  for (std::size_t i = 0; i < nodes.size() && told.result == cudaGraphExecUpdateSuccess; ++i) {
    if (nodes[i]->type != instance[i]->type)
      told.result = cudaGraphExecUpdateErrorNodeTypeChanged;
    else if (nodes[i]->before.size() != instance[i]->before.size())
      told.result = cudaGraphExecUpdateErrorTopologyChanged;
  }
  return told;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph("cudaGraphGetNodes", graph,
                    [&](Session&, Nodes& all) { return list(visible(all, false), nodes, count); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph("cudaGraphGetRootNodes", graph,
                    [&](Session&, Nodes& all) { return list(visible(all, true), nodes, count); });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return with_node("cudaGraphNodeGetType", node_of(node), [&](Session&, GraphNode& one) {
    if (type == nullptr) return cudaErrorInvalidValue;
    *type = one.type;
    return cudaSuccess;
  });
}

// Edges have no data here: with programmatic dependent launch a kernel begins behind the whole of the one before.
#if CUDART_VERSION >= 13000
// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define GPULAB_EDGE_DATA(name) cudaGraphEdgeData *name,
#define GPULAB_GIVEN_EDGE_DATA const cudaGraphEdgeData*,
#define GPULAB_CLEAR(data, count) \
  if ((data) != nullptr) std::fill_n(data, *(count), cudaGraphEdgeData{})
#else
#define GPULAB_EDGE_DATA(name)
#define GPULAB_GIVEN_EDGE_DATA
#define GPULAB_CLEAR(data, count) (void)0
// NOLINTEND(cppcoreguidelines-macro-usage)
#endif

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              GPULAB_EDGE_DATA(data) size_t* count) {
  return with_graph("cudaGraphGetEdges", graph, [&](Session&, Nodes& all) {
    const auto error = edges(all, from, to, count);
    if (error != cudaSuccess || from == nullptr) return error;
    GPULAB_CLEAR(data, count);
    return error;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         GPULAB_EDGE_DATA(data) size_t* count) {
  return with_node("cudaGraphNodeGetDependencies", node_of(node), [&](Session&, GraphNode& one) {
    const auto error = dependencies(one, nodes, count);
    if (error != cudaSuccess || nodes == nullptr) return error;
    GPULAB_CLEAR(data, count);
    return error;
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           GPULAB_EDGE_DATA(data) size_t* count) {
  return with_node("cudaGraphNodeGetDependentNodes", node_of(node), [&](Session&, GraphNode& one) {
    const auto error = dependent_nodes(one, nodes, count);
    if (error != cudaSuccess || nodes == nullptr) return error;
    GPULAB_CLEAR(data, count);
    return error;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     GPULAB_GIVEN_EDGE_DATA size_t count) {
  return change_edges("cudaGraphAddDependencies", graph, from, to, count,
                      [](auto& before, const auto& known, const GraphNode* first) {
                        if (known != before.end()) return false;
                        before.push_back(first);
                        return true;
                      });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        GPULAB_GIVEN_EDGE_DATA size_t count) {
  return change_edges("cudaGraphRemoveDependencies", graph, from, to, count,
                      [](auto& before, const auto& known, const GraphNode*) {
                        if (known == before.end()) return false;
                        before.erase(known);
                        return true;
                      });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return with_node("cudaGraphDestroyNode", node_of(node), [&](Session&, GraphNode& one) {
    const auto graph = one.graph.lock();
    if (graph == nullptr) return cudaErrorInvalidValue;
    for (const auto& other : *graph) std::erase(other->before, &one);
    one.graph.reset();
    std::erase_if(*graph, [&](const auto& other) { return other.get() == &one; });  // its handle keeps it
    return cudaSuccess;
  });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return with_node("cudaGraphChildGraphNodeGetGraph", node_of(node), [&](Session&, GraphNode& one) {
    if (one.child == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    if (one.child_handle == nullptr) one.child_handle = add_graph(one.child);
    *graph = static_cast<cudaGraph_t>(one.child_handle);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t node, cudaGraph_t clone) {
  return with_graph("cudaGraphNodeFindInClone", clone, [&](Session&, Nodes& all) {
    const GraphNode* copy = instance_of(clone, node);
    if (copy == nullptr || found == nullptr) return cudaErrorInvalidValue;
    *found = handle_in(all, copy);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned on) {
  return with_node("cudaGraphNodeSetEnabled", instance_of(exec, node), [&](Session&, GraphNode& one) {
    if (one.type != cudaGraphNodeTypeKernel && one.type != cudaGraphNodeTypeMemset &&
        one.type != cudaGraphNodeTypeMemcpy)
      return cudaErrorInvalidValue;
    one.enabled = on != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* on) {
  return with_node("cudaGraphNodeGetEnabled", instance_of(exec, node), [&](Session&, GraphNode& one) {
    if (on == nullptr) return cudaErrorInvalidValue;
    *on = one.enabled ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return with_graph("cudaGraphDebugDotPrint", graph, [&](Session&, Nodes& all) {
    std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return cudaErrorOperatingSystem;
    const std::string text = picture_of(all);
    const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && whole ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result) {
  return with_graph("cudaGraphExecUpdate", graph, [&](Session&, Nodes& nodes) {
    const auto instance = nodes_of(exec);
    if (instance == nullptr) return cudaErrorInvalidValue;
    const auto copies = copy_of(nodes);
    const auto told = difference(*copies, *instance);
    if (result != nullptr) *result = told;
    if (told.result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    // The instance's nodes are still known by those that it was first made of.
    for (std::size_t i = 0; i < copies->size(); ++i) {
      (*copies)[i]->origin = (*instance)[i]->origin;
      (*copies)[i]->graph = instance;
    }
    *instance = std::move(*copies);
    return cudaSuccess;
  });
}
#endif

}  // extern "C"
