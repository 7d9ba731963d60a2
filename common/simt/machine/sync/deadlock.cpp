// Where a block's threads are, in words, and the report of a block in which nobody can go on.

#include <fmt/format.h>

#include <map>
#include <string>

#include "common/launch_error.h"
#include "common/simt/machine/block.h"

namespace gpulab::simt {

namespace {

std::string state_of(const Split& split) {
  if (split.state == Split::State::barrier) return fmt::format(" (barrier {})", split.barrier);
  if (split.state == Split::State::collective) return " (warp synchronisation)";
  if (split.state == Split::State::asleep) return fmt::format(" ({})", split.awaited);
  return {};
}

/// The micro-op that a split waits at, or goes on with.
const MicroOp* position(const Warp& w, const Split& split) {
  if (split.resume) return split.state == Split::State::barrier ? split.resume - 1 : split.resume;
  return split.block == kNoBlock ? nullptr : w.blocks[split.block].first;
}

}  // namespace

std::string BlockContext::place() const {
  const MicroOp* found = nullptr;
  for (const Warp& w : warps)
    for (const Split& split : w.splits) {
      const MicroOp* at = position(w, split);
      if (at && split.state == Split::State::ready) return place_of(*launch.program, at->site);
      if (!found) found = at;
    }
  return found ? place_of(*launch.program, found->site) : std::string{};
}

void BlockContext::add_places(ThreadPlaces& places) const {
  for (const Warp& w : warps) {
    for (const Split& split : w.splits)
      if (const MicroOp* at = position(w, split)) places[{at->site, state_of(split)}] += active_count(split.mask);
    for (const Reconvergence& r : w.reconvergences)
      if (r.in_use && r.arrived && r.block != kNoBlock)
        places[{w.blocks[r.block].first->site, " (where branches meet)"}] += active_count(r.arrived);
  }
}

std::string described(const Program& program, const ThreadPlaces& places, std::string_view verb) {
  std::map<std::string, std::uint64_t> lines;
  for (const auto& [place, threads] : places) lines[place_of(program, place.first) + place.second] += threads;
  std::string text;
  for (const auto& [line, threads] : lines)
    text += text.empty() ? threads == 1 ? fmt::format("1 thread{}{} at {}", verb, verb.empty() ? "" : "s", line)
                                        : fmt::format("{} threads{} at {}", threads, verb, line)
                         : fmt::format(", {} at {}", threads, line);
  return text;
}

/// Lanes of one warp that wait for each other at different .sync instructions: undefined (PTX ISA: shfl.sync,
/// vote.sync …), and never what was meant.
void BlockContext::check_collectives() const {
  for (const Warp& w : warps)
    for (const Split& a : w.splits)
      for (const Split& b : w.splits) {
        if (a.state != Split::State::collective || b.state != Split::State::collective || a.resume == b.resume)
          continue;
        const auto name = [&](const Split& s) {
          return fmt::format("{} ({}, lanes {:#010x} of mask {:#010x})", place_of(*launch.program, s.resume->site),
                             launch.program->sites[s.resume->site].instruction->opcode, s.mask, s.members);
        };
        const bool same = a.members == b.members;
        throw LaunchError(
            LaunchFailure::fault,
            fmt::format("lanes of one warp wait for each other at different instructions: {} and {}, in "
                        "{}, block ({},{},{}), warp {}",
                        name(a), name(b), launch.program->name, index.x, index.y, index.z, w.index),
            place_of(*launch.program, a.resume->site),
            same ? "all lanes of the mask have to come to the same shuffle or vote: move it out of the branch"
                 : "lanes that shuffle or vote together have to pass the same mask");
      }
}

void BlockContext::report_deadlock() {
  launch.tell([&](Observer& observer) {
    observer.deadlocked(
        *this, "a barrier can never complete; every thread of the block, or of the member mask, has to come to it");
  });
  ThreadPlaces places;
  for (const BlockContext* block : cluster->blocks) {
    block->check_collectives();
    block->add_places(places);
  }
  if (cluster->blocks.size() > 1)
    throw LaunchError(
        LaunchFailure::hung,
        fmt::format("deadlock in {}, the cluster of block ({},{},{}): {}", launch.program->name, index.x, index.y,
                    index.z, described(*launch.program, places, " wait")),
        place(),
        "every thread of the cluster's blocks has to come to the same cluster barrier, and equally often; "
        "let no branch lead around it");
  throw LaunchError(LaunchFailure::hung,
                    fmt::format("deadlock in {}, block ({},{},{}): {}", launch.program->name, index.x, index.y, index.z,
                                described(*launch.program, places, " wait")),
                    place(), "every thread of the block, or of the member mask, has to come to the same barrier");
}

}  // namespace gpulab::simt
