#include "runner/grade/grade_document.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/text.h"
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

Json part_json(const GradedPart& part, const GradedItem& item) {
  return {{"name", part.name},
          {"status", to_text(part.status)},
          {"reason", visible(part.reason)},
          {"visibility", part.is_hidden || item.item->is_hidden ? "hidden" : "visible"}};
}

Json item_json(const GradedItem& item) {
  Json json{{"name", item.item->name},
            {"kind", to_text(item.item->kind)},
            {"points", points_json(item.item->points)},
            {"earned", item.earned ? points_json(*item.earned) : Json()},
            {"status", to_text(item.status)},
            {"reason", visible(item.reason)},
            {"visibility", item.item->is_hidden ? "hidden" : "visible"},
            {"parts", Json::array()}};
  for (const auto& part : item.parts) json["parts"].push_back(part_json(part, item));
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
  const bool ours = !facts.trouble.empty();
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
                       : grade.is_public ? "tried"
                       : pending         ? "pending"
                                         : "graded"},
            {"score", ours || pending || grade.is_public ? Json() : points_json(earned)},
            {"score_so_far", ours ? Json() : points_json(earned)},
            {"max", points_json(assignment.points())},
            {"compile_problem", facts.uncompiled.empty() ? Json() : Json(visible(facts.uncompiled))},
            {"reason", visible(facts.trouble)},
            {"items", Json::array()},
            {"kernels", Json::array()},
            {"counted", counters_json(facts)},
            {"messages", visible(facts.messages)},
            {"output", visible(facts.output)},
            {"output_cut", facts.output_cut}};
  for (const auto& item : grade.items) json["items"].push_back(item_json(item));
  for (const auto& kernel : facts.kernels) json["kernels"].push_back(visible(kernel));
  if (!facts.note.empty()) json["note"] = visible(facts.note);
  return json;
}

}  // namespace gpulab
