#pragma once
// The time of a run's launches: what one SM does with the traced blocks, carried over to all blocks and SMs.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "common/counters.h"
#include "common/dim3.h"
#include "common/gpu_profile.h"
#include "common/line_counts.h"
#include "common/simt/timing/code/code.h"
#include "common/simt/timing/gpu_timing.h"
#include "common/simt/timing/modelled_time.h"
#include "common/simt/timing/sm.h"
#include "common/simt/timing/spread.h"
#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

/// PTX instructions of all traced blocks.
[[nodiscard]] double traced_instructions(const GridTrace& trace);

class TimingModel {
 public:
  TimingModel(const GpuTiming& timing, const GpuProfile& profile) : gpu_(timing), profile_(profile) {}

  /// Watches the launches; handed to them beside other observers.
  [[nodiscard]] Tracer& tracer() { return tracer_; }
  /// A new run begins, with a cold L2: empty, or full of dirty lines.
  void start_run(bool empty_l2 = false);
  /// A grid is about to run; `per_sm`: blocks that one SM keeps resident.
  void prepare(const LaunchState& launch, std::uint32_t per_sm, ThreadRegisters of_thread);
  /// It has run, with these counters.
  void add(const LaunchState& launch, const Counters& counters, std::uint32_t per_sm);
  /// The same, and what of its time each line takes, and what it would take if something were gone. `line_of`: by site.
  LaunchTime add_by_line(const LaunchState& launch, const Counters& counters, std::uint32_t per_sm,
                         const std::vector<std::uint32_t>& line_of);
  /// From now on keeps when instructions issue: of each grid since start_run(), of the blocks that are traced.
  void keep_issues() { keeps_issues_ = true; }
  [[nodiscard]] std::vector<IssuedInstruction> take_issued(std::size_t grid) {
    return grid < issued_.size() ? std::move(issued_[grid]) : std::vector<IssuedInstruction>();
  }
  /// The launches from now on are, or are not any more, those of one graph.
  void in_graph(bool yes) { in_graph_ = yes; }
  /// Something ran whose time is not modelled.
  void give_up(std::string why) { unavailable_ = std::move(why); }
  /// Of all grids since start_run(). Nothing: there was none, or something is not modelled (unavailable()).
  [[nodiscard]] std::optional<ModelledTime> take();
  [[nodiscard]] const std::string& unavailable() const { return unavailable_; }

 private:
  struct Grid {
    double cycles = 0;
    SmResult sm;
    SiteTime warps;        ///< cycles of all warps of the traced blocks
    double sm_cycles = 0;  ///< of the traced blocks: what `sm` is of
    double atomics = 0;
    double slice = 0;      ///< of L2 that has the most to do, atomics and stores of parts of sectors
    double unqueued = 0;   ///< `cycles`, if atomics met at no address
    double library = 0;    ///< of `cycles`, what printf, malloc and free take
    double before_us = 0;  ///< from the end of the grid before it at the earliest
    bool queued_by_host = false;
    int sms_used = 0;
    double waves = 0, tail = 0;
    LaunchKinds kinds{};
  };
  [[nodiscard]] Grid grid_of(const LaunchState& launch, const Counters& counters, std::uint32_t per_sm,
                             GridTrace& trace, std::size_t sites = 0);
  /// Its cycles if all SMs had equal parts of its work, each as many warps at once as one SM runs now. Nothing: they
  /// have, or there is too little work to share.
  [[nodiscard]] std::optional<double> evenly_shared(const LaunchState& launch, const Counters& counters,
                                                    std::uint32_t per_sm, GridTrace& trace);
  /// What the launch would take where the mistake is of its whole: doubles in float code, few warps on an SM.
  void ask_of_launch(const LaunchState& launch, const Counters& counters, std::uint32_t per_sm, GridTrace& trace,
                     LaunchTime& time);
  /// What later launches find in L2.
  void remember(const LaunchState& launch, const Counters& counters, const GridTrace& trace);
  [[nodiscard]] MemoryShare share_of(const LaunchState& launch, const Counters& counters, GridTrace& trace, double part,
                                     std::uint32_t per_sm) const;
  void bring_again(const GridTrace& trace, MemoryShare& share) const;
  [[nodiscard]] double filled_near_by(const GridTrace& trace) const;
  [[nodiscard]] std::uint32_t l1_bytes(const LaunchState& launch, std::uint32_t per_sm) const;
  [[nodiscard]] bool is_touched(const BlockTrace& block, const TracedAccess& access) const;
  void touch(const BlockTrace& block, const TracedAccess& access, bool whole);
  /// What the blocks of a grid run on.
  struct Room {
    const MemoryShare& share;
    std::uint32_t per_sm = 1;
    double blocks = 0, used = 0;  ///< of the grid; SMs
  };
  /// Blocks that an SM comes to keep at once: more than `per_sm`, where most of a block's warps end long before it
  /// does.
  [[nodiscard]] double places_of(const LaunchState& launch, const SmResult& sm, std::uint32_t per_sm) const;
  /// Cycles of a grid of which some blocks do much more than others, of an SM's for the traced ones.
  [[nodiscard]] double uneven_cycles(const GridTrace& trace, const TimedCode& code, double of_sm,
                                     const Room& room) const;
  /// Of a chain of blocks, each of which waits for the one before it. `met`: of the SM with the traced blocks.
  [[nodiscard]] double chain_cycles(const GridTrace& trace, const TimedCode& code, const std::vector<Met>& met,
                                    const Room& room) const;
  const TimedCode& code_of(const Program& program);
  ThreadRegisters of_thread_{};  ///< of the grid that runs

  const GpuTiming& gpu_;
  const GpuProfile& profile_;
  Tracer tracer_;
  std::unordered_map<const Program*, std::unique_ptr<TimedCode>> codes_;
  /// What earlier launches of the run have brought to L2: of each allocation the first sector and the last.
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> touched_;
  double brought_bytes_ = 0, dirty_left_ = 0;
  std::vector<Grid> grids_;
  bool in_graph_ = false;
  bool of_program_ = false;  ///< whole programs run: a kernel's first launch has everything to fetch
  std::unordered_set<const Program*> launched_;  ///< then: those whose code the caches have
  bool keeps_issues_ = false;
  std::vector<std::vector<IssuedInstruction>> issued_;  ///< by grid
  std::string unavailable_;
};

}  // namespace gpulab::simt
