#pragma once
// Remedies that only the program's calls tell: a rule for each in remedies.cpp. A rule says what it is sure of, or
// nothing; the first that says something counts.

#include <string>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

/// A fault of a launch. Empty: the fault's own hint holds.
[[nodiscard]] std::string remedy_for(Session& session, const FaultRecord& fault, const LaunchRequest& request,
                                     const LoadedFunction& kernel);

/// What initcheck said of memory that this launch read. Empty: nothing more.
[[nodiscard]] std::string remedy_for(Session& session, const Finding& finding);

}  // namespace gpulab::cuda_api
