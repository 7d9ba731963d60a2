#pragma once
// One case's counters in groups, as its page shows them.

#include <string>
#include <utility>
#include <vector>

#include "common/counters.h"

namespace gpulab {

/// One line of the counters: a count of its own, or a pair (loads, stores).
struct CounterLine {
  const CounterInfo *first = nullptr, *second = nullptr;  ///< null: none
};
using CounterLines = std::vector<CounterLine>;

/// The lines of each group, groups in the order of their first counters.
[[nodiscard]] std::vector<std::pair<const CounterGroup*, CounterLines>> counter_groups();

/// "4,194,304", "97.2%"; empty where there is no counter.
[[nodiscard]] std::string counter_text(const CounterInfo* info, const Counters& counters);
/// "(4.00 each)": per request of the same kind.
[[nodiscard]] std::string per_request(const CounterInfo* info, const Counters& counters);
/// Does the line count nothing?
[[nodiscard]] bool zero(const CounterLine& line, const Counters& counters);

}  // namespace gpulab
