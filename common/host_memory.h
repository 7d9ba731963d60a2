#pragma once
#include <cstdint>
#include <optional>

namespace gpulab {

/// Bytes that this process may still allocate without swapping: the system's MemAvailable, or what its control
/// group leaves where that is less (containers, graders). Nothing where the system does not say.
[[nodiscard]] std::optional<std::uint64_t> available_host_memory();

}  // namespace gpulab
