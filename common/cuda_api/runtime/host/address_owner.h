#pragma once
// Whose memory an address of this process is: the runtime's tables know what the program allocated, the loader and the
// system the rest. The one place that says so.

#include <cstdint>
#include <string>

#include "common/cuda_api/runtime/memory_table.h"

namespace gpulab::cuda_api {

class Session;

struct AddressOwner {
  enum class Kind {
    nobody,  ///< nothing lies there
    null,    ///< the first page
    live,    ///< of the runtime's: `entry`
    freed,   ///< was of the runtime's: `entry`
    symbol,  ///< what stands in the host's program for the __device__ variable `name`
    code,    ///< of the host's program, or of a library
    image,   ///< their variables, constants, tables of virtual functions
    stack,   ///< of the main thread, or of the calling one
    heap,    ///< all else that the host has
  } kind = Kind::nobody;
  const MemoryEntry* entry = nullptr;
  std::string name{};
  [[nodiscard]] bool is_host() const { return kind >= Kind::symbol; }
};

[[nodiscard]] AddressOwner owner_of(const Session& session, std::uint64_t address);

/// Of memory of the host's: "a variable on the host's stack".
[[nodiscard]] std::string in_words(const AddressOwner& owner);

}  // namespace gpulab::cuda_api
