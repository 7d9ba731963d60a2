#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/grade/mutants/mutant_trial.h"

namespace gpulab {
namespace {

/// One line, as short as tells it.
std::string shortened(const std::string& text) {
  constexpr std::size_t most = 160;
  const auto line = visible(text.substr(0, text.find('\n')));
  return line.size() > most ? line.substr(0, most) + " …" : line;
}

std::string survivors_text(const MutantReport& report, MutantFate fate, const std::string& heading) {
  if (report.count(fate) == 0) return {};
  std::string text = heading + "\n";
  for (const auto& one : report.mutants) {
    if (one.fate != fate) continue;
    text += fmt::format("  line {}: {} ({})\n", one.mutation.line, shortened(one.mutation.what), one.mutation.kind);
    if (!one.tells.empty()) text += fmt::format("    {}\n", shortened(one.tells));
  }
  return text;
}

}  // namespace

std::string mutant_text(const Assignment& assignment, const MutantReport& report) {
  const auto caught = report.count(MutantFate::caught), wrong = report.count(MutantFate::wrong),
             slower = report.count(MutantFate::slower);
  const auto by_right = report.caught_as_wrong(), all_wrong = report.wrong();
  auto text = fmt::format("{} of {} lose points ({} in items about right and wrong, of {} that are wrong)",
                          plural(caught, "mutant"), report.mutants.size() - report.count(MutantFate::uncompiled),
                          by_right, all_wrong);
  std::map<std::string, std::size_t> by_item;
  for (const auto& one : report.mutants)
    if (one.fate == MutantFate::caught) ++by_item[one.item];
  std::vector<std::string> items;
  for (const auto& item : assignment.items) items.push_back(fmt::format("{} {}", item.name, by_item[item.name]));
  text += fmt::format(": {}\n", join(items));
  text += survivors_text(report, MutantFate::wrong, "wrong, and keep all points; what would tell:");
  text += survivors_text(report, MutantFate::slower, "slower, and keep all points; what would tell:");
  text +=
      survivors_text(report, MutantFate::unproved,
                     fmt::format("keep all points, and nothing wrong was found on {} further inputs, under every tool:",
                                 report.inputs));
  text += survivors_text(report, MutantFate::ungraded, "could not be graded here, and are counted nowhere else:");
  if (wrong + slower == 0) text += "no mutant that is known to be wrong or slower keeps its points\n";
  return text;
}

nlohmann::ordered_json mutant_json(const MutantReport& report) {
  using Json = nlohmann::ordered_json;
  Json json = Json::array();
  for (const auto& one : report.mutants)
    json.push_back({{"line", one.mutation.line},
                    {"kind", one.mutation.kind},
                    {"what", visible(one.mutation.what)},
                    {"fate", to_text(one.fate)},
                    {"is_wrong", one.is_wrong},
                    {"by_right", one.by_right},
                    {"item", one.item.empty() ? Json() : Json(visible(one.item))},
                    {"tells", one.tells.empty() ? Json() : Json(visible(one.tells))}});
  return json;
}

}  // namespace gpulab
