#include "runner/report/explain/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/text.h"

namespace gpulab {
namespace {

constexpr std::uint32_t small_gap = 4;   ///< lines without instructions that are still shown
constexpr std::uint32_t signature = 12;  ///< lines above the first that its function's head may take

bool is_head(std::string_view line) {
  return line.find("__global__") != line.npos || line.find("__device__") != line.npos ||
         line.find(".entry") != line.npos || line.find(".func") != line.npos;
}

/// The first line of the function that `line` is in, template and all; `line` itself where it is not found.
std::uint32_t head_of(const std::vector<std::string_view>& text, std::uint32_t line) {
  for (std::uint32_t up = line; up > 0 && line - up <= signature; --up) {
    if (text[up - 1].starts_with("}") && up != line) break;
    if (!is_head(text[up - 1])) continue;
    return up > 1 && text[up - 2].starts_with("template") ? up - 1 : up;
  }
  return line;
}

/// Marks of these kinds count what exceeds the ideal, not all that the line does: that part is avoidable. For sectors
/// it is an upper bound, because the ideal is worked out for all requests together, and some of them may have needed
/// more.
const char* part_of(const std::string& kind) {
  return kind == "uncoalesced" ? "avoidable: up to " : kind == "bank_conflict" ? "avoidable: " : "";
}
std::string whole_of(const std::string& kind) {
  if (kind == "few_blocks") return "GPU's SMs";
  if (kind == "imbalance") return "SMs' time, if it went by instructions alone";
  if (kind == "divergence" || kind == "idle_lanes" || kind == "partial_warps")
    return "kernel's lane slots, 32 per instruction";
  if (kind == "bank_conflict") return "kernel's shared-memory wavefronts";
  if (kind == "atomic" || kind == "same_address") return "kernel's memory requests";
  if (kind == "waiting") return "kernel's warp instructions";
  return "kernel's sectors";
}

}  // namespace

std::string line_cell(const CounterInfo& info, const Counters& c) {
  const auto value = info.value(c);
  if (!value || (info.counted && *value == 0)) return {};
  if (info.unit == CounterUnit::mean) return fmt::format("{:.1f}", *value);
  return info.unit == CounterUnit::ratio ? fmt::format("{:.0f}%", 100 * *value) : short_count(*value);
}

std::vector<std::uint32_t> shown_lines(const Explanation& explanation, const std::vector<std::string_view>& text) {
  std::set<std::uint32_t> shown;
  for (const auto& line : explanation.lines) {
    if (line.line == 0 || line.line > text.size()) continue;
    for (auto l = explanation.launch->ptx ? line.line : head_of(text, line.line); l <= line.line; ++l) shown.insert(l);
    if (line.line < text.size() && text[line.line].starts_with("}")) shown.insert(line.line + 1);
  }
  std::vector<std::uint32_t> lines;
  for (const auto line : shown) {
    if (!lines.empty() && line - lines.back() <= small_gap)
      for (auto between = lines.back() + 1; between < line; ++between) lines.push_back(between);
    lines.push_back(line);
  }
  return lines;
}

bool is_victim(const Mark& mark, std::uint32_t line) {
  return std::find(mark.victims.begin(), mark.victims.end(), line) != mark.victims.end();
}

std::string share_text(const Mark& mark) {
  return fmt::format("{}{:.0f}% of the {}", part_of(mark.kind), 100 * mark.share, whole_of(mark.kind));
}

std::string spill_text(const Result& result, const LaunchLines& counted) {
  const auto& launch = result.launch;
  const bool of_ptx = counted.counters["local_load_sectors"] + counted.counters["local_store_sectors"] > 0;
  if (!launch || launch->local_bytes.value_or(0) == 0 || of_ptx) return {};
  return fmt::format(
      "Registers: ptxas keeps {} of each thread in local memory, registers that it spills or the stack of a call; each "
      "use "
      "is a load or a store, which no counter of the PTX shows and the modelled time has. Try: fewer values at a time, "
      "or "
      "a __launch_bounds__ that leaves a thread more registers",
      bytes_text(static_cast<double>(*launch->local_bytes)));
}

}  // namespace gpulab
