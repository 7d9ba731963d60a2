// Sanitizer, second half: from accusations to findings that name lines, threads and variables.

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "common/demangle.h"
#include "common/ptx/lines.h"
#include "common/simt/observers/sanitizer.h"

namespace gpulab::simt {

namespace {

Dim3 position(std::uint64_t linear, const Dim3& size) {
  return {static_cast<std::uint32_t>(linear % size.x), static_cast<std::uint32_t>(linear / size.x % size.y),
          static_cast<std::uint32_t>(linear / size.x / size.y)};
}

/// "matmul(float*)::tile" -> "tile".
std::string variable_name(std::string_view mangled) {
  const std::string name = demangle(mangled);
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::string access_name(const Access& access) {
  return access.atomic ? "atomic" : access.store ? "write" : access.load ? "read" : "";
}

}  // namespace

Sanitizer::Who Sanitizer::who(const Warp& w, int lane, std::uint32_t site) const {
  return {static_cast<std::uint32_t>(w.block->linear), w.index * kLanes + static_cast<std::uint32_t>(lane), site};
}

std::string Sanitizer::name_of(const Place& place, std::uint32_t bytes) const {
  if (place.local) return fmt::format("local[{}]", place.address / bytes);
  if (place.allocation) return fmt::format("{}[{}]", variable_name(place.allocation->name), place.offset / bytes);
  for (auto v = program_.shared_variables.rbegin(); v != program_.shared_variables.rend(); ++v)
    if (place.address >= v->offset)  // beyond its end too: that is where the index went
      return fmt::format("{}[{}]", variable_name(v->name), (place.address - v->offset) / bytes);
  return fmt::format("shared memory, byte {}", place.address);
}

Sanitizer::Accusation& Sanitizer::accuse(const char* tool, const Who& first, const Who& second,
                                         const std::string& message, const std::string& address, Reach reach) {
  const auto [entry, fresh] = accusations_.try_emplace({std::string(tool) + message, {first.site, second.site}},
                                                       Accusation{tool, message, address, first, second, reach});
  Accusation& known = entry->second;
  if (fresh) return known;
  ++known.count;
  known.reach = std::max(known.reach, reach);
  const auto order = [](const Who& a, const Who& b) { return std::tie(a.block, a.thread, b.block, b.thread); };
  if (order(first, second) < order(known.first, known.second)) {
    known.first = first;
    known.second = second;
    known.address = address;
  }
  return known;
}

void Sanitizer::accuse_race(const Warp& w, const MicroOp* op, const Place& place, int lane, std::uint32_t other_thread,
                            std::uint32_t other_site) {
  const Who now = who(w, lane, op->site);
  const Who earlier{other_thread / threads_, other_thread % threads_, other_site};
  const Reach reach = earlier.block != now.block                       ? Reach::grid
                      : earlier.thread / kLanes == now.thread / kLanes ? Reach::warp
                                                                       : Reach::block;
  accuse("racecheck", earlier, now, place.shared ? "shared" : "global", name_of(place, accesses_[now.site].bytes),
         reach);
}

void Sanitizer::faulted(Warp& w, const MicroOp* op, int lane, std::uint64_t address, const std::string& what) {
  if (!tools_.memcheck) return;
  Place place;
  place.address = address;
  const std::uint32_t bytes = std::max<std::uint32_t>(accesses_[op->site].bytes, 1);
  std::string name;
  if (address - kSharedWindow < kWindowBytes || address - kLocalWindow < kWindowBytes) {
    place.local = address - kLocalWindow < kWindowBytes;
    place.shared = !place.local;
    place.address = address & (kWindowBytes - 1);
    name = name_of(place, bytes);
  } else if (const Allocation* nearest = w.global->nearest(address); nearest && address >= kGlobalStart) {
    place.allocation = nearest;
    place.offset = address - nearest->address;
    name = name_of(place, bytes);
  }
  accuse("memcheck", who(w, lane, op->site), {}, what, name);
}

void Sanitizer::deadlocked(const BlockContext& block, const std::string& what) {
  if (!tools_.synccheck) return;
  for (const Warp& w : block.warps)
    for (const Split& split : w.splits) {
      const MicroOp* at = split.state == Split::State::barrier && split.resume ? split.resume - 1 : split.resume;
      if (!at) continue;
      accuse("synccheck", who(w, __builtin_ctz(split.mask), at->site), {}, what, {});
      return;
    }
}

FindingSite Sanitizer::site_of(const Who& who, const std::string& address) const {
  const Site& site = program_.sites[who.site];
  const ptx::SourceLine line =
      ptx::Lines(*program_.module, program_.module->name).user_line(site.instruction->location);
  FindingSite at;
  at.file = program_.module->name;
  at.line = static_cast<int>(line.line);
  if (line.line == 0) {
    at.file += " (PTX)";
    at.line = static_cast<int>(site.instruction->ptx_line);
  }
  const Access& access = accesses_[who.site];
  at.access = access.space != Access::Space::none            ? access_name(access)
              : site.row->meaning.traits & kStore            ? "write"
              : site.row->meaning.traits & kBarrier          ? "barrier"
              : site.instruction->opcode.starts_with("call") ? "call"
                                                             : "warp synchronisation";
  at.block = position(who.block, launch_.grid);
  at.thread = position(who.thread, launch_.block);
  at.address = address;
  return at;
}

Finding Sanitizer::finding_of(const Accusation& a) const {
  Finding finding{
      a.tool, a.severity, fmt::format("{}: {}", program_.name, a.message), a.count, {site_of(a.first, a.address)}};
  if (a.second.site == kNoSite) return finding;
  finding.at.push_back(site_of(a.second, a.address));
  const auto place = [](const FindingSite& at) { return std::tie(at.file, at.line, at.access); };
  if (place(finding.at[1]) < place(finding.at[0])) std::swap(finding.at[0], finding.at[1]);
  if (a.reach == Reach::none) return finding;
  const bool same_line = finding.at[0].file == finding.at[1].file && finding.at[0].line == finding.at[1].line;
  const char* mend =
      a.reach == Reach::grid
          ? same_line
                ? "update it by an atomic operation (of x[i] += y: atomicAdd(&x[i], y))"
                : "no barrier orders blocks: hand it over by an atomic behind __threadfence(), or in another launch"
      : same_line
          ? "where threads update one element, do it by an atomic operation; where they read each other's, read "
            "into a variable, __syncthreads(), then write"
      : a.reach == Reach::warp ? "put __syncwarp() or __syncthreads() between them"
                               : "put __syncthreads() between them";
  finding.message =
      fmt::format("{}: race in {} memory: {} and {} by different threads, with nothing that orders them; {}",
                  program_.name, a.message, finding.at[0].access, finding.at[1].access, mend);
  return finding;
}

std::vector<Finding> Sanitizer::take_findings() {
  // One finding for each pair of lines: a line may be several instructions. Of a race, the farthest reach is told.
  const auto lines = [](const Finding& f) {
    std::vector<std::tuple<std::string, int, std::string>> at{{f.tool, 0, ""}};
    for (const auto& site : f.at) at.emplace_back(site.file, site.line, site.access);
    return at;
  };
  std::vector<const Accusation*> all;
  for (const auto& [key, accusation] : accusations_) all.push_back(&accusation);
  std::stable_sort(all.begin(), all.end(),
                   [](const Accusation* a, const Accusation* b) { return a->reach > b->reach; });
  std::vector<Finding> findings;
  for (const Accusation* accusation : all) {
    Finding finding = finding_of(*accusation);
    const auto same = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
      return lines(f) == lines(finding) && (accusation->reach != Reach::none || f.message == finding.message);
    });
    if (same == findings.end())
      findings.push_back(std::move(finding));
    else
      same->count += finding.count;
  }
  // What is read before it was written because nothing orders the two is a race, and told as one.
  std::vector<FindingSite> racing;
  for (const Finding& f : findings)
    if (f.tool == "racecheck") racing.insert(racing.end(), f.at.begin(), f.at.end());
  std::erase_if(findings, [&](const Finding& f) {
    return f.tool == "initcheck" && std::any_of(racing.begin(), racing.end(), [&](const FindingSite& at) {
             return at.file == f.at[0].file && at.line == f.at[0].line && at.access == f.at[0].access;
           });
  });
  // A note beside an error of the same line says less.
  const auto erroneous = [&](const Finding& note) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
      return f.severity == Severity::error && f.tool == note.tool &&
             std::any_of(f.at.begin(), f.at.end(), [&](const FindingSite& at) {
               return at.file == note.at[0].file && at.line == note.at[0].line;
             });
    });
  };
  std::vector<Finding> notes;
  std::copy_if(findings.begin(), findings.end(), std::back_inserter(notes),
               [&](const Finding& f) { return f.severity == Severity::note; });
  std::erase_if(findings, [](const Finding& f) { return f.severity == Severity::note; });
  std::copy_if(notes.begin(), notes.end(), std::back_inserter(findings),
               [&](const Finding& f) { return !erroneous(f); });
  const auto order = [](const Finding& f) {
    return std::tuple(f.at.front().line, f.at.back().line, f.tool, f.message);
  };
  std::sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) { return order(a) < order(b); });
  accusations_.clear();
  findings.insert(findings.end(), notes_.begin(), notes_.end());
  notes_.clear();
  return findings;
}

}  // namespace gpulab::simt
