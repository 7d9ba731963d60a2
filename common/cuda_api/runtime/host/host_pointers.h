#pragma once
// A kernel that used an address of the host's: what lies there, which argument of the launch carried it, what to do.

#include <cstdint>
#include <string>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

/// Of the host's address that a fault's words name as nobody's on the device; both empty where it is not the host's.
struct HostPointer {
  std::string where;  ///< "host memory (a variable on the host's stack)"
  std::string hint;
};
[[nodiscard]] HostPointer host_pointer(Session& session, std::uint64_t address, const LaunchRequest& request,
                                       const LoadedFunction& kernel);

/// What the fault's words name: "… at 0x7f…", "call of address 0x5…"; 0: none.
[[nodiscard]] std::uint64_t address_in(const std::string& what);

/// The same words, where they said that the address is nobody's.
[[nodiscard]] std::string with_owner(std::string what, const HostPointer& pointer);

}  // namespace gpulab::cuda_api
