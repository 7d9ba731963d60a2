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

/// `count` elements of each rank become as many, `ranks` in the order in which NCCL's ring comes to them. Integers
/// wrap; others are rounded to their type at each rank, as its kernels do it. `factors`: by what each rank's elements
/// are multiplied first, or nothing.
[[nodiscard]] std::vector<char> reduced(ncclDataType_t type, ncclRedOp_t operation,
                                        const std::vector<std::vector<char>>& ranks,
                                        const std::vector<long double>& factors, std::uint64_t count);

/// One element as a number: exact, 64 bits of an integer too.
[[nodiscard]] long double number_of(ncclDataType_t type, const void* element);

}  // namespace gpulab::nccl
