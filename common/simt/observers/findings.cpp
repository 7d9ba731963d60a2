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
  for (const SharedVariable& v : program_.shared_variables)
    if (place.address >= v.offset && (v.dynamic || place.address < v.offset + v.bytes))
      return fmt::format("{}[{}]", variable_name(v.name), (place.address - v.offset) / bytes);
  return fmt::format("shared memory, byte {}", place.address);
}

void Sanitizer::accuse(const char* tool, const Who& first, const Who& second, const std::string& message,
                       const std::string& address) {
  const auto [entry, fresh] = accusations_.try_emplace({std::string(tool) + message, {first.site, second.site}},
                                                       Accusation{tool, message, address, first, second});
  if (fresh) return;
  Accusation& known = entry->second;
  ++known.count;
  const auto order = [](const Who& a, const Who& b) { return std::tie(a.block, a.thread, b.block, b.thread); };
  if (order(first, second) < order(known.first, known.second)) {
    known.first = first;
    known.second = second;
    known.address = address;
  }
}

void Sanitizer::accuse_race(const Warp& w, const MicroOp* op, const Place& place, int lane, std::uint32_t other_thread,
                            std::uint32_t other_site) {
  const Who now = who(w, lane, op->site);
  const Who earlier{other_thread / threads_, other_thread % threads_, other_site};
  const bool same_block = earlier.block == now.block;
  const bool same_warp = same_block && earlier.thread / kLanes == now.thread / kLanes;
  const char* mend = same_warp    ? "put __syncwarp() or __syncthreads() between them"
                     : same_block ? "put __syncthreads() between them"
                                  : "blocks are ordered by atomics behind __threadfence(), or by separate launches";
  const Access &a = accesses_[earlier.site], &b = accesses_[now.site];
  accuse("racecheck", earlier, now,
         fmt::format("race in {} memory: a {} and a {} of different threads, with nothing that orders them; {}",
                     place.shared ? "shared" : "global", access_name(a), access_name(b), mend),
         name_of(place, b.bytes));
}

void Sanitizer::faulted(Warp& w, const MicroOp* op, int lane, const std::string& what) {
  if (tools_.memcheck) accuse("memcheck", who(w, lane, op->site), {}, what, {});
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
  at.access = access.space != Access::Space::none   ? access_name(access)
              : site.row->meaning.traits & kBarrier ? "barrier"
                                                    : "warp synchronisation";
  at.block = position(who.block, launch_.grid);
  at.thread = position(who.thread, launch_.block);
  at.address = address;
  return at;
}

std::vector<Finding> Sanitizer::take_findings() {
  // One finding for each pair of lines: a line may be several instructions.
  std::vector<Finding> findings;
  for (const auto& [key, accusation] : accusations_) {
    Finding finding{accusation.tool,
                    "error",
                    fmt::format("{} in {}", accusation.message, program_.name),
                    accusation.count,
                    {site_of(accusation.first, accusation.address)}};
    if (accusation.second.site != kNoSite) finding.at.push_back(site_of(accusation.second, accusation.address));
    const auto same = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
      return f.tool == finding.tool && f.message == finding.message && f.at.size() == finding.at.size() &&
             std::equal(f.at.begin(), f.at.end(), finding.at.begin(), [](const FindingSite& a, const FindingSite& b) {
               return a.file == b.file && a.line == b.line && a.access == b.access;
             });
    });
    if (same == findings.end())
      findings.push_back(std::move(finding));
    else
      same->count += finding.count;
  }
  const auto lines = [](const Finding& f) {
    return std::tuple(f.at.front().line, f.at.back().line, f.tool, f.message);
  };
  std::sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) { return lines(a) < lines(b); });
  accusations_.clear();
  return findings;
}

}  // namespace gpulab::simt
