#pragma once
// The course as the document gpulab.list.v1 (configs/schema/list.json).

#include <span>
#include <string>

#include "labs/lab.h"

namespace gpulab {

/// What of a lab is listed beside what it declares.
enum class LabDetails { none, resources };

/// Labs, and the metrics of these.
[[nodiscard]] std::string course_json(std::span<const Lab> labs, LabDetails details);
/// The metrics alone.
[[nodiscard]] std::string metrics_json(std::span<const Lab> labs);

}  // namespace gpulab
