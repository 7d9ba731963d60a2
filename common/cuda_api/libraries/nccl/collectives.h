#pragma once
// What calls do that have met.

#include <vector>

#include "common/cuda_api/libraries/nccl/meetings.h"

namespace gpulab::nccl {

/// Those of all ranks, by rank, or a send and its receive. They agree (disagreement() is empty).
ncclResult_t perform(const std::vector<Call>& calls);

/// Which two do not go together, in words; empty: all do.
[[nodiscard]] std::string disagreement(const std::vector<Call>& calls);

/// "ncclAllReduce (1024 float, sum)"
[[nodiscard]] std::string in_words(const Posted& call);

}  // namespace gpulab::nccl
