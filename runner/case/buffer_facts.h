#pragma once
// What `gpulab run` reports of a buffer after the kernel.

#include <span>

#include "labs/lab.h"
#include "runner/case/result.h"
#include "runner/case/run_case.h"

namespace gpulab {

[[nodiscard]] BufferFacts facts_of(const Buffer& buffer, std::span<const std::byte> bytes,
                                   std::span<const Slice> shows = {});

/// --dump: the bytes as they are. Throws usage_error where the file cannot be written.
void dump(const std::string& file, std::span<const std::byte> bytes);

}  // namespace gpulab
