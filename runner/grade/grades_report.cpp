#include "runner/grade/grades_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/counters.h"
#include "common/text.h"
#include "runner/report/explain/line_columns.h"
#include "runner/report/grid_text.h"
#include "runner/report/json_text.h"
#include "runner/student_file/arguments/shell_quoted.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

std::string number(const Json& value) { return value.is_null() ? "" : fmt::format("{:.10g}", value.get<double>()); }

/// The first thing that cost points, in one line.
std::string remark(const Json& grade) {
  if (grade.at("status") == "infrastructure") return "not graded: " + grade.at("reason").get<std::string>();
  if (grade.at("status") == "attention") return grade.at("reason").get<std::string>();
  for (const auto& item : grade.at("items")) {
    if (item.at("status") == "passed") continue;
    auto reason = item.at("reason").get<std::string>();
    reason.resize(std::min(reason.size(), reason.find('\n')));
    return fmt::format("{}: {}", item.at("name").get<std::string>(), reason);
  }
  return "";
}

std::string shortened(const std::string& text, std::size_t width) {
  std::string made;
  for (std::size_t at = 0, used = 0; at < text.size();) {
    std::size_t next = at + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U) ++next;
    if (++used > width) return made.substr(0, made.size()) + "…";
    made += text.substr(at, next - at);
    at = next;
  }
  return made;
}

/// How many have passed each item, and each class or expression of it that not everybody passed.
std::string statistics_table(const ClassStatistics& statistics, std::size_t width) {
  std::vector<TextColumn> table{{{"item"}, {}, false},      {{"points"}, {}}, {{"passed"}, {}},
                                {{"partial"}, {}, true, 2}, {{"failed"}, {}}, {{"pending"}, {}, true, 3},
                                {{"mean"}, {}, true, 1}};
  const auto add = [&](const std::string& name, const std::string& points, const auto& of, const std::string& mean) {
    std::size_t column = 0;
    for (const auto& cell : {shortened(name + (of.hidden ? " (hidden)" : ""), 40), points, std::to_string(of.passed),
                             std::to_string(of.partial), std::to_string(of.failed), std::to_string(of.pending), mean})
      table[column++].cells.push_back(cell);
  };
  for (const auto& item : statistics.items) {
    add(item.name, fmt::format("{:.10g}", item.points), item, item.mean ? fmt::format("{:.4g}", *item.mean) : "");
    for (const auto& part : item.parts)
      if (part.partial + part.failed + part.pending > 0) add("  " + part.name, "", part, "");
  }
  std::vector<std::string> left_out;
  return aligned(std::move(table), width, left_out);
}

}  // namespace

std::string grades_table(std::span<const Json> grades, const ClassStatistics& statistics, const std::string& title,
                         std::size_t width) {
  std::size_t names = 10;
  for (const auto& grade : grades) names = std::max(names, columns(grade.at("submission").get<std::string>()));
  names = std::min<std::size_t>(names, 30);
  std::string text = title + "\n";
  std::size_t graded = 0;
  double sum = 0;
  for (const auto& grade : grades) {
    const bool known = !grade.at("score").is_null();
    const auto score = known ? number(grade.at("score")) : grade.at("status").get<std::string>();
    if (known) {
      ++graded;
      sum += grade.at("score").get<double>();
    }
    const auto line = fmt::format("{}  {:>14}  {}", padded(shortened(grade.at("submission"), names - 1), names, false),
                                  score, remark(grade));
    text += shortened(line, width - 1);
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
  if (grades.empty()) return text;
  text += fmt::format("\n{} of {} graded, of {} points", graded, plural(grades.size(), "submission"),
                      number(grades[0].at("max")));
  if (graded > 0) text += fmt::format("; mean {:.4g}", sum / static_cast<double>(graded));
  text += "\n";
  if (grades.size() > 1) text += "\n" + statistics_table(statistics, width);
  return text;
}

namespace {

/// Lines of a text, each broken at blanks to fit, behind `indent`.
std::string block(const std::string& text, const std::string& indent, std::size_t width) {
  std::string made;
  const auto end = text.find_last_not_of('\n');
  for (const auto& line : split(text.substr(0, end == std::string::npos ? 0 : end + 1), '\n')) {
    for (const auto& part : wrapped(line, width > indent.size() + 20 ? width - indent.size() : 20))
      made += part.empty() ? "\n" : indent + part + "\n";
  }
  return made;
}

/// "name   status", then the text, from a column of its own.
std::string entry(const std::string& name, const std::string& status, const std::string& text, std::size_t width) {
  constexpr std::size_t names = 20, statuses = 10;
  auto lines = block(text, std::string(names + statuses, ' '), width);
  const auto head = padded(shortened(name, names - 2), names, false) + padded(status, statuses, false);
  lines.replace(0, std::min(lines.size(), head.size()), head);
  return lines;
}

/// What shows the lines of requirements that failed: "gpulab explain FILE --contract transpose/transpose --metrics
/// barriers". Empty: none failed.
std::string explain_command(const Json& grade, const std::string& file) {
  std::vector<std::string> counters;
  bool failed = false;
  for (const auto& item : grade.at("items")) {
    if (item.at("kind") != "require") continue;
    for (const auto& part : item.at("parts")) {
      if (part.at("status") != "failed") continue;
      failed = true;
      auto name = part.at("name").get<std::string>();
      name.resize(std::min(name.size(), name.find_first_of(" =!<>")));
      const auto* counter = find_counter(name);
      if (counter != nullptr && is_of_lines(*counter) && std::ranges::count(counters, name) == 0)
        counters.push_back(name);
    }
  }
  if (!failed || !grade.at("file").is_string()) return {};
  return fmt::format("gpulab explain {} --contract {}/{}{}", shell_quoted(file), grade.at("lab").get<std::string>(),
                     grade.at("contract").get<std::string>(),
                     counters.empty() ? "" : " --metrics " + join(counters, ","));
}

}  // namespace

std::string tried_table(const Json& grade, const std::string& file, std::size_t width) {
  std::string text = fmt::format("{}: what everybody can see of it\n\n", grade.at("assignment").get<std::string>());
  if (grade.at("status") == "infrastructure" || grade.at("status") == "attention")
    return text + block("it could not be judged: " + grade.at("reason").get<std::string>(), "", width);
  if (const auto& problem = grade.at("compile_problem"); !problem.is_null())
    return text + block("does not compile: " + problem.get<std::string>(), "", width) +
           block(grade.at("messages").get<std::string>(), "  ", width);
  if (!grade.contains("program") && grade.at("kernels").empty() && !grade.at("items").empty())
    return text + block(grade.at("items")[0].at("reason"), "", width);
  if (grade.contains("note")) text += block("note: " + grade.at("note").get<std::string>(), "", width) + "\n";
  for (const auto& item : grade.at("items")) {
    const auto status = item.at("status").get<std::string>();
    const auto worth = item.at("earned").is_null()
                           ? fmt::format("of {}", number(item.at("points")))
                           : fmt::format("{} of {}", number(item.at("earned")), number(item.at("points")));
    text += entry(item.at("name"), status, fmt::format("{}: {}", worth, item.at("reason").get<std::string>()), width);
    for (const auto& part : item.at("parts"))
      if ((item.at("kind") == "correct" || item.at("kind") == "output") && part.at("status") != "passed")
        text += entry("  " + part.at("name").get<std::string>(), part.at("status"), part.at("reason"), width);
    if (item.contains("hint")) text += entry("  hint", "", item.at("hint"), width);
  }
  if (const auto output = grade.at("output").get<std::string>(); !output.empty())
    text += "\nthe kernel printed\n" + block(output.substr(0, 1000), "  ", width);
  if (const auto lines = explain_command(grade, file); !lines.empty())
    text += "\nLine by line, as the contract launches it:\n  " + lines + "\n";  // in one piece, to be copied
  if (grade.contains("program"))
    return text + "\n" +
           block(
               "Hidden cases are judged when it is handed in. 'gpulab exec FILE.cu' runs the program and shows "
               "findings, counters and times of its kernels.",
               "", width);
  return text + "\n" +
         block(fmt::format("Hidden classes, and counters at a hidden size, are judged when it is handed in. "
                           "'gpulab check {} FILE.cu' shows lines, threads and counters.",
                           grade.at("lab").get<std::string>()),
               "", width);
}

std::string grades_json(std::span<const Json> grades, const ClassStatistics& statistics) {
  nlohmann::ordered_json json{{"schema", "gpulab.grades.v1"},
                              {"gpulab", {{"version", version()}}},
                              {"summary", statistics_json(statistics)},
                              {"grades", nlohmann::ordered_json::array()}};
  for (const auto& grade : grades) json["grades"].push_back(nlohmann::ordered_json::parse(grade.dump()));
  return json_text(json);
}

}  // namespace gpulab
