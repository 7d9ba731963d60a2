#pragma once
// What a child may use. 0: as much as we may.

#include <chrono>
#include <cstdint>

namespace gpulab {

struct ChildLimits {
  std::chrono::seconds cpu{0};        ///< of each of its processes; SIGXCPU ends it
  std::chrono::milliseconds wall{0};  ///< from its start
  /// It and all its processes have waited for so long, and computed nothing: it reads a FIFO that nobody writes to.
  std::chrono::milliseconds idle{0};
  std::uint64_t memory_bytes = 0;  ///< address space of each of its processes
  std::uint64_t data_bytes = 0;    ///< the same, but for what is only reserved or mapped from files
  std::uint64_t file_bytes = 0;    ///< of each file that it writes
  std::uint64_t output_bytes = 0;  ///< of what it says; the rest is read and dropped
};

}  // namespace gpulab
