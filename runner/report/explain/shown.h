#pragma once
// What of an explanation people are shown, however it is written: which lines, what stands beside them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/case/result.h"
#include "runner/report/explain/explanation.h"

namespace gpulab {

/// A line's counter; empty: nothing to say.
[[nodiscard]] std::string line_cell(const CounterInfo& info, const Counters& counters);
/// Those with instructions, the heads of their functions, closing braces, and small gaps between.
[[nodiscard]] std::vector<std::uint32_t> shown_lines(const Explanation& explanation,
                                                     const std::vector<std::string_view>& text);
/// Is it another line that runs with few lanes for what the mark says?
[[nodiscard]] bool is_victim(const Mark& mark, std::uint32_t line);
/// "avoidable: 43% of the kernel's shared-memory wavefronts"
[[nodiscard]] std::string share_text(const Mark& mark);
/// What no counter of the PTX shows: local memory that only ptxas has use for. Empty: none.
[[nodiscard]] std::string spill_text(const Result& result, const LaunchLines& counted);

}  // namespace gpulab
