#include "runner/report/explain/explanation.h"

#include <algorithm>
#include <map>

#include "runner/report/explain/marks.h"
#include "runner/report/explain/time_text.h"
#include "runner/report/words/lines.h"

namespace gpulab {
namespace {

constexpr std::int64_t bank_count = 32, word_bytes = 4;

}  // namespace

std::optional<std::int64_t> lane_stride(const LineAccess& access) {
  std::optional<std::int64_t> stride;
  int before = -1;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(access.mask >> lane & 1)) continue;
    if (before >= 0) {
      const auto step =
          access.addresses[static_cast<std::size_t>(lane)] - access.addresses[static_cast<std::size_t>(before)];
      if (stride && *stride != step) return std::nullopt;
      stride = step;
    }
    before = lane;
  }
  return stride;
}

std::vector<Bank> banks_of(const LineAccess& access) {
  std::map<std::int64_t, std::map<std::int64_t, std::vector<int>>> lanes_of;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(access.mask >> lane & 1)) continue;
    const auto first = access.addresses[static_cast<std::size_t>(lane)] / word_bytes;
    const auto words = std::max<std::int64_t>(access.width / word_bytes, 1);
    for (auto word = first; word < first + words; ++word) lanes_of[word % bank_count][word].push_back(lane);
  }
  std::vector<Bank> banks;
  for (auto& [number, words] : lanes_of) {
    auto& bank = banks.emplace_back();
    bank.number = static_cast<int>(number);
    for (auto& [word, lanes] : words) bank.words.push_back({word, std::move(lanes)});
  }
  return banks;
}

Explanation explanation_of(const LaunchLines& launch, int sm_count) {
  Explanation explanation;
  explanation.launch = &launch;
  const auto text = lines_of(launch.text);
  for (const auto& counts : launch.lines) {
    if (explanation.lines.empty() || explanation.lines.back().line != counts.line) {
      auto& fresh = explanation.lines.emplace_back();
      fresh.line = counts.line;
      if (counts.line > 0 && counts.line <= text.size()) fresh.text = text[counts.line - 1];
    }
    auto& line = explanation.lines.back();
    line.executions += counts.executions;
    line.counters += counts.counters;
    line.phases.push_back(counts);
  }
  explanation.marks = marks_of(launch, explanation.lines, sm_count);
  // By modelled time where there is any; of one line, and of the whole launch, by what they cost.
  if (launch.time)
    std::stable_sort(explanation.marks.begin(), explanation.marks.end(), [&](const Mark& a, const Mark& b) {
      const auto time = [&](const Mark& mark) { return mark.line == 0 ? mark.share : time_share(launch, mark.line); };
      return time(a) > time(b);
    });
  return explanation;
}

}  // namespace gpulab
