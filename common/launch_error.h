#pragma once

#include <cstdint>

#include "common/enum_text.h"
#include "common/error.h"

namespace gpulab {

/// hung: it waits for what will not come, or has used up its budget.
enum class LaunchFailure : std::uint8_t { fault, hung, out_of_memory };
constexpr std::array<std::string_view, 3> words_of(LaunchFailure) { return {"fault", "hung", "out_of_memory"}; }

/// A launch that failed: the case ends, the sweep goes on.
class LaunchError : public Error {
 public:
  LaunchError(LaunchFailure kind, const std::string& what, std::string where = {}, std::string hint = {})
      : Error(ExitCode::launch_failed, what, std::move(where), std::move(hint)), kind(kind) {}
  LaunchFailure kind;
};

}  // namespace gpulab
