#include "runner/report/rung_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "runner/case/metrics.h"
#include "runner/report/ladder.h"

namespace gpulab {
namespace {

struct Value {
  double value;
  std::string unit;  ///< "ratio", "" for counts, a metric's own
};

std::optional<Value> value_of(const Result& result, std::string_view name) {
  if (const auto* info = result.counters ? find_counter(name) : nullptr) {
    const auto value = info->value(*result.counters);
    return value ? std::optional(Value{*value, info->unit == CounterUnit::ratio ? "ratio" : ""}) : std::nullopt;
  }
  if (const auto* metric = find_metric(result, name)) return Value{metric->value, metric->unit};
  return std::nullopt;
}

bool comparable(const Result& a, const Result& b) {
  return a.status == CaseStatus::ok && b.status == CaseStatus::ok && a.params == b.params &&
         a.counters_params == b.counters_params && (a.counters || b.counters || !a.metrics.empty());
}

bool same_block(const Result& a, const Result& b) { return a.launch && b.launch && a.launch->block == b.launch->block; }

/// The result of `variant` that `result` is to be compared with.
const Result* partner(const std::vector<Result>& results, const Result& result, std::string_view variant) {
  const Result* found = nullptr;
  for (const auto& other : results) {
    if (other.variant != variant || !comparable(result, other)) continue;
    if (found == nullptr || (!same_block(result, *found) && same_block(result, other))) found = &other;
  }
  return found;
}

std::optional<RungChange> change(const Result& result, const Result& before, std::string_view counter) {
  const auto now = value_of(result, counter), then = value_of(before, counter);
  if (!now || !then) return std::nullopt;
  return RungChange{std::string(counter), before.variant, then->value, now->value, now->unit};
}

/// How far a value moved, as the logarithm of its factor. `least` is added to both sides, because a count may be 0
/// before or after.
double distance(const RungChange& m) {
  const double least = m.unit == "ratio" ? 1e-3 : 1;
  return std::abs(std::log((m.now + least) / (m.before + least)));
}

std::optional<RungChange> largest(const Result& result, const Result& before) {
  std::optional<RungChange> best;
  for (const auto& info : counter_table()) {
    if (!info.tells) continue;
    const auto moved = change(result, before, info.name);
    if (moved && distance(*moved) > std::log(1.1) && (!best || distance(*moved) > distance(*best))) best = moved;
  }
  return best;
}

/// The nearest rung below that was counted.
const Result* rung_before(const Lab& lab, const std::vector<Result>& results, const Result& result) {
  const auto self = std::find_if(lab.variants.begin(), lab.variants.end(),
                                 [&](const Variant& variant) { return variant.name == result.variant; });
  for (auto it = self; it != lab.variants.begin() && !it->starts;) {
    --it;
    const auto* found = partner(results, result, it->name);
    if (found != nullptr && found->counters) return found;
  }
  return nullptr;
}

std::string value_text(double value, const std::string& unit) {
  if (unit == "ratio") return percent_text(value);
  const std::string text = value == std::floor(value) && std::abs(value) < 1e15
                               ? grouped(static_cast<std::uint64_t>(std::abs(value)))
                               : fmt::format("{:.4g}", value);
  return unit.empty() ? text : text + " " + unit;
}

}  // namespace

void add_rung_changes(const Lab& lab, std::vector<Result>& results) {
  for (auto& result : results) {
    const auto variant = std::find_if(lab.variants.begin(), lab.variants.end(),
                                      [&](const Variant& v) { return v.name == result.variant; });
    if (variant == lab.variants.end() || result.status != CaseStatus::ok) continue;
    const auto* before = rung_before(lab, results, result);
    for (const auto& claim : variant->claims) {
      const auto* than = claim.than.empty() ? before : partner(results, result, claim.than);
      if (than == nullptr) continue;
      if (auto moved = change(result, *than, claim.counter)) result.changes.push_back(std::move(*moved));
    }
    if (!variant->claims.empty() || before == nullptr) continue;
    if (auto moved = largest(result, *before)) result.changes.push_back(std::move(*moved));
  }
}

std::string change_text(const RungChange& m) {
  std::string name = m.counter;
  std::replace(name.begin(), name.end(), '_', ' ');
  // "launches fall from 512 to 1": the name says the unit.
  const std::string unit = name.ends_with(m.unit) ? "" : m.unit;
  const auto before = value_text(m.before, unit), now = value_text(m.now, unit);
  const bool plural = name.ends_with('s'), falls = m.now < m.before;
  if (before == now) return fmt::format("{} {} at {}", name, plural ? "stay" : "stays", now);
  std::string text =
      fmt::format("{} {}{} from {} to {}", name, falls ? "fall" : "rise", plural ? "" : "s", before, now);
  // The factor is added, so that nobody divides "8,448 to 1,056". Percentages, and changes from or to 0, go without.
  const double factor = falls ? m.before / m.now : m.now / m.before;
  if (m.unit != "ratio" && std::isfinite(factor) && factor >= 1.01)
    text += fmt::format(" ({} times)", factor < 1000 ? fmt::format("{:.3g}", factor) : grouped(std::llround(factor)));
  return text;
}

}  // namespace gpulab
