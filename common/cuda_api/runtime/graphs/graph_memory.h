#pragma once
// Memory that graphs allocate and free, at addresses that are fixed when their nodes are made.

#include <driver_types.h>

#include <cstddef>
#include <cstdint>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

/// An address for `bytes`, and what a node does that allocates them there. `function`: the call, for its name.
cudaError_t reserve_for_graph(Session& session, void** pointer, std::size_t bytes, const char* function, void* caller,
                              Work& work);
/// What a node does that frees memory which a graph has allocated, this one or another.
[[nodiscard]] Work freeing(void* pointer, void* caller);
/// The program frees it by itself, behind the graph.
void free_of_graph(Session& session, std::uint64_t address, void* caller);

/// While there is one that is on, what the launch before left is freed before it is allocated again
/// (cudaGraphInstantiateFlagAutoFreeOnLaunch).
class FreesFirst {
 public:
  explicit FreesFirst(bool on);
  ~FreesFirst();
  FreesFirst(const FreesFirst&) = delete;
  FreesFirst& operator=(const FreesFirst&) = delete;

 private:
  bool before_;
};

}  // namespace gpulab::cuda_api
