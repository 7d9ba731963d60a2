#pragma once
// --require: what counters of a kernel must be. COUNTER OP VALUE, or COUNTER OP FACTOR*RUNG: against a rung of the lab
// at the same size.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"
#include "runner/case/judgement.h"

namespace gpulab {

struct Requirement {
  std::string text;       ///< as it was typed
  std::string counter{};  ///< of `gpulab list --metrics`, sms_used, waves, tail or modelled_time too, or model.time_ms
  std::string op{};
  double value = 0;    ///< or the factor
  std::string rung{};  ///< empty: none
  /// As `value`: who is between the two has a share of the points, who is here has none. Nothing: all or none.
  std::optional<double> zero_at{};
};

/// Parts between commas. `further_rungs`: names that are none of the lab. Throws usage_error: no form, no such counter,
/// no such rung.
[[nodiscard]] std::vector<Requirement> parse_requirements(const std::string& text, const Lab& lab,
                                                          const std::vector<std::string>& further_rungs = {});

/// What a kernel has of a counter, or why it has none.
struct Measured {
  std::optional<double> value{};
  std::string problem{};
  /// Of a modelled time, in its unit: ModelledTime::low_ms and high_ms.
  double low = 0, high = 0;
};
/// `theirs`: what the requirement's rung has. A modelled time holds where any of its interval does, and beside a rung
/// its interval is that of the quotient: from the least by the most to the most by the least. Where the model is right
/// of both (both measured times lie in their intervals), the measured quotient lies in it.
[[nodiscard]] JudgedRequirement judged(const Requirement& requirement, const Measured& own, const Measured& theirs);

/// `own`: the kernel's result; `rungs`: of the same size, by Result::variant.
[[nodiscard]] JudgedRequirement judged(const Requirement& requirement, const Result& own,
                                       const std::vector<Result>& rungs);

/// Both names of one time: model.time_ms, as documents have it, and modelled_time, as lists of metrics have it, in µs.
[[nodiscard]] bool is_modelled_time(std::string_view counter);
/// Why measured() has no model.time_ms of a result; empty where it has one, or nobody says why.
[[nodiscard]] std::string why_no_time(const Result& result);
/// What a requirement may name, of a result, and model.low_ms and model.high_ms; nothing where it is not there. A time
/// that no GPU has confirmed is not there.
[[nodiscard]] std::optional<double> measured(const Result& result, const std::string& counter);
/// The same with why it is not there, and how far it may be off.
[[nodiscard]] Measured measured_with_reason(const Result& result, const std::string& counter);
/// Of numbers by their names, as measured() knows them.
using NamedValue = std::function<std::optional<double>(const std::string& name)>;
[[nodiscard]] Measured measured_time(const std::string& counter, const NamedValue& value_of, std::string problem);

}  // namespace gpulab
