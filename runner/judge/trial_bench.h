#pragma once
// Where launches of a kernel are tried: in confined processes, under all sanitizer tools, and in a second order of
// warps and blocks. This is the one place that accepts a launch, whoever asks and whatever may be told of it
// afterwards.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/finding.h"
#include "runner/judge/judge.h"
#include "runner/judge/trials.h"

namespace gpulab {

/// Begins the hint of a class that is wrong where a tool has an error, too.
constexpr std::string_view perhaps_for_finding = "perhaps for what a tool has found";

/// What is tried: a kernel with a launch, at a size of a class.
struct TrialRequest {
  const Lab& file;
  const FoundKernel& kernel;
  const InputClass& of;
  const TrialPoint& point;
  const ContractLaunch& launch;
};

/// What came of it. `shape` is ok where all is right and no tool has a finding of severity error.
struct WatchedTrial {
  JudgedShape shape;
  std::vector<Finding> findings{};
  std::string output{};
  std::uint64_t output_cut = 0;
};

class TrialBench {
 public:
  explicit TrialBench(const JudgeRequest& request);

  [[nodiscard]] const DeviceInfo& device() const { return sanitizing_->info(); }
  [[nodiscard]] const TrialPlace& place() const { return place_; }

  /// Of the contract that the kernels are of; must come before a trial.
  void set_contract(const Contract& contract) { contract_ = &contract; }
  /// Inputs of an instructor's key, say: work and launches that never ended are counted anew.
  void begin_anew(std::uint64_t seed);
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  [[nodiscard]] WatchedTrial watched(const TrialRequest& request);
  /// One launch with counters; `shape` says whether it is right.
  [[nodiscard]] Result counted(const TrialRequest& request, JudgedShape& shape);
  /// On an executor of this process's own, without a kernel of anybody's: rungs are counted there.
  [[nodiscard]] std::unique_ptr<Executor> open_for_rungs() const;

  /// Why nothing more is run; empty: go on. Each launch that does not end costs seconds.
  [[nodiscard]] std::string spent_text() const;
  /// A process that ran the kernel had used up its CPU time.
  [[nodiscard]] bool is_out_of_time() const { return out_of_time_; }

 private:
  struct Ran {
    JudgedShape shape;
    Result result;
  };
  Ran run_on(Executor& executor, const TrialRequest& request, bool twice);
  [[nodiscard]] MachineOptions machine(bool sanitize, std::uint64_t schedule, bool count) const;
  [[nodiscard]] JudgingLimits limits() const;

  const JudgeRequest& request_;
  std::unique_ptr<Executor> sanitizing_, reordered_, counting_;
  TrialPlace place_;
  const Contract* contract_ = nullptr;
  std::uint64_t seed_, trials_ = 0;
  int hung_ = 0;
  std::uint64_t work_ = 0;  ///< as most_work_in_all counts it
  bool out_of_time_ = false;
};

/// It met a budget of work, or a clock.
[[nodiscard]] bool never_ended(const JudgedShape& shape);

}  // namespace gpulab
