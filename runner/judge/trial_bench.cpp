#include "runner/judge/trial_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/child/killed.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/simt/observers/tool.h"
#include "runner/execution/child_process.h"
#include "runner/student_file/kernel_file.h"

namespace gpulab {
namespace {

/// Warp instructions of a launch: a quadratic kernel at our sizes needs a tenth. The tools take from it, too.
constexpr std::uint64_t most_work = std::uint64_t{1} << 25, most_watched_work = most_work << 3;
/// Launches that did not end before the rest is not run: each costs seconds.
constexpr int most_hung = 2;
/// Warp instructions of all launches together, those under the tools four times, as they take so long: some ten
/// seconds. A kernel that stays below the limit of one launch in each of them has this one.
constexpr std::uint64_t most_work_in_all = std::uint64_t{1} << 30, watched_weight = 4;
/// Of what kernels print a report keeps so much.
constexpr std::uint64_t most_output = 16 << 10;

/// A launch of so many elements is run once: in the same order, on one set of data.
bool is_large(const InputClass& of) { return of.name == "large"; }

/// Right answers are not enough: what a tool calls an error is one, whether it shows in this run or not.
void accuse(const std::vector<Finding>& findings, JudgedShape& shape) {
  const auto error = std::ranges::find(findings, Severity::error, &Finding::severity);
  if (error == findings.end()) return;
  if (shape.status == CaseStatus::wrong)
    shape.hint = fmt::format("{}: {}: {}", perhaps_for_finding, error->tool, error->message);
  if (shape.status != CaseStatus::ok) return;
  shape.status = CaseStatus::finding;
  shape.message = error->tool + ": " + error->message;
  shape.hint.clear();  // which is in the message
}

/// Nobody is called right whose races nobody could have seen.
void doubt(const std::vector<Finding>& findings, JudgedShape& shape) {
  const auto unwatched =
      std::ranges::find_if(findings, [](const Finding& one) { return one.unchecked && one.tool == "racecheck"; });
  if (shape.status != CaseStatus::ok || unwatched == findings.end()) return;
  shape.status = CaseStatus::error;
  shape.unwatched = true;
  shape.message = "neither right nor wrong, for racecheck could not watch it: " + unwatched->message;
  shape.hint.clear();
}

}  // namespace

bool never_ended(const JudgedShape& shape) {
  return shape.status == CaseStatus::hung || shape.status == CaseStatus::timeout;
}

TrialBench::TrialBench(const JudgeRequest& request)
    : request_(request),
      sanitizing_(open_simulator_for_judging(machine(true, 0, false), limits())),
      seed_(request.seed) {
  const auto& info = sanitizing_->info();
  place_ = {info.sm_count, info.profile.empty() ? nullptr : &gpu_profile(info.profile)};
}

void TrialBench::begin_anew(std::uint64_t seed) {
  seed_ = seed;
  reordered_.reset();  // another order
  hung_ = 0;
  work_ = 0;
}

MachineOptions TrialBench::machine(bool sanitize, std::uint64_t schedule, bool count) const {
  MachineOptions options;
  if (!request_.profile.empty()) options.profile = request_.profile;
  options.counters = count;
  options.model = count && request_.model;
  options.model_where_known = count && !request_.grade;
  options.schedule = schedule;
  options.budget = sanitize ? most_watched_work : most_work;
  options.print_limit = most_output;
  if (sanitize)
    for (const auto* tool : simt::tool_kinds()) options.sanitize.emplace_back(tool->name);
  return options;
}

JudgingLimits TrialBench::limits() const {
  auto limits = request_.limits;
  limits.isolated = request_.isolated;
  limits.knows_nothing = request_.grade.has_value();
  return limits;
}

std::unique_ptr<Executor> TrialBench::open_for_rungs() const { return open_simulator(machine(false, 0, true)); }

std::string TrialBench::spent_text() const {
  if (out_of_time_) return "not run: launches before it took all the CPU time";
  if (hung_ >= most_hung) return "not run: launches before it did not end";
  if (work_ > most_work_in_all)
    return fmt::format("not run: launches before it took more than {} warp instructions", most_work_in_all);
  return {};
}

TrialBench::Ran TrialBench::run_on(Executor& executor, const TrialRequest& request, bool twice) {
  const auto& [file, kernel, of, point, launch] = request;
  auto at = contract_case(*request_.lab, *contract_, point, kernel.type, seed_, place_);
  const auto posed = pose(*request_.lab, *contract_, kernel, std::move(at), of.values, launch, ++trials_, twice);
  const Lab lab = trial_lab(file, posed.trial);
  Case number;  // what the process knows of the case: which it is
  number.seed = posed.trial->number;
  number.sm_count = place_.sm_count;
  number.block = launch.block;
  if (request_.trying) request_.trying(of.name);
  auto result = executor.run(lab, lab.variants.front(), number, {});
  if (result.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
  if (result.status == CaseStatus::fault && says_killed(result.message)) throw Killed("the process that simulates it");
  out_of_time_ |= result.status == CaseStatus::fault && says_out_of_cpu(result.message);
  work_ += result.work * (&executor == sanitizing_.get() ? watched_weight : 1);
  auto shape = judged(*contract_, kernel, posed, result);
  shape.name = of.name;
  shape.about = of.about;
  if (shape.hint.empty()) shape.hint = of.hint;
  shape.params.assign(point.begin(), point.end());
  return {std::move(shape), std::move(result)};
}

WatchedTrial TrialBench::watched(const TrialRequest& request) {
  JudgedShape again;  // in another order, and first: what never ends is known sooner without tools
  again.status = CaseStatus::ok;
  if (!is_large(request.of)) {
    if (!reordered_) reordered_ = open_simulator_for_judging(machine(false, seed_ + 1, false), limits());
    again = run_on(*reordered_, request, false).shape;
    if (never_ended(again)) {
      ++hung_;
      return {.shape = std::move(again)};
    }
  }
  auto first = run_on(*sanitizing_, request, !is_large(request.of));
  accuse(first.result.findings, first.shape);
  WatchedTrial made{.shape = std::move(first.shape),
                    .findings = std::move(first.result.findings),
                    .output = std::move(first.result.output),
                    .output_cut = first.result.output_cut};
  if (made.shape.status == CaseStatus::ok && again.status != CaseStatus::ok) {
    again.message = "right in one order of warps and blocks, but not in another: " + again.message;
    again.hint = "who waits for whom? A barrier, an atomic, or a second buffer makes the order certain";
    made.shape = std::move(again);
  }
  doubt(made.findings, made.shape);
  if (never_ended(made.shape)) ++hung_;
  return made;
}

Result TrialBench::counted(const TrialRequest& request, JudgedShape& shape) {
  if (!counting_) counting_ = open_simulator_for_judging(machine(false, 0, true), limits());
  auto ran = run_on(*counting_, request, false);
  shape = std::move(ran.shape);
  return std::move(ran.result);
}

}  // namespace gpulab
