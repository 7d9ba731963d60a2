#include "runner/export/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/export/csv_table.h"
#include "runner/export/export_text.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

/// The entry of that name, a new one where there is none.
template <typename Entry>
Entry& entry_of(std::vector<Entry>& all, const std::string& name, bool hidden) {
  const auto found =
      std::ranges::find_if(all, [&](const Entry& entry) { return entry.name == name && entry.hidden == hidden; });
  if (found != all.end()) return *found;
  all.push_back({});
  all.back().name = name;
  all.back().hidden = hidden;
  return all.back();
}

template <typename Entry>
void count(Entry& entry, const std::string& status) {
  if (status == "passed") ++entry.passed;
  if (status == "partial") ++entry.partial;
  if (status == "failed") ++entry.failed;
  if (status == "pending") ++entry.pending;
}

/// A mean, as it comes in.
struct Mean {
  double sum = 0;
  std::size_t known = 0;
  void add(double value) {
    sum += value;
    ++known;
  }
  [[nodiscard]] std::optional<double> value() const {
    return known == 0 ? std::nullopt : std::optional(sum / static_cast<double>(known));
  }
};

template <typename Entry>
void put_counts(Json& json, const Entry& entry) {
  json["visibility"] = entry.hidden ? "hidden" : "visible";
  json["passed"] = entry.passed;
  json["partial"] = entry.partial;
  json["failed"] = entry.failed;
  json["pending"] = entry.pending;
}

Json mean_json(const std::optional<double>& mean) { return mean ? Json(rounded_points(*mean)) : Json(); }

template <typename Entry>
std::string csv_line(const std::string& item, const std::string& part, const std::string& points, const Entry& entry,
                     const std::string& mean) {
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_cell(defused(item)), csv_cell(defused(part)),
                     entry.hidden ? "hidden" : "visible", points, entry.passed, entry.partial, entry.failed,
                     entry.pending, mean);
}

}  // namespace

ClassStatistics statistics_of(const std::vector<Grade>& grades) {
  ClassStatistics made;
  made.submissions = grades.size();
  Mean scores;
  std::vector<Mean> earned;
  for (const auto& grade : grades) {
    ++made.of_status.at(static_cast<std::size_t>(grade.status));
    made.max = std::max(made.max, grade.max);
    if (grade.score) scores.add(*grade.score);
    for (const auto& item : grade.items) {
      auto& entry = entry_of(made.items, item.name, item.hidden);
      entry.points = item.points;
      count(entry, item.status);
      earned.resize(made.items.size());
      if (item.earned) earned[static_cast<std::size_t>(&entry - made.items.data())].add(*item.earned);
      for (const auto& part : item.parts) count(entry_of(entry.parts, part.name, part.hidden), part.status);
    }
  }
  made.mean = scores.value();
  for (std::size_t i = 0; i < made.items.size(); ++i) made.items[i].mean = earned[i].value();
  return made;
}

nlohmann::ordered_json statistics_json(const ClassStatistics& statistics) {
  Json json{{"submissions", statistics.submissions}};
  for (const auto status :
       {GradeStatus::graded, GradeStatus::pending, GradeStatus::attention, GradeStatus::infrastructure})
    json[std::string(to_text(status))] = statistics.of_status.at(static_cast<std::size_t>(status));
  json["mean"] = mean_json(statistics.mean);
  json["max"] = rounded_points(statistics.max);
  json["items"] = Json::array();
  for (const auto& item : statistics.items) {
    Json one{{"name", item.name}, {"points", rounded_points(item.points)}};
    put_counts(one, item);
    one["mean"] = mean_json(item.mean);
    one["parts"] = Json::array();
    for (const auto& part : item.parts) {
      Json made{{"name", part.name}};
      put_counts(made, part);
      one["parts"].push_back(std::move(made));
    }
    json["items"].push_back(std::move(one));
  }
  return json;
}

std::string statistics_csv(const ClassStatistics& statistics) {
  std::string text = "item,part,visibility,points,passed,partial,failed,pending,mean\n";
  for (const auto& item : statistics.items) {
    text += csv_line(item.name, "", points_text(item.points), item, item.mean ? points_text(*item.mean) : "");
    for (const auto& part : item.parts) text += csv_line(item.name, part.name, "", part, "");
  }
  return text;
}

}  // namespace gpulab
