#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/report/html/chart.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/measure.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/pages/sections.h"
#include "runner/report/plots/panels.h"

namespace gpulab::pages {
namespace {

using html::escaped;

const GpuProfile* profile_of(const Run& run) {
  for (const auto& profile : gpu_profiles())
    if (profile.id == run.device.profile) return &profile;
  return nullptr;
}

/// One rung under the roof.
struct RoofPoint {
  std::string name;
  double per_byte = 0, per_second = 0;  ///< warp instructions
  bool modelled = true;
};

std::optional<RoofPoint> roof_point(const Run& run, const Result& r) {
  // Counters of a smaller case simulated beside a GPU are not of the launch that was timed.
  if (r.status != CaseStatus::ok || !r.counters || !r.counters_params.empty()) return std::nullopt;
  const bool measured = r.timing && r.timing->source == TimeSource::cuda_events;
  const double ms = measured ? r.timing->median_ms : r.model ? r.model->kernel_ms : 0;
  const auto& c = *r.counters;
  const double bytes = static_cast<double>(c["global_read_footprint_bytes"] + c["global_write_footprint_bytes"]);
  const double instructions = static_cast<double>(c["warp_instructions"]);
  if (ms <= 0 || bytes <= 0 || instructions <= 0) return std::nullopt;
  return RoofPoint{label_of(run, r), instructions / bytes, instructions / ms * 1e3, !measured};
}

/// Warp instructions a second that the schedulers of all SMs can issue, at the clock that the data sheet's peak of
/// single precision (two operations a lane and cycle) stands for.
double issue_peak(const GpuProfile& gpu) {
  const int schedulers = gpu.compute_major == 6 && gpu.compute_minor == 0 ? 2 : 4;  // of an SM; P100 has half of them
  const double clock = gpu.fp32_tflops * 1e12 / (2.0 * gpu.sm_count * gpu.fp32_lanes_per_sm);
  return clock * schedulers * gpu.sm_count;
}

std::string rate_text(double per_second) { return short_count(per_second); }

html::Axis decades(std::string name, double lowest, double highest) {
  return html::Axis::over(std::move(name), {lowest, highest}, short_count, 1);
}

}  // namespace

std::string roofline_section(const Run& run) {
  const auto* gpu = profile_of(run);
  if (gpu == nullptr || gpu->fp32_tflops <= 0 || gpu->fp32_lanes_per_sm <= 0 || gpu->memory_bandwidth_gbs <= 0)
    return {};
  std::vector<RoofPoint> points;
  for (const auto& r : run.results)
    if (auto point = roof_point(run, r)) points.push_back(std::move(*point));
  if (points.empty() || points.size() > most_side_by_side) return {};
  const double peak = issue_peak(*gpu), bandwidth = gpu->memory_bandwidth_gbs * 1e9, ridge = peak / bandwidth;
  double left = ridge / 8, right = ridge * 8, low = peak / 8;
  bool modelled = false;
  for (const auto& point : points) {
    left = std::min(left, point.per_byte / 1.5);
    right = std::max(right, point.per_byte * 1.5);
    low = std::min(low, point.per_second / 1.5);
    modelled = modelled || point.modelled;
  }
  const auto x = decades("warp instructions per byte of memory touched", left, right);
  const auto y = decades("warp instructions a second", low, peak * 1.01);
  const std::string how = modelled ? "modelled" : "measured";
  html::Chart chart(x, y, fmt::format("Roofline of {}, times {}", gpu->name, how),
                    fmt::format("{} rungs under the ceilings of issue and of memory; the table below has the numbers",
                                points.size()));
  chart.ceiling({{x.low, x.low * bandwidth}, {ridge, peak}}, {});
  chart.ceiling({{ridge, peak}, {x.high, peak}}, fmt::format("issue: {}/s", rate_text(peak)));
  html::Column number{"", {}, true}, rung{"rung", {}, false, true}, per_byte{"instructions per byte", {}, true},
      rate{"a second, " + how, {}, true}, share{"of the roof above it", {}, true};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& point = points[i];
    chart.point(point.per_byte, point.per_second, 0, std::to_string(i + 1));
    number.cells.push_back(std::to_string(i + 1));
    rung.cells.push_back(escaped(point.name));
    per_byte.cells.push_back(fmt::format("{:.3g}", point.per_byte));
    rate.cells.push_back(escaped(rate_text(point.per_second)));
    const double roof = std::min(peak, point.per_byte * bandwidth), part = point.per_second / roof;
    share.cells.push_back(percent_text(part) + " " + html::measure({part, -1, -1, 0}));
  }
  return fmt::format(
      "<h2 id=\"roofline\">Roofline</h2>\n<p>Under the slope memory is what limits ({}, {} GB/s of the data sheet), "
      "under "
      "the flat part how many instructions all SMs can issue. The bytes are the distinct sectors of memory that a "
      "launch "
      "touches, once each: the least that has to move. Times are {}{}.</p>\n<div class=\"figures\">\n<figure>\n"
      "<figcaption>Warp instructions a second <span class=\"soft\">logarithmic</span></figcaption>\n{}</figure>\n"
      "<div>{}</div></div>\n",
      escaped(gpu->name), short_count(gpu->memory_bandwidth_gbs), how, modelled ? ", not measured" : "", chart.svg(),
      html::table("Each rung under the roof", {number, rung, per_byte, rate, share}));
}

std::string busy_section(const Run& run) {
  if (run.results.size() > most_side_by_side) return {};
  struct Part {
    const char* name;
    double ModelledTime::*share;
  };
  constexpr std::array<Part, 7> parts{{{"issue", &ModelledTime::issue},
                                       {"FP32", &ModelledTime::fp32},
                                       {"shared", &ModelledTime::shared},
                                       {"L1", &ModelledTime::l1},
                                       {"L2", &ModelledTime::l2},
                                       {"DRAM", &ModelledTime::dram},
                                       {"atomics", &ModelledTime::atomics}}};
  html::Column rung{"rung", {}, false, true}, bound{"bound by", {}};
  std::vector<html::Column> shares;
  for (const auto& part : parts) shares.push_back({part.name, {}, true});
  for (const auto& r : run.results) {
    if (r.status != CaseStatus::ok || !r.model) continue;
    rung.cells.push_back(escaped(label_of(run, r)));
    bound.cells.push_back(escaped(r.model->bound));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double share = (*r.model).*(parts[i].share);
      shares[i].cells.push_back(fmt::format("{:.0f}% {}", 100 * share, html::measure({share, -1, -1, 0})));
    }
  }
  if (rung.cells.empty()) return {};
  std::vector<html::Column> columns{rung, bound};
  columns.insert(columns.end(), shares.begin(), shares.end());
  return "<h2 id=\"busy\">What works, and how long</h2>\n<p>The share of the modelled time in which each part of the "
         "GPU "
         "works. The part that works most sets the pace; where none comes near 100%, warps wait (latency).</p>\n" +
         html::table("Shares of the modelled time", columns);
}

std::string occupancy_section(const Run& run) {
  const auto* gpu = profile_of(run);
  if (gpu == nullptr || run.results.size() > most_side_by_side) return {};
  std::vector<html::Column> columns{{"rung", {}, false, true}, {"block", {}, true},     {"registers", {}, true},
                                    {"shared", {}, true},      {"by warps", {}, true},  {"by registers", {}, true},
                                    {"by shared", {}, true},   {"by blocks", {}, true}, {"blocks per SM", {}, true},
                                    {"occupancy", {}, true},   {"SMs used", {}, true}};
  for (const auto& r : run.results) {
    if (!r.launch || !r.occupancy || !r.launch->registers_per_thread) continue;
    const auto& f = *r.launch;
    const auto fixed = f.static_shared_bytes.value_or(0);
    const auto limits =
        block_limits(*gpu, *f.registers_per_thread, fixed, f.dynamic_shared_bytes, static_cast<int>(f.block.volume()));
    const auto limit = [&](std::optional<int> BlockLimits::*which) -> std::string {
      const auto value = limits ? (*limits).*which : std::nullopt;
      if (!value) return "-";
      const auto text = std::to_string(*value);
      return *value == r.occupancy->blocks_per_sm ? "<strong>" + text + "</strong>" : text;
    };
    const std::vector<std::string> cells{
        escaped(label_of(run, r)),
        dim_text(f.block),
        std::to_string(*f.registers_per_thread),
        bytes_text(static_cast<double>(fixed + f.dynamic_shared_bytes)),
        limit(&BlockLimits::warps),
        limit(&BlockLimits::registers),
        limit(&BlockLimits::shared),
        limit(&BlockLimits::blocks),
        std::to_string(r.occupancy->blocks_per_sm),
        percent_text(r.occupancy->theoretical) + " " + html::measure({r.occupancy->theoretical, -1, -1, 2}),
        r.spread ? fmt::format("{} of {}", r.spread->sms_used, r.spread->sm_count) : "-"};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  if (columns.front().cells.empty()) return {};
  return "<h2 id=\"occupancy\">Occupancy</h2>\n<p>How many blocks of the kernel an SM has room for, by each of its "
         "resources; "
         "the scarcest (in bold) decides.</p>\n" +
         html::table("Room for blocks on an SM of " + gpu->name, columns);
}

}  // namespace gpulab::pages
