#pragma once
// What the timing model says of a launch's lines, in words.

#include <string>
#include <string_view>
#include <vector>

#include "common/line_counts.h"
#include "runner/report/explain/explanation.h"

namespace gpulab {

/// " (without 2.5 µs for the launch itself)": why the lines' times are less than the kernel's; empty where there is no
/// model.
[[nodiscard]] std::string start_text(const LaunchLines& launch);

/// The lines that take the most time, the most first, each with what its warps do then: "line 12  43%  10.6 µs  waits
/// for global memory 40%, issues 3%". `width`: columns, of which source takes the rest.
[[nodiscard]] std::vector<std::string> where_time_goes(const LaunchLines& launch,
                                                       const std::vector<std::string_view>& text, std::size_t width);

/// "without the bank conflicts of line 225: 18.2 µs instead of 24.7 µs": the most first.
/// `sm_count`: of the GPU.
[[nodiscard]] std::vector<std::string> what_ifs(const LaunchLines& launch, int sm_count);

/// Of the line that takes the most time, where no reason speaks of it: what its warps do there, and which line has to
/// do with it. Empty: a reason does, of the line or of the whole launch, or no line takes much.
[[nodiscard]] std::string darkest_line_text(const Explanation& explanation);

/// Share of the launch's time, 0 where nothing is modelled.
[[nodiscard]] double time_share(const LaunchLines& launch, std::uint32_t line);

}  // namespace gpulab
