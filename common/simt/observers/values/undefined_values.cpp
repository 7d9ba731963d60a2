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
  std::array<Mark, kLanes> marks;
  for (std::uint16_t lane = 0; lane < kLanes; ++lane) marks[lane] = {index, lane};
  const std::vector<std::uint16_t>& results = step_of(site).results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::uint32_t lanes = what.lanes[std::min<std::size_t>(k, 3)];
    if (results[k] != kNoOperand && lanes) set(w, values, results[k], lanes, lanes, marks);
  }
  known->second = std::move(what);
}

/// Of `lanes`, those in `undefined` now hold an undefined value in a register.
void UndefinedValues::set(Warp& w, WarpValues& values, std::uint16_t cell, std::uint32_t lanes, std::uint32_t undefined,
                          const std::array<Mark, kLanes>& marks) {
  std::uint32_t& held = values.lanes[cell];
  const bool before = held != 0;
  held = (held & ~lanes) | (undefined & lanes);
  for (std::uint32_t left = undefined & lanes; left; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    values.marks[cell][lane] = marks[lane];
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
  if (bad) set(w, values, cell, bad, 0, {});
}

void UndefinedValues::instruction(Warp& w, const MicroOp* op, std::uint32_t lanes) {
  WarpValues& values = blocks_.of(*w.block).warps[w.index];
  if (values.marked == 0) return;
  const ValueStep& step = step_of(op->site);
  if (step.guard != kNoOperand) use(w, values, step.guard, w.mask);
  for (const std::uint16_t cell : step.uses) use(w, values, cell, lanes);
  const auto undefined_in = [&](std::uint16_t cell) { return cell == kNoOperand ? 0 : values.lanes[cell] & lanes; };
  std::uint32_t undefined = 0;
  std::array<Mark, kLanes> marks;
  const auto take = [&](std::uint16_t cell, std::uint32_t of) {
    for (std::uint32_t left = of & ~undefined; left; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      marks[lane] = values.marks[cell][lane];
    }
    undefined |= of;
  };
  if (step.kind == ValueStep::Kind::shuffle) {
    for (std::uint32_t left = lanes; left && step.sources[0] != kNoOperand; left &= left - 1) {
      const int lane = std::countr_zero(left), from = step.source_lane(w, lane);
      // Who has not come yet may still write its register.
      if (!(w.mask >> from & values.lanes[step.sources[0]] >> from & 1)) continue;
      undefined |= 1u << lane;
      marks[static_cast<std::size_t>(lane)] = values.marks[step.sources[0]][static_cast<std::size_t>(from)];
    }
  } else {
    std::array<std::uint32_t, ValueStep::kMostSources> bad{};
    for (std::size_t k = 0; k < step.sources.size(); ++k) bad[k] = undefined_in(step.sources[k]);
    step.keep_what_counts(w, lanes, bad);
    for (std::size_t k = 0; k < step.sources.size(); ++k)
      if (bad[k]) take(step.sources[k], bad[k]);
  }
  for (const std::uint16_t cell : step.results)
    if (cell != kNoOperand && (undefined || values.lanes[cell])) set(w, values, cell, lanes, undefined, marks);
}

}  // namespace gpulab::simt
