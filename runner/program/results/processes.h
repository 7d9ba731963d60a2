#pragma once
// What became of a program that starts further processes of itself or others: each has written a Record.

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "common/cuda_api/record.h"

namespace gpulab {

/// The records `file`PID as one. `first`: the process that was started; what others have done is told behind it.
/// Nothing where none has come to write one. Throws Error (missing).
[[nodiscard]] std::optional<cuda_api::Record> record_of_all(const std::filesystem::path& file, pid_t first);

}  // namespace gpulab
