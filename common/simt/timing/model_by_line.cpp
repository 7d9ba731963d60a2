// What of a launch's modelled time each line takes, and what it would take without.

#include <algorithm>
#include <map>
#include <utility>

#include "common/simt/counting/code_facts.h"
#include "common/simt/timing/model.h"
#include "common/simt/timing/what_if.h"

namespace gpulab::simt {

namespace {

/// Each question costs a simulation of the SM.
constexpr std::size_t kMostQuestions = 6;
/// Less is within what the model's own steps make of a change.
constexpr double kLeastGain = 0.02;

/// An SM of whose places for threads less are taken has too few warps to hide much.
constexpr double kFewResident = 0.3;

/// Instructions of a warp that are worth sharing: of fewer most are a kernel's beginning and end, which each part of it
/// would have again.
constexpr std::uint64_t kLongWork = 1000;

/// Warps' cycles by line as shares of the kernel's time. What queues at one address beyond that is the atomics' line.
std::vector<LineTime> times_of(const std::vector<SiteTime>& sites, const std::vector<std::uint32_t>& line_of,
                               double kernel_ms) {
  std::map<std::uint32_t, LineTime> lines;
  double sum = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].total() <= 0) continue;
    LineTime& line = lines[i < line_of.size() ? line_of[i] : 0];
    line.issue += sites[i].issue;
    line.memory += sites[i].memory;
    line.shared += sites[i].shared;
    line.barrier += sites[i].barrier;
    line.result += sites[i].result;
    sum += sites[i].total();
  }
  std::vector<LineTime> all;
  for (auto& [number, line] : lines) {
    const double scale = kernel_ms / sum;
    line.line = number;
    for (double* part : {&line.issue, &line.memory, &line.shared, &line.barrier, &line.result}) *part *= scale;
    all.push_back(line);
  }
  return all;
}

/// The site whose atomics meet most at one address; nothing where there are none in global memory.
std::optional<std::uint32_t> busiest_atomic(const GridTrace& trace) {
  std::map<std::uint32_t, std::uint64_t> lanes;
  for (const BlockTrace& block : trace.blocks)
    for (const TracedAccess& a : block.accesses)
      if (a.atomic && a.space == TracedAccess::Space::global) lanes[a.site] += a.together ? 1 : a.same_address;
  const auto most = std::max_element(lanes.begin(), lanes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return most == lanes.end() ? std::nullopt : std::optional(most->first);
}

}  // namespace

std::optional<double> TimingModel::evenly_shared(const LaunchState& launch, const Counters& counters,
                                                 std::uint32_t per_sm, GridTrace& trace) {
  const double blocks = static_cast<double>(launch.grid.volume()), all = std::max(profile_.sm_count, 1);
  const bool few = blocks < all;
  const bool uneven = static_cast<double>(trace.most_executed) * blocks >= 2 * static_cast<double>(trace.executed);
  if ((!few && !uneven) || trace.queue || trace.most_of_warp < kLongWork) return std::nullopt;
  double traced = 0;
  for (const BlockTrace& block : trace.blocks) traced += static_cast<double>(block.instructions);
  if (traced == 0) return std::nullopt;
  // The traced blocks on one SM while all others do as much, and share L2 and DRAM with it.
  const MemoryShare share = share_of(launch, counters, trace, 1 / all, per_sm);
  const SmResult sm = run_sm(gpu_, code_of(*launch.program), trace.blocks, per_sm, gpu_.block_cycles * all, share);
  const double part = static_cast<double>(trace.executed) / (traced * all);
  return std::max(sm.cycles * part, gpu_.dram_latency);
}

void TimingModel::ask_of_launch(const LaunchState& launch, const Counters& counters, std::uint32_t per_sm,
                                GridTrace& trace, LaunchTime& time) {
  const auto taken = [&](std::uint32_t resident) {
    return grid_of(launch, counters, resident, trace).cycles / gpu_.clock_ghz / 1e6 + gpu_.launch_us / 1e3;
  };
  if (const auto doubles = doubles_for_floats(*launch.program); !doubles.empty()) {
    auto as_it_is = std::exchange(
        codes_[launch.program], std::make_unique<TimedCode>(*launch.program, of_thread_, gpu_.special_slower, doubles));
    time.in_float_ms = taken(per_sm);
    codes_[launch.program] = std::move(as_it_is);
  }
  const auto most = static_cast<std::uint64_t>(profile_.max_threads_per_sm);
  const std::uint64_t threads = (launch.block.volume() + 31) / 32 * 32;
  const auto fit = std::min<std::uint64_t>(most / threads, static_cast<std::uint64_t>(profile_.max_blocks_per_sm));
  const bool waits = launch.grid.volume() > std::uint64_t{per_sm} * static_cast<std::uint64_t>(profile_.sm_count);
  if (waits && fit > per_sm && static_cast<double>(per_sm * threads) < kFewResident * static_cast<double>(most))
    time.more_resident_ms = taken(static_cast<std::uint32_t>(fit));
}

LaunchTime TimingModel::add_by_line(const LaunchState& launch, const Counters& counters, std::uint32_t per_sm,
                                    const std::vector<std::uint32_t>& line_of) {
  GridTrace trace = tracer_.take();
  if (trace.blocks.empty()) return {};
  Grid grid = grid_of(launch, counters, per_sm, trace, launch.program->sites.size());
  const auto ms = [&](double cycles) { return cycles / gpu_.clock_ghz / 1e6; };
  LaunchTime time;
  time.kernel_ms = ms(grid.cycles);
  time.ms = time.kernel_ms + gpu_.launch_us / 1e3;
  std::vector<SiteTime>& sites = grid.sm.sites;
  // Atomics that queue elsewhere keep warps waiting that one SM alone would not.
  if (const auto site = busiest_atomic(trace); site && grid.atomics > grid.sm.cycles && grid.atomics >= grid.cycles) {
    double sum = 0;
    for (const SiteTime& s : sites) sum += s.total();
    sites[*site].memory += grid.warps.total() - sum;
    const double would = ms(grid.unqueued) + gpu_.launch_us / 1e3;
    const std::uint32_t line = *site < line_of.size() ? line_of[*site] : 0;
    if (line != 0 && would < time.ms * (1 - kLeastGain)) time.what_ifs.push_back({line, "queue", would});
  }
  time.lines = times_of(sites, line_of, time.kernel_ms);
  auto questions = questions_of(trace, line_of);
  if (questions.size() > kMostQuestions) questions.resize(kMostQuestions);
  for (const Question& question : questions) {
    GridTrace changed = trace;
    Counters fewer = counters;
    take_away(question, line_of, changed, fewer);
    const double would = ms(grid_of(launch, fewer, per_sm, changed).cycles) + gpu_.launch_us / 1e3;
    if (would < time.ms * (1 - kLeastGain)) time.what_ifs.push_back({question.line, word_of(question.kind), would});
  }
  if (const auto cycles = evenly_shared(launch, counters, per_sm, trace)) {
    const double would = ms(std::max(*cycles, grid.atomics)) + gpu_.launch_us / 1e3;
    if (would < time.ms * (1 - kLeastGain)) time.what_ifs.push_back({0, "idle_sms", would});
  }
  ask_of_launch(launch, counters, per_sm, trace, time);
  std::stable_sort(time.what_ifs.begin(), time.what_ifs.end(),
                   [](const WhatIf& a, const WhatIf& b) { return a.ms < b.ms; });
  grids_.push_back(std::move(grid));
  remember(launch, counters, trace);
  return time;
}

}  // namespace gpulab::simt
