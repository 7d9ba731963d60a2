#include "runner/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "common/child/killed.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/simt/observers/tool.h"
#include "common/text.h"
#include "runner/execution/child_process.h"
#include "runner/execution/open_device.h"
#include "runner/judge/kernel_search/find_kernel.h"
#include "runner/judge/key_class.h"
#include "runner/judge/rung_counts.h"
#include "runner/judge/submission_ptx.h"
#include "runner/judge/timing.h"
#include "runner/judge/trials.h"
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
/// Of what kernels print, and of each kind of finding, a report keeps so much.
constexpr std::uint64_t most_output = 16 << 10;
constexpr std::size_t most_findings = 20;

class Judging {
 public:
  explicit Judging(const JudgeRequest& request)
      : request_(request),
        sanitizing_(open_simulator_for_judging(machine(true, 0, false), limits())),
        seed_(request.seed),
        contracts_(request.contract != nullptr ? std::vector<Contract>{*request.contract} : request.lab->contracts) {
    const auto& info = sanitizing_->info();
    place_ = {info.sm_count, info.profile.empty() ? nullptr : &gpu_profile(info.profile)};
    report_.device = info;
    report_.lab = request.lab->name;
    report_.file = request.file;
    report_.seed = request.seed;
    for (const char* name : {"compile", "signature", "correct", "sanitize"}) report_.items.push_back({name});
    if (!request.requirements.empty()) report_.items.push_back({"require"});
  }

  Judgement run() {
    try {
      if (compile_file() && find()) judge_all();
    } catch (const Killed& error) {
      if (request_.grade) throw;  // and nobody is graded by what our machine lacks
      const auto open = std::ranges::find(report_.items, Verdict::not_run, &JudgedItem::verdict);
      settle(open != report_.items.end() ? open->name : "correct", false, error.what());
    }
    return std::move(report_);
  }

 private:
  void judge_all() {
    reordered_ = open_simulator_for_judging(machine(false, request_.seed + 1, false), limits());
    for (const auto& kernel : search_.found) report_.kernels.push_back(kernel.signature.name);
    try {
      for (const auto& kernel : search_.found) judge_kernel(kernel);
      conclude();
      if (request_.grade) {
        judge_for_grade();
      } else {
        count();
        require();
      }
    } catch (const Killed&) {
      throw;
    } catch (const Error& error) {
      // What the file makes the simulator refuse is the file's fault.
      if (error.code == ExitCode::interrupted || error.code == ExitCode::missing) throw;
      settle("correct", false, error.what());
    }
  }

  [[nodiscard]] MachineOptions machine(bool sanitize, std::uint64_t schedule, bool count) const {
    MachineOptions options;
    if (!request_.profile.empty()) options.profile = request_.profile;
    options.counters = count;
    options.model = count && request_.model;
    options.schedule = schedule;
    options.budget = sanitize ? most_watched_work : most_work;
    options.print_limit = most_output;
    if (sanitize)
      for (const auto* tool : simt::tool_kinds()) options.sanitize.emplace_back(tool->name);
    return options;
  }
  [[nodiscard]] JudgingLimits limits() const {
    auto limits = request_.limits;
    limits.isolated = request_.isolated;
    limits.knows_nothing = request_.grade.has_value();
    return limits;
  }

  JudgedItem& item(std::string_view name) { return *std::ranges::find(report_.items, name, &JudgedItem::name); }
  bool settle(std::string_view name, bool passed, std::string message) {
    auto& one = item(name);
    one.verdict = passed ? Verdict::passed : Verdict::failed;
    one.message = std::move(message);
    return passed;
  }

  [[nodiscard]] int capability() const { return report_.device.compute_major * 10 + report_.device.compute_minor; }

  bool compile_file() {
    if (!request_.unreadable.empty()) return settle("compile", false, request_.unreadable);
    ptx_.emplace(request_, contracts_);
    const auto problem = ptx_->compile(capability(), request_.grade ? &report_.messages : nullptr);
    return settle("compile", problem.empty(), problem);
  }

  bool find() {
    InspectionRequest inspection{ptx_->text(), request_.source, {request_.kernel}, request_.isolated};
    if (request_.kernel.empty()) inspection.names.clear();
    for (const auto& contract : contracts_)
      if (request_.kernel.empty()) inspection.names.push_back(contract.name);
    const auto inspected = inspect(inspection);
    if (!inspected.problem.empty()) return settle("signature", false, "its PTX cannot be read: " + inspected.problem);
    // A template with an error in it compiles as long as nobody makes anything of it.
    const auto& instances = ptx_->instance_problem();
    if (inspected.kernels.empty() && !instances.empty()) return settle("compile", false, instances);
    search_ = find_kernel(inspected.kernels, *request_.lab, contracts_, request_.kernel);
    report_.contract = search_.contract->name;
    report_.signature = search_.contract->signature;
    if (search_.found.empty() && !instances.empty()) search_.problem += "; it does not compile: " + instances;
    if (search_.found.empty()) return settle("signature", false, search_.problem);
    return settle("signature", true, "");
  }

  Lab lab_of(const FoundKernel& kernel, bool with_resources) const {
    return kernel_lab(request_, *ptx_, kernel, with_resources);
  }

  /// One size on one of the processes.
  JudgedShape try_on(Executor& executor, const Lab& file, const FoundKernel& kernel, const InputClass& of,
                     const TrialPoint& point, const ContractLaunch& launch, bool twice, Result* whole = nullptr) {
    const auto& contract = *search_.contract;
    auto at = contract_case(*request_.lab, contract, point, kernel.type, seed_, place_);
    const auto posed = pose(*request_.lab, contract, kernel, std::move(at), of.values, launch, ++trials_, twice);
    const Lab lab = trial_lab(file, posed.trial);
    Case number;  // what the process knows of the case: which it is
    number.seed = posed.trial->number;
    number.sm_count = place_.sm_count;
    number.block = launch.block;
    auto result = executor.run(lab, lab.variants.front(), number, {});
    if (result.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
    if (result.status == CaseStatus::fault && says_killed(result.message))
      throw Killed("the process that simulates it");
    report_.out_of_time |= result.status == CaseStatus::fault && says_out_of_cpu(result.message);
    work_ += result.work * (&executor == sanitizing_.get() ? watched_weight : 1);
    auto shape = judged(contract, kernel, posed, result);
    shape.name = of.name;
    shape.about = of.about;
    if (shape.hint.empty()) shape.hint = of.hint;
    shape.params.assign(point.begin(), point.end());
    if (whole != nullptr) {
      *whole = std::move(result);
    } else if (!hiding_) {
      keep(result);
    }
    return shape;
  }

  void keep(const Result& result) {
    for (const auto& finding : result.findings) {
      const auto same = std::ranges::find_if(report_.findings, [&](const Finding& known) {
        const auto lines = [](const Finding& f) {
          std::vector<std::pair<std::string, int>> all;
          for (const auto& site : f.at) all.emplace_back(site.file, site.line);
          return all;
        };
        return known.tool == finding.tool && known.severity == finding.severity && lines(known) == lines(finding);
      });
      if (same != report_.findings.end()) {
        same->count += finding.count;
      } else if (report_.findings.size() < most_findings) {
        report_.findings.push_back(finding);
      }
    }
    if (report_.output.empty()) {
      report_.output = result.output;
      report_.output_cut = result.output_cut;
    }
  }

  const ContractLaunch& launch_of(const Lab& file, const FoundKernel& kernel) {
    if (!launches_.contains(kernel.entry)) launches_.emplace(kernel.entry, &find_launch(file, kernel));
    return *launches_.at(kernel.entry);
  }

  /// The first launch with which the kernel is right on everyday inputs; where there is none, the usual one.
  const ContractLaunch& find_launch(const Lab& file, const FoundKernel& kernel) {
    const auto& contract = *search_.contract;
    if (contract.every_launch || contract.launches.size() == 1) return contract.launches.front();
    const auto usual = all_classes(contract).front();
    for (const auto& launch : contract.launches) {
      const auto shape = try_on(*reordered_, file, kernel, usual, usual.points.front(), launch, false);
      if (shape.status == CaseStatus::ok) return launch;
      if (!never_ended(shape)) continue;
      hung_ = most_hung;  // there is no need to see it again
      report_.shapes.push_back(shape);
      return launch;
    }
    return contract.launches.front();
  }

  [[nodiscard]] bool is_spent() const { return hung_ >= most_hung || work_ > most_work_in_all || report_.out_of_time; }

  static bool never_ended(const JudgedShape& shape) {
    return shape.status == CaseStatus::hung || shape.status == CaseStatus::timeout;
  }

  const std::vector<InputClass>& classes() {
    if (!classes_.empty()) return classes_;
    classes_ = all_classes(*search_.contract);
    if (!request_.secret.empty()) classes_.push_back(key_class(classes_, request_.secret));
    if (request_.grade)
      std::erase_if(classes_,
                    [&](const InputClass& of) { return !std::ranges::count(request_.grade->classes, of.name); });
    return classes_;
  }

  void judge_kernel(const FoundKernel& kernel) {
    const Lab file = lab_of(kernel, false);
    const auto& contract = *search_.contract;
    const auto findings = report_.findings.size();
    const auto& usual = launch_of(file, kernel);
    report_.findings.resize(findings);
    for (const auto& of : classes()) {
      for (const auto& point : of.points) {
        const bool large = of.name == "large";
        for (const auto& launch : contract.every_launch ? contract.launches : std::vector{usual}) {
          if (is_spent()) {
            skip(of, point, kernel, launch);
            continue;
          }
          auto shape = try_on(*sanitizing_, file, kernel, of, point, launch, !large);
          if (shape.status == CaseStatus::ok && !large) reorder(file, kernel, of, point, launch, shape);
          if (never_ended(shape)) ++hung_;
          report_.shapes.push_back(std::move(shape));
        }
      }
    }
  }

  /// The same in another order of blocks and warps.
  void reorder(const Lab& file, const FoundKernel& kernel, const InputClass& of, const TrialPoint& point,
               const ContractLaunch& launch, JudgedShape& shape) {
    auto again = try_on(*reordered_, file, kernel, of, point, launch, false);
    if (again.status == CaseStatus::ok) return;
    again.message = "right in one order of warps and blocks, but not in another: " + again.message;
    again.hint = "who waits for whom? A barrier, an atomic, or a second buffer makes the order certain";
    shape = std::move(again);
  }

  void skip(const InputClass& of, const TrialPoint& point, const FoundKernel& kernel, const ContractLaunch& launch) {
    JudgedShape shape;
    shape.name = of.name;
    shape.about = of.about;
    shape.hint = of.hint;
    if (kernel.type) shape.type = cpp_name_of(*kernel.type);
    shape.params.assign(point.begin(), point.end());
    shape.block = launch.block;
    shape.message =
        report_.out_of_time ? "not run: launches before it took all the CPU time"
        : hung_ >= most_hung
            ? "not run: launches before it did not end"
            : fmt::format("not run: launches before it took more than {} warp instructions", most_work_in_all);
    report_.shapes.push_back(std::move(shape));
  }

  /// Of a kernel that is right with another block than the contract's usual one alone: a tile of a fixed size, or luck.
  [[nodiscard]] std::string block_text() const {
    const auto& usual = search_.contract->launches.front();
    for (const auto& [entry, launch] : launches_)
      if (launch->block != usual.block)
        return fmt::format(", with blocks of {}: with {} it is wrong", dim_text(launch->block), dim_text(usual.block));
    return {};
  }

  void conclude() {
    std::vector<std::string> all, wrong;
    for (const auto& shape : report_.shapes) {
      if (!std::ranges::count(all, shape.name)) all.push_back(shape.name);
      if (shape.status != CaseStatus::ok && !std::ranges::count(wrong, shape.name)) wrong.push_back(shape.name);
    }
    settle("correct", wrong.empty(),
           wrong.empty() ? all_classes_text(all.size()) + block_text()
                         : fmt::format("{} of {} classes of inputs: {}", wrong.size(), all.size(), join(wrong)));
    std::vector<std::string> accused;
    for (const auto& finding : report_.findings)
      if (finding.severity == Severity::error && !std::ranges::count(accused, finding.tool))
        accused.push_back(finding.tool);
    settle("sanitize", accused.empty(), accused.empty() ? "" : join(accused));
  }

  /// Counters of a kernel at a size; nothing where it is wrong there, which `shape` then says.
  std::optional<Result> count_at(const TrialPoint& point, const FoundKernel& kernel, JudgedShape& shape) {
    const Lab file = lab_of(kernel, true);
    if (!counting_) counting_ = open_simulator_for_judging(machine(false, 0, true), limits());
    const InputClass reference{"reference", "the size at which it is counted", "", {point}};
    Result own;
    shape = try_on(*counting_, file, kernel, reference, point, launch_of(file, kernel), false, &own);
    if (shape.status != CaseStatus::ok) return std::nullopt;
    own.variant = kernel.signature.name;
    own.params = point_params(point);
    if (request_.grade && kernel.type) own.params.emplace_back("type", std::string(cpp_name_of(*kernel.type)));
    own.contents.clear();
    return own;
  }

  /// At the reference size, into `into`.
  bool count_kernel(const FoundKernel& kernel, std::vector<Result>& into) {
    JudgedShape shape;
    auto own = count_at(search_.contract->reference, kernel, shape);
    if (own) {
      into.push_back(std::move(*own));
      return true;
    }
    settle("correct", false, fmt::format("at the reference size: {}", shape.message));
    report_.shapes.push_back(std::move(shape));
    return false;
  }

  /// Counters at the reference size, of the kernel and of the rungs that it is shown beside.
  void count() {
    if (item("correct").verdict != Verdict::passed) return;
    const auto& kernel = search_.found.front();
    if (!count_kernel(kernel, report_.beside)) return;
    auto rungs = search_.contract->rungs;
    for (const auto& one : request_.requirements)
      if (!one.rung.empty() && !std::ranges::count(rungs, one.rung)) rungs.push_back(one.rung);
    const auto here = open_simulator(machine(false, 0, true));
    for (const auto& name : rungs)
      report_.beside.push_back(count_rung(*here, *request_.lab, *search_.contract, name,
                                          {search_.contract->reference, kernel.type, seed_, place_}));
  }

  /// What is public is over before anything of the key is used: no counter, finding or text of that goes anywhere.
  void judge_for_grade() {
    const auto& grade = *request_.grade;
    for (const auto& kernel : search_.found)
      for (const auto& construct : kernel.constructs)
        if (!std::ranges::count(report_.constructs, construct)) report_.constructs.push_back(construct);
    if (grade.counts && item("correct").verdict == Verdict::passed)
      for (const auto& kernel : search_.found)
        if (!count_kernel(kernel, report_.counted)) break;
    if (!grade.timed.empty() && item("correct").verdict == Verdict::passed) time();
    if (!grade.hidden) return;
    hiding_ = true;
    hung_ = 0;
    work_ = 0;
    seed_ = seed_of(grade.hidden->secret, request_.lab->name);
    const auto all = all_classes(*search_.contract);
    for (const auto& name : grade.hidden->classes) {
      const auto found = std::ranges::find(all, name, &InputClass::name);
      judge_hidden(found != all.end() ? *found : key_class(all, grade.hidden->secret));
    }
    if (!grade.counts || report_.counted.empty()) return;
    const auto point = key_point(*search_.contract, grade.hidden->secret);
    JudgedShape shape;
    for (const auto& kernel : search_.found) {
      auto own = count_at(point, kernel, shape);
      Result wrong;
      wrong.variant = kernel.signature.name;
      wrong.status = CaseStatus::wrong;
      report_.hidden_counted.push_back(own ? std::move(*own) : std::move(wrong));
    }
  }

  /// As compiled for the GPU that times it, where that is older than the one that is modelled: it loads no PTX of that.
  void time() {
    SubmissionPtx ptx = *ptx_;
    if (const int here = timing_capability(); here < capability()) {
      std::string messages;
      if (const auto problem = ptx.compile(here, &messages); !problem.empty()) {
        const auto why = fmt::format("does not compile for the GPU that is here, of compute capability {}.{}: {}",
                                     here / 10, here % 10, problem);
        report_.timed.assign(request_.grade->timed.size(), TimedRatio{.problem = why});
        return;
      }
    }
    std::vector<TimedKernel> kernels;
    for (const auto& kernel : search_.found) {
      const Lab file = kernel_lab(request_, ptx, kernel, false);
      kernels.push_back({file, &kernel, &launch_of(file, kernel)});
    }
    report_.timed = times_beside(*request_.lab, *search_.contract, kernels, request_.grade->timed, seed_);
  }

  void judge_hidden(const InputClass& of) {
    HiddenClass made{.name = of.name, .right = true};
    const auto& contract = *search_.contract;
    for (const auto& kernel : search_.found) {
      const Lab file = lab_of(kernel, false);
      for (const auto& point : of.points) {
        for (const auto& launch : contract.every_launch ? contract.launches : std::vector{launch_of(file, kernel)}) {
          if (!made.right || is_spent()) {
            made.right = false;
            continue;
          }
          const auto shape = try_on(*reordered_, file, kernel, of, point, launch, of.name != "large");
          if (never_ended(shape)) ++hung_;
          made.late |= shape.status == CaseStatus::timeout;
          made.right = shape.status == CaseStatus::ok;
        }
      }
    }
    report_.hidden.push_back(made);
  }

  [[nodiscard]] decltype(Result::params) point_params(const TrialPoint& point) const {
    decltype(Result::params) params(point.begin(), point.end());
    params.emplace_back("seed", static_cast<std::int64_t>(seed_));
    return params;
  }

  void require() {
    if (request_.requirements.empty() || report_.beside.empty()) return;
    std::size_t failed = 0, pending = 0;
    for (const auto& one : request_.requirements) {
      auto made = gpulab::judged(one, report_.beside.front(), report_.beside);
      failed += made.verdict == Verdict::failed;
      pending += made.verdict == Verdict::pending;
      report_.requirements.push_back(std::move(made));
    }
    settle("require", failed == 0,
           failed > 0    ? fmt::format("{} of {}", failed, request_.requirements.size())
           : pending > 0 ? fmt::format("{} cannot be had here", pending)
                         : "");
    if (failed == 0 && pending > 0) item("require").verdict = Verdict::pending;
  }

  const JudgeRequest& request_;
  std::unique_ptr<Executor> sanitizing_, reordered_, counting_;
  std::uint64_t seed_;
  bool hiding_ = false;                                    ///< what runs now is of the key
  std::map<std::string, const ContractLaunch*> launches_;  ///< by the entry
  std::vector<Contract> contracts_;
  std::vector<InputClass> classes_;
  TrialPlace place_;
  std::optional<SubmissionPtx> ptx_;
  KernelSearch search_;
  std::uint64_t trials_ = 0;
  int hung_ = 0;
  std::uint64_t work_ = 0;  ///< as most_work_in_all counts it
  Judgement report_;
};

}  // namespace

Judgement judge(const JudgeRequest& request) { return Judging(request).run(); }

std::string all_classes_text(std::size_t count) {
  return count == 1 ? "the one class of inputs" : fmt::format("all {} classes of inputs", count);
}

}  // namespace gpulab
