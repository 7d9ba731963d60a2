#include "runner/report/words/result_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/rung_changes.h"

namespace gpulab {
namespace {

std::string error_number(double value) { return value == 0 ? "0" : fmt::format("{:.3g}", value); }

}  // namespace

std::string launch_text(const LaunchFacts& f) {
  const auto threads = f.block.volume(), warps = (threads + 31) / 32;
  std::string text = fmt::format("grid {} × block {} = {} threads; {} per block", dim_text(f.grid), dim_text(f.block),
                                 grouped(f.grid.volume() * threads), plural(warps, "warp"));
  if (threads % 32 != 0) text += fmt::format(", the last with {}", plural(32 - threads % 32, "idle lane"));
  if (f.launches > 1) text += fmt::format("; the first of {} launches", f.launches);
  return text;
}

std::string resources_text(const LaunchFacts& f) {
  const auto bytes = [](std::uint64_t count) { return bytes_text(static_cast<double>(count)); };
  std::vector<std::string> parts;
  if (f.registers_per_thread) {
    parts.push_back(fmt::format("{} per thread", plural(*f.registers_per_thread, "register")));
  } else if (f.estimated_registers) {
    parts.push_back(fmt::format("registers unknown for this architecture (an estimate: {} on {}.{})",
                                *f.estimated_registers, *f.estimated_for / 10, *f.estimated_for % 10));
  } else {
    parts.emplace_back("registers per thread unknown for this architecture");
  }
  if (f.static_shared_bytes) parts.push_back(fmt::format("{} static shared memory", bytes(*f.static_shared_bytes)));
  if (f.dynamic_shared_bytes > 0)
    parts.push_back(fmt::format("{} dynamic shared memory", bytes(f.dynamic_shared_bytes)));
  if (f.local_bytes && *f.local_bytes > 0)
    parts.push_back(fmt::format("{} local memory per thread", bytes(*f.local_bytes)));
  return join(parts);
}

std::string occupancy_text(const Occupancy& o) {
  return fmt::format("{} theoretical: {} per SM, limited by {}", percent_text(o.theoretical),
                     plural(static_cast<std::uint64_t>(o.blocks_per_sm), "block"), join(o.limited_by, " and "));
}

std::string spread_text(const Spread& s, const std::optional<Occupancy>& o) {
  const auto idle = idle_sms_text(s);
  std::string text = idle.empty() ? fmt::format("all {} get blocks", s.sm_count) : idle;
  if (!s.waves || !o) return text;
  const auto resident = static_cast<std::uint64_t>(o->blocks_per_sm) * static_cast<std::uint64_t>(s.sm_count);
  if (*s.waves < 1) return text + fmt::format("; {} blocks would fit at once", grouped(resident));
  text += fmt::format("; {:.4g} waves of {} blocks", *s.waves, grouped(resident));
  return *s.tail > 0 ? text + fmt::format(", the last {:.0f}% empty", *s.tail * 100) : text;
}

std::string value_text(const decltype(Mismatch::got)& value) {
  return std::visit([](auto number) { return fmt::format("{}", number); }, value);
}

std::string buffer_text(const BufferFacts& b) {
  std::vector<std::string> values;
  for (const auto& value : b.first) values.push_back(value_text(value));
  return fmt::format("{} {}[{}]: {}{}  fnv1a64 {}", b.name, b.type, b.count, join(values, " "),
                     b.count > b.first.size() ? " …" : "", b.fnv1a64);
}

std::string slice_text(const BufferFacts& b, const BufferSlice& slice) {
  std::vector<std::string> values;
  for (const auto& value : slice.values) values.push_back(value_text(value));
  if (values.empty()) return fmt::format("{}[{}]: it has {}", b.name, slice.from, plural(b.count, "element"));
  return fmt::format("{}[{}:{}]: {}", b.name, slice.from, slice.from + slice.values.size(), join(values, " "));
}

std::string verification_text(const Verification& v, bool of_file) {
  if (v.status == VerificationStatus::not_run) return "not checked";
  std::string text = v.max_abs_error == 0
                         ? of_file ? "equal to what --expect says" : "equal to the CPU's answer"
                         : fmt::format("largest error {} (relative {}), tolerance {}", error_number(v.max_abs_error),
                                       error_number(v.max_rel_error), error_number(v.tolerance));
  if (v.max_abs_error == 0 && v.tolerance > 0) text += fmt::format(" (tolerance {})", error_number(v.tolerance));
  if (!v.note.empty()) text += "; " + v.note;
  return fmt::format("{}: {}", to_text(v.status), text);
}

std::string timing_text(const Timing& t) {
  if (t.source == TimeSource::cpu_wall) return duration_text(t.median_ms) + " on the host, one thread's wall clock";
  return fmt::format("{} median of {} ({} to {} are the middle half), {}", duration_text(t.median_ms),
                     plural(static_cast<std::uint64_t>(t.samples), "sample"), duration_text(t.q1_ms),
                     duration_text(t.q3_ms), t.mode == CacheState::warm ? "warm" : "cold: L2 flushed before each");
}

std::string about_clock(const Run& run) {
  std::vector<std::string> parts;
  std::string unseen;
  for (const auto& r : run.results) {
    if (!r.timing) continue;
    for (const auto& one : r.timing->discarded)
      parts.push_back(fmt::format("{}: {} taken again ({})", r.variant,
                                  plural(static_cast<std::uint64_t>(one.samples), "sample"), one.reason));
    if (!r.timing->throttled.empty())
      parts.push_back(
          fmt::format("{}: the clock was held back all the while ({}), so that its time is longer than it "
                      "would be",
                      r.variant, r.timing->throttled));
    unseen = r.timing->throttling_unseen;
  }
  if (!unseen.empty()) parts.push_back("nobody can tell whether the GPU's clock was held back: " + unseen);
  return parts.empty() ? "" : "Clock: " + join(parts, "; ") + ".";
}

std::string metrics_text(const Result& r) {
  std::vector<std::string> parts;
  for (const auto& m : r.metrics) {
    if (r.model && m.name == "modelled_time") continue;  // has a line of its own
    std::string text = m.unit == "ratio" ? percent_text(m.value)
                       : m.unit == "B"   ? bytes_text(m.value)
                                         : short_count(m.value);
    std::string name = m.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    // "resident warps 40": the name says the unit.
    const bool named = m.unit.empty() || m.unit == "ratio" || m.unit == "B" || name.find(m.unit) != std::string::npos;
    if (!named) text += " " + m.unit;
    parts.push_back(name + " " + text);
  }
  return join(parts);
}

std::string counted_case(const decltype(Result::params)& params) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : params) parts.push_back(name + " " + param_text(value));
  return "Simulated beside the GPU, at " + join(parts, " · ");
}

std::string simulation_text(const Run& run) {
  double ms = 0;
  for (const auto& r : run.results) ms += r.simulation_ms.value_or(0);
  return ms > 0 ? fmt::format("Simulating took {} on this machine, which says nothing about a GPU.", duration_text(ms))
                : std::string();
}

std::string about_time(const Run& run) {
  std::vector<std::string> names;
  for (const auto& r : run.results)
    if (r.needs_clock && std::find(names.begin(), names.end(), r.variant) == names.end()) names.push_back(r.variant);
  if (names.empty()) return {};
  return fmt::format(" About time, which a GPU's clock shows (--device gpu): {}.", join(names));
}

}  // namespace gpulab
