#include "runner/judge/kernel_judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/text.h"
#include "labs/contract_parts.h"
#include "runner/listing/contract_text.h"

namespace gpulab {
namespace {

/// Of findings, a report keeps so many.
constexpr std::size_t most_findings = 20;

bool is_asked(const AskedLaunch& asked, const InputClass& of) {
  return asked.every_class || std::ranges::count(few_classes, of.name) > 0;
}

std::size_t wrong_shapes(const KernelVerdict& verdict) {
  return static_cast<std::size_t>(
      std::ranges::count_if(verdict.shapes, [](const JudgedShape& shape) { return shape.status != CaseStatus::ok; }));
}

class KernelJudging {
 public:
  KernelJudging(TrialBench& bench, const Lab& file, const FoundKernel& kernel, const std::vector<InputClass>& classes)
      : bench_(bench), file_(file), kernel_(kernel), classes_(classes) {}

  KernelVerdict with(const std::vector<AskedLaunch>& launches) {
    KernelVerdict made{.launches = launches};
    judge_from(0, made);
    return made;
  }

  /// The first that is right on all. One that is wrong on everyday inputs is not looked at further.
  KernelVerdict with_one_of(const std::vector<AskedLaunch>& launches) {
    KernelVerdict first, best;
    for (const auto& asked : launches) {
      if (!first.launches.empty() && !bench_.spent_text().empty()) break;
      KernelVerdict tried{.launches = {asked}};
      judge(0, 1, tried);
      const bool starts_right = tried.is_right();
      if (starts_right) judge_from(1, tried);
      if (starts_right && tried.is_right()) return tried;
      if (starts_right && (best.launches.empty() || wrong_shapes(tried) < wrong_shapes(best))) best = tried;
      if (first.launches.empty()) first = std::move(tried);
    }
    if (!best.launches.empty()) return best;
    judge_from(1, first);
    return first;
  }

  /// A launch of more than one warp that nobody asked for, with which the kernel is right on all these classes.
  const ContractLaunch* other_that_suits(const Contract& contract, const std::vector<AskedLaunch>& asked) {
    for (const auto& launch : contract.launches) {
      const bool known =
          std::ranges::any_of(asked, [&](const AskedLaunch& one) { return one.launch.block == launch.block; });
      if (known || is_one_warp(launch)) continue;
      KernelVerdict tried{.launches = {{launch}}};
      judge(0, SIZE_MAX, tried, true);
      if (!bench_.spent_text().empty()) return nullptr;
      // In a grid of one block much is right that is not with more.
      const bool has_blocks =
          std::ranges::any_of(tried.shapes, [](const auto& shape) { return shape.grid.volume() > 1; });
      if (tried.is_right() && has_blocks) return &launch;
    }
    return nullptr;
  }

 private:
  [[nodiscard]] std::vector<TrialRequest> requests(const std::vector<AskedLaunch>& launches) const {
    std::vector<TrialRequest> all;
    for (const auto& of : classes_)
      for (const auto& point : of.points)
        for (const auto& asked : launches)
          if (is_asked(asked, of)) all.push_back({file_, kernel_, of, point, asked.launch});
    return all;
  }

  void judge_from(std::size_t first, KernelVerdict& made) { judge(first, SIZE_MAX, made); }
  void judge(std::size_t first, std::size_t end, KernelVerdict& made, bool while_right = false) {
    const auto launches = made.launches;  // requests refer to them
    const auto all = requests(launches);
    for (std::size_t i = first; i < std::min(end, all.size()) && (!while_right || made.is_right()); ++i)
      add(all[i], made);
  }

  void add(const TrialRequest& request, KernelVerdict& made) {
    if (auto why = bench_.spent_text(); !why.empty()) {
      made.shapes.push_back(not_run(request, std::move(why)));
      return;
    }
    auto trial = bench_.watched(request);
    add_findings(trial.findings, made.findings);
    if (made.output.empty()) {
      made.output = std::move(trial.output);
      made.output_cut = trial.output_cut;
    }
    made.shapes.push_back(std::move(trial.shape));
  }

  [[nodiscard]] JudgedShape not_run(const TrialRequest& request, std::string why) const {
    JudgedShape shape;
    shape.name = request.of.name;
    shape.about = request.of.about;
    shape.hint = request.of.hint;
    if (kernel_.type) shape.type = cpp_name_of(*kernel_.type);
    shape.params.assign(request.point.begin(), request.point.end());
    shape.block = request.launch.block;
    shape.message = std::move(why);
    return shape;
  }

  TrialBench& bench_;
  const Lab& file_;
  const FoundKernel& kernel_;
  const std::vector<InputClass>& classes_;
};

bool is_wrong(const JudgedShape& shape) { return shape.status != CaseStatus::ok; }

/// Right with the usual block, and not with a smaller one.
void explain_smaller_block(const Dim3& usual, KernelVerdict& verdict) {
  const auto with_usual = [&](const JudgedShape& shape) { return shape.block == usual; };
  if (std::ranges::any_of(verdict.shapes, [&](const auto& shape) { return is_wrong(shape) && with_usual(shape); }))
    return;
  for (auto& shape : verdict.shapes)
    if (is_wrong(shape) && shape.status != CaseStatus::skipped)
      shape.hint = fmt::format(
          "with blocks of {0} it is right: is a number written where blockDim is meant? A kernel that is made for {0} "
          "says so in a comment: // gpulab: block {0}",
          dim_text(usual));
}

/// Wrong with the usual block from the start, and right with another one.
void explain_other_block(const Contract& contract, KernelJudging& judging, KernelVerdict& verdict) {
  if (verdict.shapes.empty() || !is_wrong(verdict.shapes.front()) || never_ended(verdict.shapes.front())) return;
  const auto* other = judging.other_that_suits(contract, verdict.launches);
  if (other == nullptr) return;
  verdict.shapes.front().hint = fmt::format(
      "with blocks of {0} it is right on everyday inputs: a kernel that is made for {0} says so in a "
      "comment: // gpulab: block {0}",
      launch_text(*other));
}

}  // namespace

bool KernelVerdict::is_right() const { return wrong_shapes(*this) == 0; }

void add_findings(const std::vector<Finding>& findings, std::vector<Finding>& into) {
  const auto lines = [](const Finding& finding) {
    std::vector<std::pair<std::string, int>> all;
    for (const auto& site : finding.at) all.emplace_back(site.file, site.line);
    return all;
  };
  for (const auto& finding : findings) {
    const auto same = std::ranges::find_if(into, [&](const Finding& known) {
      return is_one_mistake(known, finding) ||
             (known.tool == finding.tool && known.severity == finding.severity && lines(known) == lines(finding));
    });
    if (same != into.end()) {
      join(*same, finding);
    } else if (into.size() < most_findings) {
      into.push_back(finding);
    }
  }
}

std::vector<std::string> accusing_tools(const std::vector<Finding>& findings) {
  std::vector<std::string> tools;
  for (const auto& finding : findings)
    if (finding.severity == Severity::error && !std::ranges::count(tools, finding.tool)) tools.push_back(finding.tool);
  return tools;
}

KernelVerdict judge_kernel(TrialBench& bench, const Lab& file, const FoundKernel& kernel,
                           const std::vector<InputClass>& classes, const LaunchChoice& choice) {
  KernelJudging judging(bench, file, kernel, classes);
  return choice.one_is_enough ? judging.with_one_of(choice.launches) : judging.with(choice.launches);
}

namespace {

/// What a tool has found is told in full at the first class that it may explain.
void say_once(std::vector<JudgedShape>& shapes) {
  std::vector<std::string> told;
  for (auto& shape : shapes) {
    if (!shape.hint.starts_with(perhaps_for_finding)) continue;
    if (std::ranges::find(told, shape.hint) == told.end()) {
      told.push_back(shape.hint);
    } else {
      shape.hint = fmt::format("{}, as above", perhaps_for_finding);
    }
  }
}

}  // namespace

void leave_out_moot_hints(const std::vector<InputClass>& classes, KernelVerdict& verdict) {
  if (classes.empty()) return;
  const auto& usual = classes.front().name;
  for (const auto& of : classes)
    for (auto& shape : verdict.shapes)
      if (of.name == "usual" && shape.name == of.name && shape.status != CaseStatus::wrong && shape.hint == of.hint)
        shape.hint.clear();
  const bool starts_wrong = std::ranges::any_of(
      verdict.shapes, [&](const JudgedShape& shape) { return shape.name == usual && is_wrong(shape); });
  for (const auto& of : classes)
    for (auto& shape : verdict.shapes)
      if (of.values != Values::ordinary && shape.name == of.name && shape.hint == of.hint &&
          (starts_wrong || shape.status == CaseStatus::fault))  // no fault comes from a value
        shape.hint.clear();
  say_once(verdict.shapes);
}

void explain_blocks(TrialBench& bench, const Lab& file, const FoundKernel& kernel,
                    const std::vector<InputClass>& classes, const Contract& contract, KernelVerdict& verdict) {
  if (!contract.takes_any_block || verdict.launches.empty() || verdict.is_right()) return;
  KernelJudging judging(bench, file, kernel, classes);
  if (verdict.launches.size() > 1 && !verdict.launches[1].every_class)
    explain_smaller_block(verdict.launches.front().launch.block, verdict);
  explain_other_block(contract, judging, verdict);
}

}  // namespace gpulab
