#include "runner/report/explain/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "common/text.h"
#include "runner/report/explain/source_idioms.h"
#include "runner/report/words/lines.h"

namespace gpulab {
namespace {

/// Below this share of the launch a line is not what makes it slow.
constexpr double least_share = 0.02;
/// A warp with fewer lanes at work than this, on average, is marked.
constexpr double few_lanes = 16;
/// A line whose branch keeps fewer lane slots idle than this is no trouble: the last warp of an array, a halo.
constexpr double least_divergence = 0.05;
/// One lane that works for its warp is how such code is written: told where it is much of the kernel.
constexpr double least_of_one_lane = 0.25;
/// What things cost, in cycles of an SM, roughly: it ranks the lines of one kernel and is no time. An SM issues four
/// instructions in a cycle, and moves one wavefront of shared memory, or about one sector of L2 or memory.
constexpr double per_instruction = 0.25, per_wavefront = 1, per_sector = 1, per_atomic = 1;
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

/// Of a line's requests of one kind: what they cost on average, and what they must.
struct Mean {
  double cost = 0, ideal = 0;
  /// One request stands for all where it costs about as much as they do.
  [[nodiscard]] bool is_like(std::uint32_t one) const { return std::abs(one - cost) <= 0.1 * cost; }
};

Mean mean_sectors(const Counters& c, bool stores) {
  const auto requests = stores ? c["global_store_requests"] : c["global_load_requests"];
  const auto sectors = stores ? c["global_store_sectors"] : c["global_load_sectors"];
  const auto bytes = stores ? c["global_distinct_bytes_stored"] : c["global_distinct_bytes_loaded"];
  return {share_of(sectors, requests),
          share_of(std::max(requests, (bytes + sector_bytes - 1) / sector_bytes), requests)};
}

Mean mean_wavefronts(const Counters& c, bool stores) {
  const auto requests = stores ? c["shared_store_requests"] : c["shared_load_requests"];
  const auto wavefronts = stores ? c["shared_store_wavefronts"] : c["shared_load_wavefronts"];
  const auto conflicts = stores ? c["shared_store_bank_conflicts"] : c["shared_load_bank_conflicts"];
  return {share_of(wavefronts, requests), share_of(wavefronts - conflicts, requests)};
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

/// Does the line do little but ask memory whether others have come?
bool is_waiting(const ExplainedLine& line) {
  const auto& c = line.counters;
  const auto polls = c["global_ordered_load_requests"];
  return polls > 0 && (waits_for_grid(line.text) || 8 * polls > c["warp_instructions"]);
}

/// Lane slots that idle, by the line of the branch that is the reason.
class IdleByBranch {
 public:
  struct Part {
    std::uint64_t slots = 0, warps = 0;  ///< idle; instructions of warps
    [[nodiscard]] double lanes() const { return 32 - share_of(slots, warps); }
  };

  IdleByBranch(const LaunchLines& launch, const std::vector<ExplainedLine>& lines) {
    // Who waits for others is told to, and idles for no branch.
    std::set<std::uint32_t> waiting;
    for (const auto& line : lines)
      if (line.line != 0 && is_waiting(line)) waiting.insert(line.line);
    for (const auto& idle : launch.idle)
      if (idle.line != 0 && !waiting.contains(idle.line) && !waiting.contains(idle.branch))
        by_branch_[idle.branch].push_back(idle);
  }
  /// Of all lines that idle for the line's branch.
  [[nodiscard]] Part because_of(std::uint32_t branch) const {
    Part all;
    for (const auto& idle : of(branch)) {
      all.slots += idle.slots;
      all.warps += idle.warps;
    }
    return all;
  }
  /// What no branch of the user's is to blame for.
  [[nodiscard]] std::uint64_t without_reason(std::uint32_t line) const {
    const auto& all = of(0);
    const auto found = std::lower_bound(all.begin(), all.end(), line,
                                        [](const IdleLanes& idle, std::uint32_t number) { return idle.line < number; });
    return found == all.end() || found->line != line ? 0 : found->slots;
  }
  /// Other lines that idle for the line's branch, with so many lane slots at least.
  [[nodiscard]] std::vector<std::uint32_t> victims_of(std::uint32_t branch, double slots) const {
    std::vector<std::uint32_t> victims;
    for (const auto& idle : of(branch))
      if (idle.line != branch && static_cast<double>(idle.slots) >= slots) victims.push_back(idle.line);
    return victims;
  }

 private:
  [[nodiscard]] const std::vector<IdleLanes>& of(std::uint32_t branch) const {
    static const std::vector<IdleLanes> none;
    const auto found = by_branch_.find(branch);
    return found == by_branch_.end() ? none : found->second;
  }
  std::map<std::uint32_t, std::vector<IdleLanes>> by_branch_;  ///< each by line
};

class Marker {
 public:
  Marker(const LaunchLines& launch, const std::vector<ExplainedLine>& lines, std::vector<Mark>& marks)
      : launch_(launch), whole_(launch.counters), lines_(lines), idle_(launch, lines), marks_(marks) {}
  /// What no line is to blame for.
  void look_at_launch(int sm_count) {
    few_blocks(sm_count);
    partial_warps();
    imbalance(sm_count);
  }
  void look_at(const ExplainedLine& line) {
    if (is_waiting(line)) return waiting(line);
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
  void add(const ExplainedLine& line, const char* kind, double share, double cost, const std::string& text,
           const std::string& general = {}) {
    if (share >= least_share) marks_.push_back({line.line, kind, share, text + general, text.size(), cost});
  }
  /// A kernel whose few blocks work for long, or would be done sooner as modelled, while all other SMs have nothing to
  /// do.
  void few_blocks(int sm_count) {
    constexpr std::uint64_t long_work = 1000;  // instructions of a warp
    const auto blocks = launch_.grid.volume(), sms = static_cast<std::uint64_t>(std::max(sm_count, 0));
    const auto warps = std::max<std::uint64_t>(whole_["warps"], 1);
    if (blocks >= sms || (whole_["warp_instructions"] / warps < long_work && !idle_sms_cost_time())) return;
    const std::string text = fmt::format("{}, {} SMs idle: {} of {} SMs {} all the work, {} instructions per warp",
                                         plural(blocks, "block"), sms - blocks, blocks, sms,
                                         blocks == 1 ? "does" : "do", grouped(whole_["warp_instructions"] / warps));
    marks_.push_back({0, "few_blocks", share_of(sms - blocks, sms),
                      text + ". Try: as many blocks as fill the GPU, each with a part of the work", text.size(),
                      std::numeric_limits<double>::infinity()});
  }
  [[nodiscard]] bool idle_sms_cost_time() const {
    return launch_.time && std::any_of(launch_.time->what_ifs.begin(), launch_.time->what_ifs.end(),
                                       [](const WhatIf& what) { return what.kind == "idle_sms"; });
  }
  /// A block whose threads are no multiple of 32: its last warp issues what a full one would. Of a few blocks it
  /// matters little.
  void partial_warps() {
    constexpr std::uint64_t many = 32;
    constexpr double least = 0.1;
    const std::uint64_t threads = launch_.block.volume(), warps = (threads + 31) / 32;
    const double share = warps == 0 ? 0 : 1 - static_cast<double>(threads) / static_cast<double>(32 * warps);
    if (share < least || launch_.grid.volume() < many) return;
    const std::string text =
        fmt::format("partial warps: a block of {} threads takes {}, {} of whose {} lanes are never there", threads,
                    plural(warps, "warp"), 32 * warps - threads, 32 * warps);
    marks_.push_back({0, "partial_warps", share, text + ". Try: a multiple of 32 threads per block", text.size(),
                      share * static_cast<double>(whole_["warp_instructions"]) * per_instruction});
  }
  /// The grid ends with its busiest block: what all SMs could have done until then, had they had the work.
  void imbalance(int sm_count) {
    constexpr double least = 0.25, twice = 2;
    const auto blocks = static_cast<double>(launch_.grid.volume());
    const auto executed = static_cast<double>(whole_["block_instructions"]);
    const double busiest = blocks == 0 ? 0 : static_cast<double>(whole_["busiest_block_instructions"]) / blocks;
    const double capacity = busiest * std::min(blocks, static_cast<double>(std::max(sm_count, 1)));
    if (executed == 0 || busiest * blocks < twice * executed || capacity * (1 - least) < executed) return;
    const double share = 1 - executed / capacity;
    const std::string text = fmt::format(
        "imbalance: the busiest block executes {:.3g} times as much as a block on average, and the grid ends with it",
        busiest * blocks / executed);
    marks_.push_back({0, "imbalance", share, text + ". Try: parts of equal work, or more and smaller ones", text.size(),
                      share * executed * per_instruction});
  }
  void waiting(const ExplainedLine& line) {
    const auto& c = line.counters;
    const auto polls = grouped(c["global_ordered_load_requests"]);
    const std::string what = waits_for_grid(line.text)
                                 ? fmt::format(
                                       "waiting: a barrier of the whole grid; a thread of each block asks {} "
                                       "times in all whether the others have come, its warp idles",
                                       polls)
                                 : fmt::format("waiting: memory is asked {} times whether others have come", polls);
    add(line, "waiting", share_of(c["warp_instructions"], whole_["warp_instructions"]),
        static_cast<double>(c["warp_instructions"]) * per_instruction, what,
        ". How often is a matter of time, not of work: these instructions are no others' to save. Try: fewer such "
        "waits, or another launch");
  }
  /// The share of lane slots that idle because of the line's branch.
  void divergence(const ExplainedLine& line) {
    const auto& c = line.counters;
    if (c["divergent_branches"] == 0) return;
    const auto idle = idle_.because_of(line.line);
    const auto share = share_of(idle.slots, 32 * whole_["warp_instructions"]);
    const double cost = static_cast<double>(idle.slots) / 32 * per_instruction;
    if (share < least_divergence) return;
    const auto victims =
        idle_.victims_of(line.line, least_share * 32 * static_cast<double>(whole_["warp_instructions"]));
    if (!launch_.ptx && !branches_itself(line.text)) {
      add(line, "divergence", share, cost,
          fmt::format(
              "divergence in what this line calls: {:.1f} of a warp's 32 lanes work there on average, the others "
              "wait",
              idle.lanes()));
      marks_.back().victims = victims;
      return;
    }
    const bool one_lane = idle.lanes() < 2 || lets_one_in(line.text);
    if (one_lane && share < least_of_one_lane) return;
    add(line, "divergence", share, cost,
        fmt::format("divergence: lanes of a warp disagree at this branch {} of {} times{}",
                    grouped(c["divergent_branches"]), grouped(c["branches"]), victims_text(victims)),
        one_lane
            ? "; one lane works for its warp, the others wait. Try: less work for the one, or a share of it for all"
        : loops(line.text)
            ? "; lanes that are done wait for the warp's last one. Try: as many turns for all lanes of a warp"
        : leaves(line.text)
            ? "; lanes that leave idle until their warp ends. Try: let whole warps leave"
            : "; the warp goes each way, one after the other, with the other lanes off. Try: let whole warps go one "
              "way");
    marks_.back().victims = victims;
  }
  /// Of a warp's 32, on average.
  [[nodiscard]] double lanes_of(std::uint32_t number) const {
    for (const auto& line : lines_)
      if (line.line == number)
        return share_of(line.counters["thread_instructions"], line.counters["warp_instructions"]);
    return 32;
  }
  /// "; line 97 runs with 4.0 of 32 lanes, line 99 with 16.0".
  [[nodiscard]] std::string victims_text(const std::vector<std::uint32_t>& victims) const {
    constexpr std::size_t most = 3;
    std::vector<std::string> words;
    for (const auto line : victims)
      words.push_back(fmt::format("line {} {}with {:.1f}{}", line, words.empty() ? "runs " : "", lanes_of(line),
                                  words.empty() ? " of 32 lanes" : ""));
    if (words.empty()) return "";
    const auto more = words.size() > most ? words.size() - most : 0;
    words.resize(words.size() - more);
    return "; " + join(words) + (more ? fmt::format(" and {}", plural(more, "line") + " more") : "");
  }
  void idle_lanes(const ExplainedLine& line) {
    const auto& c = line.counters;
    const double lanes = share_of(c["thread_instructions"], c["warp_instructions"]);
    if (c["warp_instructions"] == 0 || lanes >= few_lanes) return;
    const auto slots = idle_.without_reason(line.line);
    const auto share = share_of(slots, 32 * whole_["warp_instructions"]);
    if (share < least_divergence) return;
    add(line, "idle_lanes", share, static_cast<double>(slots) / 32 * per_instruction,
        fmt::format("idle lanes: {:.1f} of a warp's 32 lanes work here on average; the others wait", lanes));
  }
  void coalescing(const ExplainedLine& line) {
    const auto surplus = surplus_sectors(line.counters);
    // A warp that starts in the middle of a sector takes one more than it needs: not worth a mark.
    if (share_of(surplus, sectors_of(line.counters)) < 0.25) return;
    const auto* access = worst_access(launch_, line.line, false, false);
    if (access == nullptr) return;
    const auto wanted = (access->distinct_bytes + sector_bytes - 1) / sector_bytes;
    const bool stores = access->instruction.starts_with("st");
    const auto mean = mean_sectors(line.counters, stores);
    const auto all = mean.is_like(access->sectors)
                         ? std::string()
                         : fmt::format("{:.3g} sectors per request on average where {:.3g} would do; for example ",
                                       mean.cost, mean.ideal);
    add(line, "uncoalesced", share_of(surplus, sectors_of(whole_)), static_cast<double>(surplus) * per_sector,
        fmt::format("uncoalesced {}: {}{} {} {} where {} would hold what they ask for{}", stores ? "store" : "load",
                    all, plural(lane_count(*access), "lane"), lane_count(*access) == 1 ? "touches" : "touch",
                    plural(access->sectors, "sector"), wanted, distance_text(*access)),
        ". Try: neighbouring threads on neighbouring elements; where this only moves it to another access (a "
        "transpose), through a "
        "tile in shared memory");
  }
  void banks(const ExplainedLine& line) {
    const auto conflicts = conflicts_of(line.counters);
    if (conflicts == 0) return;
    const auto text = bank_text(line);
    add(line, "bank_conflict", share_of(conflicts, wavefronts_of(whole_)),
        static_cast<double>(conflicts) * per_wavefront, text,
        ". Try: neighbouring threads on neighbouring words, or padding, an unused word after each 32 (a matrix: rows "
        "one word longer, tile[32][33])");
  }
  [[nodiscard]] std::string bank_text(const ExplainedLine& line) const {
    const auto* access = worst_access(launch_, line.line, true, false);
    if (access == nullptr || access->wavefronts <= access->ideal_wavefronts) return "bank conflicts";
    const auto mean = mean_wavefronts(line.counters, access->store);
    const auto all = mean.is_like(access->wavefronts)
                         ? std::string()
                         : fmt::format("a {} takes {:.3g} passes on average where {:.3g} would do. For example, ",
                                       access->store ? "store" : "load", mean.cost, mean.ideal);
    const auto banks = banks_of(*access);
    const auto& busiest = *std::max_element(
        banks.begin(), banks.end(), [](const Bank& a, const Bank& b) { return a.words.size() < b.words.size(); });
    std::size_t lanes = 0;
    for (const auto& word : busiest.words) lanes += word.lanes.size();
    return fmt::format("bank conflict: {}{} want {} of bank {}: {} passes where {} would do{}", all,
                       plural(lanes, "lane"), plural(busiest.words.size(), "different word"), busiest.number,
                       access->wavefronts, access->ideal_wavefronts, distance_text(*access));
  }
  void atomics(const ExplainedLine& line) {
    const auto& c = line.counters;
    const auto most = std::max(c["global_atomic_max_lanes"], c["shared_atomic_max_lanes"]);
    const auto requests = c["global_atomic_requests"] + c["shared_atomic_requests"];
    const double share = share_of(requests, requests_of(whole_)),
                 cost = static_cast<double>(requests * most) * per_atomic;
    const bool queue = blocks_queue(line.line);
    if (most >= 2) {
      add(line, "atomic", share, cost,
          fmt::format("contended atomic: up to {} of a warp meet on one address and queue there{}",
                      plural(most, "lane"), queue ? ", behind those of other blocks" : ""),
          c["global_atomic_requests"] == 0
              ? ". Try: combine within the warp first, or a copy of the words for each warp"
              : ". Try: combine within the warp or the block first");
    } else if (queue) {  // few of them may take most of the time: told whatever their share of the requests
      const std::string text = fmt::format(
          "contended atomic: {} requests of all blocks, and those at one address go one after another, as modelled "
          "longer than "
          "all else takes",
          grouped(requests));
      marks_.push_back({line.line, "atomic", share, text + ". Try: fewer of them, each for more work of its block",
                        text.size(), cost});
    }
  }
  [[nodiscard]] bool blocks_queue(std::uint32_t line) const {
    return launch_.time && std::any_of(launch_.time->what_ifs.begin(), launch_.time->what_ifs.end(),
                                       [&](const WhatIf& what) { return what.line == line && what.kind == "queue"; });
  }
  /// A plain store of several lanes to one address, or a place that is loaded, changed and stored like `*total +=
  /// value`: told whatever its share, because it is about what the kernel computes.
  void same_address(const ExplainedLine& line) {
    const LineAccess* worst = nullptr;
    for (const auto& access : launch_.accesses)
      if (access.line == line.line && access.store && !access.atomic &&
          (worst == nullptr || access.max_same_address > worst->max_same_address))
        worst = &access;
    if (worst == nullptr) return;
    const auto& c = line.counters;
    const auto loads = c["global_load_requests"] + c["shared_load_requests"];
    const auto stores = c["global_store_requests"] + c["shared_store_requests"];
    const double share = share_of(loads + stores, requests_of(whole_));
    constexpr const char* remedy =
        ". Try: an atomic, or combine the values first; --sanitize racecheck tells whether it is a race";
    if (const auto place = one_place_changed(line.text);
        !place.empty() && std::min(loads, stores) > 1 && !launch_.ptx) {
      const std::string text = fmt::format(
          "one address: {} is loaded, changed and stored {} times without an atomic; where threads do so at once, "
          "one of the results stays and the others are lost",
          place, grouped(stores));
      // Wrong comes before slow.
      marks_.push_back(
          {line.line, "same_address", share, text + remedy, text.size(), std::numeric_limits<double>::max()});
      return;
    }
    if (worst->max_same_address < 2) return;
    const std::string text = fmt::format(
        "one address: up to {} of a warp store to the same address at once; unless they store the same value, "
        "one of the values stays and the others are lost",
        plural(worst->max_same_address, "lane"));
    marks_.push_back({line.line, "same_address", share, text + remedy, text.size(),
                      static_cast<double>(stores) * worst->max_same_address * per_sector});
  }
  static std::uint64_t requests_of(const Counters& k) {
    return k["global_atomic_requests"] + k["shared_atomic_requests"] + k["global_load_requests"] +
           k["global_store_requests"] + k["shared_load_requests"] + k["shared_store_requests"];
  }
  void local(const ExplainedLine& line) {
    const auto sectors = local_sectors_of(line.counters);
    if (sectors == 0) return;
    add(line, "local_memory", share_of(sectors, local_sectors_of(whole_) + sectors_of(whole_)),
        static_cast<double>(sectors) * per_sector,
        fmt::format("local memory: an array that is indexed at run time does not fit registers and lies in memory: {} "
                    "sectors",
                    grouped(sectors)),
        ". Try: indices that are constants, by unrolled loops");
  }

  const LaunchLines& launch_;
  const Counters& whole_;
  const std::vector<ExplainedLine>& lines_;
  IdleByBranch idle_;
  std::vector<Mark>& marks_;
};

}  // namespace

std::vector<Mark> marks_of(const LaunchLines& launch, const std::vector<ExplainedLine>& lines, int sm_count) {
  std::vector<Mark> marks;
  Marker marker(launch, lines, marks);
  marker.look_at_launch(sm_count);
  for (const auto& line : lines) marker.look_at(line);
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.cost > b.cost; });
  return marks;
}

}  // namespace gpulab
