#include "runner/judge/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/device/device_kind.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "runner/case/timed_trial.h"
#include "runner/execution/open_device.h"
#include "runner/judge/trials.h"

namespace gpulab {
namespace {

/// Where the memory of one process lies is chance, which several processes even out.
constexpr int processes = 3, rounds_of_each = 2;

/// A round times one set of data over and over, and a kernel that keeps what it has found out about it (by pointer, by
/// a look at a few elements) would be timed for nothing. So a launch of each of these further sets of data is timed,
/// too: the fastest of them may not be so much slower than a usual launch of a round.
constexpr int new_data_launches = 4;
constexpr double most_new_data_ratio = 3, negligible_ms = 0.02;

/// Of a round: so many that the quartiles of samples stand still. Of a kernel that takes long fewer do, for the events'
/// clock has steps of 32 ns: all of one thread, 50 ms a launch, would take a minute and more.
constexpr int most_samples = 151, fewest_samples = 15;
constexpr double longest_round_ms = 300;

RunOptions timing_options(std::optional<double> launch_ms) {
  RunOptions options;
  options.measure.reps = samples_of_round(launch_ms);
  return options;
}

/// Tukey's trimean. Events count in steps of 32 ns, half a percent of a short kernel: a median would be one step or the
/// next.
double typical_ms(const Timing& timing) { return (timing.q1_ms + 2 * timing.median_ms + timing.q3_ms) / 4; }

/// One sample beside the launch that is verified, which is the one of new data.
RunOptions new_data_options() {
  RunOptions options;
  options.measure.warmup = 0;
  options.measure.reps = 1;
  return options;
}

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
    rung_ms_.reset();
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
    TimedRatio stopped;
    const auto look = launched(timed, question, place, new_data_options(), stopped);
    if (!look) return stopped;
    const auto own = launched(timed, question, place, timing_options(first_launch_ms(*look)), stopped);
    if (!own) return stopped;
    std::optional<double> new_data_ms;
    for (int i = 0; i < new_data_launches; ++i) {
      const auto again = launched(timed, question, place, new_data_options(), stopped);
      if (!again) return stopped;
      if (const auto ms = first_launch_ms(*again)) new_data_ms = std::min(*ms, new_data_ms.value_or(*ms));
    }
    if (auto why = kept_results_text(own->timing, new_data_ms); !why.empty()) return {.wrong = std::move(why)};
    const auto rung = count_rung(*rungs_, lab_, contract_, question.rung,
                                 {question.size, timed.kernel->type, seed_, place}, timing_options(rung_ms_));
    if (rung.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
    if (rung.status != CaseStatus::ok || !rung.timing || !own->timing || !(rung.timing->median_ms > 0))
      return {.problem = fmt::format("{} could not be timed: {}", question.rung, rung.message)};
    rung_ms_ = rung.timing->median_ms;
    return {.ratio = typical_ms(*own->timing) / typical_ms(*rung.timing)};
  }

  /// On data of its own, and right; else nothing, and `stopped` says why.
  std::optional<Result> launched(const TimedKernel& timed, const TimedQuestion& question, const TrialPlace& place,
                                 const RunOptions& options, TimedRatio& stopped) {
    const auto& kernel = *timed.kernel;
    ++trials_;
    auto point = contract_case(lab_, contract_, question.size, kernel.type, seed_ + trials_, place);
    const auto posed = pose(lab_, contract_, kernel, std::move(point), Values::ordinary, *timed.launch, trials_, false);
    const Lab lab = trial_lab(timed.file, posed.trial);
    Case number;
    number.seed = posed.trial->number;
    number.sm_count = place.sm_count;
    number.block = timed.launch->block;
    auto own = own_->run(lab, lab.variants.front(), number, options);
    if (own.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
    // It could not be launched, or met the wall clock: nothing that the kernel computes.
    if (own.status == CaseStatus::error || own.status == CaseStatus::timeout) {
      stopped = {.problem = "it could not be timed: " + own.message};
      return std::nullopt;
    }
    const auto shape = judged(contract_, kernel, posed, own);
    if (shape.status == CaseStatus::ok) return own;
    stopped = {.wrong = shape.message};
    return std::nullopt;
  }

  const Lab& lab_;
  const Contract& contract_;
  std::uint64_t seed_, trials_ = 0;
  std::unique_ptr<Executor> own_, rungs_;
  std::optional<double> rung_ms_;  ///< of the question's rung, once it has been timed
};

}  // namespace

int samples_of_round(std::optional<double> launch_ms) {
  if (!launch_ms || !(*launch_ms * most_samples > longest_round_ms)) return most_samples;
  return std::max(fewest_samples, static_cast<int>(longest_round_ms / *launch_ms));
}

std::string kept_results_text(const std::optional<Timing>& seen, std::optional<double> new_data_ms) {
  if (!seen || !new_data_ms) return {};
  const double usual = typical_ms(*seen);
  if (*new_data_ms <= most_new_data_ratio * usual + negligible_ms) return {};
  return fmt::format(
      "it keeps results from launch to launch: {:.4g} ms on data that it has seen before, {:.4g} ms on new data", usual,
      *new_data_ms);
}

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
