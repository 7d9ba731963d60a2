#pragma once
// Runs one grid on the simulated machine, and keeps what grids leave until the host takes it: counters, counts by line,
// and what was printed.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/device/device.h"
#include "common/device/simulator/device_memory.h"
#include "common/device/simulator/kernel_library.h"
#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "common/simt/compiled/hot_programs.h"
#include "common/simt/counting/block_balance.h"
#include "common/simt/counting/used_memory.h"
#include "common/simt/device_runtime/device_heap.h"
#include "common/simt/device_runtime/device_launch.h"
#include "common/simt/machine/grid.h"
#include "common/simt/machine/stack_limit.h"
#include "common/simt/timing/model.h"

namespace gpulab {

/// Blocks of this launch that `profile` keeps resident. Registers that are not known limit nothing.
[[nodiscard]] std::uint64_t resident_blocks(const GpuProfile& profile, const Kernel& kernel,
                                            const LaunchConfig& config);

class GridRunner {
 public:
  /// `model`: nullptr where nobody asks how long grids would take.
  GridRunner(const GpuProfile& profile, const SimulatorOptions& options, std::span<simt::Observer* const> observers,
             simt::TimingModel* model, DeviceMemory& memory, simt::DeviceHeap& heap, simt::DeviceRuntime& runtime)
      : profile_(profile),
        options_(options),
        observers_(observers.begin(), observers.end()),
        model_(model),
        memory_(memory),
        heap_(heap),
        runtime_(runtime),
        compiled_(options.compiled, options.threads) {
    if (options.counters) observers_.push_back(&balance_);
  }

  /// Runs what a grid has launched so far, while that waits.
  using RunNow = std::function<void(simt::GridLaunches&)>;
  /// Runs the grid to its end; returns what it launched, in the order in which that is to run. `level`: of nesting, 1
  /// for what the host launches. `spent`: warp instructions of the host's launch so far, to which this grid's are
  /// added.
  std::deque<simt::DeviceLaunch> run(const LoadedKernel& kernel, const LaunchConfig& config,
                                     const std::vector<std::byte>& parameters, int level, std::uint64_t& spent,
                                     const RunNow& run_now);

  /// Runs a grid of the host's of which nothing is to be counted, by `program`, which is the kernel's without counts.
  /// It uses memory as one did before that executed so many warp instructions.
  void run_uncounted(const LoadedKernel& kernel, const std::shared_ptr<simt::Program>& program,
                     const LaunchConfig& config, const std::vector<std::byte>& parameters, const simt::UsedMemory& used,
                     std::uint64_t work);

  /// Adds what copying so many rows of bytes takes to `spent`. Throws LaunchError (hung) where the host's launch has
  /// used up its budget.
  void spend_copied(std::uint64_t rows, std::uint64_t bytes, std::uint64_t& spent) const;

  /// What grids have left since the last call.
  std::optional<Counters> take_counters() { return std::exchange(counters_, std::nullopt); }
  std::vector<LaunchLines> take_lines() { return std::exchange(lines_, {}); }
  std::string take_output() { return std::exchange(output_, {}); }
  /// Bytes that kernels printed beyond what is kept, since the last call.
  std::uint64_t take_output_cut() { return std::exchange(cut_, 0); }
  /// Of launches that a GPU's stack may be too small for.
  std::vector<Finding> take_findings() { return std::exchange(findings_, {}); }
  /// What the grid that ran since the last call used of memory. Nothing: there were several, or not all of it is known.
  std::optional<simt::UsedMemory> take_used() { return std::exchange(used_, std::nullopt); }
  /// Of the next grid.
  void next_lets_in(simt::AskOthers others) { others_ = std::move(others); }
  /// Some grid runs beside what the host does.
  [[nodiscard]] bool has_grid_beside() const { return beside_ > 0; }
  void limit_stack(std::size_t bytes) { stack_bytes_ = bytes; }
  std::uint64_t take_work() { return std::exchange(work_, 0); }
  void print_to(const PrintSink& sink) { sink_ = sink; }

 private:
  /// What is the same whether the launch is counted or not.
  [[nodiscard]] simt::LaunchState launch_state(const LoadedKernel& kernel,
                                               const std::shared_ptr<simt::Program>& program,
                                               const LaunchConfig& config, const std::vector<std::byte>& parameters);
  [[nodiscard]] simt::GridOptions grid_options(const LoadedKernel& kernel, const LaunchConfig& config) const;
  std::uint64_t grid_workspace();
  /// How much of a grid is watched: all of it, until it first waits for what it launched, or until others ran beside
  /// it, whose turns are not the same in each run.
  enum class Seen { whole, up_to_a_wait, beside };
  /// What the grid asks between turns of blocks that may poll; it is no more watched once others run beside it.
  simt::AskOthers asking(simt::LaunchState& state, simt::AskOthers others, Seen& seen);
  /// The grid is no more watched: who watches may be told of one grid at a time.
  void let_others_run(simt::LaunchState& state);
  /// The grid waits for what it has launched.
  void begin_wait(const LoadedKernel& kernel, simt::LaunchState& state, simt::Warp& warp, Seen& seen);
  /// A grid that others ran beside has ended, or failed.
  void no_longer_beside();
  /// A grid has ended, and used this.
  void keep_used(const simt::Program& program, simt::UsedMemory used, int level, bool launched_more);
  void print(std::string_view text, std::uint64_t cut);
  /// Keeps the finding, once for each kernel, and what the kernel needed: later ones have as much.
  void look_at_stack(const LoadedKernel& kernel, const simt::StackLimit& limit);

  std::uint64_t work_ = 0;
  std::optional<simt::UsedMemory> used_;
  const GpuProfile& profile_;
  const SimulatorOptions& options_;
  simt::BlockBalance balance_;
  std::vector<simt::Observer*> observers_;
  simt::TimingModel* model_;
  DeviceMemory& memory_;
  simt::DeviceHeap& heap_;
  simt::DeviceRuntime& runtime_;
  std::uint64_t grid_workspace_ = 0;  ///< of cooperative launches; 0: there was none yet
  std::optional<Counters> counters_;
  std::vector<LaunchLines> lines_;
  std::string output_;
  std::uint64_t cut_ = 0;
  std::vector<Finding> findings_;
  std::optional<std::size_t> stack_bytes_;  ///< nothing: nobody asks
  std::size_t most_local_ = 0;              ///< that a kernel so far needed without recursion
  std::set<std::uintptr_t> told_;           ///< kernels that may need more stack
  std::set<std::uintptr_t> waited_;         ///< kernels of which is told that they waited
  PrintSink sink_;
  simt::AskOthers others_;
  int beside_ = 0;  ///< grids that run beside what the host does
  simt::compiled::HotPrograms compiled_;
};

}  // namespace gpulab
