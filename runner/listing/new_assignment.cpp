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
constexpr std::size_t columns = 80;  ///< of what is written: people read it beside something else
/// Classes of which students see no more than right or wrong.
constexpr std::array hidden_classes{"odd", "large", "powers", "long", "blocks", "gaps"};

/// The last place at which such a line of code may go on in the next one, and not beyond the edge; 0: there is none.
/// `statements`: between statements alone.
std::size_t break_of(const std::string& line, bool statements) {
  int depth = 0;
  std::size_t found = 0;
  const auto begin = line.find_first_not_of(' ');
  for (std::size_t i = begin; i + 1 < line.size() && i < columns; ++i) {
    if (line[i] == '(' || line[i] == '[') ++depth;
    if (line[i] == ')' || line[i] == ']') --depth;
    if (line[i + 1] != ' ') continue;
    const bool ends = (line[i] == ';' || line[i] == '{' || line[i] == '}') && depth == 0;
    const bool is_operator =
        i > 0 && line[i - 1] == ' ' && std::string_view("+*=?:").find(line[i]) != std::string_view::npos;
    const bool goes_on = line[i] == ',' || line[i] == ';' || (line[i] == ')' && depth == 0) || is_operator;
    if (ends || (!statements && goes_on)) found = i + 1;
  }
  return found;
}

/// Lines that are too long, in several: comments between words, code between statements, or else behind a comma.
std::string narrow(const std::string& text) {
  std::string made;
  auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    const auto indent = std::string(std::min(line.find_first_not_of(' '), line.size()), ' ');
    const bool comment = line.substr(indent.size()).starts_with("// ");
    const bool code = line.find("//") == std::string::npos && line.find('"') == std::string::npos;
    auto at = comment && line.size() > columns ? line.rfind(' ', columns) : 0;
    if (code && line.size() > columns) at = break_of(line, true);
    const bool is_statement = at != 0;
    if (code && line.size() > columns && !is_statement) at = break_of(line, false);
    if (at > indent.size() + 3) {
      auto rest = line.substr(at + 1);
      // A comment goes on in its next line, and not in one of a few words.
      if (comment && i + 1 < lines.size() && lines[i + 1].starts_with(indent + "// ")) {
        lines[i + 1] = indent + "// " + rest + lines[i + 1].substr(indent.size() + 2);
      } else {
        const auto more = comment ? "// " : is_statement ? (line[at - 1] == '{' ? "  " : "") : "    ";
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, indent + more + rest);
      }
      lines[i].resize(at);
    }
    made += lines[i] + (i + 1 < lines.size() ? "\n" : "");
  }
  return made;
}

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
  return narrow(text);
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

/// An object as people write it: in one line, or its longer members in lines of their own.
std::string item_text(const std::string& item) {
  const std::string first = "    {", next = "     ";
  std::string text, line = first;
  const auto members = Json::parse(item);
  for (auto it = members.begin(); it != members.end(); ++it) {
    std::string value = it->dump();
    if (it->is_array()) {
      std::vector<std::string> all;
      for (const auto& one : *it) all.push_back(one.dump());
      value = "[" + join(all) + "]";
    }
    auto member = quoted(it.key()) + ": " + value + (std::next(it) == members.end() ? "}" : ",");
    const bool fits = line.size() + 1 + member.size() < columns;
    if (!fits) {
      text += line + "\n";
      line = next;
      // A list that no line holds goes on behind a comma.
      for (auto at = member.rfind("\", ", columns - next.size() - 3);
           next.size() + member.size() >= columns && at != std::string::npos;
           at = member.rfind("\", ", columns - next.size() - 3)) {
        text += next + member.substr(0, at + 2) + "\n";
        member = "  " + member.substr(at + 3);
      }
    } else if (line != first) {
      line += " ";
    }
    line += member;
  }
  return text + line;
}

/// One item after the other, as people write them.
std::string json_text(const Solution& solution, const Lab& lab, const Contract& contract) {
  std::vector<std::string> wrong, items{item_text(correct_item(solution, contract))};
  for (const auto& one : solution.mistakes)
    wrong.push_back(fmt::format("    \"wrong/{}.cu\": {}", one.name, quoted(one.item)));
  for (const auto& item : solution.items) items.push_back(item_text(item));
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
                            {"starter.cu", narrow(starter_text(lab, contract))}};
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
  std::stable_partition(files.begin(), files.end(), [](const NewFile& file) { return file.path == "assignment.json"; });
  return files;
}

}  // namespace gpulab
