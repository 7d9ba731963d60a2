#include "runner/listing/new_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common/embedded.h"
#include "common/error.h"
#include "common/text.h"
#include "labs/contract_parts.h"
#include "runner/listing/contract_text.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view mark = "//! ", item_mark = "//! item ";
constexpr double all_points = 100;
/// Classes of which students see no more than right or wrong.
constexpr std::array hidden_classes{"odd", "large", "powers", "long", "blocks", "gaps"};

struct Mistake {
  std::size_t line;  ///< that it replaces
  std::string item, name, text;
};

struct Solution {
  std::vector<std::string> lines{};
  std::vector<std::string> items{};  ///< JSON, as it is written
  std::vector<Mistake> mistakes{};
};

Solution parse(const std::string& text) {
  Solution made;
  for (const auto& whole : split(text, '\n')) {
    const auto begin = whole.find_first_not_of(' ');
    const auto line = begin == std::string::npos ? "" : whole.substr(begin);
    if (line.starts_with(item_mark)) {
      made.items.push_back(line.substr(item_mark.size()));
    } else if (line.starts_with(mark)) {
      const auto blank = line.find(' ', mark.size()), colon = line.find(':', blank),
                 text_at = line.find_first_not_of(": ", colon);
      made.mistakes.push_back({made.lines.size() - 1, line.substr(mark.size(), blank - mark.size()),
                               line.substr(blank + 1, colon - blank - 1),
                               text_at == std::string::npos ? "" : whole.substr(0, begin) + line.substr(text_at)});
    } else {
      made.lines.push_back(whole);
    }
  }
  return made;
}

/// The whole solution, or the one with that mistake.
std::string text_of(const Solution& solution, const Mistake* mistake = nullptr) {
  std::string text;
  for (std::size_t i = 0; i < solution.lines.size(); ++i) {
    const bool is_it = mistake != nullptr && mistake->line == i;
    if (!is_it || !mistake->text.empty()) text += (is_it ? mistake->text : solution.lines[i]) + "\n";
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string quoted(const std::string& text) { return Json(text).dump(); }

/// The item that all have, with what points the others leave.
std::string correct_item(const Solution& solution, const Contract& contract) {
  double points = all_points;
  for (const auto& item : solution.items) points -= Json::parse(item).at("points").get<double>();
  std::vector<std::string> visible, hidden;
  for (const auto& one : contract.classes.empty() ? row_classes() : contract.classes)
    (std::ranges::count(hidden_classes, one.name) > 0 ? hidden : visible).push_back(quoted(one.name));
  hidden.push_back(quoted("key"));
  return fmt::format(R"({{"name": "correct", "kind": "correct", "points": {:g}, "visible": [{}], "hidden": [{}]}})",
                     points, join(visible), join(hidden));
}

/// One item a line, as people write it.
std::string json_text(const Solution& solution, const Lab& lab, const Contract& contract) {
  std::vector<std::string> wrong, items{"    " + correct_item(solution, contract)};
  for (const auto& one : solution.mistakes)
    wrong.push_back(fmt::format("    \"wrong/{}.cu\": {}", one.name, quoted(one.item)));
  for (const auto& item : solution.items) items.push_back("    " + item);
  Json head{{"schema", "gpulab.assignment.v1"},
            {"title", fmt::format("{}: {}", lab.topic, contract.name)},
            {"lab", lab.name},
            {"contract", contract.name},
            {"reference", "reference.cu"},
            {"starter", "starter.cu"}};
  auto text = head.dump(2);
  text.erase(text.rfind("\n}"));
  return text + fmt::format(",\n  \"wrong\": {{\n{}\n  }},\n  \"items\": [\n{}\n  ]\n}}\n", join(wrong, ",\n"),
                            join(items, ",\n"));
}

}  // namespace

std::vector<NewFile> assignment_of(const std::string& solution, const Lab& lab, const Contract& contract) {
  const auto parsed = parse(solution);
  std::vector<NewFile> made{{"assignment.json", json_text(parsed, lab, contract)},
                            {"reference.cu", text_of(parsed)},
                            {"starter.cu", starter_text(lab, contract)}};
  for (const auto& one : parsed.mistakes) made.push_back({"wrong/" + one.name + ".cu", text_of(parsed, &one)});
  return made;
}

std::vector<NewFile> new_assignment(const Lab& lab, const Contract& contract) {
  const auto path = fmt::format("labs/{}/solutions/{}.cu", lab.name, contract.name);
  for (const auto& file : embedded_pages())
    if (file.path == path) return assignment_of(std::string(file.text), lab, contract);
  throw usage_error(
      fmt::format("assignment new: there is no solution of {}'s contract '{}' to begin with", lab.name, contract.name),
      path + " would be it; 'gpulab new' writes a starter");
}

std::vector<NewFile> new_program_assignment() {
  constexpr std::string_view folder = "configs/assignments/program/";
  std::vector<NewFile> files;
  for (const auto& file : embedded_pages())
    if (file.path.starts_with(folder))
      files.push_back({std::string(file.path.substr(folder.size())), std::string(file.text)});
  std::ranges::stable_partition(files, [](const NewFile& file) { return file.path == "assignment.json"; });
  return files;
}

}  // namespace gpulab
