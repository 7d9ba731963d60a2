#include "runner/report/ladder/break_even.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/text.h"
#include "runner/case/metrics.h"
#include "runner/report/ladder/ladder.h"

namespace gpulab {
namespace {

struct Measured {
  std::int64_t size;
  double speedup;  ///< to the CPU
};

/// Finds the last size at which the CPU is as fast as the GPU; at every larger size that was measured the GPU is
/// faster. The place between the two neighbours is interpolated on logarithmic scales, because over a short distance
/// times grow as a power of the size.
BreakEven located(std::vector<Measured> sweep, std::string variant, std::string param) {
  std::sort(sweep.begin(), sweep.end(), [](const Measured& a, const Measured& b) { return a.size < b.size; });
  BreakEven found{std::move(variant), std::move(param), sweep.front().size, sweep.back().size, {}};
  const auto slow = std::find_if(sweep.rbegin(), sweep.rend(), [](const Measured& m) { return m.speedup <= 1; });
  if (slow == sweep.rend()) {
    found.above = found.below;  // faster at every measured size: the break-even lies below them
    found.where = BreakEven::Where::below;
  } else if (slow == sweep.rbegin()) {
    found.below = found.above;
    found.where = BreakEven::Where::above;
  } else {
    const Measured before = *slow, after = *(slow - 1);
    found.below = before.size;
    found.above = after.size;
    found.where = BreakEven::Where::between;
    const double part = std::log(1 / before.speedup) / std::log(after.speedup / before.speedup);
    const double first = std::log(static_cast<double>(std::max<std::int64_t>(1, before.size)));
    found.at = std::exp(first + part * (std::log(static_cast<double>(after.size)) - first));
  }
  return found;
}

}  // namespace

std::vector<BreakEven> break_evens(const Lab& lab, const std::vector<Result>& results) {
  std::vector<BreakEven> all;
  for (const auto& variant : lab.break_even.variants) {
    // Cases that differ in the size alone, in the order of the sweep.
    std::vector<std::pair<std::string, std::vector<Measured>>> sweeps;
    for (const auto& r : results) {
      const auto* speedup = find_metric(r, "speedup_to_cpu");
      if (r.variant != variant || r.status != CaseStatus::ok || speedup == nullptr) continue;
      std::string others = r.launch ? dim_text(r.launch->block) : "";
      std::int64_t size = 0;
      for (const auto& [name, value] : r.params) {
        if (name == lab.break_even.param) {
          size = std::get<std::int64_t>(value);
        } else {
          others += ' ' + name + ' ' + param_text(value);
        }
      }
      auto it = std::find_if(sweeps.begin(), sweeps.end(), [&](const auto& sweep) { return sweep.first == others; });
      if (it == sweeps.end()) it = sweeps.insert(it, {others, {}});
      it->second.push_back({size, speedup->value});
    }
    for (auto& [others, sweep] : sweeps)
      if (sweep.size() > 1) all.push_back(located(std::move(sweep), variant, lab.break_even.param));
  }
  return all;
}

std::string break_even_text(const BreakEven& found) {
  switch (found.where) {
    case BreakEven::Where::below:
      return fmt::format("Break-even: {} is faster than the CPU at every size measured; sweep --{} below {}.",
                         found.variant, found.param, size_text(found.below));
    case BreakEven::Where::above:
      return fmt::format("Break-even: the CPU is as fast as {} at the largest size measured; sweep --{} beyond {}.",
                         found.variant, found.param, size_text(found.above));
    case BreakEven::Where::between:
      break;
  }
  return fmt::format("Break-even: from {} = {} on, {} is faster than the CPU (measured at {} and {}).", found.param,
                     short_count(*found.at), found.variant, size_text(found.below), size_text(found.above));
}

}  // namespace gpulab
