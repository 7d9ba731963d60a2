#include "runner/report/words/counter_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/report/ladder/ladder.h"

namespace gpulab {

std::vector<std::pair<const CounterGroup*, CounterLines>> counter_groups() {
  std::vector<std::pair<const CounterGroup*, CounterLines>> groups;
  for (const auto& info : counter_table()) {
    if (info.page.group == nullptr) continue;
    const auto same = [&](const auto& group) { return group.first == info.page.group; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) group = groups.insert(group, {info.page.group, {}});
    auto& lines = group->second;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const CounterLine& l) {
      return info.page.stores ? l.first->page.label == info.page.label : l.first->name == info.page.behind;
    });
    if (info.page.stores && line != lines.end()) {
      line->second = &info;
    } else {
      lines.insert(line == lines.end() ? line : line + 1, {&info, nullptr});
    }
  }
  return groups;
}

std::string counter_text(const CounterInfo* info, const Counters& c) {
  if (info == nullptr) return {};
  const auto value = info->value(c);
  if (!value) return "-";
  if (info->unit == CounterUnit::ratio) return percent_text(*value);
  return info->counted ? grouped(*info->count(c)) : fmt::format("{:.4g}", *value);
}

std::string per_request(const CounterInfo* info, const Counters& c) {
  const auto* requests = info != nullptr ? find_counter(info->page.per) : nullptr;
  if (requests == nullptr) return {};
  const double count = requests->value(c).value_or(0), value = info->value(c).value_or(0);
  return count > 0 ? fmt::format("({:.3g} each)", value / count) : "";
}

bool zero(const CounterLine& line, const Counters& c) {
  const auto nothing = [&](const CounterInfo* info) { return info == nullptr || info->value(c).value_or(0) == 0; };
  return nothing(line.first) && nothing(line.second);
}

}  // namespace gpulab
