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

void UndefinedValues::WarpValues::make_room(std::size_t registers) {
  if (!lanes.empty()) return;
  lanes.resize(registers);
  marks.resize(registers);
}

std::uint16_t UndefinedValues::WarpValues::number_of(std::uint32_t site, const Undefined& what) {
  const auto same = [&](const auto& one) { return one.first == site && one.second.tool == what.tool; };
  auto found = std::find_if(known.begin(), known.end(), same);
  if (found == known.end()) found = known.emplace(found, site, what);
  return static_cast<std::uint16_t>(found - known.begin());
}

void UndefinedValues::mark(Warp& w, std::uint32_t site, Undefined what) {
  const BlockValues& block = blocks_.of(*w.block);
  WarpValues& values = blocks_.of(*w.block).warps[w.index];
  values.make_room(program_->slots + program_->preds);
  const std::uint16_t index = values.number_of(site, what);
  const ValueStep& step = step_of(site);
  for (std::size_t k = 0; k < step.results.size(); ++k) {
    if (step.results[k] == kNoOperand) continue;
    const auto& undefined = what.undefined[std::min<std::size_t>(k, what.undefined.size() - 1)];
    std::uint32_t lanes = 0;
    Marks marks;
    for (std::uint8_t lane = 0; lane < kLanes; ++lane) {
      marks[lane] = {.place = what.places[lane],
                     .bits = step.extended(undefined[lane]),
                     .what = index,
                     .lane = lane,
                     .padding = (what.padding >> lane & 1) != 0,
                     .in_place = what.element != 0 && k < what.undefined.size(),
                     .in_parts = (what.in_parts >> lane & 1) != 0,
                     .element = static_cast<std::uint8_t>(k)};
      if (undefined[lane] != 0 && !block.carried.empty())
        marks[lane].origin =
            carried_to(block, what.places[lane],
                       k * what.element + static_cast<std::uint32_t>(std::countr_zero(undefined[lane])) / 8);
      lanes |= static_cast<std::uint32_t>(undefined[lane] != 0) << lane;
    }
    if (lanes) set(w, values, {step.results[k]}, lanes, lanes, marks);
  }
  values.known[index].second = std::move(what);
}

void UndefinedValues::mark_unset(const BlockContext& block, const Undefined& what) {
  const std::vector<UnsetRegister>& unset = program_->unset;
  const std::size_t registers = program_->slots + program_->preds;
  if (unset.empty() || program_->recursive || registers >= kNoOperand) return;
  for (const Warp& w : block.warps) {
    WarpValues& values = blocks_.of(block).warps[w.index];
    values.make_room(registers);
    values.known.emplace_back(kNoSite, what);
    Marks marks;
    for (std::uint8_t lane = 0; lane < kLanes; ++lane)
      marks[lane] = {.place = {}, .bits = ~std::uint64_t{0}, .what = 0, .lane = lane, .padding = true};
    for (const UnsetRegister& one : unset) {
      const bool predicate = one.bytes == 0;
      const auto cell = static_cast<std::uint16_t>(predicate ? program_->slots + one.at : one.at);
      const std::uint64_t bits = predicate || one.bytes >= 8 ? ~std::uint64_t{0} : (1ull << 8 * one.bytes) - 1;
      set(w, values, {cell, 0, bits}, w.mask, w.mask, marks);
    }
  }
}

/// Of `lanes`, those in `undefined` now hold an undefined value in a register.
void UndefinedValues::set(const Warp& w, WarpValues& values, Cell cell, std::uint32_t lanes, std::uint32_t undefined,
                          const Marks& marks) {
  if (undefined & lanes && !values.marks[cell.at]) values.marks[cell.at] = std::make_unique<Marks>();
  std::uint32_t& held = values.lanes[cell.at];
  const bool before = held != 0;
  held &= ~lanes;
  for (std::uint32_t left = undefined & lanes; left; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    Mark mark = marks[lane];
    mark.bits = mark.bits >> cell.first & cell.bits;
    if (mark.bits == 0) continue;
    held |= 1u << lane;
    (*values.marks[cell.at])[lane] = mark;
  }
  values.marked += static_cast<std::uint32_t>(held != 0) - static_cast<std::uint32_t>(before);
  w.values_watched = values.marked != 0;
}

void UndefinedValues::accuse(const Warp& w, const Origin& origin) {
  accusations_.add(origin.accusation);
  const Accusation& told = origin.accusation;
  if (origin.source) origin.source->used(w, 0, origin.place, origin.bytes);
  if (std::find(told_.begin(), told_.end(), std::pair(told.first.site, told.tool)) == told_.end())
    told_.emplace_back(told.first.site, told.tool);
}

UndefinedValues::Origin UndefinedValues::origin_of(const Warp& w, const WarpValues& values, const Mark& mark) const {
  const auto& [known, what] = values.known[mark.what];
  const std::uint32_t site = known == kNoSite ? at_ : known;
  return {{.tool = what.tool,
           .message = what.message,
           .address = what.bytes ? name_of(*program_, mark.place, what.bytes) : std::string{},
           .first = suspect(w, mark.lane, site),
           .unless_told_by = what.unless_told_by},
          what.source,
          mark.place,
          what.bytes};
}

/// Accuses whoever got what these lanes hold; from now on it counts as any other value.
void UndefinedValues::use(const Warp& w, WarpValues& values, std::uint16_t cell, std::uint32_t lanes) {
  const std::uint32_t bad = values.lanes[cell] & lanes;
  for (std::uint32_t left = bad; left; left &= left - 1) {
    const Mark mark = (*values.marks[cell])[static_cast<std::size_t>(std::countr_zero(left))];
    if (mark.origin == 0) {
      accuse(w, origin_of(w, values, mark));
      continue;
    }
    accuse(w, blocks_.of(*w.block).origins[mark.origin - 1u]);
    const Undefined& what = values.known[mark.what].second;
    if (what.source) what.source->used(w, mark.lane, mark.place, what.bytes);
  }
  if (bad) set(w, values, {cell}, bad, 0, {});
}

/// The key of the word `behind` bytes behind a place.
static std::uint64_t word_at(const Place& place, std::uint64_t behind) {
  return (place.offset + behind) >> 2 << 1 | static_cast<std::uint64_t>(place.local);
}

/// 0: no store carried anything there.
std::uint16_t UndefinedValues::carried_to(const BlockValues& block, const Place& place, std::uint64_t behind) {
  if (place.allocation) return 0;
  const auto found = block.carried.find(word_at(place, behind));
  return found == block.carried.end() ? std::uint16_t{0} : found->second;
}

bool UndefinedValues::accuse_carried(const Warp& w, const Place& place) {
  const BlockValues& block = blocks_.of(*w.block);
  if (block.carried.empty()) return false;
  const std::uint16_t origin = carried_to(block, place, 0);
  if (origin != 0) accuse(w, block.origins[origin - 1u]);
  return origin != 0;
}

/// Remembers who loaded what a store brings to shared or local memory. False: it goes elsewhere, or is a use.
bool UndefinedValues::carry(const Warp& w, const WarpValues& values, const Mark& mark, Place to, std::uint32_t bytes) {
  const auto& [known_site, what] = values.known[mark.what];
  const std::uint32_t site = known_site == kNoSite ? at_ : known_site;
  BlockValues& block = blocks_.of(*w.block);
  if (!what.carried || to.allocation || block.carried.size() >= kMostCarried) return false;
  std::uint16_t origin = mark.origin;
  if (origin == 0) {
    const auto same = [&](const Origin& one) { return one.accusation.first.site == site; };
    const auto known = std::ranges::find_if(block.origins, same);
    origin = static_cast<std::uint16_t>(known - block.origins.begin() + 1);
    if (known == block.origins.end()) {
      if (block.origins.size() >= 0xffff) return false;
      block.origins.push_back(origin_of(w, values, mark));
    }
  }
  for (std::uint32_t at = 0; at < bytes; at += 4) block.carried[word_at(to, at)] = origin;
  return true;
}

/// Whose padding is copied is accused of nothing. Of what may be written back, or carried on, write_back decides.
void UndefinedValues::store(const Warp& w, WarpValues& values, const ValueStep& step, std::uint32_t lanes) {
  for (const std::uint16_t cell : step.stored) {
    if (cell == kNoOperand) continue;
    std::uint32_t used = 0;
    for (std::uint32_t left = values.lanes[cell] & lanes; left; left &= left - 1) {
      const Mark& mark = (*values.marks[cell])[static_cast<std::size_t>(std::countr_zero(left))];
      const bool waits = (mark.in_place || values.known[mark.what].second.carried) && step.is_located;
      if (!mark.padding && !waits && (mark.bits & step.stored_bits)) used |= left & -left;
    }
    use(w, values, cell, used);
  }
}

const WrittenBack* UndefinedValues::write_back(Warp& w, std::uint32_t site, const Locator& locator) {
  WarpValues& values = blocks_.of(*w.block).warps[w.index];
  if (values.marked == 0) return nullptr;
  const ValueStep& step = step_of(site);
  at_ = site;
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < step.stored.size() && i < back_.bits.size(); ++i) {
    const std::uint16_t cell = step.stored[i];
    if (cell == kNoOperand) continue;
    std::uint32_t used = 0;
    for (std::uint32_t left = values.lanes[cell] & locator.lanes(); left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const Mark& mark = (*values.marks[cell])[static_cast<std::size_t>(lane)];
      const std::uint64_t bits = mark.bits & step.stored_bits;
      if (bits == 0) continue;
      if (!is_from(values.known[mark.what].second, mark, locator, lane, i)) {
        Place to = locator.place(lane);
        to.offset += i * locator.use().element;
        // In shared memory others compute with a variable that nobody gave a value.
        const bool may_carry = !mark.padding || (to.shared && values.known[mark.what].first == kNoSite);
        if (!may_carry || !carry(w, values, mark, to, locator.use().element)) {
          if (!mark.padding) used |= left & -left;
          continue;
        }
      }
      if (!kept) back_ = {};
      kept |= left & -left;
      back_.bits[i][static_cast<std::size_t>(lane)] = bits;
    }
    use(w, values, cell, used);
  }
  back_.lanes = kept;
  return kept ? &back_ : nullptr;
}

/// Whether a lane writes back what it loaded there. The host may read all of a word in global memory, where
/// `counter |= 1` looks like a bit-field: what sets a field has masked the others, or another one has been set before.
bool UndefinedValues::is_from(const Undefined& what, const Mark& mark, const Locator& locator, int lane,
                              std::size_t element) {
  if (!mark.in_place) return false;
  const Place &from = mark.place, to = locator.place(lane);
  return from.allocation == to.allocation && from.shared == to.shared && from.local == to.local &&
         from.offset + std::uint64_t{mark.element} * what.element == to.offset + element * locator.use().element &&
         (!to.allocation || mark.masked || mark.in_parts);
}

/// Of a result that comes from two values.
UndefinedValues::Mark UndefinedValues::both(Mark one, const Mark& other) {
  one.in_place &= other.in_place && one.what == other.what && one.lane == other.lane && one.element == other.element &&
                  one.place.allocation == other.place.allocation && one.place.address == other.place.address;
  one.bits |= other.bits;
  one.padding &= other.padding;
  one.in_parts |= other.in_parts;
  one.masked |= other.masked;
  return one;
}

/// The lanes whose results are undefined, and why.
std::uint32_t UndefinedValues::find_results(const Warp& w, const WarpValues& values, const ValueStep& step,
                                            std::uint32_t lanes, Marks& marks) {
  std::uint32_t undefined = 0;
  if (step.kind == ValueStep::Kind::shuffle) {
    for (std::uint32_t left = lanes; left && step.sources[0] != kNoOperand; left &= left - 1) {
      const int lane = std::countr_zero(left), from = step.source_lane(w, lane);
      // Who has not come yet may still write its register.
      if (!(w.mask >> from & values.lanes[step.sources[0]] >> from & 1)) continue;
      undefined |= 1u << lane;
      Mark& mark = marks[static_cast<std::size_t>(lane)];
      mark = (*values.marks[step.sources[0]])[static_cast<std::size_t>(from)];
      mark.in_place = false;
    }
    return undefined;
  }
  std::array<std::uint32_t, ValueStep::kMostSources> bad{};
  std::uint32_t some = 0;
  for (std::size_t k = 0; k < step.sources.size(); ++k) {
    bad[k] = step.sources[k] == kNoOperand ? 0 : values.lanes[step.sources[k]] & lanes;
    some |= bad[k];
  }
  const auto all_bad = bad;
  step.keep_what_counts(w, lanes, bad);
  for (; some; some &= some - 1) {
    const int lane = std::countr_zero(some);
    const auto mark_of = [&](std::size_t k) -> const Mark& {
      return (*values.marks[step.sources[k]])[static_cast<std::size_t>(lane)];
    };
    ValueStep::Undefineds bits{};
    for (std::size_t k = 0; k < step.sources.size(); ++k)
      if (all_bad[k] >> lane & 1) bits[k] = mark_of(k).bits;
    Mark result;
    for (std::size_t k = 0; k < step.sources.size(); ++k) {
      if (!(bad[k] >> lane & 1)) continue;
      Mark mark = mark_of(k);
      mark.bits = step.through(w, lane, k, bits);
      if (mark.bits == 0) continue;
      mark.padding &= step.moves_bits() && !(mark.in_parts && step.takes_out());
      mark.in_place &= step.keeps_places(w, lane, k, bits);
      mark.masked |= step.masks(k) && mark.bits != bits[k];
      result = result.bits ? both(result, mark) : mark;
    }
    if (result.bits == 0) continue;
    marks[static_cast<std::size_t>(lane)] = result;
    undefined |= 1u << lane;
  }
  return undefined;
}

void UndefinedValues::blame(WarpValues& values, std::uint32_t lanes, Marks& marks) const {
  for (; lanes; lanes &= lanes - 1) {
    Mark& mark = marks[static_cast<std::size_t>(std::countr_zero(lanes))];
    if (values.known[mark.what].first != kNoSite) continue;
    const Undefined what = values.known[mark.what].second;
    mark.what = values.number_of(at_, what);
  }
}

void UndefinedValues::instruction(Warp& w, const MicroOp* op, std::uint32_t lanes) {
  WarpValues& values = blocks_.of(*w.block).warps[w.index];
  if (values.marked == 0) return;
  const ValueStep& step = step_of(op->site);
  at_ = op->site;
  if (step.guard != kNoOperand) use(w, values, step.guard, w.mask);
  for (const std::uint16_t cell : step.uses) use(w, values, cell, lanes);
  store(w, values, step, lanes);
  // Of a warp with a marked register most instructions have nothing to do with it.
  const auto is_marked = [&](std::uint16_t cell) { return cell != kNoOperand && values.lanes[cell] != 0; };
  if (std::ranges::none_of(step.sources, is_marked) && std::ranges::none_of(step.results, is_marked)) return;
  Marks marks;
  const std::uint32_t undefined = find_results(w, values, step, lanes, marks);
  if (!step.moves_bits()) blame(values, undefined, marks);
  w.block->charged += undefined != 0;  // of the budget, in warp instructions
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const std::uint16_t cell = step.results[i];
    if (cell == kNoOperand || !(undefined || values.lanes[cell])) continue;
    const auto [first, bits] = step.place_in_results(i);
    set(w, values, {cell, first, bits}, lanes, undefined, marks);
  }
}

}  // namespace gpulab::simt
