#pragma once
// The observer of `gpulab trace`: it keeps what the warps of a window do (TraceWindow), step by step, until the window
// is full. It only looks: what an access costs is what the counters counted for it, read before and behind it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/simt/machine/block.h"
#include "common/simt/machine/observer.h"
#include "common/simt/observers/trace/site_facts.h"
#include "common/simt/observers/trace/value_code.h"
#include "common/simt/observers/trace/wording.h"
#include "common/simt/timing/site_time.h"
#include "common/trace/step_trace.h"
#include "common/trace/trace_window.h"

namespace gpulab::simt {

/// What the recorder keeps of a warp in the window.
struct RecordedWarp {
  std::uint32_t last_active = 0;  ///< lanes of its step before
  std::uint32_t last_live = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> executed, passed_over;  ///< times, by site; before the window
  std::unordered_map<std::uint32_t, StepAccess> counted;  ///< by site: of accesses that others of their block follow
};
/// An instruction that has been announced and whose outcome is not known yet.
struct OpenStep {
  Warp* warp = nullptr;
  std::uint32_t number = 0;  ///< of StepTrace::warps
  std::uint32_t site = 0, active = 0, lanes = 0, live = 0, waiting = 0;
  bool kept = false, accesses = false;
  SiteStatistics before{};
  const SiteStatistics* statistics = nullptr;
  StepAccess access{};
  std::uint64_t address = 0;
  std::string stored;  ///< packed
  std::optional<BarrierState> completed{};
};
/// A step that waits for other lanes before it has its results.
struct LateStep {
  std::size_t step = 0;
  Warp* warp = nullptr;
  std::uint32_t site = 0, lanes = 0;
  std::string stored;
};

class Recorder final : public Observer {
 public:
  explicit Recorder(TraceWindow window);

  /// Of the launch that the window names, once it has run or failed.
  [[nodiscard]] std::shared_ptr<StepTrace> take();
  /// When the model issues the instructions of that launch: before it is taken.
  void add_times(const std::vector<IssuedInstruction>& issued);
  [[nodiscard]] std::uint32_t launch() const { return window_.launch; }
  /// The device has a new run before it: launches count from 0 again.
  void start_run() { launches_ = 0; }
  /// Launches from now on may be the window's, or not.
  void keep(bool wanted) { keeps_ = wanted; }

  void grid_started(const LaunchState& launch) override;
  void grid_ended(const LaunchState& launch) override;
  void block_started(const BlockContext& block) override;
  void block_ended(const BlockContext& block) override;
  void instruction(Warp& warp, const MicroOp* op, std::uint32_t lanes) override;
  void access(Warp& warp, const MicroOp* op) override;
  void barrier_completed(const BlockContext& block, std::uint32_t number, bool everyone) override;
  void faulted(Warp& warp, const MicroOp* op, int lane, std::uint64_t address, const std::string& what) override;
  void deadlocked(const BlockContext& block, const std::string& what) override;

 private:
  [[nodiscard]] std::uint32_t number_of(const Warp& warp);
  void finish();
  void finish_access(StepFacts& facts);
  [[nodiscard]] BarrierState barrier_of(const Warp& warp) const;
  [[nodiscard]] std::uint32_t waiting_lanes(const Warp& warp) const;
  void add_step(TraceStep step, const Sentence& sentence);
  void keep_values(std::size_t step, const Warp& warp, std::uint32_t site, std::uint32_t lanes,
                   const std::string& stored);
  void settle_late(const Warp& warp);
  [[nodiscard]] std::uint32_t text_of(const std::string& text);
  [[nodiscard]] std::uint32_t access_number(const StepAccess& access);
  [[nodiscard]] const StepArray* array_of(const StepAccess& access, std::uint64_t address) const;
  void add_arrays(const LaunchState& launch);

  const TraceWindow window_;
  std::uint32_t launches_ = 0;  ///< that have started
  bool keeps_ = true;
  bool on_ = false;  ///< the launch that runs is the window's
  std::shared_ptr<StepTrace> trace_;
  const Program* program_ = nullptr;
  std::vector<SiteFacts> facts_;
  std::vector<std::uint64_t> blocks_;  ///< of the window, sorted
  std::uint32_t warps_per_block_ = 0;
  std::vector<std::uint32_t> numbers_;  ///< by block of the window and warp: of StepTrace::warps, or none
  std::vector<RecordedWarp> states_;
  std::optional<OpenStep> open_;
  std::vector<LateStep> late_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<std::string, std::uint32_t> accesses_;  ///< by their bytes
};

}  // namespace gpulab::simt
