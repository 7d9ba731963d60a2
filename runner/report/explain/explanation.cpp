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

/// Lane slots that idle, by the line whose branch is taken to be the reason: the line itself where its own lanes
/// disagree, else the next line above it in its function that has such a branch; 0: none has.
class IdleLanes {
 public:
  struct Part {
    std::uint64_t slots = 0, warps = 0, threads = 0;  ///< idle; instructions of warps and threads
    [[nodiscard]] double lanes() const {
      return warps == 0 ? 32 : static_cast<double>(threads) / static_cast<double>(warps);
    }
  };

  IdleLanes(const LaunchLines& launch, const std::vector<ExplainedLine>& lines) {
    const auto text = lines_of(launch.text);
    std::uint32_t branch = 0, before = 0;
    for (const auto& line : lines) {  // by number
      for (auto between = before; between < line.line && between < text.size(); ++between)
        if (text[between].starts_with('}')) branch = 0;  // a function ends
      before = line.line;
      const auto& c = line.counters;
      if (c["divergent_branches"] > 0) branch = line.line;
      const auto slots = 32 * c["warp_instructions"] - c["thread_instructions"];
      if (slots == 0 || line.line == 0) continue;
      reason_[line.line] = branch;
      auto& part = parts_[branch];
      part.slots += slots;
      part.warps += c["warp_instructions"];
      part.threads += c["thread_instructions"];
    }
  }
  [[nodiscard]] Part because_of(std::uint32_t line) const {
    const auto found = parts_.find(line);
    return found == parts_.end() ? Part{} : found->second;
  }
  [[nodiscard]] bool has_reason(std::uint32_t line) const {
    const auto found = reason_.find(line);
    return found != reason_.end() && found->second != 0;
  }

 private:
  std::map<std::uint32_t, Part> parts_;
  std::map<std::uint32_t, std::uint32_t> reason_;
};

/// Does the line itself branch, rather than what it calls?
bool branches_itself(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return has("if") || has("for") || has("while") || has("?") || has("&&") || has("||") || has("switch") || has("bra");
}

class Marker {
 public:
  Marker(const LaunchLines& launch, const std::vector<ExplainedLine>& lines, std::vector<Mark>& marks)
      : launch_(launch), whole_(launch.counters), idle_(launch, lines), marks_(marks) {}
  void look_at(const ExplainedLine& line) {
    divergence(line);
    idle_lanes(line);
    coalescing(line);
    banks(line);
    atomics(line);
    same_address(line);
    local(line);
  }

 private:
  /// `general`: what holds of all lines of the kind.
  void add(const ExplainedLine& line, const char* kind, double share, const std::string& text,
           const std::string& general = {}) {
    if (share >= least_share) marks_.push_back({line.line, kind, share, text + general, text.size()});
  }
  /// The share of lane slots that idle because of the line's branch.
  void divergence(const ExplainedLine& line) {
    const auto& c = line.counters;
    if (c["divergent_branches"] == 0) return;
    const auto idle = idle_.because_of(line.line);
    const auto share = share_of(idle.slots, 32 * whole_["warp_instructions"]);
    if (!launch_.ptx && !branches_itself(line.text)) {
      add(line, "divergence", share,
          fmt::format(
              "divergence in what this line calls: {:.1f} of a warp's 32 lanes work there on average, the others "
              "wait",
              idle.lanes()));
      return;
    }
    const bool one_lane = idle.lanes() < 2;
    add(line, "divergence", share,
        fmt::format("divergence: lanes of a warp disagree at this branch {} of {} times",
                    grouped(c["divergent_branches"]), grouped(c["branches"])),
        one_lane
            ? "; one lane works for its warp, the others wait. Try: less work for the one, or a share of it for all"
            : "; the warp runs both ways, one after the other, with the other lanes off. Try: let whole warps go "
              "one way");
  }
  void idle_lanes(const ExplainedLine& line) {
    const auto& c = line.counters;
    const double lanes = share_of(c["thread_instructions"], c["warp_instructions"]);
    if (c["warp_instructions"] == 0 || lanes >= few_lanes || idle_.has_reason(line.line)) return;
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
        fmt::format("uncoalesced {}: {} {} {} where {} would hold what they ask for{}",
                    access->instruction.starts_with("st") ? "store" : "load", plural(lane_count(*access), "lane"),
                    lane_count(*access) == 1 ? "touches" : "touch", plural(access->sectors, "sector"), wanted,
                    distance_text(*access)),
        ". Try: neighbouring threads on neighbouring elements");
  }
  void banks(const ExplainedLine& line) {
    const auto conflicts = conflicts_of(line.counters);
    if (conflicts == 0) return;
    const auto text = bank_text(line.line);
    add(line, "bank_conflict", share_of(conflicts, wavefronts_of(whole_)), text,
        ". Try: neighbouring threads on neighbouring words, or rows that are one word longer");
  }
  [[nodiscard]] std::string bank_text(std::uint32_t line) const {
    const auto* access = worst_access(launch_, line, true, false);
    if (access == nullptr || access->wavefronts <= access->ideal_wavefronts) return "bank conflicts";
    const auto banks = banks_of(*access);
    const auto& busiest = *std::max_element(
        banks.begin(), banks.end(), [](const Bank& a, const Bank& b) { return a.words.size() < b.words.size(); });
    std::size_t lanes = 0;
    for (const auto& word : busiest.words) lanes += word.lanes.size();
    return fmt::format("bank conflict: {} want bank {}, {} of it, one after another: {} passes where {} would do{}",
                       plural(lanes, "lane"), busiest.number, plural(busiest.words.size(), "different word"),
                       access->wavefronts, access->ideal_wavefronts, distance_text(*access));
  }
  void atomics(const ExplainedLine& line) {
    const auto& c = line.counters;
    const auto most = std::max(c["global_atomic_max_lanes"], c["shared_atomic_max_lanes"]);
    if (most < 2) return;
    add(line, "atomic", share_of(c["global_atomic_requests"] + c["shared_atomic_requests"], requests_of(whole_)),
        fmt::format("contended atomic: up to {} of a warp meet on one address and queue there", plural(most, "lane")),
        ". Try: combine within the warp or the block first");
  }
  /// A plain store of several lanes to one address, such as `*total += value`: told whatever its share, because it is
  /// about what the kernel computes.
  void same_address(const ExplainedLine& line) {
    const LineAccess* worst = nullptr;
    for (const auto& access : launch_.accesses)
      if (access.line == line.line && access.store &&
          (worst == nullptr || access.max_same_address > worst->max_same_address))
        worst = &access;
    if (worst == nullptr || worst->max_same_address < 2) return;
    const auto& c = line.counters;
    const std::string text = fmt::format(
        "one address: up to {} of a warp store to the same address at once; unless they store the same value, "
        "one of the values stays and the others are lost",
        plural(worst->max_same_address, "lane"));
    marks_.push_back({line.line, "same_address", share_of(requests_of(c), requests_of(whole_)),
                      text +
                          ". Try: an atomic, or combine the values first; --sanitize racecheck tells whether it is a "
                          "race",
                      text.size()});
  }
  static std::uint64_t requests_of(const Counters& k) {
    return k["global_atomic_requests"] + k["shared_atomic_requests"] + k["global_load_requests"] +
           k["global_store_requests"] + k["shared_load_requests"] + k["shared_store_requests"];
  }
  void local(const ExplainedLine& line) {
    const auto sectors = local_sectors_of(line.counters);
    if (sectors == 0) return;
    add(line, "local_memory", share_of(sectors, local_sectors_of(whole_) + sectors_of(whole_)),
        fmt::format("local memory: an array that is indexed at run time does not fit registers and lies in memory: {} "
                    "sectors",
                    grouped(sectors)),
        ". Try: indices that are constants, by unrolled loops");
  }

  const LaunchLines& launch_;
  const Counters& whole_;
  IdleLanes idle_;
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
  Marker marker(launch, explanation.lines, explanation.marks);
  for (const auto& line : explanation.lines) marker.look_at(line);
  std::stable_sort(explanation.marks.begin(), explanation.marks.end(),
                   [](const Mark& a, const Mark& b) { return a.share > b.share; });
  return explanation;
}

}  // namespace gpulab
