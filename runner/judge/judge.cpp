#include "runner/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/child/killed.h"
#include "common/error.h"
#include "common/text.h"
#include "labs/contract_parts.h"
#include "runner/judge/kernel_judging.h"
#include "runner/judge/kernel_search/find_kernel.h"
#include "runner/judge/kernel_search/launch_choice.h"
#include "runner/judge/kernel_search/launch_comments.h"
#include "runner/judge/key_class.h"
#include "runner/judge/rung_counts.h"
#include "runner/judge/submission_ptx.h"
#include "runner/judge/timing.h"
#include "runner/judge/trial_bench.h"
#include "runner/listing/contract_text.h"

namespace gpulab {
namespace {

class Judging {
 public:
  explicit Judging(const JudgeRequest& request)
      : request_(request),
        bench_(request),
        contracts_(request.contract != nullptr ? std::vector<Contract>{*request.contract} : request.lab->contracts) {
    report_.device = bench_.device();
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
    report_.out_of_time = bench_.is_out_of_time();
    return std::move(report_);
  }

 private:
  void judge_all() {
    bench_.set_contract(*search_.contract);
    for (const auto& kernel : search_.found) report_.kernels.push_back(kernel.signature.name);
    try {
      for (std::size_t i = 0; i < search_.found.size(); ++i) judge_visible(i);
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
    for (const auto& kernel : search_.found) {
      const auto asked = launches_in_comments(request_.source, bare_name(kernel.signature.name));
      choices_.push_back(choose_launches(*search_.contract, kernel.signature, asked));
      if (!choices_.back().problem.empty()) return settle("signature", false, choices_.back().problem);
    }
    return settle("signature", true, search_.note);
  }

  Lab lab_of(const FoundKernel& kernel, bool with_resources) const {
    return kernel_lab(request_, *ptx_, kernel, with_resources);
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

  void judge_visible(std::size_t index) {
    const auto& kernel = search_.found[index];
    const Lab file = lab_of(kernel, false);
    auto verdict = judge_kernel(bench_, file, kernel, classes(), choices_[index]);
    explain_blocks(bench_, file, kernel, classes(), *search_.contract, verdict);
    leave_out_moot_hints(classes(), verdict);
    add_findings(verdict.findings, report_.findings);
    std::ranges::move(verdict.shapes, std::back_inserter(report_.shapes));
    if (report_.output.empty()) {
      report_.output = std::move(verdict.output);
      report_.output_cut = verdict.output_cut;
    }
    const auto& choice = choices_[index];
    for (const auto& asked : verdict.launches)
      report_.launches.push_back({kernel.signature.name, asked.launch, asked.every_class, choice.because});
    launches_.push_back(std::move(verdict.launches));
  }

  /// "blocks of 256, and of 128 on usual, odd, blocks": of the first kernel, for others of a template have the same.
  [[nodiscard]] std::string block_text() const {
    const auto& contract = *search_.contract;
    if (contract.launches.size() == 1 || contract.every_launch || launches_.empty()) return {};
    std::vector<std::string> every, few;
    for (const auto& asked : launches_.front()) (asked.every_class ? every : few).push_back(launch_text(asked.launch));
    auto text = "blocks of " + join(every);
    if (!few.empty()) text += fmt::format(", and of {} on {}", join(few), fmt::join(few_classes, ", "));
    const auto& because = choices_.front().because;
    return because.empty() ? text : text + ", " + because;
  }

  void conclude() {
    report_.blocks = block_text();
    report_.asks_for_blocks = !choices_.front().because.empty();
    std::vector<std::string> all, wrong;
    for (const auto& shape : report_.shapes) {
      if (!std::ranges::count(all, shape.name)) all.push_back(shape.name);
      if (shape.status != CaseStatus::ok && !std::ranges::count(wrong, shape.name)) wrong.push_back(shape.name);
    }
    settle("correct", wrong.empty(),
           wrong.empty() ? all_classes_text(all.size()) + with_blocks(", with ", report_.blocks, true)
                         : fmt::format("{} of {} classes of inputs: {}{}", wrong.size(), all.size(), join(wrong),
                                       with_blocks("; with ", report_.blocks, report_.asks_for_blocks)));
    const auto accused = accusing_tools(report_.findings);
    settle("sanitize", accused.empty(), accused.empty() ? "" : join(accused));
  }

  /// Counters of a kernel at a size; nothing where it is wrong there, which `shape` then says.
  std::optional<Result> count_at(const TrialPoint& point, std::size_t index, JudgedShape& shape) {
    const auto& kernel = search_.found[index];
    const Lab file = lab_of(kernel, true);
    const InputClass reference{"reference", "the size at which it is counted", "", {point}};
    auto own = bench_.counted({file, kernel, reference, point, launches_[index].front().launch}, shape);
    if (shape.status != CaseStatus::ok) return std::nullopt;
    own.variant = kernel.signature.name;
    own.params = point_params(point);
    if (request_.grade && kernel.type) own.params.emplace_back("type", std::string(cpp_name_of(*kernel.type)));
    own.contents.clear();
    return own;
  }

  /// At the reference size, into `into`.
  bool count_kernel(std::size_t index, std::vector<Result>& into) {
    JudgedShape shape;
    auto own = count_at(search_.contract->reference, index, shape);
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
    if (!count_kernel(0, report_.beside)) return;
    auto rungs = search_.contract->rungs;
    for (const auto& one : request_.requirements)
      if (!one.rung.empty() && !std::ranges::count(rungs, one.rung)) rungs.push_back(one.rung);
    const auto here = bench_.open_for_rungs();
    for (const auto& name : rungs)
      report_.beside.push_back(count_rung(*here, *request_.lab, *search_.contract, name,
                                          {search_.contract->reference, kernel.type, bench_.seed(), bench_.place()}));
  }

  /// What is public is over before anything of the key is used: no counter, finding or text of that goes anywhere.
  void judge_for_grade() {
    const auto& grade = *request_.grade;
    for (const auto& kernel : search_.found)
      for (const auto& construct : kernel.constructs)
        if (!std::ranges::count(report_.constructs, construct)) report_.constructs.push_back(construct);
    if (item("correct").verdict ==
        Verdict::passed)  // at that size it has to be right, whether anybody asks for counters or not
      for (std::size_t i = 0; i < search_.found.size(); ++i)
        if (!count_kernel(i, report_.counted)) break;
    if (!grade.counts) report_.counted.clear();
    if (!grade.timed.empty() && item("correct").verdict == Verdict::passed) time();
    if (!grade.hidden) return;
    bench_.begin_anew(seed_of(grade.hidden->secret, request_.lab->name));
    const auto all = all_classes(*search_.contract);
    for (const auto& name : grade.hidden->classes) {
      const auto found = std::ranges::find(all, name, &InputClass::name);
      judge_hidden(found != all.end() ? *found : key_class(all, grade.hidden->secret));
    }
    if (!grade.counts || report_.counted.empty()) return;
    const auto point = key_point(*search_.contract, grade.hidden->secret);
    JudgedShape shape;
    for (std::size_t i = 0; i < search_.found.size(); ++i) {
      auto own = count_at(point, i, shape);
      Result wrong;
      wrong.variant = search_.found[i].signature.name;
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
    for (std::size_t i = 0; i < search_.found.size(); ++i) {
      const auto& kernel = search_.found[i];
      kernels.push_back({kernel_lab(request_, ptx, kernel, false), &kernel, &launches_[i].front().launch});
    }
    report_.timed = times_beside(*request_.lab, *search_.contract, kernels, request_.grade->timed, bench_.seed());
  }

  /// As the visible ones, with the launches that were found for these; told is right or wrong.
  void judge_hidden(const InputClass& of) {
    HiddenClass made{.name = of.name, .right = true};
    for (std::size_t i = 0; i < search_.found.size(); ++i) {
      const auto& kernel = search_.found[i];
      const auto verdict = judge_kernel(bench_, lab_of(kernel, false), kernel, {of}, {.launches = launches_[i]});
      made.right &= verdict.is_right();
      made.unwatched |= std::ranges::count(verdict.shapes, true, &JudgedShape::unwatched) > 0;
      made.late |= std::ranges::count(verdict.shapes, CaseStatus::timeout, &JudgedShape::status) > 0;
      for (auto& tool : accusing_tools(verdict.findings))
        if (!std::ranges::count(made.accused, tool)) made.accused.push_back(std::move(tool));
    }
    report_.hidden.push_back(std::move(made));
  }

  [[nodiscard]] decltype(Result::params) point_params(const TrialPoint& point) const {
    decltype(Result::params) params(point.begin(), point.end());
    params.emplace_back("seed", static_cast<std::int64_t>(bench_.seed()));
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
  TrialBench bench_;
  std::vector<LaunchChoice> choices_{};               ///< for each kernel that was found
  std::vector<std::vector<AskedLaunch>> launches_{};  ///< that it was judged with on what is visible
  std::vector<Contract> contracts_;
  std::vector<InputClass> classes_;
  std::optional<SubmissionPtx> ptx_;
  KernelSearch search_;
  Judgement report_;
};

}  // namespace

Judgement judge(const JudgeRequest& request) { return Judging(request).run(); }

std::string with_blocks(const char* with, const std::string& blocks, bool is_told) {
  return blocks.empty() || !is_told ? "" : with + blocks;
}

std::string all_classes_text(std::size_t count) {
  return count == 1 ? "the one class of inputs" : fmt::format("all {} classes of inputs", count);
}

}  // namespace gpulab
