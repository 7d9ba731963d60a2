#include "runner/grade/program_rubric.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/judge/requirement.h"

namespace gpulab {
namespace {

constexpr std::string_view no_kernel = "the program launches no kernel, and this item asks for the GPU";

bool is_unjudged(const ProgramFacts& facts, GradedItem& made) {
  if (facts.uncompiled.empty()) return false;
  made.reason = facts.uncompiled;
  made.is_judged = false;
  return true;
}

GradedPart case_part(const AssignmentItem& item, const ProgramFacts& facts, const std::string& name, bool hidden) {
  GradedPart part{.name = name, .is_hidden = hidden};
  const auto found = std::ranges::find(facts.cases, name, &CaseFact::name);
  if (found == facts.cases.end()) {
    if (!hidden) part.reason = "not run";
    return part;
  }
  const bool passed = found->right && (found->launched || !item.asks_for_gpu);
  part.status = passed ? Graded::passed : Graded::failed;
  if (!hidden && !passed) part.reason = found->right ? std::string(no_kernel) : found->reason;
  return part;
}

std::string cases_text(std::size_t count) { return count == 1 ? "the one case" : fmt::format("all {} cases", count); }

std::string wrong_text(const std::vector<std::string>& wrong, std::size_t all, bool partial) {
  if (all == 1) return fmt::format("the one case is wrong: {}", wrong[0]);
  return fmt::format("{} of {} cases {} wrong{}: {}", wrong.size(), all, wrong.size() == 1 ? "is" : "are",
                     partial ? "" : ", and all must be right", join(wrong));
}

const std::string as_reported = "as the program reports: ";

}  // namespace

GradedItem grade_output(const AssignmentItem& item, const ProgramFacts& facts, bool is_public) {
  GradedItem made{.item = &item};
  if (is_unjudged(facts, made)) return made;
  for (const auto& name : item.visible) made.parts.push_back(case_part(item, facts, name, false));
  if (!is_public)
    for (const auto& name : item.hidden) made.parts.push_back(case_part(item, facts, name, true));
  const bool works =
      std::ranges::any_of(made.parts, [](const GradedPart& part) { return part.status == Graded::passed; });
  const auto wrong = earn_by_parts(item, works, made);
  made.reason = wrong.empty() ? cases_text(made.parts.size()) : wrong_text(wrong, made.parts.size(), item.partial);
  // The first case that all can see says more than how many there are.
  const auto first = std::ranges::find_if(made.parts, [](const GradedPart& part) { return !part.reason.empty(); });
  if (first != made.parts.end()) made.reason += fmt::format("; {}: {}", first->name, first->reason);
  const bool is_told = first != made.parts.end() && first->reason == no_kernel;
  if (!wrong.empty() && item.asks_for_gpu && facts.launches_nothing() && !is_told)
    made.reason += fmt::format("; {}", no_kernel);
  if (!is_public || (item.hidden.empty() && !item.hidden_open)) return made;
  made.earned.reset();
  if (made.status == Graded::passed || made.parts.empty()) made.status = Graded::pending;
  if (made.parts.empty()) made.reason.clear();
  made.reason += fmt::format("{}hidden cases are judged when it is handed in", made.reason.empty() ? "" : "; ");
  return made;
}

GradedItem grade_reported(const AssignmentItem& item, const ProgramFacts& facts) {
  GradedItem made{.item = &item};
  if (is_unjudged(facts, made)) return made;
  const auto found = std::ranges::find(facts.reported, item.of_case, &ReportedCase::name);
  const auto ran = std::ranges::find(facts.cases, item.of_case, &CaseFact::name);
  if (found == facts.reported.end() || ran == facts.cases.end() || !ran->right) {
    made.reason = fmt::format("{}the output of the case '{}' is not right", not_earned, item.of_case);
    made.is_judged = false;
    return made;
  }
  if (found->kernels.empty()) {
    made.reason = as_reported + "it launches no kernel";
    return made;
  }
  std::vector<std::string> wrong;
  for (const auto& one : item.requirements) {
    const auto value = found->counters.find(one.counter);
    const Measured own{.value = value == found->counters.end() ? std::nullopt : std::optional(value->second)};
    const auto judgement = judged(one, own, {});
    auto& part = made.parts.emplace_back(GradedPart{.name = one.text, .reason = judgement.message});
    part.status = judgement.verdict == Verdict::passed ? Graded::passed : Graded::failed;
    part.share = part.status == Graded::passed ? 1 : 0;
    part.value = judgement.value;
    part.bound = judgement.bound;
    if (part.status != Graded::passed) wrong.push_back(judgement.message);
  }
  for (const auto& [tool, message] : found->findings)
    if (std::ranges::count(item.tools, tool) > 0) wrong.push_back(fmt::format("{}: {}", tool, message));
  made.status = wrong.empty() ? Graded::passed : Graded::failed;
  made.earned = wrong.empty() ? item.points : 0;
  made.reason = as_reported + (wrong.empty() ? "as asked for" : join(wrong, "; "));
  return made;
}

}  // namespace gpulab
