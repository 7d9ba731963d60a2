#include "runner/report/ladder/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "common/text.h"
#include "runner/case/metrics.h"
#include "runner/report/ladder/model_text.h"
#include "runner/report/ladder/rung_time.h"
#include "runner/report/ladder/time_metrics.h"

namespace gpulab {
namespace {

using Cell = std::function<std::optional<std::string>(const Result&)>;

struct Kind {
  std::vector<std::string> heading;
  int priority;
  Cell cell;
  std::string_view counter{};  ///< that it shows; empty: no counter
  /// Is there a result for which it says anything? Default: one with a cell.
  std::function<bool(const Result&)> tells{};
};

Cell counter(const CounterInfo& info) {
  return [&info](const Result& r) -> std::optional<std::string> {
    const auto value = r.counters ? info.value(*r.counters) : std::nullopt;
    if (!value || (info.unit == CounterUnit::count && *value == 0)) return std::nullopt;
    if (info.unit == CounterUnit::mean) return fmt::format("{:.3g}", *value);
    return info.unit == CounterUnit::ratio ? percent_text(*value) : short_count(*value);
  };
}

Cell metric(std::string_view name, const std::function<std::string(double)>& text) {
  return [name, text](const Result& r) -> std::optional<std::string> {
    const auto* found = find_metric(r, name);
    return found != nullptr ? std::optional(text(found->value)) : std::nullopt;
  };
}

std::optional<std::string> time_from(const Result& r, std::initializer_list<TimeSource> sources) {
  const bool matches = r.timing && std::find(sources.begin(), sources.end(), r.timing->source) != sources.end();
  return matches ? std::optional(duration_text(r.timing->median_ms)) : std::nullopt;
}

std::string three(double value) { return value < 1000 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value); }
std::string times(double value) {
  return fmt::format("{}x", value < 100 ? fmt::format("{:.2f}", value) : three(value));
}

/// What is busy little more than half of the time bounds nothing alone, as the stories below say, too.
std::string bound_cell(const ModelledTime& model) {
  const double share = bound_share(model);
  return share > 0 && share < kSaturated ? "none alone" : model.bound;
}

std::string microseconds(double value) { return duration_text(value / 1000); }

/// The order is the reader's: what it is, whether it is right, how fast, and then why. The time of a host variant is
/// shown only beside times of a GPU. Alone it would be compared with the wall time of a simulation, which says nothing
/// about a GPU.
std::vector<Kind> kinds(bool on_gpu) {
  std::vector<Kind> all{
      {{"verified"}, 0, [](const Result& r) { return std::optional(verdict(r)); }},
      {{"time"},
       0,
       [on_gpu](const Result& r) {
         return on_gpu ? time_from(r, {TimeSource::cuda_events, TimeSource::cpu_wall}) : std::nullopt;
       }},
      {{"modelled", "time"}, 0, metric("modelled_time", microseconds)},
      {{"bound"}, 2, [](const Result& r) { return r.model ? std::optional(bound_cell(*r.model)) : std::nullopt; }},
      {{"GB/s"}, 0, metric("bandwidth", three)},
      {{"of peak"}, 2, metric("bandwidth_of_peak", percent_text)},
      {{"GFLOP/s"}, 1, metric("gflops", three)},
      {{"speed-up"}, 1, metric("speedup", times)},
      {{"to rung", "before"}, 1, metric("speedup_to_previous", times)},
      {{"to CPU"}, 3, metric("speedup_to_cpu", times)},
      {{"host,", "waiting"}, 1, metric("host_time_synchronized", microseconds)},
      {{"host, not", "waiting"}, 1, metric("host_time_unsynchronized", microseconds)},
      {{"per", "launch"}, 2, metric("time_per_launch", microseconds)},
      {{"launches"}, 2, metric("launches", short_count)},
      {{"copies"}, 2, metric("copies", short_count)},
      {{"bytes to", "device"}, 3, metric("bytes_to_device", bytes_text)},
      {{"bytes to", "host"}, 3, metric("bytes_to_host", bytes_text)},
      {{"tempo-", "raries"}, 3, metric("temporary_bytes", bytes_text)},
      {{"regs"},
       6,
       [](const Result& r) {
         return r.launch && r.launch->registers_per_thread
                    ? std::optional(std::to_string(*r.launch->registers_per_thread))
                    : std::nullopt;
       }},
      {{"theo-", "retical", "occup."},
       4,
       [](const Result& r) {
         return r.occupancy ? std::optional(percent_text(r.occupancy->theoretical)) : std::nullopt;
       }},
      {{"SMs", "used"},
       1,
       [](const Result& r) { return r.spread ? std::optional(std::to_string(r.spread->sms_used)) : std::nullopt; },
       {},
       [](const Result& r) { return r.spread && r.spread->sms_used < r.spread->sm_count; }},
      {{"waves"},
       6,
       [](const Result& r) {
         if (!r.spread || !r.spread->waves) return std::optional<std::string>();
         const auto waves = *r.spread->waves;
         return std::optional(waves >= 1 ? three(waves) : waves < 0.01 ? "<0.01" : fmt::format("{:.2f}", waves));
       }},
  };
  for (const auto& info : counters_and_columns()) {
    const auto& [first, second, priority] = info.ladder;
    if (first.empty()) continue;
    std::vector<std::string> heading{std::string(first)};
    if (!second.empty()) heading.emplace_back(second);
    Kind kind{std::move(heading), priority, counter(info), info.name};
    if (info.name == "block_imbalance")  // blocks that all work alike are no news
      kind.tells = [&info](const Result& r) { return r.counters && info.value(*r.counters).value_or(1) >= 1.5; };
    all.push_back(std::move(kind));
  }
  return all;
}

std::string block_of(const Result& r) { return r.launch ? dim_text(r.launch->block) : "-"; }

/// Do all launched results share one block?
bool one_block(const Run& run) {
  const Result* first = nullptr;
  for (const auto& r : run.results) {
    if (!r.launch) continue;
    if (first != nullptr && r.launch->block != first->launch->block) return false;
    first = &r;
  }
  return first != nullptr;
}

/// True where all results come from calculators: nothing was launched or compared, so that their metrics are the
/// report.
bool calculated(const Run& run) {
  return std::all_of(run.results.begin(), run.results.end(), [](const Result& r) {
    return r.status == CaseStatus::ok && !r.metrics.empty() && !r.launch && !r.verification && !r.timing && !r.counters;
  });
}

/// "theoretical_occupancy" in two lines.
std::vector<std::string> heading_of(const std::string& metric) {
  auto words = split(metric, '_');
  const std::string last = words.back();
  words.pop_back();
  return words.empty() ? std::vector{last} : std::vector{join(words, " "), last};
}

bool shared(const Run& run, std::size_t param) {
  const auto& first = run.results.front().params[param];
  return std::all_of(run.results.begin(), run.results.end(), [&](const Result& r) { return r.params[param] == first; });
}

}  // namespace

std::string percent_text(double ratio) {
  const double percent = ratio * 100;
  if (percent > 0 && percent < 0.1) return "<0.1%";
  // What is not quite everything must not read as 100%.
  if (percent < 100 && percent >= 99.95) return ">99.9%";
  return percent == std::floor(percent) ? fmt::format("{:.0f}%", percent) : fmt::format("{:.1f}%", percent);
}

std::string param_text(const ParamValue& value) {
  if (const auto* size = std::get_if<std::int64_t>(&value)) return size_text(*size);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return std::get<std::string>(value);
}

std::string verdict(const Result& result) {
  if (result.status != CaseStatus::ok) return std::string(to_text(result.status));
  if (!result.verification) return "-";
  const auto status = result.verification->status;
  return status == VerificationStatus::not_run ? "ran" : std::string(to_text(status));
}

std::string device_text(const DeviceInfo& info) {
  const std::string modelled = info.modelled ? fmt::format(", modelling {}", info.profile) : "";
  return fmt::format("{}{} (compute capability {}.{}, {} SMs)", info.name, modelled, info.compute_major,
                     info.compute_minor, info.sm_count);
}

std::string shared_case(const Run& run) {
  std::vector<std::string> parts;
  if (run.results.empty()) return {};
  const auto& params = run.results.front().params;
  for (std::size_t i = 0; i < params.size(); ++i) {
    // A switch that is off says nothing about a run.
    const bool off = params[i].second == ParamValue("false");
    if (shared(run, i) && !off) parts.push_back(params[i].first + " " + param_text(params[i].second));
  }
  if (one_block(run)) {
    const auto it =
        std::find_if(run.results.begin(), run.results.end(), [](const Result& r) { return r.launch.has_value(); });
    parts.push_back("block " + block_of(*it));
  }
  return join(parts, " · ");
}

std::vector<TextColumn> ladder(const Run& run) {
  std::vector<TextColumn> table;
  if (run.results.empty()) return table;
  const auto add = [&](std::vector<std::string> heading, bool right, int priority, const auto& cell) {
    TextColumn column{std::move(heading), {}, right, priority};
    for (const auto& r : run.results) column.cells.push_back(cell(r));
    table.push_back(std::move(column));
  };
  for (std::size_t i = 0; i < run.results.front().params.size(); ++i) {
    if (shared(run, i)) continue;
    add({run.results.front().params[i].first}, true, 0,
        [&](const Result& r) { return param_text(r.params[i].second); });
  }
  add({"variant"}, false, 0, [](const Result& r) { return r.variant; });
  if (calculated(run)) {
    int priority = 0;
    for (const auto& m : run.results.front().metrics) {
      const auto cell = metric(m.name, m.unit == "ratio" ? percent_text : short_count);
      add(heading_of(m.name), true, priority++, [&](const Result& r) { return cell(r).value_or("-"); });
    }
    return table;
  }
  if (!one_block(run)) add({"block"}, true, 0, block_of);
  if (!run.metrics.empty()) {
    add({"verified"}, true, 0, verdict);
    for (const auto& name : run.metrics) {
      auto heading = split(name, '_');  // a word a line: what is asked for is to fit
      if (is_modelled(name) && name != "modelled_time") heading.emplace_back("(modelled)");
      add(heading, true, 1, [&](const Result& r) {
        const auto value = metric_value(r, name);
        return value ? metric_text(*value) : "-";
      });
    }
    return table;
  }
  const bool on_gpu = std::any_of(run.results.begin(), run.results.end(),
                                  [](const Result& r) { return time_from(r, {TimeSource::cuda_events}).has_value(); });
  for (const auto& kind : kinds(on_gpu)) {
    const bool any = std::any_of(run.results.begin(), run.results.end(), [&](const Result& r) {
      return kind.tells ? kind.tells(r) : kind.cell(r).has_value();
    });
    const bool subject = std::find(run.subject.begin(), run.subject.end(), kind.counter) != run.subject.end();
    if (any)
      add(kind.heading, true, subject ? 0 : kind.priority, [&](const Result& r) { return kind.cell(r).value_or("-"); });
  }
  return table;
}

}  // namespace gpulab
