#pragma once
// `gpulab trace --image`: one step as a picture, for slides and for questions to others.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/enum_text.h"
#include "runner/report/trace/trace_view.h"

namespace gpulab {

/// What is drawn: all of a step, an access to shared or to global memory, or when warps issue.
enum class StepPicture : std::uint8_t { step, banks, sectors, timeline };
constexpr std::array<std::string_view, 4> words_of(StepPicture) { return {"step", "banks", "sectors", "timeline"}; }

struct PictureRequest {
  std::string file;  ///< .svg or .png
  StepPicture picture = StepPicture::step;
  std::optional<std::uint64_t>
      step{};  ///< its number; none: the first at which something goes wrong, of those it can be of
};

/// Throws usage_error where the trace has no such step, or none that this picture can be of.
void write_step_picture(const PictureRequest& request, const TraceView& view);

}  // namespace gpulab
