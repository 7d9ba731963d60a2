#pragma once
// How much memory is left. Whoever is about to allocate much asks here: the simulator before a buffer, the runner
// before a problem, `gpulab doctor`. In containers and on shared machines the limit is not the machine's but that of a
// control group, and a process that goes beyond it is killed without a word.

#include <cstdint>
#include <filesystem>
#include <optional>

namespace gpulab {

/// Bytes that this process may still allocate without swapping: the system's MemAvailable, or what the tightest of its
/// control groups leaves where that is less. Nothing where the system does not say.
[[nodiscard]] std::optional<std::uint64_t> available_host_memory();

/// Where `bytes` are more than that: what is available. Whether less than 1 MiB is available is not asked: the system's
/// answer, out of about twenty files, takes a tenth of a small run's time.
[[nodiscard]] std::optional<std::uint64_t> memory_short_of(double bytes);

/// What is available in a system whose /proc and /sys lie in the folder `root`.
[[nodiscard]] std::optional<std::uint64_t> available_host_memory(const std::filesystem::path& root);

}  // namespace gpulab
