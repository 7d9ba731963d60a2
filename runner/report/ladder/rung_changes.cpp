#include "runner/report/ladder/rung_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "common/text.h"
#include "labs/registry.h"
#include "runner/case/metrics.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/rung_time.h"

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
  if (name == "sms_used" && result.spread) return Value{static_cast<double>(result.spread->sms_used), ""};
  if (name == "theoretical_occupancy" && result.occupancy) return Value{result.occupancy->theoretical, "ratio"};
  if (name == "launches" && result.launch) return Value{static_cast<double>(result.launch->launches), ""};
  return std::nullopt;
}

/// Did it do what it is to do? A rung that races on purpose does, whatever its answer is.
bool has_run(const Result& r) { return r.status == CaseStatus::ok || (r.racy && r.status == CaseStatus::wrong); }

bool comparable(const Result& a, const Result& b) {
  return a.status == CaseStatus::ok && has_run(b) && a.params == b.params && a.counters_params == b.counters_params &&
         (a.counters || b.counters || !a.metrics.empty() || (is_measured(a) && is_measured(b)));
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

/// Values that are no counts of what a launch does: any change of them tells.
bool is_few(std::string_view name) {
  const auto* info = find_counter(name);
  return info == nullptr || info->unit != CounterUnit::count;
}

/// Is more of it better? Counts are costs; these are not, nor is a ratio.
bool is_merit(std::string_view name, const std::string& unit) {
  constexpr std::array merits{"sms_used", "resident_warps", "flops_per_loaded_byte", "mean_threads"};
  return unit == "ratio" || std::find(merits.begin(), merits.end(), name) != merits.end();
}

/// What it costs per request, of counters that requests cost.
std::optional<double> per_request(const Result& result, std::string_view name) {
  const auto* info = find_counter(name);
  const auto* requests = info != nullptr && result.counters ? find_counter(info->page.per) : nullptr;
  if (requests == nullptr) return std::nullopt;
  const double count = requests->value(*result.counters).value_or(0);
  return count > 0 ? std::optional(info->value(*result.counters).value_or(0) / count) : std::nullopt;
}

std::optional<RungChange> change(const Result& result, const Result& before, std::string_view counter) {
  const auto now = value_of(result, counter), then = value_of(before, counter);
  if (!now || !then) return std::nullopt;
  const bool gain = (now->value > then->value) == is_merit(counter, now->unit) || now->value == then->value;
  return RungChange{std::string(counter),        before.variant, then->value, now->value, now->unit, gain,
                    per_request(result, counter)};
}

/// Atomics on few addresses queue: few of them may take most of the time, however many instructions stand beside them.
bool may_be_few_and_dear(std::string_view name) { return name.find("atomic") != std::string_view::npos; }

double instructions_of(const Result& result) {
  return result.counters ? static_cast<double>((*result.counters)["warp_instructions"]) : 0;
}

/// How far a value moved, as the logarithm of its factor. A count that is little beside the instructions of its launch
/// moves little, whatever its factor.
double distance(const RungChange& m, double instructions) {
  constexpr double little = 0.01;
  const bool is_count = m.unit.empty() && !is_few(m.counter);
  const double least = m.unit == "ratio"                ? 1e-3
                       : !is_count                      ? 0
                       : may_be_few_and_dear(m.counter) ? 1
                                                        : 1 + little * instructions;
  return std::abs(std::log((m.now + least) / (m.before + least)));
}

/// Counters that move for one reason: one of them tells it.
constexpr std::array<std::array<std::string_view, 2>, 2> same_reason{
    {{"global_load_sectors", "global_load_efficiency"}, {"global_store_sectors", "global_store_efficiency"}}};

bool told(const std::vector<RungChange>& changes, std::string_view name) {
  const auto is_told = [&](std::string_view other) {
    return std::any_of(changes.begin(), changes.end(), [&](const RungChange& m) { return m.counter == other; });
  };
  if (is_told(name)) return true;
  return std::any_of(same_reason.begin(), same_reason.end(), [&](const auto& pair) {
    return std::find(pair.begin(), pair.end(), name) != pair.end() && std::any_of(pair.begin(), pair.end(), is_told);
  });
}

constexpr std::string_view polls = "global_ordered_load_requests";

/// Loads that ask whether other blocks have come are as many as these take: where the loads moved for them, sectors and
/// efficiency of loads would be taken for the data's.
bool moved_by_polls(const Result& result, const Result& before, std::string_view name) {
  if (name != "global_load_sectors" && name != "global_load_efficiency") return false;
  const auto asked = change(result, before, polls), all = change(result, before, "global_load_requests");
  return asked && all && 2 * std::abs(asked->now - asked->before) > std::abs(all->now - all->before);
}

/// With a block per SM at most it does not matter how many more would fit.
bool at_most_one_block(const Result& r) {
  return r.spread && r.launch && r.launch->grid.volume() <= static_cast<std::uint64_t>(r.spread->sm_count);
}

/// Does the counter count work of what bounds a kernel (ModelledTime::bound)?
bool works_on(std::string_view bound, std::string_view counter) {
  const bool atomic = may_be_few_and_dear(counter);
  if (bound == "atomics") return atomic || counter.ends_with("_queue");
  if (bound == "shared_bandwidth") return counter.starts_with("shared_");
  if (bound == "issue" || bound == "fp32")
    return counter == "warp_instructions" || counter == "warp_execution_efficiency" || counter == "branch_efficiency";
  if (bound == "launch") return counter == "launches";
  if (bound.ends_with("_bandwidth"))
    return !atomic && (counter.starts_with("global_") || counter.starts_with("local_"));
  return counter == "sms_used" || counter == polls || counter == "barriers" ||
         counter.ends_with("_requests");  // latency
}

/// What moved by a tenth or more and is not told yet: gains and losses, the most of each first.
/// `claimed`: metrics of the lab's own that its rungs are about.
void add_largest(const Result& result, const Result& before, const std::set<std::string_view>& claimed,
                 std::vector<RungChange>& changes) {
  constexpr std::size_t most = 3;  // of each
  const double instructions = std::max(instructions_of(result), instructions_of(before));
  std::vector<RungChange> moved;
  const auto look_at = [&](std::string_view name) {
    auto m = change(result, before, name);
    if (m && !moved_by_polls(result, before, name) && distance(*m, instructions) > std::log(1.1))
      moved.push_back(std::move(*m));
  };
  for (const auto& info : counter_table())
    if (info.tells) look_at(info.name);
  for (const std::string_view name : {"sms_used", "launches", "global_read_footprint_bytes"}) look_at(name);
  if (!at_most_one_block(result) || !at_most_one_block(before)) look_at("theoretical_occupancy");
  look_at(polls);
  for (const auto name : claimed) look_at(name);
  // First what has to do with the time: with what bounded the rung below, what bounds this one.
  const auto matters = [&](const RungChange& m) {
    const auto& model = m.gain ? before.model : result.model;
    return model && works_on(model->bound, m.counter);
  };
  std::stable_sort(moved.begin(), moved.end(), [&](const RungChange& a, const RungChange& b) {
    const bool first = matters(a), second = matters(b);
    return first != second ? first : distance(a, instructions) > distance(b, instructions);
  });
  for (const bool gain : {true, false}) {
    std::size_t count = 0;
    for (const auto& m : moved) {
      const bool always = m.counter == "launches";  // each costs microseconds, however little it counts beside millions
      if (m.gain != gain || (count == most && !always) || told(changes, m.counter)) continue;
      changes.push_back(m);
      count += always ? 0 : 1;
    }
  }
}

/// The nearest rung below that was counted, or measured as this one was.
const Result* rung_before(const Lab& lab, const std::vector<Result>& results, const Result& result) {
  for (const auto* rung : rungs_below(lab, result.variant)) {
    const auto* found = partner(results, result, rung->name);
    if (found != nullptr && (found->counters || (is_measured(*found) && is_measured(result)))) return found;
  }
  return nullptr;
}

/// The rung that it is built on, where this was asked for and did not run (it races, or needs a GPU).
std::string rung_that_did_not_run(const Lab& lab, const std::vector<Result>& results, const Result& result) {
  const auto below = rungs_below(lab, result.variant);
  if (below.empty() || !result.counters) return {};
  const bool skipped = std::any_of(results.begin(), results.end(), [&](const Result& other) {
    return other.variant == below.front()->name && other.status == CaseStatus::skipped;
  });
  return skipped ? below.front()->name : std::string();
}

std::string value_text(double value, const std::string& unit) {
  if (unit == "ratio") return percent_text(value);
  const std::string text = value == std::floor(value) && std::abs(value) < 1e15
                               ? grouped(static_cast<std::uint64_t>(std::abs(value)))
                               : fmt::format("{:.4g}", value);
  return unit.empty() ? text : text + " " + unit;
}

/// "warp instructions", "busiest block / mean", "SMs used".
std::string name_text(const std::string& counter) {
  if (counter == "sms_used") return "SMs used";
  if (counter == "global_read_footprint_bytes") return "bytes read from DRAM, each sector once,";
  if (counter == polls) return "polls, loads that ask whether others have come,";
  if (counter == "block_imbalance") return "instructions of the busiest block / mean";
  std::string name = counter;
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// " (limited by registers, 40 per thread)": why an SM holds no more warps.
std::string limits_text(const Result& result) {
  if (!result.occupancy || !result.launch || result.occupancy->theoretical >= 1) return {};
  const LaunchFacts& launch = *result.launch;
  std::vector<std::string> limits;
  for (const auto& limit : result.occupancy->limited_by) {
    const auto shared = launch.static_shared_bytes.value_or(0) + launch.dynamic_shared_bytes;
    if (limit == "registers" && launch.registers_per_thread)
      limits.push_back(fmt::format("registers, {} per thread", *launch.registers_per_thread));
    else if (limit == "shared")
      limits.push_back(fmt::format("shared memory, {} per block", bytes_text(static_cast<double>(shared))));
    else
      limits.push_back(limit == "blocks" ? "blocks per SM" : limit);
  }
  return limits.empty() ? "" : fmt::format(" (limited by {})", join(limits, " and "));
}

/// Sentences of one kind, each behind the rung that it is compared with, said once where several have the same.
std::vector<std::string> sentences(const Result& result, bool gain) {
  std::vector<std::string> texts;
  const RungChange* last = nullptr;
  for (const auto& m : result.changes) {
    if (m.gain != gain || (m.counter == "sms_used" && !gain)) continue;  // idle_to_tell says that
    const bool other = last == nullptr || last->than != m.than;
    texts.push_back((other ? fmt::format("against {}: ", m.than) : "") + change_text(m) +
                    (m.counter == "theoretical_occupancy" && !gain ? limits_text(result) : ""));
    last = &m;
  }
  return texts;
}

}  // namespace

void add_rung_changes(const Lab& lab, std::vector<Result>& results) {
  std::set<std::string_view> claimed;
  for (const auto& variant : lab.variants)
    for (const auto& claim : variant.claims)
      if (find_counter(claim.counter) == nullptr) claimed.insert(claim.counter);
  for (auto& result : results) {
    const auto variant = std::find_if(lab.variants.begin(), lab.variants.end(),
                                      [&](const Variant& v) { return v.name == result.variant; });
    if (variant == lab.variants.end() || result.status != CaseStatus::ok) continue;
    const auto* before = rung_before(lab, results, result);
    if (before != nullptr) result.built_on = before->variant;
    if (before == nullptr) result.would_build_on = rung_that_did_not_run(lab, results, result);
    for (const auto& claim : variant->claims) {
      const auto* than = claim.than.empty() ? before : partner(results, result, claim.than);
      if (than == nullptr) continue;
      if (auto moved = change(result, *than, claim.counter)) result.changes.push_back(std::move(*moved));
    }
    if (before != nullptr) add_largest(result, *before, claimed, result.changes);
  }
}

std::string swept_values(const Run& run, const Result& result) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < result.params.size(); ++i) {
    const auto& [name, value] = result.params[i];
    const bool swept = std::any_of(run.results.begin(), run.results.end(), [&own = value, i](const Result& other) {
      return i < other.params.size() && other.params[i].second != own;
    });
    if (swept) parts.push_back(name + " " + param_text(value));
  }
  const bool blocks = std::any_of(run.results.begin(), run.results.end(), [&](const Result& other) {
    return other.variant == result.variant && other.params == result.params && other.launch && result.launch &&
           other.launch->block != result.launch->block;
  });
  if (blocks) parts.push_back("block " + dim_text(result.launch->block));
  return join(parts);
}

std::string change_text(const RungChange& m) {
  const std::string name = name_text(m.counter);
  // "launches fall from 512 to 1": the name says the unit.
  const std::string unit = name.ends_with(m.unit) ? "" : m.unit;
  const auto before = value_text(m.before, unit), now = value_text(m.now, unit);
  const bool plural =
      name.ends_with('s') || m.counter == "sms_used" || m.counter == "block_imbalance" || name.ends_with(',');
  const bool falls = m.now < m.before;
  if (before == now) return fmt::format("{} {} at {}", name, plural ? "stay" : "stays", now);
  std::string text =
      fmt::format("{} {}{} from {} to {}", name, falls ? "fall" : "rise", plural ? "" : "s", before, now);
  // The factor is added, so that nobody divides "8,448 to 1,056". Percentages, and changes from or to 0, go without.
  std::vector<std::string> facts;
  const double factor = falls ? m.before / m.now : m.now / m.before;
  if (m.unit != "ratio" && std::isfinite(factor) && factor >= 1.01)
    facts.push_back(
        fmt::format("{} times", factor < 1000 ? fmt::format("{:.3g}", factor) : grouped(std::llround(factor))));
  if (m.each && m.now > 0) facts.push_back(fmt::format("{:.3g} per request", *m.each));
  if (!facts.empty()) text += fmt::format(" ({})", join(facts));
  return text;
}

std::string idle_sms_text(const Spread& spread) {
  if (spread.sms_used >= spread.sm_count) return {};
  return fmt::format("{} of {} SMs {}, {} {}", spread.sms_used, spread.sm_count,
                     spread.sms_used == 1 ? "gets a block" : "get blocks", spread.sm_count - spread.sms_used,
                     spread.sm_count - spread.sms_used == 1 ? "idles" : "idle");
}

namespace {

bool races(const Run& run, const std::string& variant) {
  return std::any_of(run.results.begin(), run.results.end(),
                     [&](const Result& r) { return r.variant == variant && r.racy; });
}

/// Idle SMs are told where the rung below has not as many: a whole ladder of a small problem may have them.
std::string idle_to_tell(const Result& result) {
  const auto of_sms = [](const RungChange& m) { return m.counter == "sms_used" && !m.gain; };
  const bool fewer = std::any_of(result.changes.begin(), result.changes.end(), of_sms);
  return result.spread && (fewer || result.built_on.empty()) ? idle_sms_text(*result.spread) : std::string();
}

/// What the rung claims to do better than others than the one that it is built on: these, each once.
std::vector<const Result*> also_compared(const Run& run, const Result& result) {
  std::vector<const Result*> others;
  for (const auto& m : result.changes) {
    const auto* other = m.than == result.built_on ? nullptr : partner(run.results, result, m.than);
    if (other != nullptr && std::find(others.begin(), others.end(), other) == others.end()) others.push_back(other);
  }
  return others;
}

}  // namespace

std::string about_metrics(const Run& run) {
  const auto lab = lab_alone(run.lab);
  if (!lab) return {};
  std::vector<std::string> meanings;
  for (const auto& metric : lab->metrics) {
    const bool told = std::any_of(run.results.begin(), run.results.end(), [&](const Result& r) {
      return std::any_of(r.changes.begin(), r.changes.end(), [&](const auto& m) { return m.counter == metric.name; });
    });
    if (told) meanings.push_back(fmt::format("{}: {}.", name_text(metric.name), metric.definition));
  }
  return join(meanings, " ");
}

std::vector<RungStory> rung_stories(const Run& run) {
  std::vector<RungStory> stories;
  for (const auto& r : run.results) {
    auto story =
        std::find_if(stories.begin(), stories.end(), [&](const RungStory& s) { return s.variant == r.variant; });
    if (story == stories.end()) story = stories.insert(story, {r.variant, r.summary, {}});
    RungStory::Point point{swept_values(run, r), sentences(r, true), sentences(r, false)};
    if (const auto idle = idle_to_tell(r); !idle.empty()) point.losses.insert(point.losses.begin(), idle);
    const auto* before = partner(run.results, r, r.built_on);
    if (before != nullptr) point.time = time_change(r, *before);
    for (const auto* other : also_compared(run, r))
      if (const auto text = time_beside(r, *other); !text.empty() && !point.time.empty()) point.time += "; " + text;
    if (!r.would_build_on.empty())
      point.neither = fmt::format("{}, which it is built on, did not run{}: nothing to compare with", r.would_build_on,
                                  races(run, r.would_build_on) ? " (--allow-racy runs it)" : "");
    else if (point.gains.empty() && point.losses.empty()) {
      const bool counted = !r.built_on.empty() && r.counters;
      if (counted) point.neither = fmt::format("against {}: no counter moves by a tenth", r.built_on);
      const auto busy = counted && before != nullptr ? busy_change(r, *before) : std::string();
      if (!busy.empty()) point.neither += "; " + busy;
      if (!counted && point.time.empty()) continue;
    }
    story->points.push_back(std::move(point));
  }
  if (stories.size() < 2) return {};
  return stories;
}

}  // namespace gpulab
