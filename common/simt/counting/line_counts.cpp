#include "common/simt/counting/line_counts.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "common/ptx/lines.h"
#include "common/simt/counting/access.h"
#include "common/simt/counting/code_facts.h"
#include "common/simt/counting/divergence_regions.h"
#include "common/simt/counting/statistics.h"

namespace gpulab::simt {

namespace {

using LineAndPhase = std::pair<std::uint32_t, std::uint32_t>;

/// Of the file that most sites lie in, but for the user's own where any does.
SourceOfSites lines_of_source(const Program& program) {
  const ptx::Lines resolved(*program.module, program.module->name);
  std::vector<ptx::SourceLine> all;
  std::map<std::string_view, std::size_t> counts;
  for (const Site& site : program.sites) {
    all.push_back(site.instruction ? resolved.user_line(site.instruction->location) : ptx::SourceLine{});
    if (all.back().line != 0) ++counts[resolved.shown_file(all.back())];
  }
  if (counts.empty()) return {};
  auto chosen = counts.find(program.module->name);
  if (chosen == counts.end())
    chosen = std::max_element(counts.begin(), counts.end(),
                              [](const auto& a, const auto& b) { return a.second < b.second; });
  SourceOfSites found{std::string(chosen->first), {}};
  for (const ptx::SourceLine& line : all)
    found.lines.push_back(line.line != 0 && resolved.shown_file(line) == chosen->first ? line.line : 0);
  return found;
}

/// What a request costs beyond the ideal: wavefronts in shared memory, sectors in global memory.
std::uint32_t cost(const Pattern& p) {
  if (p.phase & kSharedPhase) return p.wavefronts - p.ideal_wavefronts;
  return p.sectors - (p.distinct_bytes + 31u) / 32;
}

const Pattern* worst_pattern(const Workers& workers, std::size_t site, bool shared) {
  const Pattern* worst = nullptr;
  const auto rank = [](const Pattern& p) {
    return std::tuple(cost(p), __builtin_popcount(p.mask), most_on_one_address(p));
  };
  for (const auto& worker : workers)
    for (const Pattern& p : std::span(worker->patterns.data()[site].ways, worker->patterns.data()[site].capacity)) {
      if (p.mask == 0 || ((p.phase & kSharedPhase) != 0) != shared) continue;
      if (!worst || rank(p) > rank(*worst)) worst = &p;
    }
  return worst;
}

/// The address offsets of all sites' own micro-ops, whatever decode put around them.
std::vector<std::int32_t> offsets_of(const Program& program) {
  std::vector<std::int32_t> offsets(program.sites.size());
  for (auto op = program.ops.rbegin(); op != program.ops.rend(); ++op) {
    if (op->site >= offsets.size()) continue;
    const Meaning& meaning = program.sites[op->site].row->meaning;
    const bool own = op->run == meaning.run || op->run == meaning.counted || op->run == meaning.followed;
    if (own) offsets[op->site] = op->imm;
  }
  return offsets;
}

void add_accesses(const Program& program, const Workers& workers, std::size_t i, std::uint32_t line,
                  const std::vector<std::int32_t>& offsets, std::vector<LineAccess>& accesses) {
  const Site& site = program.sites[i];
  const std::uint16_t traits = site.row->meaning.traits;
  if (!(traits & (kLoad | kStore | kAtomic)) || site.row->unit == Unit::param || site.row->unit == Unit::constant)
    return;
  const std::size_t owner = site.leader == kNoSite ? i : site.leader;
  const std::int64_t further = owner == i ? 0 : std::int64_t{offsets[i]} - offsets[owner];
  for (const bool shared : {false, true}) {
    const Pattern* p = worst_pattern(workers, owner, shared);
    if (!p) continue;
    LineAccess access;
    access.line = line;
    access.ptx_line = site.instruction->ptx_line;
    access.instruction = site.instruction->opcode;
    access.shared = shared;
    access.atomic = traits & kAtomic;
    access.load = !access.atomic && (traits & kLoad);
    access.store = !access.atomic && (traits & kStore);
    access.width = bytes_per_lane(site.row->meaning);
    access.mask = p->mask;
    for (std::uint32_t left = p->mask; left; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      access.addresses[static_cast<std::size_t>(lane)] =
          p->relative[lane] + (shared ? std::int64_t{p->base} + further : 0);
    }
    access.sectors = p->sectors;
    access.distinct_bytes = p->distinct_bytes;
    access.wavefronts = p->wavefronts;
    access.ideal_wavefronts = p->ideal_wavefronts;
    access.max_same_address = most_on_one_address(*p);
    accesses.push_back(std::move(access));
  }
}

/// Lanes that a warp lacks on average because its block's threads are no multiple of 32: those that are not at the
/// kernel's first instruction, where no branch can have kept them away.
double lanes_never_there(const Program& program, const std::vector<Tally>& tallies) {
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    const auto& executed = tallies[i].executed;
    if (program.sites[i].block != program.functions.front().entry_block || executed.warps == 0) continue;
    return kLanes - static_cast<double>(executed.lanes) / static_cast<double>(executed.warps);
  }
  return 0;
}

std::vector<LineDoubles> line_doubles(const Program& program, const std::vector<std::uint32_t>& line_of,
                                      const std::vector<Tally>& tallies) {
  std::map<std::uint32_t, std::uint64_t> found;
  const auto meant = doubles_for_floats(program);
  for (std::size_t i = 0; i < meant.size(); ++i)
    if (meant[i]) found[line_of[i]] += tallies[i].executed.warps - tallies[i].own.guard_skipped;
  std::vector<LineDoubles> doubles;
  for (const auto& [line, instructions] : found)
    if (instructions > 0) doubles.push_back({line, instructions});
  return doubles;
}

/// Lane slots that idle at each line, by the line of the branch that is the reason. `tallies`: by site, of all phases.
std::vector<IdleLanes> idle_lanes(const Program& program, const std::vector<std::uint32_t>& line_of,
                                  const std::vector<Tally>& tallies) {
  std::vector<std::uint64_t> divergent;
  for (const Tally& tally : tallies) divergent.push_back(tally.own.divergent);
  const auto reasons = branches_that_divide(program, divergent);
  const double never = lanes_never_there(program, tallies);
  std::map<std::pair<std::uint32_t, std::uint32_t>, IdleLanes> found;
  const auto add = [&](std::uint32_t line, std::uint32_t branch, std::uint64_t slots, std::uint64_t warps) {
    if (slots == 0) return;
    IdleLanes& idle = found[{line, branch}];
    idle.line = line;
    idle.branch = branch;
    idle.slots += slots;
    idle.warps += warps;
  };
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    const Tally& tally = tallies[i];
    const std::uint64_t warps = tally.executed.warps - tally.own.guard_skipped;
    if (warps == 0) continue;
    const std::uint64_t all = kLanes * warps - (tally.executed.lanes - tally.own.guard_lanes_off);
    // Lanes that are not here are the branch's; those that the instruction's guard switches off are not.
    const auto lacking = static_cast<std::uint64_t>(never * static_cast<double>(tally.executed.warps));
    const std::uint64_t gone = kLanes * tally.executed.warps - tally.executed.lanes;
    const std::uint64_t away = std::min(all, gone - std::min(gone, lacking));
    const std::uint32_t reason = reasons[program.sites[i].block];
    add(line_of[i], reason == kNoSite ? 0 : line_of[reason], away, warps);
    add(line_of[i], 0, all - away, warps);
  }
  std::vector<IdleLanes> idle;
  for (const auto& [key, value] : found) idle.push_back(value);
  return idle;
}

}  // namespace

/// Lines of the source, or of the PTX where no site knows one, or the module has no source at hand.
SourceOfSites source_of_sites(const Program& program, bool has_source) {
  SourceOfSites found = has_source ? lines_of_source(program) : SourceOfSites{};
  if (!found.lines.empty()) return found;
  found.file = program.module->name;
  found.ptx = true;
  for (const Site& site : program.sites) found.lines.push_back(site.instruction ? site.instruction->ptx_line : 0);
  return found;
}

std::vector<std::uint32_t> lines_of_sites(const Program& program, std::string_view source) {
  return source_of_sites(program, !source.empty()).lines;
}

void count_lines(const Program& program, const Workers& workers, std::string_view source, std::string_view ptx,
                 LaunchLines& out) {
  const SourceOfSites found = source_of_sites(program, !source.empty());
  const std::vector<std::uint32_t>& line_of = found.lines;
  out.file = found.file;
  out.ptx = found.ptx;
  // The text of a header is for whoever shows it to find.
  out.text = found.ptx ? ptx : found.file == program.module->name ? source : std::string_view();
  const auto phases = static_cast<std::uint32_t>(workers.front()->phases.size());
  const std::vector<std::int32_t> offsets = offsets_of(program);
  std::map<LineAndPhase, LineCounts> counted;
  std::vector<Tally> tallies(program.sites.size());
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    const Site& site = program.sites[i];
    if (site.block == kNoBlock) continue;
    for (std::uint32_t phase = 0; phase < phases; ++phase) {
      const Tally tally = tally_of(program, workers, i, phase);
      tallies[i].executed.warps += tally.executed.warps;
      tallies[i].executed.lanes += tally.executed.lanes;
      tallies[i].own.add(tally.own);
      if (phase != 0 && tally.executed.warps == 0) continue;
      LineCounts& line = counted[{line_of[i], phase}];
      line.line = line_of[i];
      line.phase = phase;
      line.executions = std::max(line.executions, tally.executed.warps - tally.own.guard_skipped);
      add_site(line.counters, site, tally);
      if (tally.executed.warps) out.phases = std::max(out.phases, phase + 1);
    }
    add_accesses(program, workers, i, line_of[i], offsets, out.accesses);
  }
  for (auto& [key, line] : counted) out.lines.push_back(line);
  out.idle = idle_lanes(program, line_of, tallies);
  out.doubles = line_doubles(program, line_of, tallies);
  out.leaves_nothing = leaves_nothing(program);
  std::stable_sort(out.accesses.begin(), out.accesses.end(), [](const LineAccess& a, const LineAccess& b) {
    return std::pair(a.line, a.ptx_line) < std::pair(b.line, b.ptx_line);
  });
}

}  // namespace gpulab::simt
