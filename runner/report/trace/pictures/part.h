#pragma once
// A picture is parts below each other: each says how high it is, and draws itself from there.

#include <functional>
#include <string>

#include "common/trace/step_trace.h"
#include "runner/report/plots/sheet.h"

namespace gpulab::trace_picture {

constexpr double edge = 30, width = 1280 - 2 * edge;  ///< px; a sheet is 1280 px wide
constexpr double line_height = 34;                    ///< of words

struct Part {
  double height = 0;
  std::function<void(sheet::Sheet&, double top)> draw;
};

/// Words, broken into lines.
[[nodiscard]] Part words_part(const std::string& words, sheet::Colour colour, double size = sheet::kWords);

/// Squares of colours with what they mean.
struct Meaning {
  sheet::Colour colour;
  std::string words;
};
[[nodiscard]] Part legend_part(const std::vector<Meaning>& meanings);

/// "b0 w3".
[[nodiscard]] std::string short_name(const StepWarp& warp);

/// Shared memory as 32 banks, or global memory as lines of four sectors; nothing where the step accesses none.
[[nodiscard]] Part memory_part(const StepTrace& trace, const TraceStep& step);

/// A row for each warp: when it issues, and what it waits for, around the cycle in which the step issues.
[[nodiscard]] Part cycles_part(const StepTrace& trace, std::size_t step);

}  // namespace gpulab::trace_picture
