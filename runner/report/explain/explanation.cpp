#include "runner/report/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "common/text.h"

namespace gpulab {
namespace {

/// Below this share of the launch a line is not what makes it slow.
constexpr double least_share = 0.02;
/// A warp with fewer lanes at work than this, on average, is marked.
constexpr double few_lanes = 16;
constexpr std::int64_t bank_count = 32, word_bytes = 4;
constexpr std::uint64_t sector_bytes = 32;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t conflicts_of(const Counters& c) {
  return c["shared_load_bank_conflicts"] + c["shared_store_bank_conflicts"];
}
std::uint64_t wavefronts_of(const Counters& c) { return c["shared_load_wavefronts"] + c["shared_store_wavefronts"]; }
std::uint64_t sectors_of(const Counters& c) { return c["global_load_sectors"] + c["global_store_sectors"]; }
std::uint64_t local_sectors_of(const Counters& c) { return c["local_load_sectors"] + c["local_store_sectors"]; }

/// Sectors beyond the fewest that could hold the bytes asked for. Each request needs at least one.
std::uint64_t surplus_sectors(const Counters& c) {
  const auto surplus = [](std::uint64_t sectors, std::uint64_t requests, std::uint64_t bytes) {
    return sectors - std::min(sectors, std::max(requests, (bytes + sector_bytes - 1) / sector_bytes));
  };
  return surplus(c["global_load_sectors"], c["global_load_requests"], c["global_distinct_bytes_loaded"]) +
         surplus(c["global_store_sectors"], c["global_store_requests"], c["global_distinct_bytes_stored"]);
}

std::uint32_t lane_count(const LineAccess& access) { return static_cast<std::uint32_t>(std::popcount(access.mask)); }

std::uint32_t cost(const LineAccess& a) {
  return a.shared ? a.wavefronts - a.ideal_wavefronts
                  : a.sectors - (a.distinct_bytes + std::uint32_t{sector_bytes} - 1) / std::uint32_t{sector_bytes};
}

/// The line's access that costs most beyond the ideal.
const LineAccess* worst_access(const LaunchLines& launch, std::uint32_t line, bool shared, bool atomic) {
  const LineAccess* worst = nullptr;
  for (const auto& access : launch.accesses) {
    if (access.line != line || access.shared != shared || access.atomic != atomic) continue;
    if (worst == nullptr || cost(access) > cost(*worst)) worst = &access;
  }
  return worst;
}

/// ": neighbouring threads are 8,192 bytes apart".
std::string distance_text(const LineAccess& access) {
  const auto stride = lane_stride(access);
  const bool whole = access.mask == 0xffffffffu;
  if (lane_count(access) < 2) return "";
  if (!stride) return "; their addresses follow no single step";
  const auto bytes = plural(static_cast<std::uint64_t>(*stride < 0 ? -*stride : *stride), "byte");
  return fmt::format("; neighbouring {} are {} apart", whole ? "threads" : "threads at work", bytes);
}

class Marker {
 public:
  Marker(const LaunchLines& launch, std::vector<Mark>& marks)
      : launch_(launch), whole_(launch.counters), marks_(marks) {}
  void look_at(const ExplainedLine& line) {
    divergence(line);
    idle_lanes(line);
    coalescing(line);
    banks(line);
    atomics(line);
    local(line);
  }

 private:
  void add(const ExplainedLine& line, const char* kind, double share, std::string text) {
    if (share >= least_share) marks_.push_back({line.line, kind, share, std::move(text)});
  }
  /// The share of lane slots that idle, spread over the divergent branches: each is taken to cost the same.
  void divergence(const ExplainedLine& line) {
    const auto& c = line.counters;
    if (c["divergent_branches"] == 0) return;
    const double idle = 1 - share_of(whole_["thread_instructions"], 32 * whole_["warp_instructions"]);
    add(line, "divergence", idle * share_of(c["divergent_branches"], whole_["divergent_branches"]),
        fmt::format("divergence: lanes of a warp disagree at this branch {} of {} times; the warp runs both ways, one "
                    "after the "
                    "other, with the other lanes off. Try: let whole warps go one way",
                    grouped(c["divergent_branches"]), grouped(c["branches"])));
  }
  void idle_lanes(const ExplainedLine& line) {
    const auto& c = line.counters;
    const double lanes = share_of(c["thread_instructions"], c["warp_instructions"]);
    const bool said = !marks_.empty() && marks_.back().line == line.line && marks_.back().kind == "divergence";
    if (c["warp_instructions"] == 0 || lanes >= few_lanes || said) return;
    add(line, "idle_lanes",
        share_of(32 * c["warp_instructions"] - c["thread_instructions"], 32 * whole_["warp_instructions"]),
        fmt::format("idle lanes: {:.1f} of a warp's 32 lanes work here on average; the others wait", lanes));
  }
  void coalescing(const ExplainedLine& line) {
    const auto surplus = surplus_sectors(line.counters);
    // A warp that starts in the middle of a sector takes one more than it needs: not worth a mark.
    if (share_of(surplus, sectors_of(line.counters)) < 0.25) return;
    const auto* access = worst_access(launch_, line.line, false, false);
    if (access == nullptr) return;
    const auto wanted = (access->distinct_bytes + sector_bytes - 1) / sector_bytes;
    add(line, "uncoalesced", share_of(surplus, sectors_of(whole_)),
        fmt::format("uncoalesced {}: {} {} {} where {} would hold what they ask for{}. Try: neighbouring threads on "
                    "neighbouring elements",
                    access->instruction.starts_with("st") ? "store" : "load", plural(lane_count(*access), "lane"),
                    lane_count(*access) == 1 ? "touches" : "touch", plural(access->sectors, "sector"), wanted,
                    distance_text(*access)));
  }
  void banks(const ExplainedLine& line) {
    const auto conflicts = conflicts_of(line.counters);
    if (conflicts == 0) return;
    add(line, "bank_conflict", share_of(conflicts, wavefronts_of(whole_)), bank_text(line.line));
  }
  [[nodiscard]] std::string bank_text(std::uint32_t line) const {
    const auto* access = worst_access(launch_, line, true, false);
    if (access == nullptr || access->wavefronts <= access->ideal_wavefronts) return "bank conflicts";
    const auto banks = banks_of(*access);
    const auto& busiest = *std::max_element(
        banks.begin(), banks.end(), [](const Bank& a, const Bank& b) { return a.words.size() < b.words.size(); });
    std::size_t lanes = 0;
    for (const auto& word : busiest.words) lanes += word.lanes.size();
    return fmt::format(
        "bank conflict: {} want bank {}, {} of it, one after another: {} passes where {} would do{}. Try: "
        "neighbouring threads on neighbouring words, or rows that are one word longer",
        plural(lanes, "lane"), busiest.number, plural(busiest.words.size(), "different word"), access->wavefronts,
        access->ideal_wavefronts, distance_text(*access));
  }
  void atomics(const ExplainedLine& line) {
    const auto& c = line.counters;
    const auto most = std::max(c["global_atomic_max_lanes"], c["shared_atomic_max_lanes"]);
    if (most < 2) return;
    const auto all = [](const Counters& k) {
      return k["global_atomic_requests"] + k["shared_atomic_requests"] + k["global_load_requests"] +
             k["global_store_requests"] + k["shared_load_requests"] + k["shared_store_requests"];
    };
    add(line, "atomic", share_of(c["global_atomic_requests"] + c["shared_atomic_requests"], all(whole_)),
        fmt::format(
            "contended atomic: up to {} of a warp meet on one address and queue there. Try: combine within the warp or "
            "the block first",
            plural(most, "lane")));
  }
  void local(const ExplainedLine& line) {
    const auto sectors = local_sectors_of(line.counters);
    if (sectors == 0) return;
    add(line, "local_memory", share_of(sectors, local_sectors_of(whole_) + sectors_of(whole_)),
        fmt::format("local memory: an array that is indexed at run time does not fit registers and lies in memory: {} "
                    "sectors. Try: indices that are constants, by unrolled loops",
                    grouped(sectors)));
  }

  const LaunchLines& launch_;
  const Counters& whole_;
  std::vector<Mark>& marks_;
};

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

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

Explanation explanation_of(const LaunchLines& launch) {
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
  Marker marker(launch, explanation.marks);
  for (const auto& line : explanation.lines) marker.look_at(line);
  std::stable_sort(explanation.marks.begin(), explanation.marks.end(),
                   [](const Mark& a, const Mark& b) { return a.share > b.share; });
  return explanation;
}

}  // namespace gpulab
