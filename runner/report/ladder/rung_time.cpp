#include "runner/report/ladder/rung_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "common/text.h"
#include "runner/report/ladder/model_text.h"

namespace gpulab {

bool is_measured(const Result& result) { return result.timing && result.timing->source == TimeSource::cuda_events; }

namespace {

/// What a rung's time is: where both have been measured, measured; else as modelled.
struct RungTime {
  double ms = 0;
  bool modelled = true;
  bool estimated = false;  ///< of a GPU that nobody has compared the model with
};

std::optional<RungTime> time_of(const Result& result, bool modelled) {
  if (modelled)
    return result.model ? std::optional(RungTime{result.model->ms, true, !result.model->validated}) : std::nullopt;
  return is_measured(result) ? std::optional(RungTime{result.timing->median_ms, false}) : std::nullopt;
}

/// "warps spend 62% of their time waiting for global memory, 21% at barriers": what takes a fifth and more, two things
/// at most.
std::string waits_text(const WarpTime& warps) {
  constexpr double worth_telling = 0.2;
  std::array<std::pair<double, std::string_view>, 5> parts{
      {{warps.memory, "waiting for global memory"},
       {warps.shared, "waiting for shared memory"},
       {warps.barrier, "at barriers"},
       {warps.result, "waiting for the result of the instruction before"},
       {warps.issue, "issuing, or waiting for a pipe that others use"}}};
  std::stable_sort(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [share, what] : {parts[0], parts[1]}) {
    if (share < worth_telling) continue;
    text += text.empty() ? fmt::format("warps spend {:.0f}% of their time {}", 100 * share, what)
                         : fmt::format(", {:.0f}% {}", 100 * share, what);
  }
  return text;
}

/// A unit of the GPU, and for how long it is busy.
struct Busy {
  std::string_view unit;
  double share = 0;
};
std::array<Busy, 7> busy_units(const ModelledTime& m) {
  return {{{"the issue slots are", m.issue},
           {"the FP32 pipes are", m.fp32},
           {"shared memory is", m.shared},
           {"the L1 cache is", m.l1},
           {"the ways to L2 are", m.l2},
           {"DRAM is", m.dram},
           {"the most wanted address is", m.atomics}}};
}

/// "1.58 times as fast", "probably 1.14 times as long", "about as fast".
std::string factor_text(double factor, bool faster, const RungTime& time) {
  if (time.modelled && factor < kAboutTheSame) return "about as fast";
  const bool probably = time.modelled && factor < (time.estimated ? kEstimatesToldApart : kToldApart);
  return fmt::format("{}{:.3g} times as {}", probably ? "probably " : "", factor, faster ? "fast" : "long");
}

/// "from 61.2 µs to 52 µs, as modelled (1.18 times as fast)".
std::string from_to(const RungTime& then, const RungTime& now) {
  const bool faster = now.ms < then.ms;
  const double factor = faster ? then.ms / now.ms : now.ms / then.ms;
  return fmt::format("from {} to {}{} ({})", duration_text(then.ms), duration_text(now.ms),
                     !now.modelled   ? ""
                     : now.estimated ? ", as estimated"
                                     : ", as modelled",
                     factor_text(factor, faster, now));
}

/// The times of both, known in the same way.
std::optional<std::pair<RungTime, RungTime>> times_of(const Result& before, const Result& now) {
  for (const bool modelled : {false, true}) {
    const auto then = time_of(before, modelled), here = time_of(now, modelled);
    if (then && here && then->ms > 0 && here->ms > 0) return std::pair{*then, *here};
  }
  return std::nullopt;
}

}  // namespace

// What is busy little more than half of the time does not bound a kernel: then
// what its warps wait for tells more.
std::string bound_text(const ModelledTime& model) {
  const double share = bound_share(model);
  if (share >= kSaturated) return fmt::format("{} (busy {:.0f}% of the time)", model.bound, 100 * share);
  std::vector<std::string> facts;
  if (share > 0) facts.push_back(fmt::format("{} is the busiest, {:.0f}% of the time", model.bound, 100 * share));
  if (model.bound != "launch")
    if (auto waits = waits_text(model.warps); !waits.empty()) facts.push_back(std::move(waits));
  return (share > 0 ? "no unit alone" : model.bound) + (facts.empty() ? "" : fmt::format(" ({})", join(facts, "; ")));
}

std::string busy_change(const Result& now, const Result& before) {
  constexpr double least = 1.15, worth_telling = 0.3;
  if (!now.model || !before.model) return {};
  std::string text;
  double most = least;
  const auto is = busy_units(*now.model), was = busy_units(*before.model);
  for (std::size_t i = 0; i < is.size(); ++i) {
    const double here = is[i].share * now.model->kernel_ms, then = was[i].share * before.model->kernel_ms;
    if (std::max(is[i].share, was[i].share) < worth_telling || here <= 0 || then <= 0) continue;
    const double factor = std::max(here / then, then / here);
    if (factor < most) continue;
    most = factor;
    text = fmt::format("in the machine code, as modelled, {} busy for {}, before for {}", is[i].unit,
                       duration_text(here), duration_text(then));
  }
  return text;
}

std::string time_beside(const Result& now, const Result& other) {
  const auto times = times_of(other, now);
  return times ? fmt::format("against {}: {}", other.variant, from_to(times->first, times->second)) : "";
}

std::string time_change(const Result& now, const Result& before) {
  const auto times = times_of(before, now);
  if (!times) return {};
  const std::string text = time_beside(now, before);
  if (!times->second.modelled) return text;
  const auto is = bound_text(*now.model), was = bound_text(*before.model);
  return text + "; bound by " + is + (is == was ? ", as before" : ", before by " + was);
}

}  // namespace gpulab
