#pragma once
// Elements of NCCL's types: their sizes, names, and what several ranks' become in one.

#include <cstdint>
#include <string>
#include <vector>

#include "common/cuda_api/libraries/nccl/interface.h"

namespace gpulab::nccl {

[[nodiscard]] std::uint64_t bytes_of(ncclDataType_t type);
[[nodiscard]] std::string name_of(ncclDataType_t type);
[[nodiscard]] std::string name_of_operation(ncclRedOp_t operation);

/// `count` elements of each rank become as many. Integers wrap; others are computed in double, and rounded once.
[[nodiscard]] std::vector<char> reduced(ncclDataType_t type, ncclRedOp_t operation,
                                        const std::vector<std::vector<char>>& ranks, std::uint64_t count);

/// Each of `count` elements multiplied by a number, and one element as a number.
void multiply(ncclDataType_t type, double by, std::vector<char>& elements, std::uint64_t count);
[[nodiscard]] double number_of(ncclDataType_t type, const void* element);

}  // namespace gpulab::nccl
