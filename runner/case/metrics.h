#pragma once
// What follows from measured GPU time and nothing else: rates, shares of peaks, speed-ups.

#include <string>
#include <string_view>
#include <vector>

#include "common/gpu_profile.h"
#include "labs/lab.h"
#include "runner/case/issuing/bound_plan.h"
#include "runner/case/measuring/measure.h"
#include "runner/case/result.h"

namespace gpulab {

/// Bandwidth, GFLOP/s and elements per second of one result, and their share of the profile's peaks (may be null).
void add_rates(const Work& work, const GpuProfile* peaks, Result& result);

/// What crosses the link between host and device, in copies and bytes, and how many launches go with it; nothing for
/// plans without copies.
void add_traffic(const Traffic& traffic, std::size_t launches, Result& result);

/// Of a result that has a ModelledTime, in microseconds.
void add_modelled_time(Result& result);

/// What the host's clock says, and what the GPU's own says of each launch, in microseconds.
void add_host_times(const HostTimes& times, std::size_t launches, Result& result);

/// Speed-ups between results of the same parameters and block: to the baseline variant (empty: none), to the nearest
/// rung below in its ladder of the lab (rungs_below), and to the variant that runs on the host, where there is one: by
/// the host's clock if both have it.
void add_speedups(const Lab& lab, std::vector<Result>& results, std::string_view baseline);

/// The first variant that a GPU's clock measured, what cumulative speed-ups refer to; empty where fewer than two were.
[[nodiscard]] std::string first_measured(const std::vector<Result>& results);

/// The metric's value, or null.
[[nodiscard]] const Metric* find_metric(const Result& result, std::string_view name);

}  // namespace gpulab
