#include "runner/grade/grade_document.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/grade/source_lines.h"
#include "runner/judge/rung_counts.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

/// Whole points are whole numbers.
Json points_json(double points) {
  const double rounded = hundredths(points);
  if (rounded == std::floor(rounded)) return static_cast<std::int64_t>(rounded);
  return rounded;
}

/// What is lost for the certificate alone is not what the item's hint is about.
bool is_for_certificate_alone(const GradedItem& item) {
  const auto own = item.item->requirements.size() - item.item->certificate;
  if (item.item->certificate == 0 || item.parts.size() < own) return false;
  const auto holds = [](const GradedPart& part) { return part.status == Graded::passed; };
  const auto first = item.parts.begin() + static_cast<std::ptrdiff_t>(own);
  return std::all_of(item.parts.begin(), first, holds) && !std::all_of(first, item.parts.end(), holds);
}

bool has_hint(const GradedItem& item) {
  const bool lost = item.status == Graded::failed || item.status == Graded::partial;
  return lost && item.is_judged && !item.item->hint.empty() && !is_for_certificate_alone(item);
}

/// Of one submission.
struct Places {
  std::vector<InputClass> classes;  ///< of the contract
  std::string file, source;
};

Json part_json(const GradedPart& part, const GradedItem& item, const Places& places) {
  Json json{{"name", part.name},
            {"status", to_text(part.status)},
            {"reason", visible(with_source_lines(part.reason, places.file, places.source))},
            {"visibility", part.is_hidden || item.item->is_hidden ? "hidden" : "visible"}};
  const auto found = std::ranges::find(places.classes, part.name, &InputClass::name);
  if (item.item->kind == ItemKind::correct && found != places.classes.end()) json["about"] = found->about;
  if (part.value) json["value"] = *part.value;
  if (part.bound) json["bound"] = *part.bound;
  return json;
}

Json item_json(const GradedItem& item, const Places& places) {
  Json json{{"name", item.item->name},
            {"kind", to_text(item.item->kind)},
            {"points", points_json(item.item->points)},
            {"earned", item.earned ? points_json(*item.earned) : Json()},
            {"status", to_text(item.status)},
            {"reason", visible(with_source_lines(item.reason, places.file, places.source))},
            {"visibility", item.item->is_hidden ? "hidden" : "visible"},
            {"parts", Json::array()}};
  for (const auto& part : item.parts) json["parts"].push_back(part_json(part, item, places));
  if (!item.item->description.empty()) json["description"] = item.item->description;
  if (has_hint(item)) json["hint"] = item.item->hint;
  return json;
}

/// At the size that everybody can see.
Json counters_json(const Facts& facts) {
  Json all = Json::array();
  for (const auto& count : facts.counts) {
    if (count.hidden) continue;
    Json json{{"type", count.type.empty() ? Json() : Json(count.type)}, {"counters", Json::object()}};
    for (const auto& [name, value] : count.values) json["counters"][name] = value;
    all.push_back(std::move(json));
  }
  return all;
}

/// Of the program first: what of it does not compile has no kernel either.
Json compile_problem(const Facts& facts) {
  const auto& problem =
      facts.program && !facts.program->uncompiled.empty() ? facts.program->uncompiled : facts.uncompiled;
  return problem.empty() ? Json() : Json(visible(problem));
}

/// A stranger's process told all of it: it says so itself.
Json program_json(const ProgramFacts& facts) {
  Json json{{"trusted", false}, {"launches", facts.launches()}, {"cases", Json::array()}};
  for (const auto& one : facts.reported) {
    Json of_case{{"name", one.name},
                 {"kernels", Json::array()},
                 {"findings", Json::array()},
                 {"counters", Json::object()},
                 {"modelled_ms", one.time_ms > 0 ? Json(one.time_ms) : Json()},
                 {"errors", visible(one.errors)}};
    for (const auto& [name, launches] : one.kernels)
      of_case["kernels"].push_back({{"name", visible(name)}, {"launches", launches}});
    for (const auto& [tool, message] : one.findings)
      of_case["findings"].push_back({{"tool", visible(tool)}, {"message", visible(message)}});
    for (const auto& [name, value] : one.counters) of_case["counters"][name] = value;
    json["cases"].push_back(std::move(of_case));
  }
  return json;
}

}  // namespace

nlohmann::ordered_json grade_json(const Assignment& assignment, const GradedSubmission& grade) {
  const auto& facts = grade.facts;
  const bool ours = !facts.trouble.empty(), nothing = !grade.submission.unreadable.empty();
  double earned = 0;
  bool pending = false;
  for (const auto& item : grade.items) {
    earned += item.earned.value_or(0);
    pending |= !item.earned;
  }
  Json json{{"schema", "gpulab.grade.v1"},
            {"gpulab", {{"version", version()}}},
            {"assignment", assignment.title},
            {"lab", assignment.contract != nullptr ? Json(assignment.lab->name) : Json()},
            {"contract", assignment.contract != nullptr ? Json(assignment.contract->name) : Json()},
            {"submission", shown_name(grade.submission.name)},
            {"file", grade.submission.file.empty() ? Json() : Json(shown_name(grade.submission.file))},
            {"status", ours              ? "infrastructure"
                       : nothing         ? "attention"
                       : grade.is_public ? "tried"
                       : pending         ? "pending"
                                         : "graded"},
            {"score", ours || nothing || pending || grade.is_public ? Json() : points_json(earned)},
            {"score_so_far", ours || nothing ? Json() : points_json(earned)},
            {"max", points_json(assignment.points())},
            {"compile_problem", compile_problem(facts)},
            {"reason", visible(nothing ? grade.submission.unreadable : facts.trouble)},
            {"items", Json::array()},
            {"kernels", Json::array()},
            {"findings", Json::array()},
            {"counted", counters_json(facts)},
            {"messages", visible(facts.messages)},
            {"output", visible(facts.output)},
            {"output_cut", facts.output_cut}};
  const Places places{assignment.contract != nullptr ? all_classes(*assignment.contract) : std::vector<InputClass>(),
                      shown_name(grade.submission.file), grade.submission.source};
  for (const auto& item : grade.items) json["items"].push_back(item_json(item, places));
  for (const auto& one : facts.findings)
    json["findings"].push_back(
        {{"tool", one.tool}, {"message", visible(with_source_lines(one.message, places.file, places.source))}});
  for (const auto& kernel : facts.kernels) json["kernels"].push_back(visible(kernel));
  if (!facts.note.empty()) json["note"] = visible(facts.note);
  if (facts.program) json["program"] = program_json(*facts.program);
  return json;
}

}  // namespace gpulab
