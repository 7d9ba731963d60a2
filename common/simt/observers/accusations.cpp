#include "common/simt/observers/accusations.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "common/ptx/lines.h"
#include "common/simt/observers/locator.h"

namespace gpulab::simt {

namespace {

Dim3 position(std::uint64_t linear, const Dim3& size) {
  return {static_cast<std::uint32_t>(linear % size.x), static_cast<std::uint32_t>(linear / size.x % size.y),
          static_cast<std::uint32_t>(linear / size.x / size.y)};
}

/// Lanes wait there for each other: shuffles and votes, not the arithmetic of tensor cores.
bool is_met_by_lanes(const Site& site) {
  return (site.row->meaning.traits & kCollective) && site.row->unit != Unit::matrix;
}

/// What the instruction is, in a word.
std::string name_of(const Site& site) {
  const MemoryUse use = memory_use_of(site);
  if (use.space != MemoryUse::Space::none) return use.atomic ? "atomic" : use.store ? "write" : use.load ? "read" : "";
  return site.row->meaning.traits & kStore            ? "write"
         : site.row->meaning.traits & kBarrier        ? "barrier"
         : site.instruction->call >= 0                ? "call"
         : site.instruction->opcode.starts_with("br") ? "branch"
         : is_met_by_lanes(site)                      ? "warp synchronisation"
                                                      : "use";
}

/// The compiler names no line for what it has taken out of several, a load that two statements share: then the line of
/// the statement behind it is meant, which it was moved to.
ptx::SourceLine line_of(const Program& program, const ptx::Lines& lines, std::size_t site) {
  constexpr std::size_t most_behind = 4;
  for (std::size_t i = site; i < program.sites.size() && i <= site + most_behind; ++i) {
    if (program.sites[i].function != program.sites[site].function) break;
    if (auto line = lines.user_line(program.sites[i].instruction->location); line.line != 0) return line;
  }
  return {};
}

FindingSite site_of(const LaunchState& launch, const Suspect& suspect, const std::string& address) {
  const Program& program = *launch.program;
  const Site& site = program.sites[suspect.site];
  const ptx::Lines lines(*program.module, program.module->name);
  const ptx::SourceLine line = line_of(program, lines, suspect.site);
  FindingSite at;
  at.file = line.line == 0 ? program.module->name : lines.shown_file(line);
  at.line = static_cast<int>(line.line);
  if (line.line == 0) {
    at.file += " (PTX)";
    at.line = static_cast<int>(site.instruction->ptx_line);
  }
  at.access = name_of(site);
  at.block = position(suspect.block, launch.grid);
  at.thread = position(suspect.thread, launch.block);
  at.address = address;
  return at;
}

bool of_one_line(const FindingSite& a, const FindingSite& b) { return a.file == b.file && a.line == b.line; }

bool reads(const Finding& finding) {
  return std::ranges::any_of(finding.at, [](const FindingSite& at) { return at.access == "read"; });
}

/// What is told of accusations of the same places; the example is the first.
struct Told {
  Finding finding;
  std::vector<const Accusation*> of;
};

Told told(const LaunchState& launch, const Accusation& a) {
  Finding finding{std::string(a.tool), a.severity, {}, a.count, {site_of(launch, a.first, a.address)}};
  if (a.second.site != kNoSite) {
    finding.at.push_back(site_of(launch, a.second, a.address));
    const auto place = [](const FindingSite& at) { return std::tie(at.file, at.line, at.access); };
    if (place(finding.at[1]) < place(finding.at[0])) std::swap(finding.at[0], finding.at[1]);
  }
  finding.message = a.message;
  finding.reach = static_cast<int>(a.reach);
  if (a.reach != Reach::none) finding.kernel = launch.program->name;
  return {std::move(finding), {&a}};
}

/// Threads of one warp, beside those of several that meet in the same line: but not where of a block none but the first
/// warp comes, as to a reduction's last rounds, which need no barrier of the block.
Reach reach_of(const std::vector<Told>& all, const Told& one) {
  const Reach own = one.of.front()->reach;
  const bool of_first_warps = std::ranges::all_of(one.of, &Accusation::of_first_warps);
  const Reach from = of_first_warps ? Reach::grid : Reach::block;
  const auto shares_a_line = [&](const Told& other) {
    return other.of.front()->reach >= from && std::ranges::any_of(other.finding.at, [&](const FindingSite& there) {
             return std::ranges::any_of(one.finding.at, [&](const FindingSite& at) { return of_one_line(at, there); });
           });
  };
  return own == Reach::warp && std::ranges::any_of(all, shares_a_line) ? Reach::block : own;
}

/// One for each tool and pair of lines: a line may be several instructions. Of those that differ by their reach, the
/// farthest is told, which comes first, and of them a read beside a write.
std::vector<Told> one_for_each_line(const LaunchState& launch, const std::vector<const Accusation*>& accusations) {
  const auto same = [](const Told& a, const Told& b) {
    if (a.finding.reach != 0 && b.finding.reach != 0) return is_one_mistake(a.finding, b.finding);
    const auto place = [](const FindingSite& at) { return std::tie(at.file, at.line, at.access); };
    return a.finding.tool == b.finding.tool && a.finding.message == b.finding.message &&
           std::ranges::equal(a.finding.at, b.finding.at, {}, place, place);
  };
  std::vector<Told> all;
  for (const Accusation* accusation : accusations) {
    Told one = told(launch, *accusation);
    const auto known = std::find_if(all.begin(), all.end(), [&](const Told& other) { return same(other, one); });
    if (known == all.end()) {
      all.push_back(std::move(one));
      continue;
    }
    known->of.push_back(accusation);
    one.finding.count += known->finding.count;
    if (one.finding.reach == known->finding.reach && reads(one.finding) && !reads(known->finding)) {
      known->finding = std::move(one.finding);
      std::swap(known->of.front(), known->of.back());
    } else {
      known->finding.count = one.finding.count;
    }
  }
  for (Told& one : all) {
    const Reach reach = reach_of(all, one);
    Accusation::Words* const in_words = one.of.front()->in_words;
    one.finding.reach = static_cast<int>(reach);
    one.finding.message =
        fmt::format("{}: {}", launch.program->name,
                    in_words ? in_words(launch, one.of, reach, one.finding.at) : one.of.front()->message);
  }
  return all;
}

/// Leaves out what another tool tells better, and notes beside an error of the same tool and line.
void leave_out_what_says_less(std::vector<Told>& all) {
  const auto says_more = [](const Told& one, const Finding& than, bool same_access) {
    return std::any_of(one.finding.at.begin(), one.finding.at.end(), [&](const FindingSite& at) {
      return of_one_line(at, than.at[0]) && (!same_access || at.access == than.at[0].access);
    });
  };
  std::vector<Told> left;
  for (const Told& one : all)
    if (std::none_of(all.begin(), all.end(), [&](const Told& other) {
          return other.finding.tool == one.of.front()->unless_told_by && says_more(other, one.finding, true);
        }))
      left.push_back(one);
  std::vector<Told> errors;
  std::copy_if(left.begin(), left.end(), std::back_inserter(errors),
               [](const Told& one) { return one.finding.severity == Severity::error; });
  std::erase_if(left, [&](const Told& one) {
    return one.finding.severity == Severity::note && std::any_of(errors.begin(), errors.end(), [&](const Told& error) {
             return error.finding.tool == one.finding.tool && says_more(error, one.finding, false);
           });
  });
  all = std::move(left);
}

}  // namespace

Suspect suspect(const Warp& w, int lane, std::uint32_t site) {
  return {static_cast<std::uint32_t>(w.block->linear), thread_in_block(w, lane), site};
}

Accusations::Merged Accusations::merged(Accusation now) {
  const Key key{std::string(now.tool) + now.message, {now.first.site, now.second.site}};
  now.of_first_warps = now.first.thread < kLanes && now.second.thread < kLanes;
  if (accusations_.size() >= kMost && !accusations_.contains(key)) {
    ++left_out_;
    return {beyond_ = std::move(now), false};
  }
  const auto [entry, fresh] = accusations_.try_emplace(key, now);
  Accusation& known = entry->second;
  if (fresh) return {known, true};
  ++known.count;
  const auto other_thread = [](const Suspect& a, const Suspect& b) {
    return a.block != b.block || a.thread != b.thread;
  };
  known.two_writers =
      known.two_writers || now.two_writers || (now.element == known.element && other_thread(now.writer, known.writer));
  known.alike = known.alike && now.alike;
  known.several = known.several || now.second.thread != known.second.thread;
  known.parted = known.parted || now.parted;
  known.of_first_warps = known.of_first_warps && now.of_first_warps;
  const auto order = [](const Accusation& a) {
    return std::tie(a.first.block, a.first.thread, a.second.block, a.second.thread);
  };
  const bool is_example = now.reach > known.reach || (now.reach == known.reach && order(now) < order(known));
  if (is_example) {
    known.reach = now.reach;
    known.first = now.first;
    known.second = now.second;
  }
  return {known, is_example};
}

void Accusations::note_unchecked(std::string_view tool, const Program& program, std::string_view what) {
  notes_.push_back({std::string(tool),
                    Severity::note,
                    fmt::format("{}: not checked, for {} does not follow {} yet", program.name, tool, what),
                    1,
                    {},
                    {},
                    0,
                    true});
}

void Accusations::warn_unchecked(std::string_view tool, const Program& program, std::string_view why) {
  notes_.push_back({std::string(tool),
                    Severity::warning,
                    fmt::format("{}: not checked to its end, for {} {}", program.name, tool, why),
                    1,
                    {},
                    {},
                    0,
                    true});
}

void Accusations::grid_ended(const LaunchState& launch) {
  std::vector<const Accusation*> farthest_first;
  for (const auto& [key, accusation] : accusations_) farthest_first.push_back(&accusation);
  std::stable_sort(farthest_first.begin(), farthest_first.end(),
                   [](const Accusation* a, const Accusation* b) { return a->reach > b->reach; });
  std::vector<Told> all = one_for_each_line(launch, farthest_first);
  leave_out_what_says_less(all);
  const auto order = [](const Finding& f) {
    return std::tuple(f.at.front().line, f.at.back().line, f.tool, f.message);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Told& a, const Told& b) { return order(a.finding) < order(b.finding); });
  if (left_out_ != 0)
    notes_.push_back({std::string(beyond_.tool),
                      Severity::note,
                      fmt::format("{}: {} more accesses of other pairs of lines are left out", launch.program->name,
                                  std::exchange(left_out_, 0)),
                      1,
                      {}});
  for (Told& one : all) {
    if (Finding* known = known_mistake(findings_, one.finding))
      join(*known, std::move(one.finding));
    else if (findings_.size() < kMostFindings)
      findings_.push_back(std::move(one.finding));
  }
  for (Finding& note : notes_)
    if (findings_.size() < kMostFindings) findings_.push_back(std::move(note));
  accusations_.clear();
  notes_.clear();
}

std::vector<Finding> Accusations::take() { return std::exchange(findings_, {}); }

}  // namespace gpulab::simt
