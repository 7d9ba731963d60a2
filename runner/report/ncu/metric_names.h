#pragma once
// What of Nsight Compute's metrics is known here, and where it comes from.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/report/ncu/launch_view.h"

namespace gpulab::ncu {

/// counted: follows from addresses, equal to a GPU's (tests/fidelity); launch: of the launch, or of the GPU's data
/// sheet; modelled: time, or what follows from it; none: n/a.
enum class Source { counted, launch, modelled, none };
[[nodiscard]] std::string_view word_of(Source source);

struct MetricRow {
  std::string_view name;   ///< ncu's
  std::string_view label;  ///< on its details page
  std::string_view unit;   ///< as ncu prints it with --print-units auto
  Source source = Source::none;
  std::optional<double> (*value)(const LaunchView& launch) = nullptr;
  std::string_view why{};   ///< of n/a: what it would take
  std::string_view ours{};  ///< of n/a: the counter of ours that stands nearest
  double base = 1;  ///< of `unit` in ncu's base units: 1000 of a duration in microseconds, which are nanoseconds
  std::string_view base_unit{};  ///< empty: as `unit`
};

struct Section {
  std::string_view id, title;  ///< "SpeedOfLight", "GPU Speed Of Light Throughput"
  std::vector<std::string_view> metrics;
};

/// Null: ncu may have it, we do not know of it.
[[nodiscard]] const MetricRow* find_metric(std::string_view name);
[[nodiscard]] const MetricRow* find_label(std::string_view section_title, std::string_view label);
[[nodiscard]] std::span<const MetricRow> metric_rows();
/// Those that are filled, in ncu's order.
[[nodiscard]] std::span<const Section> sections();
/// Ids of ncu's sections that nothing is known of here.
[[nodiscard]] std::span<const std::string_view> unknown_sections();

/// The value of a row for a launch, and why it has none.
struct Value {
  std::optional<double> number{};
  std::string why{};
};
[[nodiscard]] Value value_of(const MetricRow& row, const LaunchView& launch);
/// What we have in place of one that is n/a: "branches 288"; empty: nothing.
[[nodiscard]] std::string ours_text(const MetricRow& row, const LaunchView& launch);

/// As ncu writes numbers: whole ones with commas between thousands, others with two decimals.
[[nodiscard]] std::string number_text(double value);

}  // namespace gpulab::ncu
