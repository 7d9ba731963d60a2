#pragma once
// What the program's own code does again and again, for the advice of `gpulab exec --explain`: where it copies and
// allocates, how often, and whether for anything. Nothing is kept where nobody asked (Options::lines).

#include <cstddef>
#include <cstdint>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api::habits {

/// A copy, as its caller asked for it.
struct Copied {
  const char* function = "";
  const char* direction = "";  ///< "HtoD"
  const void* caller = nullptr;
  std::uint64_t to = 0, from = 0, bytes = 0;
  bool pageable = false;  ///< its host's side is not pinned
  bool needless = false;  ///< is_needless() said so
  double ms = 0, pinned_ms = 0;
};

/// Do the bytes that are about to be copied to the device lie there already?
[[nodiscard]] bool is_needless(Session& session, std::uint64_t to, std::uint64_t from, std::size_t bytes);
void copied(Session& session, const Copied& copy);
/// A function of the runtime has been called.
void called(Session& session, const char* name, const void* caller);
void launched();

}  // namespace gpulab::cuda_api::habits
