#pragma once
// The plans of the lab's rungs: which GPU does what, and which steps wait for which.

#include <vector>

#include "labs/lab.h"

namespace gpulab::labs::allreduce {

[[nodiscard]] int gpus_of(const Case& c);
/// "in3" of GPU 3.
[[nodiscard]] std::string numbered(const char* name, int gpu);

[[nodiscard]] std::vector<Step> through_host(const Case& c);
[[nodiscard]] std::vector<Step> gather(const Case& c);
[[nodiscard]] std::vector<Step> tree(const Case& c);
[[nodiscard]] std::vector<Step> ring_copies(const Case& c);
[[nodiscard]] std::vector<Step> ring_loads(const Case& c);
[[nodiscard]] std::vector<Step> one_shot(const Case& c);
[[nodiscard]] std::vector<Step> two_shot(const Case& c);

/// Buffers that they use beside the vectors and sums: the host's, GPU 0's for all vectors, each one's for what comes.
[[nodiscard]] std::vector<Buffer> on_host(const Case& c);
[[nodiscard]] std::vector<Buffer> all_on_first(const Case& c);
[[nodiscard]] std::vector<Buffer> arrivals(const Case& c);

}  // namespace gpulab::labs::allreduce
