#include "common/simt/compiled/flow.h"

#include <algorithm>
#include <string_view>

#include "common/simt/compiled/spread.h"

namespace gpulab::simt::compiled {

namespace {

using Kind = Operation::Kind;
constexpr std::int64_t kFarthest = std::int64_t{1} << 30;  ///< of a lane from lane 0: sums of two stay far from 2^32
constexpr std::int64_t kLargestFactor = 1 << 16;

State vector_state(bool dirty) { return {State::Kind::vector, dirty, 0}; }

}  // namespace

bool is_contiguous(const Lanes& lanes, std::uint32_t width, std::size_t from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (lanes[from + i] != lanes[from] + static_cast<std::int64_t>(i * width)) return false;
  return true;
}
bool is_uniform(const Lanes& lanes, std::size_t from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (lanes[from + i] != lanes[from]) return false;
  return true;
}
bool is_by_halves(const Lanes& lanes, std::uint32_t width) {
  for (std::size_t half = 0; half < kLanes; half += kLanes / 2)
    if (lanes[half] % width != 0 ||
        (!is_contiguous(lanes, width, half, kLanes / 2) && !is_uniform(lanes, half, kLanes / 2)))
      return false;
  return true;
}

/// Blocks of 16 threads a row or a multiple of it have half a warp in a row, or a whole one, which is two halves.
Flow::Flow(const Operations& operations, const Dim3& block)
    : all_(operations), always_(operations.variables()), lanes_of_row_(block.x % 16 != 0 && block.x % 8 == 0 ? 8 : 16) {
  find_kept();
  find_live();
  find_preserved();
  find_states(block);
}

const std::uint64_t* Flow::constant(Variable v) const {
  const auto found = constants_.find(v);
  return found == constants_.end() ? nullptr : &found->second;
}

// ---- what is read later: by each lane for itself, so that what some lanes overwrite stays alive for the others ----

void Flow::read_before(Live& live, const Operation& o) const {
  if (!o.known) {
    live.assign(live.size(), true);
    return;
  }
  for (const Variable v : o.out) live[v] = always_[v];
  for (const Variable v : o.in) live[v] = true;
}

Live Flow::live_at(std::size_t block, std::size_t k) const {
  Live live = always_;
  for (const std::uint32_t next : all_.successors(block))
    for (std::size_t v = 0; v < live.size(); ++v) live[v] = live[v] || live_[next][v];
  const auto& list = all_.blocks[block];
  // A block that ends in no branch ends where the interpreter takes over, at what it knows to read.
  for (std::size_t i = list.size(); i-- > k;) read_before(live, list[i]);
  for (std::size_t v = 0; v < kept_[block].size(); ++v) live[v] = live[v] || kept_[block][v];
  return live;
}

/// Whether all blocks wait in vain for each other is seen by their registers, also by those that nobody reads any more
/// (sync/repetition.h): what a loop writes that polls stays in it.
void Flow::find_kept() {
  const std::size_t count = all_.blocks.size();
  kept_.resize(count);
  std::vector<std::vector<std::uint32_t>> before(count);
  for (std::uint32_t block = 0; block < count; ++block)
    for (const std::uint32_t next : all_.successors(block)) before[next].push_back(block);
  const auto reached = [&](std::uint32_t from, const auto& neighbours) {
    std::vector<bool> seen(count);
    std::vector<std::uint32_t> work{from};
    while (!work.empty()) {
      const std::uint32_t block = work.back();
      work.pop_back();
      for (const std::uint32_t next : neighbours(block))
        if (!seen[next]) seen[next] = true, work.push_back(next);
    }
    return seen;
  };
  for (std::uint32_t block = 0; block < count; ++block) {
    const bool polls =
        std::ranges::any_of(all_.blocks[block], [](const Operation& o) { return o.takes_turn || !o.known; });
    if (!polls || !kept_[block].empty()) continue;
    const auto behind = reached(block, [&](std::uint32_t b) { return all_.successors(b); });
    if (!behind[block]) continue;
    const auto ahead = reached(block, [&](std::uint32_t b) { return before[b]; });
    Live written(all_.variables());
    for (std::size_t other = 0; other < count; ++other)
      if (behind[other] && ahead[other])
        for (const Operation& o : all_.blocks[other])
          for (const Variable v : o.out) written[v] = true;
    for (std::size_t other = 0; other < count; ++other)
      if (behind[other] && ahead[other]) kept_[other] = written;
  }
}

void Flow::find_live() {
  for (const auto& list : all_.blocks)
    for (const Operation& o : list)
      if (o.kind == Kind::through)
        for (const Variable v : o.in) always_[v] = true;
  live_.assign(all_.blocks.size(), always_);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t block = all_.blocks.size(); block-- > 0;) {
      Live live = live_at(block, 0);
      if (live == live_[block]) continue;
      live_[block] = std::move(live);
      changed = true;
    }
  }
}

/// Lanes wait at blocks, and within them where the interpreter may have stopped.
void Flow::find_preserved() {
  preserved_ = always_;
  const auto add = [&](const Live& live) {
    for (std::size_t v = 0; v < live.size(); ++v) preserved_[v] = preserved_[v] || live[v];
  };
  for (std::size_t block = 0; block < all_.blocks.size(); ++block) {
    add(live_[block]);
    for (std::size_t k = 0; k < all_.blocks[block].size(); ++k) {
      const Kind kind = all_.blocks[block][k].kind;
      if (kind != Kind::through && kind != Kind::leave) continue;
      add(live_at(block, k));
      add(live_at(block, k + 1));
    }
  }
}

// ---- which values lie on a line ----

std::uint32_t Flow::number_of(const Lanes& lanes) {
  const auto found = std::ranges::find(lanes_, lanes);
  if (found != lanes_.end()) return static_cast<std::uint32_t>(found - lanes_.begin());
  lanes_.push_back(lanes);
  return static_cast<std::uint32_t>(lanes_.size() - 1);
}

States Flow::initial(const Dim3& block) {
  const Program& p = all_.program;
  States states(all_.variables(), vector_state(false));
  const State uniform{State::Kind::affine, false, 0};
  for (const ConstantSlot& c : p.constants)
    if (!all_.written[c.slot]) states[c.slot] = uniform, constants_[c.slot] = c.bits;
  for (const ParameterSlot& c : p.parameters)
    if (!all_.written[c.slot]) states[c.slot] = uniform;
  const std::uint64_t warps = (block.volume() + kLanes - 1) / kLanes;
  for (const SpecialSlot& c : p.specials) {
    if (all_.written[c.slot]) continue;
    if (c.which->scope != SpecialRegister::Scope::lane) {
      states[c.slot] = uniform;
      continue;
    }
    const std::string_view name = c.which->name;
    const auto value = [&](std::uint64_t thread) -> std::int64_t {
      if (name == "%tid.x") return static_cast<std::int64_t>(thread % block.x);
      if (name == "%tid.y") return static_cast<std::int64_t>(thread / block.x % block.y);
      if (name == "%tid.z") return static_cast<std::int64_t>(thread / block.x / block.y);
      return static_cast<std::int64_t>(thread % kLanes);
    };
    if (name != "%tid.x" && name != "%tid.y" && name != "%tid.z" && name != "%laneid") continue;
    Lanes first{};
    bool same = true;
    for (std::uint64_t warp = 0; warp < warps && same; ++warp)
      for (std::size_t i = 0; i < kLanes; ++i) {
        const std::int64_t relative = value(warp * kLanes + i) - value(warp * kLanes);
        if (warp == 0) first[i] = relative;
        same = same && relative == first[i];
      }
    if (same) states[c.slot] = {State::Kind::affine, false, number_of(first)};
  }
  return states;
}

bool Flow::derive(const Operation& o, const States& now, Lanes& r) const {
  const auto of = [&](std::size_t k) -> const Lanes& { return lanes_[now[o.in[k]].lanes]; };
  const auto fixed = [&](std::size_t k, std::int64_t most) -> std::int64_t {
    const std::uint64_t* bits = constant(o.in[k]);
    return bits && *bits <= static_cast<std::uint64_t>(most) ? static_cast<std::int64_t>(*bits) : -1;
  };
  const auto scale = [&](std::size_t a, std::size_t b) {
    const bool second = fixed(b, kLargestFactor) >= 0;
    const std::int64_t factor = second ? fixed(b, kLargestFactor) : fixed(a, kLargestFactor);
    if (factor < 0) return false;
    for (std::size_t i = 0; i < kLanes; ++i) r[i] = of(second ? a : b)[i] * factor;
    return true;
  };
  switch (o.line) {
    case Line::sum:
      for (std::size_t i = 0; i < kLanes; ++i) r[i] = of(0)[i] + of(1)[i];
      return true;
    case Line::difference:
      for (std::size_t i = 0; i < kLanes; ++i) r[i] = of(0)[i] - of(1)[i];
      return true;
    case Line::copy:
    case Line::widen_unsigned:
    case Line::widen_signed:
      r = of(0);
      return true;
    case Line::shift: {
      const std::int64_t by = fixed(1, 16);
      for (std::size_t i = 0; by >= 0 && i < kLanes; ++i) r[i] = of(0)[i] * (std::int64_t{1} << by);
      return by >= 0;
    }
    case Line::product:
    case Line::wide_product_unsigned:
    case Line::wide_product_signed:
      return scale(0, 1);
    case Line::multiply_add: {
      const bool uniform = now[o.in[0]].lanes == 0 && now[o.in[1]].lanes == 0;
      if (!uniform && !scale(0, 1)) return false;
      for (std::size_t i = 0; i < kLanes; ++i) r[i] = (uniform ? 0 : r[i]) + of(2)[i];
      return true;
    }
    case Line::none:
      return false;
  }
  return false;
}

int Flow::result_lanes(const Operation& o, const States& now) {
  bool affine = true, uniform = true;
  for (const Variable v : o.in) {
    affine = affine && now[v].kind == State::Kind::affine;
    uniform = uniform && affine && now[v].lanes == 0;
  }
  if (uniform) return 0;
  Lanes r{};
  if (!affine || all_.is_predicate(o.out[0]) || !derive(o, now, r)) return -1;
  if (std::ranges::any_of(r, [](std::int64_t x) { return x > kFarthest || x < -kFarthest; })) return -1;
  return static_cast<int>(number_of(r));
}

bool Flow::is_inline(const Operation& o, const States& now) const {
  if (o.kind != Kind::access || now[o.address].kind != State::Kind::affine) return false;
  const Lanes& l = lanes_[now[o.address].lanes];
  if (o.local) return is_uniform(l);
  if (is_contiguous(l, o.width)) return true;
  if (!o.load) return false;
  if (is_uniform(l)) return true;
  if (o.values != 1) return false;
  return (o.shared && o.width == 4 && is_by_halves(l, 4)) || spread_of(l, o.width).has_value();
}

bool Flow::is_one_for_all(const Operation& o, const States& now) const {
  return o.load && !o.local && is_inline(o, now) && is_uniform(lanes_[now[o.address].lanes]);
}

void Flow::pass(const Operation& o, States& now) {
  switch (o.kind) {
    case Kind::value: {
      const int lanes = result_lanes(o, now);
      now[o.out[0]] =
          lanes < 0 ? vector_state(true) : State{State::Kind::affine, true, static_cast<std::uint32_t>(lanes)};
      return;
    }
    case Kind::access:
      if (!is_inline(o, now) && !may_be_inline(o, now)) break;
      {
        const State loaded = is_one_for_all(o, now) ? State{State::Kind::affine, true, 0} : vector_state(true);
        for (const Variable v : o.out) now[v] = loaded;
      }
      return;
    case Kind::through:  // all that is read later is in memory by then
      if (is_fixed_shuffle(o)) {
        for (const Variable v : o.out) now[v] = vector_state(true);
        return;
      }
      if (is_at_once(o, now)) break;
      for (State& state : now)
        if (state.kind != State::Kind::affine || !is_inline_barrier(o)) state.dirty = false;
      break;
    case Kind::handler:
      break;
    default:
      return;
  }
  for (const Variable v : o.in) now[v].dirty = false;
  for (const Variable v : o.out) now[v] = vector_state(false);
}

std::vector<bool> Flow::written_between(std::uint32_t from, std::uint32_t until) const {
  std::vector<bool> written(all_.variables()), seen(all_.blocks.size());
  std::vector<std::uint32_t> work = all_.successors(from);
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    if (block == until || seen[block]) continue;
    seen[block] = true;
    for (const Operation& o : all_.blocks[block])
      for (const Variable v : o.out) written[v] = true;
    for (const std::uint32_t next : all_.successors(block)) work.push_back(next);
  }
  return written;
}

void Flow::flow_to(std::uint32_t block, const States& from, std::vector<std::uint32_t>& work) {
  States& to = in_[block];
  bool changed = !reached_[block];
  reached_[block] = true;
  for (std::size_t v = 0; v < from.size(); ++v) {
    State met = from[v];
    if (to[v].kind != State::Kind::unknown) {
      const bool same = to[v].kind == met.kind && to[v].lanes == met.lanes;
      met = same ? State{met.kind, met.dirty || to[v].dirty, met.lanes} : vector_state(met.dirty || to[v].dirty);
    }
    changed = changed || !(met == to[v]);
    to[v] = met;
  }
  if (changed) work.push_back(block);
}

void Flow::follow(std::vector<std::uint32_t> work) {
  while (!work.empty()) {
    const std::uint32_t here = work.back();
    work.pop_back();
    States now = in_[here];
    for (const Operation& o : all_.blocks[here]) pass(o, now);
    for (const std::uint32_t next : all_.successors(here)) flow_to(next, now, work);
    if (all_.blocks[here].empty() || all_.blocks[here].back().kind != Kind::branch_if) continue;
    // Where lanes part they come back with what either side has written: from the interpreter, or under a mask
    // (region.cpp).
    const std::uint32_t meeting = post_dominator_block(all_.blocks[here].back().op);
    if (meeting == kNoBlock) continue;
    const std::vector<bool> written = written_between(here, meeting);
    for (std::size_t v = 0; v < now.size(); ++v)
      if (written[v]) now[v] = vector_state(true);
    flow_to(meeting, now, work);
  }
}

void Flow::find_masked(const States& start) {
  States entry = start;
  for (std::size_t v = 0; v < entry.size(); ++v)
    if (all_.written[v]) entry[v] = vector_state(false);
  masked_in_.assign(all_.blocks.size(), entry);
  // Where lanes meet those that go on may be anywhere, and then have what all have written.
  if (!all_.may_poll)
    for (States& states : masked_in_)
      for (std::size_t v = 0; v < entry.size(); ++v) states[v].dirty = all_.written[v];
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t block = 0; block < all_.blocks.size(); ++block) {
      Live dirty(entry.size());
      for (std::size_t v = 0; v < entry.size(); ++v) dirty[v] = masked_in_[block][v].dirty;
      const auto pass_to = [&](std::uint32_t to) {
        for (std::size_t v = 0; v < dirty.size(); ++v)
          if (dirty[v] && !masked_in_[to][v].dirty) masked_in_[to][v].dirty = changed = true;
      };
      for (const Operation& o : all_.blocks[block])
        for (const Variable v : o.out) dirty[v] = true;
      for (const std::uint32_t next : all_.successors(block)) pass_to(next);
      // Lanes that a short side parts come straight to where they meet (region.cpp).
      if (all_.blocks[block].empty() || all_.blocks[block].back().kind != Kind::branch_if) continue;
      const std::uint32_t meeting = post_dominator_block(all_.blocks[block].back().op);
      if (meeting == kNoBlock) continue;
      const std::vector<bool> written = written_between(static_cast<std::uint32_t>(block), meeting);
      for (std::size_t v = 0; v < dirty.size(); ++v) dirty[v] = dirty[v] || written[v];
      pass_to(meeting);
    }
  }
}

void Flow::find_states(const Dim3& block) {
  in_.assign(all_.blocks.size(), States(all_.variables()));
  reached_.assign(all_.blocks.size(), false);
  const States start = initial(block);
  find_masked(start);
  std::vector<std::uint32_t> work;
  flow_to(all_.program.functions[0].entry_block, start, work);
  follow(std::move(work));
  // Where the interpreter alone leads (a jump table): nothing is known there of what is ever written.
  States unknown = start;
  for (std::size_t v = 0; v < start.size(); ++v)
    if (all_.written[v]) unknown[v] = vector_state(false);
  for (std::uint32_t b = 0; b < in_.size(); ++b) {
    if (reached_[b]) continue;
    std::vector<std::uint32_t> more;
    flow_to(b, unknown, more);
    follow(std::move(more));
  }
}

}  // namespace gpulab::simt::compiled
