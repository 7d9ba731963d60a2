#include "common/simt/observers/values/undefined_values.h"

#include <algorithm>
#include <bit>

#include "common/simt/observers/values/value_step.h"

namespace gpulab::simt {

UndefinedValues::UndefinedValues(Accusations& accusations) : Observer(0), accusations_(accusations) {}
UndefinedValues::~UndefinedValues() = default;

void UndefinedValues::grid_started(const LaunchState& launch) {
  program_ = launch.program;
  steps_.clear();
  told_.clear();
  blocks_.clear();
}
void UndefinedValues::block_started(const BlockContext& block) {
  if (watches()) blocks_.start(block);
}
void UndefinedValues::block_ended(const BlockContext& block) {
  if (watches()) blocks_.end(block);
}

const ValueStep& UndefinedValues::step_of(std::uint32_t site) {
  if (steps_.empty()) steps_.resize(program_->sites.size());
  if (!steps_[site]) steps_[site] = std::make_unique<ValueStep>(*program_, program_->sites[site]);
  return *steps_[site];
}

bool UndefinedValues::may_mark(const Warp&, std::uint32_t site, std::string_view tool) {
  // A recursive function's registers are saved and brought back where nobody looks.
  if (program_->recursive || program_->slots + program_->preds >= kNoOperand || step_of(site).results.empty())
    return false;
  return std::find(told_.begin(), told_.end(), std::pair(site, tool)) == told_.end();
}

void UndefinedValues::mark(Warp& w, std::uint32_t site, Undefined what) {
  WarpValues& values = blocks_.of(*w.block).warps[w.index];
  if (values.lanes.empty()) {
    values.lanes.resize(program_->slots + program_->preds);
    values.marks.resize(values.lanes.size());
  }
  const auto same = [&](const auto& one) { return one.first == site && one.second.tool == what.tool; };
  auto known = std::find_if(values.known.begin(), values.known.end(), same);
  if (known == values.known.end()) known = values.known.emplace(known, site, Undefined{});
  const auto index = static_cast<std::uint16_t>(known - values.known.begin());
  const ValueStep& step = step_of(site);
  for (std::size_t k = 0; k < step.results.size(); ++k) {
    if (step.results[k] == kNoOperand) continue;
    const auto& undefined = what.undefined[std::min<std::size_t>(k, what.undefined.size() - 1)];
    std::uint32_t lanes = 0;
    std::array<Mark, kLanes> marks;
    for (std::uint8_t lane = 0; lane < kLanes; ++lane) {
      marks[lane] = {index, lane, (what.padding >> lane & 1) != 0, step.extended(undefined[lane])};
      lanes |= static_cast<std::uint32_t>(undefined[lane] != 0) << lane;
    }
    if (lanes) set(w, values, {step.results[k]}, lanes, lanes, marks);
  }
  known->second = std::move(what);
}

/// Of `lanes`, those in `undefined` now hold an undefined value in a register.
void UndefinedValues::set(Warp& w, WarpValues& values, Cell cell, std::uint32_t lanes, std::uint32_t undefined,
                          const std::array<Mark, kLanes>& marks) {
  std::uint32_t& held = values.lanes[cell.at];
  const bool before = held != 0;
  held &= ~lanes;
  for (std::uint32_t left = undefined & lanes; left; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    Mark mark = marks[lane];
    mark.bytes = static_cast<std::uint8_t>(mark.bytes >> cell.first & cell.bytes);
    if (mark.bytes == 0) continue;
    held |= 1u << lane;
    values.marks[cell.at][lane] = mark;
  }
  values.marked += static_cast<std::uint32_t>(held != 0) - static_cast<std::uint32_t>(before);
  w.values_watched = values.marked != 0;
}

/// Accuses whoever got what these lanes hold; from now on it counts as any other value.
void UndefinedValues::use(Warp& w, WarpValues& values, std::uint16_t cell, std::uint32_t lanes) {
  const std::uint32_t bad = values.lanes[cell] & lanes;
  for (std::uint32_t left = bad; left; left &= left - 1) {
    const Mark mark = values.marks[cell][static_cast<std::size_t>(std::countr_zero(left))];
    const auto& [site, what] = values.known[mark.what];
    const Place& place = what.places[mark.lane];
    accusations_.add({.tool = what.tool,
                      .message = what.message,
                      .address = what.bytes ? name_of(*program_, place, what.bytes) : std::string{},
                      .first = suspect(w, mark.lane, site),
                      .unless_told_by = what.unless_told_by});
    if (what.source) what.source->used(w, mark.lane, place, what.bytes);
    if (std::find(told_.begin(), told_.end(), std::pair(site, what.tool)) == told_.end())
      told_.emplace_back(site, what.tool);
  }
  if (bad) set(w, values, {cell}, bad, 0, {});
}

/// Whose padding is copied is accused of nothing.
void UndefinedValues::store(Warp& w, WarpValues& values, const ValueStep& step, std::uint32_t lanes) {
  for (const std::uint16_t cell : step.stored) {
    std::uint32_t used = 0;
    for (std::uint32_t left = values.lanes[cell] & lanes; left; left &= left - 1) {
      const Mark mark = values.marks[cell][static_cast<std::size_t>(std::countr_zero(left))];
      if (!mark.padding && (mark.bytes & step.stored_bytes)) used |= left & -left;
    }
    use(w, values, cell, used);
  }
}

/// The lanes whose results are undefined, and why.
std::uint32_t UndefinedValues::find_results(const Warp& w, const WarpValues& values, const ValueStep& step,
                                            std::uint32_t lanes, std::array<Mark, kLanes>& marks) {
  std::uint32_t undefined = 0;
  if (step.kind == ValueStep::Kind::shuffle) {
    for (std::uint32_t left = lanes; left && step.sources[0] != kNoOperand; left &= left - 1) {
      const int lane = std::countr_zero(left), from = step.source_lane(w, lane);
      // Who has not come yet may still write its register.
      if (!(w.mask >> from & values.lanes[step.sources[0]] >> from & 1)) continue;
      undefined |= 1u << lane;
      marks[static_cast<std::size_t>(lane)] = values.marks[step.sources[0]][static_cast<std::size_t>(from)];
    }
    return undefined;
  }
  std::array<std::uint32_t, ValueStep::kMostSources> bad{};
  for (std::size_t k = 0; k < step.sources.size(); ++k)
    bad[k] = step.sources[k] == kNoOperand ? 0 : values.lanes[step.sources[k]] & lanes;
  const auto all_bad = bad;
  step.keep_what_counts(w, lanes, bad);
  for (std::size_t k = 0; k < step.sources.size(); ++k)
    for (std::uint32_t left = bad[k]; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      Mark mark = values.marks[step.sources[k]][static_cast<std::size_t>(lane)];
      mark.bytes = step.through(w, lane, k, mark.bytes, all_bad);
      mark.padding &= step.moves_bits();
      if (mark.bytes == 0) continue;
      Mark& result = marks[static_cast<std::size_t>(lane)];
      if (undefined >> lane & 1) {
        result.bytes |= mark.bytes;
        result.padding &= mark.padding;
      } else {
        result = mark;
      }
      undefined |= 1u << lane;
    }
  return undefined;
}

void UndefinedValues::instruction(Warp& w, const MicroOp* op, std::uint32_t lanes) {
  WarpValues& values = blocks_.of(*w.block).warps[w.index];
  if (values.marked == 0) return;
  const ValueStep& step = step_of(op->site);
  if (step.guard != kNoOperand) use(w, values, step.guard, w.mask);
  for (const std::uint16_t cell : step.uses) use(w, values, cell, lanes);
  store(w, values, step, lanes);
  if (step.results.empty()) return;
  std::array<Mark, kLanes> marks;
  const std::uint32_t undefined = find_results(w, values, step, lanes, marks);
  w.block->charged += undefined != 0;  // of the budget, in warp instructions
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const std::uint16_t cell = step.results[i];
    if (cell == kNoOperand || !(undefined || values.lanes[cell])) continue;
    const auto [first, bytes] = step.place_in_results(i);
    set(w, values, {cell, first, bytes}, lanes, undefined, marks);
  }
}

}  // namespace gpulab::simt
