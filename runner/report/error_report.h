#pragma once
#include <string>

#include "common/error.h"

namespace gpulab {

/// "error: what\n  where\n  hint: …\n", for standard error.
[[nodiscard]] std::string error_text(const Error& error);
/// gpulab.error.v1, for standard output under --format json.
[[nodiscard]] std::string error_json(const Error& error);

}  // namespace gpulab
