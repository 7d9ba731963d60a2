#include "runner/grade/rubric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "runner/grade/program_rubric.h"
#include "runner/judge/judge.h"
#include "runner/judge/rung_counts.h"

namespace gpulab {
namespace {

double weight_of(const AssignmentItem& item, const std::string& name) {
  const auto found = item.weights.find(name);
  return found != item.weights.end() ? found->second : 1;
}

/// "odd (hidden, counts 2)".
std::string part_text(const AssignmentItem& item, const GradedPart& part) {
  std::vector<std::string> more;
  if (part.is_hidden) more.emplace_back("hidden");
  if (item.weights.contains(part.name)) more.push_back(fmt::format("counts {:g}", weight_of(item, part.name)));
  return more.empty() ? part.name : fmt::format("{} ({})", part.name, join(more));
}

class Rubric {
 public:
  Rubric(const Assignment& assignment, const Facts& facts, Standard& standard)
      : assignment_(assignment), facts_(facts), standard_(standard) {}

  GradedItem grade(const AssignmentItem& item, const TimedRatio* speed) {
    if (item.kind == ItemKind::output) return grade_output(item, *facts_.program, standard_.is_public());
    if (item.kind == ItemKind::reported) return grade_reported(item, *facts_.program);
    GradedItem made{.item = &item};
    if (const auto why = unjudged(); !why.empty()) {
      made.reason = why;
      made.is_judged = false;
      return made;
    }
    switch (item.kind) {
      case ItemKind::correct:
        correct(item, made);
        break;
      case ItemKind::sanitize:
        sanitize(item, made);
        break;
      case ItemKind::require:
        require(item, made);
        break;
      case ItemKind::construct:
        construct(item, made);
        break;
      case ItemKind::speed:
        time(item, speed, made);
        break;
      case ItemKind::output:
      case ItemKind::reported:
        break;  // not of a kernel: above
    }
    return made;
  }

 private:
  [[nodiscard]] std::string unjudged() const {
    if (!facts_.uncompiled.empty()) return "does not compile: " + facts_.uncompiled;
    if (!facts_.no_kernel.empty()) return "no kernel is judged: " + facts_.no_kernel;
    return {};
  }

  /// On inputs that all see, and on the key's.
  [[nodiscard]] GradedPart visible_class(const std::string& name) const {
    GradedPart part{.name = name};
    const auto found = std::ranges::find(facts_.classes, name, &ClassFact::name);
    if (found == facts_.classes.end() || !found->right) {
      part.reason = found == facts_.classes.end() ? "not run" : found->reason;
      return part;
    }
    part.status = standard_.is_public() || is_right_on_key(name) ? Graded::passed : Graded::failed;
    if (part.status == Graded::failed) part.reason = "right on the inputs that everybody can see, wrong on others";
    return part;
  }

  [[nodiscard]] bool is_right_on_key(const std::string& name) const {
    const auto found = std::ranges::find(facts_.hidden, name, &HiddenClass::name);
    return found != facts_.hidden.end() && found->right;
  }

  /// A class without elements is right for a kernel that does nothing.
  [[nodiscard]] bool is_of_nothing(const std::string& name) const {
    const auto all = all_classes(*assignment_.contract);
    const auto found = std::ranges::find(all, name, &InputClass::name);
    if (found == all.end()) return false;
    return std::ranges::all_of(found->points, [](const auto& point) {
      return std::ranges::any_of(point, [](const auto& parameter) {
        const auto* size = std::get_if<std::int64_t>(&parameter.second);
        return size != nullptr && *size == 0;
      });
    });
  }

  void correct(const AssignmentItem& item, GradedItem& made) const {
    for (const auto& name : item.visible) made.parts.push_back(visible_class(name));
    if (!standard_.is_public())
      for (const auto& name : item.hidden)
        made.parts.push_back({name, is_right_on_key(name) ? Graded::passed : Graded::failed, true, {}});
    if (!facts_.wrong_at_reference.empty())
      made.parts.push_back({"reference", Graded::failed, false, facts_.wrong_at_reference});
    const bool works = std::ranges::any_of(
        made.parts, [&](const GradedPart& part) { return part.status == Graded::passed && !is_of_nothing(part.name); });
    const auto wrong = earn_by_parts(item, works, made);
    const auto all = made.parts.size();
    made.reason = wrong.empty() ? all_classes_text(all) + with_blocks(", with ", facts_.blocks, true)
                  : all == 1
                      ? fmt::format("the one class of inputs is wrong: {}", wrong[0])
                      : fmt::format("{} of {} classes of inputs {} wrong{}: {}{}", wrong.size(), all,
                                    wrong.size() == 1 ? "is" : "are", item.partial ? "" : ", and all must be right",
                                    join(wrong), with_blocks("; with ", facts_.blocks, facts_.asks_for_blocks));
    if (standard_.is_public() && !item.hidden.empty()) leave_open(item.hidden.size(), made);
  }

  /// What hidden classes say comes with the grade, and so do the points.
  static void leave_open(std::size_t hidden, GradedItem& made) {
    made.earned.reset();
    if (made.status == Graded::passed || made.parts.empty()) made.status = Graded::pending;
    if (made.parts.empty()) made.reason.clear();
    made.reason += fmt::format("{}{} hidden {} judged when it is handed in", made.reason.empty() ? "" : "; ", hidden,
                               hidden == 1 ? "class is" : "classes are");
  }

  [[nodiscard]] bool works_on_everyday_inputs() const {
    return visible_class(all_classes(*assignment_.contract).front().name).status == Graded::passed;
  }

  /// Of all classes that items name.
  [[nodiscard]] bool is_right() const {
    return works_on_everyday_inputs() && std::ranges::all_of(facts_.classes, &ClassFact::right) &&
           std::ranges::all_of(facts_.hidden, &HiddenClass::right) && facts_.wrong_at_reference.empty();
  }

  bool needs(bool holds, const char* what, GradedItem& made) const {
    if (holds) return true;
    made.reason = std::string(not_earned) + what;
    made.is_judged = false;
    if (!facts_.wrong_at_reference.empty())
      made.reason += "; at the size where it is counted: " + facts_.wrong_at_reference;
    return false;
  }

  static void decide(bool passed, std::string reason, GradedItem& made) {
    made.status = passed ? Graded::passed : Graded::failed;
    made.earned = passed ? made.item->points : 0;
    made.reason = std::move(reason);
  }

  void sanitize(const AssignmentItem& item, GradedItem& made) const {
    std::vector<std::string> texts;
    for (const auto& finding : facts_.findings)
      if (item.tools.empty() || std::ranges::count(item.tools, finding.tool))
        texts.push_back(fmt::format("{}: {}", finding.tool, finding.message));
    if (texts.size() > 3) texts.resize(3);
    if (texts.empty() && !standard_.is_public() && is_accused_on_hidden(item))
      texts.emplace_back("a finding on inputs that are not shown");
    if (!texts.empty()) return decide(false, join(texts, "\n"), made);
    if (needs(works_on_everyday_inputs(), "the kernel is not right on everyday inputs", made))
      decide(true, "no finding", made);
  }

  [[nodiscard]] bool is_accused_on_hidden(const AssignmentItem& item) const {
    return std::ranges::any_of(facts_.hidden, [&](const HiddenClass& one) {
      return std::ranges::any_of(one.accused, [&](const std::string& tool) {
        return item.tools.empty() || std::ranges::count(item.tools, tool) > 0;
      });
    });
  }

  void construct(const AssignmentItem& item, GradedItem& made) const {
    if (!needs(works_on_everyday_inputs(), "the kernel is not right on everyday inputs", made)) return;
    std::vector<std::string> wrong;
    for (const auto& name : item.forbidden)
      if (std::ranges::count(facts_.constructs, name))
        wrong.push_back(fmt::format("has {}, which are forbidden", name));
    for (const auto& name : item.wanted)
      if (!std::ranges::count(facts_.constructs, name))
        wrong.push_back(fmt::format("has no {}, which are wanted", name));
    decide(wrong.empty(), wrong.empty() ? "as asked for" : "the kernel " + join(wrong, "; "), made);
  }

  /// Of every kernel (instances of a template) and at both sizes the least share. Of the hidden one nothing is said but
  /// that it is less, to the next tenth: a share to the hundredth would tell of its counters.
  [[nodiscard]] GradedPart require_one(const Requirement& requirement, bool of_certificate) {
    GradedPart part{.name = requirement.text, .status = Graded::passed, .share = 1};
    bool seen = false;
    for (const auto& count : facts_.counts) {
      const auto own = measured_in(count, requirement.counter);
      Measured theirs;
      if (!requirement.rung.empty())
        theirs = standard_.value(requirement.rung, requirement.counter, count.type, count.hidden);
      // What the reference does not have, as waves without ptxas, the default certificate asks of nobody.
      if (of_certificate && (!theirs.value || !own.value)) continue;
      const auto made = judged(requirement, own, theirs);
      const double share = !count.is_right ? 0 : count.hidden ? std::ceil(10 * made.share) / 10 : made.share;
      if (!count.hidden) {
        if (!seen || share < part.share) {
          part.reason = made.message;
          part.value = made.value;
          part.bound = made.bound;
        }
        seen = true;
      }
      if (share >= part.share) continue;
      part.share = share;
      const bool is_open = count.is_right && made.verdict == Verdict::pending;
      part.status = is_open ? Graded::pending : share > 0 ? Graded::partial : Graded::failed;
      if (count.hidden && !is_open)
        part.reason = part.share > 0
                          ? fmt::format("{:.0f} % of the points at another size: {}", 100 * share, part.reason)
                          : "holds at the size that everybody can see, but not at another";
      if (share == 0) return part;
    }
    if (!seen && !of_certificate) return {requirement.text, Graded::failed, false, "not counted"};
    return part;
  }

  void add_requirements(const AssignmentItem& item, GradedItem& made) {
    for (std::size_t i = 0; i < item.requirements.size(); ++i) {
      const bool of_certificate = i + item.certificate >= item.requirements.size();
      auto& part = made.parts.emplace_back(require_one(item.requirements[i], of_certificate));
      if (of_certificate && part.status == Graded::failed)
        part.reason += "; the work is to be spread over the GPU as the reference spreads it";
    }
  }

  void require(const AssignmentItem& item, GradedItem& made) {
    if (!needs(is_right(), "the kernel is not right on all classes of inputs", made)) return;
    add_requirements(item, made);
    const auto written = static_cast<std::ptrdiff_t>(made.parts.size() - item.certificate);
    double least = 1, sum = 0;
    bool is_open = false, is_lost = false;
    std::vector<std::string> reasons;
    for (std::ptrdiff_t i = 0; const auto& part : made.parts) {
      const bool asked = i++ < written;
      if (asked) sum += part.share;
      if (part.status == Graded::passed) continue;
      if (part.status == Graded::pending) {
        is_open = true;
      } else {
        least = std::min(least, part.share);
        is_lost |= part.share == 0 && !(asked && item.partial);
      }
    }
    const auto status = is_lost ? Graded::failed : is_open ? Graded::pending : Graded::partial;
    for (const auto& part : made.parts)
      if (part.status != Graded::passed && (part.status == Graded::pending) == (status == Graded::pending))
        reasons.push_back(part.reason);
    made.reason = reasons.empty() ? "as asked for" : join(reasons, "; ");
    if (status == Graded::pending) {
      made.status = Graded::pending;
      made.earned.reset();
      return;
    }
    give(is_lost ? 0 : item.partial ? sum / static_cast<double>(written) : least, made);
  }

  /// A share of the item's points.
  static void give(double share, GradedItem& made) {
    made.earned = hundredths(share * made.item->points);
    made.status = share >= 1 ? Graded::passed : share > 0 ? Graded::partial : Graded::failed;
  }

  void time(const AssignmentItem& item, const TimedRatio* speed, GradedItem& made) {
    if (!needs(is_right(), "the kernel is not right on all classes of inputs", made)) return;
    add_requirements(item, made);
    for (const auto& part : made.parts)
      if (part.status == Graded::failed) return decide(false, part.reason, made);
    if (speed != nullptr && !speed->wrong.empty()) return decide(false, "on the GPU: " + speed->wrong, made);
    if (speed == nullptr || !speed->ratio) {
      made.status = Graded::pending;
      made.earned.reset();
      made.reason = speed == nullptr ? "needs a GPU" : speed->problem;
      return;
    }
    const double share = std::clamp((item.zero_at - *speed->ratio) / (item.zero_at - item.full_at), 0.0, 1.0);
    give(share, made);
    made.reason = fmt::format("takes {:.3g} times as long as {}: all points up to {:g}, none from {:g} on",
                              *speed->ratio, item.rung, item.full_at, item.zero_at);
  }

  const Assignment& assignment_;
  const Facts& facts_;
  Standard& standard_;
};

}  // namespace

std::vector<std::string> earn_by_parts(const AssignmentItem& item, bool works, GradedItem& made) {
  double right = 0, whole = 0;
  std::vector<std::string> wrong;
  for (auto& part : made.parts) {
    const bool passed = part.status == Graded::passed;
    part.share = passed ? 1 : 0;
    right += part.share * weight_of(item, part.name);
    whole += weight_of(item, part.name);
    if (!passed) wrong.push_back(part_text(item, part));
  }
  const bool earns = works && (item.partial || wrong.empty());
  made.earned = earns ? hundredths(item.points * right / whole) : 0;
  made.status = !earns ? Graded::failed : wrong.empty() ? Graded::passed : Graded::partial;
  return wrong;
}

double hundredths(double points) { return std::round(points * 100) / 100; }

std::vector<GradedItem> grade_items(const Assignment& assignment, const Facts& facts, Standard& standard) {
  Rubric rubric(assignment, facts, standard);
  std::vector<GradedItem> made;
  std::size_t timed = 0;
  for (const auto& item : assignment.items) {
    const TimedRatio* speed = nullptr;
    if (item.kind == ItemKind::speed && timed < facts.timed.size()) speed = &facts.timed[timed++];
    made.push_back(rubric.grade(item, speed));
  }
  return made;
}

}  // namespace gpulab
