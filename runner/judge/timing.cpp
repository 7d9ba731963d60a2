#include "runner/judge/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/device/device_kind.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "runner/execution/open_device.h"
#include "runner/judge/trials.h"

namespace gpulab {
namespace {

/// Where the memory of one process lies is chance, which several processes even out.
constexpr int processes = 3, rounds_of_each = 2;

/// Of each round: enough that the quartiles of samples stand still.
RunOptions timing_options() {
  RunOptions options;
  options.measure.reps = 151;
  return options;
}

/// Tukey's trimean. Events count in steps of 32 ns, half a percent of a short kernel: a median would be one step or the
/// next.
double typical_ms(const Timing& timing) { return (timing.q1_ms + 2 * timing.median_ms + timing.q3_ms) / 4; }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

class SpeedTrial {
 public:
  SpeedTrial(const Lab& lab, const Contract& contract, std::uint64_t seed)
      : lab_(lab), contract_(contract), seed_(seed) {}

  /// Median of the rounds' ratios. Each pair of rounds has new processes, each round new inputs.
  TimedRatio time(const TimedKernel& timed, const TimedQuestion& question) {
    std::vector<double> ratios;
    for (int process = 0; process < processes; ++process) {
      open();
      for (int round = 0; round < rounds_of_each; ++round) {
        const auto one = time_once(timed, question);
        if (!one.ratio) return one;
        ratios.push_back(*one.ratio);
      }
    }
    return {.ratio = median(std::move(ratios))};
  }

 private:
  void open() {
    MachineOptions machine;
    machine.device = &timing_kind();
    own_ = open_device_for_file(machine, {});
    rungs_ = open_device(machine);
  }

  /// The submission's time beside the rung's, one after the other.
  TimedRatio time_once(const TimedKernel& timed, const TimedQuestion& question) {
    const auto& info = own_->info();
    const TrialPlace place{info.sm_count, info.profile.empty() ? nullptr : &gpu_profile(info.profile)};
    const auto& kernel = *timed.kernel;
    const auto options = timing_options();
    ++trials_;  // each round is of other data
    auto point = contract_case(lab_, contract_, question.size, kernel.type, seed_ + trials_, place);
    const auto posed = pose(lab_, contract_, kernel, std::move(point), Values::ordinary, *timed.launch, trials_, false);
    const Lab lab = trial_lab(timed.file, posed.trial);
    Case number;
    number.seed = posed.trial->number;
    number.sm_count = place.sm_count;
    number.block = timed.launch->block;
    const auto own = own_->run(lab, lab.variants.front(), number, options);
    if (own.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
    // It could not be launched, or met the wall clock: nothing that the kernel computes.
    if (own.status == CaseStatus::error || own.status == CaseStatus::timeout)
      return {.problem = "it could not be timed: " + own.message};
    const auto shape = judged(contract_, kernel, posed, own);
    if (shape.status != CaseStatus::ok) return {.wrong = shape.message};
    const auto rung =
        count_rung(*rungs_, lab_, contract_, question.rung, {question.size, kernel.type, seed_, place}, options);
    if (rung.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
    if (rung.status != CaseStatus::ok || !rung.timing || !own.timing || !(rung.timing->median_ms > 0))
      return {.problem = fmt::format("{} could not be timed: {}", question.rung, rung.message)};
    return {.ratio = typical_ms(*own.timing) / typical_ms(*rung.timing)};
  }

  const Lab& lab_;
  const Contract& contract_;
  std::uint64_t seed_, trials_ = 0;
  std::unique_ptr<Executor> own_, rungs_;
};

}  // namespace

const DeviceKind& timing_kind() {
  std::string problem = "no kind of device measures time";
  for (const auto* kind : device_kinds()) {
    if (!kind->capabilities.measures_time) continue;
    problem = kind->problem();
    if (problem.empty()) return *kind;
  }
  throw Error(ExitCode::missing, "--device gpu: " + problem, {},
              "without it, items of the kind speed stay pending; 'gpulab doctor' says what is missing");
}

int timing_capability() {
  const auto info = timing_kind().describe({});
  return info.compute_major * 10 + info.compute_minor;
}

std::vector<TimedRatio> times_beside(const Lab& lab, const Contract& contract, const std::vector<TimedKernel>& kernels,
                                     const std::vector<TimedQuestion>& questions, std::uint64_t seed) {
  SpeedTrial trial(lab, contract, seed);
  std::vector<TimedRatio> made;
  for (const auto& question : questions) {
    auto& slowest = made.emplace_back();
    for (const auto& kernel : kernels) {
      auto one = trial.time(kernel, question);
      if (!one.ratio || !slowest.ratio || *one.ratio > *slowest.ratio) slowest = std::move(one);
      if (!slowest.ratio) break;
    }
  }
  return made;
}

}  // namespace gpulab
