// Memory that graphs allocate and free. Its address is fixed when the node is made, and kept as long as the process:
// each launch of the graph has it there. Between a free and the next launch it is nobody's: copies into it are refused
// as those into any freed memory, and initcheck takes it for unwritten; a kernel's access to it is not a fault.

#include "common/cuda_api/runtime/graphs/graph_memory.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_api/runtime/graphs/add_node.h"
#include "common/cuda_api/runtime/graphs/graphs.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the device are numbers for the host
void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

/// What graphs hold: a GPU keeps the most that they ever had until it is trimmed.
struct Footprint {
  std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
};
Footprint& footprint() {
  static Footprint all;
  return all;
}

bool& frees_first() {
  static bool on = false;
  return on;
}

cudaError_t give_back(Session& session, std::uint64_t address, const std::string& caller) {
  const MemoryEntry* entry = session.memory.at(address);
  if (entry == nullptr || !entry->of_graph) return cudaErrorInvalidValue;
  footprint().used -= entry->bytes;
  session.device().forget(address, entry->bytes);
  session.memory.remove(address, caller);
  return cudaSuccess;
}

}  // namespace

namespace gpulab::cuda_api {

cudaError_t reserve_for_graph(Session& session, void** pointer, std::size_t bytes, const char* function, void* caller,
                              Work& work) {
  if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
  if (bytes > session.profile().memory_bytes) return cudaErrorMemoryAllocation;
  MemoryEntry entry;
  entry.name = fmt::format("{} #{}", function, session.record.calls[function].calls);
  entry.address = session.device().allocate(entry.name, bytes);
  entry.bytes = bytes;
  entry.caller = Session::place_in_program(caller);
  entry.of_graph = true;
  *pointer = pointer_to(entry.address);
  work = [entry, caller, function](Session& s, cudaStream_t on) {
    if (s.memory.at(entry.address) != nullptr) {
      if (!frees_first()) return cudaErrorInvalidValue;  // the launch before has not freed it, nor has anybody since
      give_back(s, entry.address, entry.caller);
    }
    s.device().forget(entry.address, entry.bytes);
    s.memory.add(entry);
    s.streams.allocation(s, Operation::Kind::allocation, function, entry, on, caller);
    Footprint& all = footprint();
    all.used += entry.bytes;
    all.reserved = std::max(all.reserved, all.used);
    all.used_high = std::max(all.used_high, all.used);
    all.reserved_high = std::max(all.reserved_high, all.reserved);
    return cudaSuccess;
  };
  return cudaSuccess;
}

Work freeing(void* pointer, void* caller) {
  return [address = number(pointer), caller, place = Session::place_in_program(caller)](Session& session,
                                                                                        cudaStream_t on) {
    if (const MemoryEntry* entry = session.memory.at(address))
      session.streams.allocation(session, Operation::Kind::free, "cudaFreeAsync", *entry, on, caller);
    return give_back(session, address, place);
  };
}

void free_of_graph(Session& session, std::uint64_t address, void* caller) {
  give_back(session, address, Session::place_in_program(caller));
}

FreesFirst::FreesFirst(bool on) : before_(frees_first()) { frees_first() = on; }
FreesFirst::~FreesFirst() { frees_first() = before_; }

}  // namespace gpulab::cuda_api

extern "C" {

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     size_t count, cudaMemAllocNodeParams* asked) {
  void* const caller = __builtin_return_address(0);
  constexpr const char* name = "cudaGraphAddMemAllocNode";
  return add(name, {node, graph, before, count}, cudaGraphNodeTypeMemAlloc, [&](Session& s, GraphNode& made) {
    if (asked == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = reserve_for_graph(s, &asked->dptr, asked->bytesize, name, caller, made.work);
    made.memory = *asked;
    return error;
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                    size_t count, void* pointer) {
  void* const caller = __builtin_return_address(0);
  return add("cudaGraphAddMemFreeNode", {node, graph, before, count}, cudaGraphNodeTypeMemFree,
             [&](Session&, GraphNode& made) {
               made.work = freeing(pointer, caller);
               made.memory.dptr = pointer;
               return cudaSuccess;
             });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* asked) {
  return call("cudaGraphMemAllocNodeGetParams", Waits::no, [&](Session&) {
    const GraphNode* one = node_of(node);
    if (one == nullptr || one->type != cudaGraphNodeTypeMemAlloc) return cudaErrorInvalidValue;
    *asked = one->memory;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return call("cudaGraphMemFreeNodeGetParams", Waits::no, [&](Session&) {
    const GraphNode* one = node_of(node);
    if (one == nullptr || one->type != cudaGraphNodeTypeMemFree) return cudaErrorInvalidValue;
    *static_cast<void**>(pointer) = one->memory.dptr;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return call("cudaDeviceGraphMemTrim", Waits::no, [&](Session& s) {
    if (!s.has_gpu(device)) return cudaErrorInvalidDevice;
    footprint().reserved = footprint().used;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return call("cudaDeviceGetGraphMemAttribute", Waits::no, [&](Session& s) {
    if (!s.has_gpu(device)) return cudaErrorInvalidDevice;
    const Footprint& all = footprint();
    auto& bytes = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent:
        bytes = all.used;
        return cudaSuccess;
      case cudaGraphMemAttrUsedMemHigh:
        bytes = all.used_high;
        return cudaSuccess;
      case cudaGraphMemAttrReservedMemCurrent:
        bytes = all.reserved;
        return cudaSuccess;
      case cudaGraphMemAttrReservedMemHigh:
        bytes = all.reserved_high;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

/// High-water marks can be set back, to 0 alone.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return call("cudaDeviceSetGraphMemAttribute", Waits::no, [&](Session& s) {
    if (!s.has_gpu(device)) return cudaErrorInvalidDevice;
    if (*static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
    Footprint& all = footprint();
    if (attribute == cudaGraphMemAttrUsedMemHigh)
      all.used_high = all.used;
    else if (attribute == cudaGraphMemAttrReservedMemHigh)
      all.reserved_high = all.reserved;
    else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

}  // extern "C"
