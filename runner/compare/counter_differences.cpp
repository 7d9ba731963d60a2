#include "runner/compare/counter_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/counters.h"

namespace gpulab {
namespace {

using Effect = CounterDifference::Effect;

bool is_count(const CounterInfo& info) { return info.unit == CounterUnit::count; }

/// A count that is little beside the instructions of its launch moves little, whatever its factor. Atomics are few and
/// dear.
double distance(const CounterInfo* info, double a, double b, double instructions) {
  constexpr double little = 0.01;
  const bool atomic = info != nullptr && info->name.find("atomic") != std::string_view::npos;
  const double least = info != nullptr && !is_count(*info) ? 1e-3 : atomic ? 1 : 1 + little * instructions;
  return std::abs(std::log((a + least) / (b + least)));
}

CounterDifference difference(const std::string& name, double a, double b, double instructions) {
  CounterDifference found{.name = name, .a = a, .b = b};
  const auto* info = find_counter(name);
  found.distance = distance(info, a, b, instructions);
  if (info == nullptr || !info->tells) return found;
  const bool is_merit = info->unit == CounterUnit::ratio;
  found.effect = (b > a) == is_merit ? Effect::gain : Effect::loss;
  found.is_cost = is_count(*info);
  return found;
}

double counter(const ComparedResult& result, std::string_view name) {
  const auto found = result.counters.find(name);
  return found == result.counters.end() ? 0 : found->second;
}

/// 0 where the other has a count and this document leaves out those that are 0.
std::optional<double> value_beside(const ComparedResult& result, const std::string& name) {
  const auto found = result.counters.find(name);
  if (found != result.counters.end()) return found->second;
  const auto* info = find_counter(name);
  return result.sparse && info != nullptr && is_count(*info) ? std::optional(0.0) : std::nullopt;
}

}  // namespace

std::vector<CounterDifference> counter_differences(const ComparedResult& a, const ComparedResult& b) {
  std::vector<CounterDifference> found;
  if (a.counted_at != b.counted_at || a.counters.empty() || b.counters.empty()) return found;
  const double instructions = std::max(counter(a, "warp_instructions"), counter(b, "warp_instructions"));
  const auto look_at = [&](const std::string& name) {
    const auto before = value_beside(a, name), now = value_beside(b, name);
    if (before && now && *before != *now) found.push_back(difference(name, *before, *now, instructions));
  };
  for (const auto& [name, value] : a.counters) look_at(name);
  for (const auto& [name, value] : b.counters)
    if (!a.counters.contains(name)) look_at(name);
  const auto rank = [](const CounterDifference& one) {
    return one.effect == Effect::loss ? 0 : one.effect == Effect::gain ? 1 : 2;
  };
  std::stable_sort(found.begin(), found.end(), [&](const CounterDifference& one, const CounterDifference& other) {
    return rank(one) != rank(other) ? rank(one) < rank(other) : one.distance > other.distance;
  });
  return found;
}

CounterVerdict counter_verdict(const std::vector<CounterDifference>& differences, double threshold) {
  CounterVerdict verdict;
  for (const auto& one : differences) {
    if (!one.is_cost || one.distance <= std::log1p(threshold)) continue;
    (one.effect == Effect::loss ? verdict.rises : verdict.falls) = true;
    if (one.effect == Effect::loss)
      verdict.which.push_back(one.a > 0 ? fmt::format("{} by {:.3g}%", one.name, 100 * (one.b / one.a - 1))
                                        : fmt::format("{} from 0 to {:g}", one.name, one.b));
  }
  return verdict;
}

}  // namespace gpulab
