#pragma once
// The values of a step's registers: unpacked, and as words.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/observers/trace/value_code.h"
#include "common/trace/step_trace.h"

namespace gpulab {

struct StepValue {
  StepRegister reg;
  bool stored = false;  ///< goes to memory; else the step has written it to the register
  bool known = false;
  simt::LaneValues lanes{};
};

/// In the order of its site's results and stored registers; none where the step has none, or they were not kept.
[[nodiscard]] std::vector<StepValue> values_of(const StepTrace& trace, const TraceStep& step);

/// One lane's: "12", "-3", "0.5", "true".
[[nodiscard]] std::string value_text(std::string_view type, std::uint64_t bits);
/// All of the lanes in `mask`: "7 in all lanes", "0, 1, 2 … 31", "lanes 0–15" of a predicate.
[[nodiscard]] std::string lanes_value_text(const StepTrace& trace, const StepValue& value, std::uint32_t mask);

/// The step's sentence with its numbers in it.
[[nodiscard]] std::string step_text(const StepTrace& trace, const TraceStep& step);

}  // namespace gpulab
