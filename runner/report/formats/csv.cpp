// One row per result, every fact a column: for spreadsheets and data frames (RFC 4180, with \n line ends).

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/text.h"
#include "runner/report/compare/compare_report.h"
#include "runner/report/ladder/rung_changes.h"
#include "runner/report/ladder/time_metrics.h"
#include "runner/report/report.h"
#include "runner/report/words/cells.h"

namespace gpulab::report {
namespace {

using Row = std::map<std::string, std::string, std::less<>>;

/// Column names in order of first appearance, and rows that may lack some.
class Sheet {
 public:
  void start_row() { rows_.emplace_back(); }
  void put(const std::string& column, std::string value) {
    if (std::find(columns_.begin(), columns_.end(), column) == columns_.end()) columns_.push_back(column);
    rows_.back()[column] = std::move(value);
  }
  void put(const std::string& column, double value) { put(column, fmt::format("{}", value)); }
  void put(const std::string& column, std::uint64_t value) { put(column, std::to_string(value)); }
  [[nodiscard]] std::string text() const {
    std::string text;
    add_line([](const std::string& column) { return column; }, text);
    for (const auto& row : rows_) {
      add_line(
          [&](const std::string& column) {
            const auto it = row.find(column);
            return it == row.end() ? std::string() : it->second;
          },
          text);
    }
    return text;
  }

 private:
  template <typename Field>
  void add_line(const Field& field, std::string& text) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) text.push_back(',');
      text.append(csv_cell(field(columns_[i])));
    }
    text += '\n';
  }
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

void put_launch(const LaunchFacts& f, Sheet& sheet) {
  const auto put_dim = [&](const std::string& name, const Dim3& d) {
    sheet.put(name + "_x", std::uint64_t{d.x});
    sheet.put(name + "_y", std::uint64_t{d.y});
    sheet.put(name + "_z", std::uint64_t{d.z});
  };
  put_dim("grid", f.grid);
  put_dim("block", f.block);
  sheet.put("launches", static_cast<std::uint64_t>(f.launches));
  sheet.put("dynamic_shared_bytes", std::uint64_t{f.dynamic_shared_bytes});
  if (f.static_shared_bytes) sheet.put("static_shared_bytes", *f.static_shared_bytes);
  if (f.registers_per_thread) sheet.put("registers_per_thread", static_cast<std::uint64_t>(*f.registers_per_thread));
  if (f.local_bytes) sheet.put("local_bytes", *f.local_bytes);
}

void put_timing(const Timing& t, Sheet& sheet) {
  sheet.put("timing_source", std::string(to_text(t.source)));
  if (t.source == TimeSource::none) return;
  sheet.put("timing_mode", t.mode ? std::string(to_text(*t.mode)) : "");
  sheet.put("samples", static_cast<std::uint64_t>(t.samples));
  sheet.put("min_ms", t.min_ms);
  sheet.put("q1_ms", t.q1_ms);
  sheet.put("median_ms", t.median_ms);
  sheet.put("q3_ms", t.q3_ms);
  sheet.put("mean_ms", t.mean_ms);
  sheet.put("stddev_ms", t.stddev_ms);
}

void put_counters(const Counters& c, Sheet& sheet) {
  for (const auto& info : counter_table()) {
    const std::string name(info.name);
    if (const auto count = info.count(c)) {
      sheet.put(name, *count);
    } else if (const auto ratio = info.value(c)) {
      sheet.put(name, *ratio);
    }
  }
}

/// Movements of one kind, in words.
std::string moved(const Result& r, bool gain) {
  std::vector<std::string> texts;
  for (const auto& m : r.changes)
    if (m.gain == gain) texts.push_back(fmt::format("against {}: {}", m.than, change_text(m)));
  return join(texts, "; ");
}

void put(const Run& run, const Result& r, Sheet& sheet) {
  sheet.start_row();
  sheet.put("lab", run.lab);
  sheet.put("device", run.device.name);
  sheet.put("profile", run.device.profile);
  sheet.put("variant", r.variant);
  sheet.put("kernel", r.kernel);
  sheet.put("status", std::string(to_text(r.status)));
  sheet.put("message", r.message);
  for (const auto& [name, value] : r.params) {
    std::visit([&, &key = name](const auto& v) { sheet.put(key, fmt::format("{}", v)); }, value);
  }
  if (!run.metrics.empty()) {
    for (const auto& name : run.metrics)
      if (const auto value = metric_value(r, name)) sheet.put(name, value->value);
    if (!r.model_unavailable.empty()) sheet.put("model_unavailable", r.model_unavailable);
    return;
  }
  if (r.launch) put_launch(*r.launch, sheet);
  if (r.occupancy) {
    sheet.put("theoretical_occupancy", r.occupancy->theoretical);
    sheet.put("blocks_per_sm", static_cast<std::uint64_t>(r.occupancy->blocks_per_sm));
    sheet.put("limited_by", fmt::format("{}", fmt::join(r.occupancy->limited_by, " ")));
  }
  if (r.spread) {
    sheet.put("sms_used", static_cast<std::uint64_t>(r.spread->sms_used));
    if (r.spread->waves) sheet.put("waves", *r.spread->waves);
    if (r.spread->tail) sheet.put("tail", *r.spread->tail);
  }
  if (r.verification) {
    sheet.put("verification", std::string(to_text(r.verification->status)));
    sheet.put("max_abs_error", r.verification->max_abs_error);
    sheet.put("max_rel_error", r.verification->max_rel_error);
    sheet.put("tolerance", r.verification->tolerance);
  }
  if (r.timing) put_timing(*r.timing, sheet);
  if (r.simulation_ms) sheet.put("simulation_wall_ms", *r.simulation_ms);
  if (!r.model_unavailable.empty()) sheet.put("model_unavailable", r.model_unavailable);
  if (!r.built_on.empty()) sheet.put("built_on", r.built_on);
  if (!r.changes.empty()) {
    sheet.put("gains", moved(r, true));
    sheet.put("losses", moved(r, false));
  }
  for (const auto& metric : r.metrics) sheet.put(metric.name, metric.value);
  if (r.counters) put_counters(*r.counters, sheet);
  for (const auto& b : r.buffers) sheet.put(b.name + "_fnv1a64", b.fnv1a64);
}

std::string write(const Run& run, const Style&) {
  Sheet sheet;
  for (const auto& r : run.results) put(run, r, sheet);
  return sheet.text();
}

}  // namespace

extern const Format csv{
    .name = "csv", .summary = "one row per result, every fact a column", .run = write, .comparison = compare_csv};

}  // namespace gpulab::report
