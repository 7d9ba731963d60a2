#include "runner/grade/grade_document.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/text.h"
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

Json part_json(const GradedPart& part, const GradedItem& item, const std::vector<InputClass>& classes) {
  Json json{{"name", part.name},
            {"status", to_text(part.status)},
            {"reason", visible(part.reason)},
            {"visibility", part.is_hidden || item.item->is_hidden ? "hidden" : "visible"}};
  const auto found = std::ranges::find(classes, part.name, &InputClass::name);
  if (item.item->kind == ItemKind::correct && found != classes.end()) json["about"] = found->about;
  return json;
}

Json item_json(const GradedItem& item, const std::vector<InputClass>& classes) {
  Json json{{"name", item.item->name},
            {"kind", to_text(item.item->kind)},
            {"points", points_json(item.item->points)},
            {"earned", item.earned ? points_json(*item.earned) : Json()},
            {"status", to_text(item.status)},
            {"reason", visible(item.reason)},
            {"visibility", item.item->is_hidden ? "hidden" : "visible"},
            {"parts", Json::array()}};
  for (const auto& part : item.parts) json["parts"].push_back(part_json(part, item, classes));
  if (!item.item->description.empty()) json["description"] = item.item->description;
  const bool lost = item.status == Graded::failed || item.status == Graded::partial;
  if (lost && !item.item->hint.empty()) json["hint"] = item.item->hint;
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
            {"lab", assignment.lab->name},
            {"contract", assignment.contract->name},
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
            {"compile_problem", facts.uncompiled.empty() ? Json() : Json(visible(facts.uncompiled))},
            {"reason", visible(nothing ? grade.submission.unreadable : facts.trouble)},
            {"items", Json::array()},
            {"kernels", Json::array()},
            {"findings", Json::array()},
            {"counted", counters_json(facts)},
            {"messages", visible(facts.messages)},
            {"output", visible(facts.output)},
            {"output_cut", facts.output_cut}};
  const auto classes = all_classes(*assignment.contract);
  for (const auto& item : grade.items) json["items"].push_back(item_json(item, classes));
  for (const auto& one : facts.findings)
    json["findings"].push_back({{"tool", one.tool}, {"message", visible(one.message)}});
  for (const auto& kernel : facts.kernels) json["kernels"].push_back(visible(kernel));
  if (!facts.note.empty()) json["note"] = visible(facts.note);
  return json;
}

}  // namespace gpulab
