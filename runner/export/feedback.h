#pragma once
// What a student reads of an item: what it asks, what of it is wrong and on which inputs, as `gpulab check` tells it,
// and what to look at. Of hidden classes it is said that they are right or wrong, and nothing else.

#include <cstddef>
#include <string>
#include <vector>

#include "runner/export/grade_record.h"

namespace gpulab {

/// A text with a heading of its own: "odd (one less and one more …)", then lines.
struct FeedbackPart {
  std::string heading, text;
};

/// Of an item's parts those that are wrong, that may be told of, and that its reason does not tell already; those of
/// which the same is said are one.
[[nodiscard]] std::vector<FeedbackPart> wrong_parts(const GradeItem& item);

/// All of it in at most `most` bytes. Where there is more, the last classes give way, and are named.
[[nodiscard]] std::string feedback_of(const GradeItem& item, std::size_t most);

/// Findings that no item tells of.
[[nodiscard]] std::vector<std::string> further_findings(const Grade& grade);

}  // namespace gpulab
