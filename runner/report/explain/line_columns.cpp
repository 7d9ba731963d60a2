#include "runner/report/explain/line_columns.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runner/report/explain/shown.h"
#include "runner/report/grid_text.h"

namespace gpulab {
namespace {

/// Columns of ladders, and those that explain has in their place.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> stand_ins{
    {{"warp_execution_efficiency", "active_lanes"},
     {"branch_efficiency", "branches_that_diverge"},
     {"global_load_efficiency", "global_bytes_used"},
     {"global_store_efficiency", "global_bytes_used"},
     {"sectors_per_worse_global_request", "sectors_per_global_load"},
     {"sectors_per_worse_global_request", "sectors_per_global_store"},
     {"bank_conflicts_per_worse_shared_request", "bank_conflicts"},
     {"barriers", "barrier_instructions"}}};
/// Sums over lines would count a sector once for each line; the others compare warps or blocks.
constexpr std::array<std::string_view, 4> of_launches{"global_read_footprint_bytes", "global_write_footprint_bytes",
                                                      "instructions_per_warp", "block_imbalance"};

LineColumn column_of(const CounterInfo& counter) {
  if (counter.line.width != 0)
    return {&counter, std::string(counter.line.heading), std::string(counter.line.second), counter.line.width};
  const auto heading = heading_in_two_lines(counter.name);
  return {&counter, heading[0], heading[1], std::max<std::size_t>({heading[0].size() + 1, heading[1].size() + 1, 7})};
}

}  // namespace

bool is_of_lines(const CounterInfo& counter) { return std::ranges::count(of_launches, counter.name) == 0; }

bool shows_subject(const CounterInfo& column, std::string_view subject) {
  return column.name == subject || std::ranges::count(stand_ins, std::pair(subject, column.name)) > 0;
}

std::vector<LineColumn> line_columns(const ExplainView& view) {
  std::vector<LineColumn> columns;
  for (const auto& name : view.metrics) {
    columns.push_back(column_of(*find_counter(name)));
    columns.back().stays = true;
  }
  if (!columns.empty()) return columns;
  const auto& whole = view.result->lines[view.launch].counters;
  for (const auto& counter : counters_and_columns()) {
    if (counter.line.width == 0 || line_cell(counter, whole).empty()) continue;
    columns.push_back(column_of(counter));
    columns.back().stays =
        std::ranges::any_of(view.subject, [&](const std::string& subject) { return shows_subject(counter, subject); });
  }
  return columns;
}

}  // namespace gpulab
