#include "common/device/simulator/grid_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/device/launch_check.h"
#include "common/launch_error.h"
#include "common/occupancy.h"
#include "common/progress/launch_progress.h"
#include "common/simt/counting/line_counts.h"

namespace gpulab {
namespace {

/// Warp instructions that starting a grid from a kernel is charged: a chain of launches without an end has one.
constexpr std::uint64_t kLaunchCost = 1000;

/// Local memory without what recursion takes.
std::size_t needed_local(const LoadedKernel& loaded) {
  const std::size_t by_ptx = loaded.program->local_bytes - (loaded.program->recursive ? simt::kRecursiveStack : 0);
  return loaded.kernel.attributes.local_bytes.value_or(by_ptx);
}

std::uint32_t sm_count(const GpuProfile& profile) { return static_cast<std::uint32_t>(std::max(profile.sm_count, 1)); }

/// Whose counts are to come.
LaunchLines lines_of(const LoadedKernel& loaded, const LaunchConfig& config) {
  LaunchLines lines;
  lines.kernel = loaded.kernel.cpp_name;
  lines.grid = config.grid;
  lines.block = config.block;
  return lines;
}

}  // namespace

std::uint64_t resident_blocks(const GpuProfile& profile, const Kernel& kernel, const LaunchConfig& config) {
  const auto found =
      occupancy(profile, kernel.attributes.registers.value_or(1), kernel.attributes.static_shared_bytes.value_or(0),
                config.dynamic_shared_bytes, static_cast<int>(config.block.volume()), config.carveout);
  const int per_sm = found ? found->blocks_per_sm : 1;
  return static_cast<std::uint64_t>(std::max(per_sm, 1)) * sm_count(profile);
}

std::deque<simt::DeviceLaunch> GridRunner::run(const LoadedKernel& loaded, const LaunchConfig& config,
                                               const std::vector<std::byte>& parameters, int level,
                                               std::uint64_t& spent, const RunNow& run_now) {
  const simt::Program& program = *loaded.program;
  if (program.parameter_address) memory_.write(program.parameter_address, parameters);
  simt::GridLaunches launches;
  launches.level = level;
  simt::LaunchState state = launch_state(loaded, loaded.program, config, parameters);
  if (options_.lines) state.phases = most_phases;
  state.keeps_patterns = options_.lines;
  state.observe_by(observers_);
  compiled_.prepare(state, loaded.program);
  std::optional<simt::StackLimit> stack;
  if (stack_bytes_) {
    most_local_ = std::max(most_local_, needed_local(loaded));
    state.stack = &stack.emplace(program, *stack_bytes_, most_local_, loaded.frames);
  }
  state.launches = &launches;
  simt::GridOptions grid = grid_options(loaded, config);
  grid.spent = spent;
  Seen seen = Seen::whole;
  if (auto others = std::exchange(others_, {})) grid.others = asking(state, std::move(others), seen);
  launches.wait = [&](simt::Warp& warp) {
    begin_wait(loaded, state, warp, seen);
    run_now(launches);
  };
  const auto place = static_cast<std::ptrdiff_t>(lines_.size());  // before those of what it launches while it waits
  LaunchLines lines = lines_of(loaded, config);
  simt::UsedMemory used;
  const simt::Look look = [&](const simt::Workers& workers) {
    if (seen == Seen::beside) return;
    if (options_.lines) simt::count_lines(program, workers, loaded.image.source, loaded.image.ptx, lines);
    if (options_.repeats) used = simt::used_memory(workers, memory_.global(), simt::memory_known_of(program));
  };
  const auto per_sm = static_cast<std::uint32_t>(grid.resident / sm_count(profile_));
  if (model_) {
    // What ptxas keeps on the stack beside the program's own arrays are registers that it had no room for.
    const std::size_t stack = loaded.kernel.attributes.local_bytes.value_or(0);
    const std::size_t spilled = (stack - std::min<std::size_t>(stack, program.local_bytes)) / 4;
    const int used = std::max(loaded.kernel.attributes.registers.value_or(0), 0);
    model_->prepare(state, per_sm, {static_cast<std::uint32_t>(used), static_cast<std::uint32_t>(spilled)});
  }
  Counters counted;
  try {
    const LaunchUnderWay under_way(loaded.kernel.cpp_name, config.grid.volume());
    counted = simt::run_grid(
        state, grid, [this](std::string_view text, std::uint64_t cut) { print(text, cut); }, look);
  } catch (...) {
    memory_.versions().all_changed();
    if (seen != Seen::whole) no_longer_beside();
    throw;
  }
  if (seen != Seen::whole) no_longer_beside();
  if (stack) look_at_stack(loaded, *stack);
  if (options_.counters && seen == Seen::whole) balance_.add_to(counted, config.grid.volume());
  if (seen != Seen::whole) {
    // Of a part of it nobody knows the time.
  } else if (model_ && options_.lines) {
    const LaunchTime time =
        model_->add_by_line(state, counted, per_sm, simt::lines_of_sites(program, loaded.image.source));
    if (time.ms > 0 && !program.uses_textures && state.cluster.volume() == 1) lines.time = time;
  } else if (model_) {
    model_->add(state, counted, per_sm);
  }
  lines.counters = counted;
  if (options_.lines && seen != Seen::beside) lines_.insert(lines_.begin() + place, std::move(lines));
  spent += counted["warp_instructions"] + kLaunchCost;
  work_ += counted["warp_instructions"] + kLaunchCost;
  if (counters_)
    *counters_ += counted;
  else
    counters_ = counted;
  std::deque<simt::DeviceLaunch> made(launches.ordinary.begin(), launches.ordinary.end());
  made.insert(made.end(), launches.tail.begin(), launches.tail.end());
  const bool launched_more = !made.empty() || seen == Seen::up_to_a_wait;
  if (options_.repeats && seen != Seen::beside) keep_used(program, std::move(used), level, launched_more);
  if (model_ && launched_more) model_->give_up("kernels that launch kernels are not modelled");
  if (model_ && state.cluster.volume() > 1) model_->give_up("thread block clusters are not modelled");
  if (model_ && program.uses_textures) model_->give_up("textures and surfaces are not modelled");
  return made;
}

void GridRunner::run_uncounted(const LoadedKernel& loaded, const std::shared_ptr<simt::Program>& program,
                               const LaunchConfig& config, const std::vector<std::byte>& parameters,
                               const simt::UsedMemory& used, std::uint64_t work) {
  others_ = {};  // it does not wait for them
  if (program->parameter_address) memory_.write(program->parameter_address, parameters);
  simt::LaunchState state = launch_state(loaded, program, config, parameters);
  simt::GridLaunches launches;
  state.launches = &launches;
  compiled_.prepare(state, program);
  try {
    const LaunchUnderWay under_way(loaded.kernel.cpp_name, config.grid.volume());
    (void)simt::run_grid(state, grid_options(loaded, config),
                         [this](std::string_view text, std::uint64_t cut) { print(text, cut); });
  } catch (...) {
    memory_.versions().all_changed();
    throw;
  }
  for (const auto& allocation : used.allocations)
    if (allocation.stored.bytes) memory_.versions().changed(allocation.address, allocation.stored);
  work_ += work + kLaunchCost;
}

simt::GridOptions GridRunner::grid_options(const LoadedKernel& loaded, const LaunchConfig& config) const {
  simt::GridOptions grid;
  grid.threads = options_.threads;
  grid.budget = options_.budget;
  grid.patience = config.cooperative ? 0 : options_.patience;  // whose blocks end together
  grid.resident = resident_blocks(profile_, loaded.kernel, config);
  return grid;
}

simt::AskOthers GridRunner::asking(simt::LaunchState& state, simt::AskOthers others, Seen& seen) {
  return [this, &state, &seen, others = std::move(others)](simt::Polling polling) {
    const auto turn = others(polling);
    if (turn == simt::OthersTurn::not_yet || seen == Seen::beside) return turn;
    if (seen == Seen::whole) let_others_run(state);
    seen = Seen::beside;
    return turn;
  };
}

void GridRunner::let_others_run(simt::LaunchState& state) {
  ++beside_;
  grid_workspace_ = 0;  // it is this grid's; another has one of its own
  state.tell([&](simt::Observer& observer) { observer.grid_ended(state); });
  state.observe_by({});
  memory_.all_known(true);
}

void GridRunner::begin_wait(const LoadedKernel& loaded, simt::LaunchState& state, simt::Warp& warp, Seen& seen) {
  simt::BlockLog& log = warp.block->worker.log;  // it has printed before what it waits for does
  print(std::exchange(log.output, {}), std::exchange(log.cut, 0));
  if (seen != Seen::whole) return;
  seen = Seen::up_to_a_wait;
  let_others_run(state);
  if (options_.sanitize.empty() || !waited_.insert(loaded.kernel.handle).second) return;
  Finding& finding = findings_.emplace_back();
  finding.tool = "sanitize";
  finding.severity = Severity::note;
  finding.message = fmt::format(
      "{} waits for kernels that it has launched: from its first wait on no tool watches it (but for accesses outside "
      "of memory), only what it launches",
      loaded.kernel.cpp_name);
}

void GridRunner::no_longer_beside() {
  memory_.versions().all_changed();
  used_.reset();
  memory_.all_known(--beside_ > 0);
}

void GridRunner::keep_used(const simt::Program& program, simt::UsedMemory used, int level, bool launched_more) {
  const auto known = simt::memory_known_of(program);
  if (known == simt::MemoryKnown::nothing) memory_.versions().all_changed();
  for (const auto& allocation : used.allocations)
    if (allocation.stored.bytes) memory_.versions().changed(allocation.address, allocation.stored);
  used_.reset();
  if (known <= simt::MemoryKnown::atomics && level == 1 && !launched_more) used_ = std::move(used);
}

void GridRunner::spend_copied(std::uint64_t rows, std::uint64_t bytes, std::uint64_t& spent) const {
  constexpr std::uint64_t at_once = 256;  // bytes that are copied in the time of a warp instruction
  spent += rows * (1 + bytes / at_once);
  if (spent <= options_.budget) return;
  throw LaunchError(LaunchFailure::hung,
                    fmt::format("what kernels launched did not end within {} warp instructions (copies count, {} bytes "
                                "as one)",
                                options_.budget, at_once),
                    {}, "copy less, or raise --budget");
}

void GridRunner::look_at_stack(const LoadedKernel& loaded, const simt::StackLimit& limit) {
  const std::uint64_t taken = limit.exceeded;
  if (taken == 0 || !told_.insert(loaded.kernel.handle).second) return;
  Finding& finding = findings_.emplace_back();
  finding.tool = "stack";
  finding.severity = Severity::warning;
  finding.message = fmt::format(
      "{}: calls that have not returned take {} {} bytes of stack{}; a thread of a GPU has {} here, and the launch may "
      "end with cudaErrorIllegalAddress: cudaDeviceSetLimit(cudaLimitStackSize, bytes) gives more",
      loaded.kernel.cpp_name, limit.is_known ? "at least" : "about", taken,
      limit.is_known ? "" : ", by the PTX's variables alone", limit.bytes);
}

simt::LaunchState GridRunner::launch_state(const LoadedKernel& loaded, const std::shared_ptr<simt::Program>& program,
                                           const LaunchConfig& config, const std::vector<std::byte>& parameters) {
  simt::LaunchState state;
  state.program = program.get();
  state.grid = config.grid;
  state.block = config.block;
  state.cluster = cluster_of(loaded.kernel, config);
  state.has_explicit_cluster = config.cluster.volume() != 0 || loaded.kernel.attributes.cluster.volume() != 0;
  state.dynamic_shared_bytes = config.dynamic_shared_bytes;
  state.carveout = config.carveout;
  state.sm_count = sm_count(profile_);
  state.parameters = parameters;
  state.memory = &memory_.global();
  state.heap = &heap_;
  state.runtime = &runtime_;
  if (config.cooperative) state.grid_workspace = grid_workspace();
  state.print_limit = options_.print_limit;
  state.schedule = options_.schedule;
  return state;
}

/// Where a cooperative grid's barrier lies, as it is before the first arrival.
std::uint64_t GridRunner::grid_workspace() {
  constexpr std::uint64_t bytes = 64;  // cooperative_groups' grid_workspace: its size, the barrier, and room for more
  if (!grid_workspace_) grid_workspace_ = memory_.global().allocate("grid workspace", bytes);
  memory_.fill(grid_workspace_, std::byte{0}, bytes);
  return grid_workspace_;
}

void GridRunner::print(std::string_view text, std::uint64_t cut) {
  const std::string_view kept = text.substr(0, options_.print_limit - output_.size());
  cut_ += text.size() - kept.size() + cut;
  output_ += kept;
  if (sink_ && !kept.empty()) sink_(kept);
}

}  // namespace gpulab
