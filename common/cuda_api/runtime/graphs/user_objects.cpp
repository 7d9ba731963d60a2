// User objects (CUDA Runtime API: Graph Management): what a program ties to a graph, and is told of when nobody refers
// to it any more: neither the program, nor a graph, nor a copy or instance of one.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "common/cuda_api/runtime/graphs/graphs.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

struct UserObject {
  cudaHostFn_t destroy = nullptr;
  void* data = nullptr;
  std::size_t references = 0;
};

struct UserObjects {
  std::map<cudaUserObject_t, UserObject> alive;
  std::map<const void*, std::map<cudaUserObject_t, std::size_t>> of_graphs;  ///< references that each graph has
  std::uintptr_t last = 0;
};
UserObjects& all() {
  static auto& objects = *new UserObjects;
  return objects;
}

UserObject* find(cudaUserObject_t object) {
  const auto found = all().alive.find(object);
  return found == all().alive.end() ? nullptr : &found->second;
}

/// The last reference tells the program, on a thread of its own, as a GPU's driver does: it may wait for a lock that
/// whoever called us holds (Python's).
void release(cudaUserObject_t object, std::size_t count) {
  UserObject* const mine = find(object);
  if (mine == nullptr) return;
  mine->references -= std::min(count, mine->references);
  if (mine->references > 0) return;
  if (mine->destroy != nullptr) std::thread(mine->destroy, mine->data).detach();
  all().alive.erase(object);
}

}  // namespace

void gpulab::cuda_api::share_user_objects(const void* graph, const void* copy) {
  const auto found = all().of_graphs.find(graph);
  if (found == all().of_graphs.end()) return;
  auto& copied = all().of_graphs[copy];
  for (const auto& [object, count] : found->second) {
    copied[object] += count;
    if (UserObject* const mine = find(object)) mine->references += count;
  }
}

void gpulab::cuda_api::release_user_objects(const void* graph) {
  const auto found = all().of_graphs.find(graph);
  if (found == all().of_graphs.end()) return;
  const auto counts = std::move(found->second);
  all().of_graphs.erase(found);
  for (const auto& [object, count] : counts) release(object, count);
}

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy, unsigned count,
                                 unsigned flags) {
  return call("cudaUserObjectCreate", Waits::no, [&](Session&) {
    if (object == nullptr || destroy == nullptr || count == 0 || flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    *object = reinterpret_cast<cudaUserObject_t>(++all().last);
    all().alive[*object] = {destroy, data, count};
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return call("cudaUserObjectRetain", Waits::no, [&](Session&) {
    UserObject* const mine = find(object);
    if (mine == nullptr || count == 0) return cudaErrorInvalidValue;
    mine->references += count;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return call("cudaUserObjectRelease", Waits::no, [&](Session&) {
    const UserObject* const mine = find(object);
    if (mine == nullptr || count == 0 || count > mine->references) return cudaErrorInvalidValue;
    release(object, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) {
  return call("cudaGraphRetainUserObject", Waits::no, [&](Session&) {
    UserObject* const mine = find(object);
    const bool moves = flags == cudaGraphUserObjectMove;
    if (mine == nullptr || count == 0 || nodes_of(graph) == nullptr || (flags != 0 && !moves) ||
        (moves && count > mine->references))
      return cudaErrorInvalidValue;
    all().of_graphs[graph][object] += count;
    if (!moves) mine->references += count;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return call("cudaGraphReleaseUserObject", Waits::no, [&](Session&) {
    const auto known = all().of_graphs.find(graph);
    if (known == all().of_graphs.end() || count == 0) return cudaErrorInvalidValue;
    const auto mine = known->second.find(object);
    if (mine == known->second.end() || count > mine->second) return cudaErrorInvalidValue;
    mine->second -= count;
    if (mine->second == 0) known->second.erase(mine);
    release(object, count);
    return cudaSuccess;
  });
}

}  // extern "C"
