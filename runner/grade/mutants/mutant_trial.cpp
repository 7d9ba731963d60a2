#include "runner/grade/mutants/mutant_trial.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/counters.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/judge/judge.h"
#include "runner/judge/rung_counts.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class PrivateFolder {
 public:
  PrivateFolder() {
    std::string name = (fs::temp_directory_path() / "gpulab-mutants-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw usage_error(fmt::format("assignment: cannot make a folder in {}", fs::temp_directory_path().string()));
    path = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  fs::path path;
};

bool is_about_right(const Json& item) { return item.at("kind") == "correct" || item.at("kind") == "sanitize"; }

/// Points that an item costs; one that is pending costs none.
bool costs(const Json& item) { return !item.at("earned").is_null() && item.at("earned") < item.at("points"); }

class Survivors {
 public:
  Survivors(const GradingRequest& request, const MutantOptions& options) : request_(request), options_(options) {
    for (const auto& one : all_classes(*request.assignment->contract)) per_seed_ += 2 * one.points.size();
    seeds_ = (options.inputs + per_seed_ - 1) / std::max<std::size_t>(per_seed_, 1);
    const auto judged = judge(asked(read_source(request.assignment->reference, "assignment"), 0));
    if (!judged.counted.empty()) reference_ = judged.counted.front().counters;
  }

  void look_at(const std::string& source, TriedMutant& tried) const {
    std::optional<Counters> counters;
    for (std::uint64_t seed = 0; seed < seeds_; ++seed) {
      const auto judgement = judge(asked(source, seed));
      if (const auto tells = what_tells(*request_.assignment, judgement); !tells.empty()) {
        if (tried.fate == MutantFate::unproved) tried.fate = MutantFate::wrong;
        tried.is_wrong = true;
        tried.tells = tells;
        return;
      }
      if (auto late = met_the_clock(judgement); !late.empty()) {
        if (tried.fate != MutantFate::caught)
          tried = {.mutation = tried.mutation, .fate = MutantFate::ungraded, .tells = std::move(late)};
        return;
      }
      if (!counters && !judgement.counted.empty()) counters = judgement.counted.front().counters;
    }
    if (!counters || !reference_ || tried.fate == MutantFate::caught) return;
    for (const auto& info : counter_table()) {
      const auto now = info.count(*counters), then = info.count(*reference_);
      if (!info.tells || !now || !then || double(*now) < options_.slower * double(*then) || *now <= *then + 1) continue;
      tried.fate = MutantFate::slower;
      tried.tells = fmt::format("{} is {}, the reference's {}: \"{}<=1.1*reference\"", info.name, grouped(*now),
                                grouped(*then), info.name);
      return;
    }
  }

  [[nodiscard]] std::size_t inputs() const { return seeds_ * per_seed_; }

 private:
  [[nodiscard]] JudgeRequest asked(std::string source, std::uint64_t seed) const {
    JudgeRequest made;
    made.lab = request_.assignment->lab;
    made.contract = request_.assignment->contract;
    made.file = "mutant.cu";
    made.source = std::move(source);
    made.seed = 1000 + seed;  // no seed of a grading's own
    made.profile = request_.questions.profile;
    made.isolated = request_.questions.isolated;
    GradeTrials trials{.classes = {}};  // as a grading: without the lab's rungs beside
    for (const auto& one : all_classes(*made.contract)) trials.classes.push_back(one.name);
    trials.counts = true;
    made.grade = std::move(trials);
    return made;
  }

  const GradingRequest& request_;
  const MutantOptions& options_;
  std::optional<Counters> reference_;
  std::size_t per_seed_ = 0, seeds_ = 0;  ///< inputs of a seed: each size is launched on two
};

}  // namespace

std::size_t MutantReport::count(MutantFate fate) const {
  return static_cast<std::size_t>(std::ranges::count(mutants, fate, &TriedMutant::fate));
}

std::size_t MutantReport::wrong() const {
  return static_cast<std::size_t>(std::ranges::count(mutants, true, &TriedMutant::is_wrong));
}

std::size_t MutantReport::caught_as_wrong() const {
  return static_cast<std::size_t>(std::ranges::count(mutants, true, &TriedMutant::by_right));
}

void read_grade(const Json& grade, TriedMutant& tried) {
  if (grade.at("status") == "infrastructure") {
    tried.fate = MutantFate::ungraded;
    tried.tells = grade.at("reason").get<std::string>();
    return;
  }
  if (!grade.at("compile_problem").is_null() || grade.at("kernels").empty()) {
    tried.fate = MutantFate::uncompiled;
    return;
  }
  const Json* first = nullptr;
  for (const auto& item : grade.at("items"))
    if (costs(item) && (first == nullptr || (!is_about_right(*first) && is_about_right(item)))) first = &item;
  if (first == nullptr) return;
  tried.fate = MutantFate::caught;
  tried.item = first->at("name").get<std::string>();
  tried.by_right = tried.is_wrong = is_about_right(*first);
}

std::string what_tells(const Assignment& assignment, const Judgement& judgement) {
  for (const auto& shape : judgement.shapes) {
    const bool says_nothing = shape.status == CaseStatus::ok || shape.status == CaseStatus::skipped ||
                              shape.status == CaseStatus::timeout || shape.unwatched;
    if (says_nothing) continue;
    const auto used = std::ranges::any_of(assignment.items, [&](const AssignmentItem& item) {
      return std::ranges::count(item.visible, shape.name) + std::ranges::count(item.hidden, shape.name) > 0;
    });
    return fmt::format("class '{}'{}: {}", shape.name, used ? ", on other inputs" : ", which no item names",
                       shape.message);
  }
  for (const auto& finding : judgement.findings)
    if (finding.severity == Severity::error && !finding.unchecked)
      return fmt::format("{}: {}", finding.tool, finding.message);
  for (const auto& item : judgement.items)
    if (item.verdict == Verdict::failed) return fmt::format("{}: {}", item.name, item.message);
  return {};
}

std::string met_the_clock(const Judgement& judgement) {
  const auto late = std::ranges::find(judgement.shapes, CaseStatus::timeout, &JudgedShape::status);
  return late == judgement.shapes.end() ? std::string() : fmt::format("class '{}': {}", late->name, late->message);
}

MutantReport try_mutants(const GradingRequest& request, const MutantOptions& options) {
  const auto& assignment = *request.assignment;
  if (assignment.program)
    throw usage_error("--mutants: mistakes are put into kernels, and this assignment is of a whole program",
                      "an assignment of the contract alone says how strong that is");
  if (assignment.reference.empty())
    throw usage_error("--mutants: the assignment names no reference solution to put mistakes into",
                      "\"reference\": \"reference.cu\"");
  auto mutations = mutations_of(read_source(assignment.reference, "assignment"), options.most);
  const PrivateFolder folder;
  std::vector<Submission> submissions;
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    Submission one{.name = fmt::format("mutant {:04}", i),
                   .path = (folder.path / fmt::format("m{:04}.cu", i)).string(),
                   .file = "mutant.cu"};
    std::ofstream(one.path, std::ios::binary) << mutations[i].text;
    submissions.push_back(std::move(one));
  }
  const auto grades = grade_all(request, submissions);
  MutantReport report;
  std::vector<std::size_t> survivors;
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    TriedMutant tried{.mutation = {mutations[i].kind, mutations[i].what, mutations[i].line, ""}};
    read_grade(grades[i], tried);
    const bool has_grade = tried.fate != MutantFate::uncompiled && tried.fate != MutantFate::ungraded;
    if (has_grade && !tried.by_right) survivors.push_back(i);
    report.mutants.push_back(std::move(tried));
  }
  if (survivors.empty()) return report;
  const Survivors further(request, options);
  report.inputs = further.inputs();
  for (const auto i : survivors) further.look_at(mutations[i].text, report.mutants[i]);
  return report;
}

}  // namespace gpulab
