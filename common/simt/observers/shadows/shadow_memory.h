#pragma once
// Memory for what tools remember, which may be many times what a kernel touches. It ends before the machine's does: a
// tool that finds no more can stay out, a process that the system kills for its memory cannot.

#include <cstddef>
#include <cstdlib>

namespace gpulab::simt {

/// Uninitialised; for std::free. Throws std::bad_alloc, also where the machine has little left.
[[nodiscard]] void* allocate_shadow(std::size_t bytes);

struct FreeShadowMemory {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace gpulab::simt
