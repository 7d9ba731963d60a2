#pragma once
#include <sys/types.h>

#include <cstdint>

namespace gpulab {

/// Clock ticks of CPU time that the living processes of a group have used, and those that they have waited for.
[[nodiscard]] std::uint64_t group_cpu_time(pid_t group);

}  // namespace gpulab
