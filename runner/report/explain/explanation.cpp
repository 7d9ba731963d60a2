#include "runner/report/explain/explanation.h"

#include <algorithm>
#include <limits>
#include <map>

#include "runner/report/explain/marks.h"
#include "runner/report/explain/time_text.h"
#include "runner/report/words/lines.h"

namespace gpulab {
namespace {

constexpr std::int64_t bank_count = 32, word_bytes = 4;

/// Share of the launch's time that the model gives back where what the mark speaks of is gone; 0 where nobody asked.
double gain_of(const Mark& mark, const LaunchTime& time) {
  double gain = 0;
  for (const auto& what : time.what_ifs) {
    const bool is_meant = mark.kind == "few_blocks" ? what.kind == "idle_sms"
                          : what.line != mark.line  ? false
                          : mark.kind == "atomic"   ? what.kind == "queue" || what.kind == "same_address"
                                                    : what.kind == mark.kind && mark.kind != "same_address";
    if (is_meant) gain = std::max(gain, 1 - what.ms / time.ms);
  }
  return gain;
}

/// Which mark is worth most: first what makes the answer wrong, then what the model has asked about, by the time that
/// it gives back, then the rest, by the time of its line. Of one line, and of the whole launch, by what it costs.
double worth_of(const Mark& mark, const LaunchLines& launch) {
  constexpr double wrong = 3, asked = 1, least_gain = 0.05;
  if (mark.kind == "same_address" && mark.cost == std::numeric_limits<double>::max()) return wrong;
  if (const auto gain = gain_of(mark, *launch.time); gain >= least_gain) return asked + gain;
  return mark.line == 0 ? mark.share : time_share(launch, mark.line);
}

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
  if (launch.time)
    std::stable_sort(explanation.marks.begin(), explanation.marks.end(),
                     [&](const Mark& a, const Mark& b) { return worth_of(a, launch) > worth_of(b, launch); });
  return explanation;
}

}  // namespace gpulab
