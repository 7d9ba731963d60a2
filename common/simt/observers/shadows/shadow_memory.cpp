#include "common/simt/observers/shadows/shadow_memory.h"

#include <atomic>
#include <cstdint>
#include <new>

#include "common/host_memory.h"

namespace gpulab::simt {

namespace {

/// The system is asked each time that tools have taken so many bytes more: its answer takes as long as filling them.
constexpr std::uint64_t kAsked = std::uint64_t{64} << 20;
/// What is left to all others.
constexpr double kSpared = 4.0 * kAsked;

}  // namespace

void* allocate_shadow(std::size_t bytes) {
  static std::atomic<std::uint64_t> taken{0};
  const std::uint64_t before = taken.fetch_add(bytes, std::memory_order_relaxed);
  if (before / kAsked != (before + bytes) / kAsked && memory_short_of(kSpared)) throw std::bad_alloc();
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace gpulab::simt
