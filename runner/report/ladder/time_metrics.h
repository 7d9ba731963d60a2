#pragma once
// What profilers say of time (sm_efficiency, gld_throughput, ipc …), as the timing model has it: never measured. And
// what of it the model cannot say, with the reason. A metric is a row of one of the two tables.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/case/result.h"

namespace gpulab {

struct TimeMetric {
  std::string_view name, unit, definition;
  std::string_view ncu, nvprof;                          ///< empty: it has none
  std::optional<double> (*value)(const Result& result);  ///< of a result with a ModelledTime
};
[[nodiscard]] std::span<const TimeMetric> time_metrics();

/// Profilers' metrics that the model has no answer for.
struct UnmodelledMetric {
  std::string_view name;  ///< nvprof's, which ours would be; one that ends in * stands for all that begin so
  std::string_view ncu;   ///< as far as it has one; the same
  std::string_view why;   ///< "it …"
};
[[nodiscard]] std::span<const UnmodelledMetric> unmodelled_metrics();

/// What a result says of a counter, of a rate or fact, of SMs, or of time as modelled, by our name.
struct MetricValue {
  double value = 0;
  std::string unit;  ///< "ratio", "GB/s" … as in results; empty for counts
  bool modelled = false;
};
[[nodiscard]] std::optional<MetricValue> metric_value(const Result& result, std::string_view name);
/// "97.2%", "1.20 k", "512 GB/s": for people.
[[nodiscard]] std::string metric_text(const MetricValue& value);
/// Does it come from the timing model?
[[nodiscard]] bool is_modelled(std::string_view name);

}  // namespace gpulab
