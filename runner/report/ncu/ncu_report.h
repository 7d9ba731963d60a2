#pragma once
// What `gpulab ncu` writes, in Nsight Compute's layouts: pages of text and of CSV, and the provenance of each value.

#include <string>
#include <vector>

#include "runner/report/ncu/launch_view.h"
#include "runner/report/ncu/metric_names.h"

namespace gpulab::ncu {

struct View {
  const ProgramRun* run = nullptr;
  std::vector<LaunchView> launches{};
  std::vector<std::string> sections{};  ///< ids, in the order shown; those that nothing is known of, too
  std::vector<std::string> metrics{};   ///< of --metrics
  bool base_units = false;              ///< --print-units base
  bool base_names = false;              ///< --print-kernel-base function: "scale", not "scale(float *, int)"
};

[[nodiscard]] std::string details_text(const View& view);
[[nodiscard]] std::string raw_text(const View& view);
[[nodiscard]] std::string details_csv(const View& view);
[[nodiscard]] std::string raw_csv(const View& view);
/// Each kernel's lines with our counters, which are of PTX and say so.
[[nodiscard]] std::string source_text(const View& view);
[[nodiscard]] std::string source_csv(const View& view);

/// The counters of a source line.
[[nodiscard]] std::span<const std::string_view> source_columns();

/// gpulab.ncu_provenance.v1: of each metric whether it is counted, the launch's, modelled or n/a, and why.
[[nodiscard]] std::string provenance_json(const View& view);

/// The metrics of a view by names: of its sections, then of --metrics, each once.
[[nodiscard]] std::vector<std::string> metrics_of(const View& view);
/// The row of a name that we may not know: n/a, by that name.
[[nodiscard]] MetricRow row_named(const std::string& name);
/// What a page shows of a row: its number in the page's units, or "n/a".
[[nodiscard]] std::string value_text(const View& view, const MetricRow& row, const LaunchView& launch);
[[nodiscard]] std::string_view unit_of(const View& view, const MetricRow& row);

}  // namespace gpulab::ncu
