#pragma once
// What goes wrong at which steps, by what the simulator counted of each: where a page opens, what a picture shows.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runner/report/trace/trace_view.h"

namespace gpulab {

enum class Trouble : std::uint8_t { conflict, divergence, uncoalesced, atomic };

/// What an access costs beyond what its bytes need, in quarters of a wavefront: a wavefront moves four sectors, and
/// lanes whose atomics meet take a wavefront each. 0: nothing goes wrong, or it is of local memory, which interleaves
/// its lanes.
[[nodiscard]] std::uint32_t excess_of(const StepAccess& access);

/// What goes wrong at a step.
[[nodiscard]] std::optional<Trouble> trouble_of(const StepTrace& trace, const TraceStep& step);

/// Where one looks first: the first accused step, else the one at which the launch failed, else the first step of the
/// trouble that costs the most, else the first of all.
[[nodiscard]] std::size_t opening_step(const TraceView& view);

}  // namespace gpulab
