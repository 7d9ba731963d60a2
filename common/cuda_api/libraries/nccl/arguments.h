#pragma once
// What is wrong with a program's arguments: the last text of it, and what a configuration may hold.

#include <string>

#include "common/cuda_api/libraries/nccl/interface.h"

namespace gpulab::nccl {

/// What ncclGetLastError gives: one text for all threads and communicators, as in NCCL.
void set_last_error(const std::string& text);
[[nodiscard]] const char* last_error();

/// Why NCCL does not take it; empty: it does. Null is the default.
[[nodiscard]] std::string refusal_of(const ncclConfig_t* config);

}  // namespace gpulab::nccl
