#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

namespace {

constexpr std::uint32_t kShortLoop = 12;  ///< instructions of a loop that does nothing but look

/// The place in a block's meetings at which it first comes to an address; their number: never.
std::size_t first_at(const BlockTrace& block, std::uint64_t address, bool stores) {
  const auto& all = block.meetings;
  const auto found =
      std::ranges::find_if(all, [&](const Meeting& m) { return m.address == address && (!stores || m.stores); });
  return static_cast<std::size_t>(found - all.begin());
}

enum class Order : std::uint8_t { none, polls_first, stores_first };

/// What a block does first: poll an address, or store `apart` behind it, where the next block polls.
Order order_of(const BlockTrace& block, const Meeting& poll, std::int64_t apart) {
  const std::uint64_t next = poll.address + static_cast<std::uint64_t>(apart);
  const std::size_t stored = first_at(block, next, true);
  if (stored == block.meetings.size()) return Order::none;
  return first_at(block, next, false) < first_at(block, poll.address, false) ? Order::stores_first : Order::polls_first;
}

}  // namespace

bool is_poll(const Site& site) {
  const auto& all = site.function->instructions;
  const auto own = static_cast<std::uint32_t>(site.instruction - all.data());
  const auto end = std::min<std::size_t>(all.size(), own + std::size_t{kShortLoop});
  for (std::size_t i = own; i < end; ++i) {
    if (!all[i].opcode.starts_with("bra") || all[i].operands.empty()) continue;
    for (const ptx::Label& label : site.function->labels)
      if (label.name == all[i].operands[0].name && label.instruction <= own && own - label.instruction < kShortLoop)
        return true;
  }
  return false;
}

namespace {

/// The integer that an operand is, or that the only instruction which writes its register moves there.
std::optional<std::int64_t> constant_of(const ptx::Function& function, const ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::integer) return operand.integer;
  constexpr std::size_t most = 16'384;  // of a function: each atomic of it asks, and a stranger's has any number
  if (operand.kind != ptx::Operand::Kind::reg || operand.reg < 0 || function.instructions.size() > most)
    return std::nullopt;
  std::optional<std::int64_t> constant;
  int writers = 0;
  for (const ptx::Instruction& i : function.instructions) {
    if (i.operands.empty() || i.operands[0].kind != ptx::Operand::Kind::reg || i.operands[0].reg != operand.reg)
      continue;
    ++writers;
    if (i.opcode.starts_with("mov.") && i.operands[1].kind == ptx::Operand::Kind::integer)
      constant = i.operands[1].integer;
  }
  return writers == 1 ? constant : std::nullopt;
}

/// The operand that leaves any number as it is, as a literal of 32 or 64 bits may be written.
bool is_neutral(std::string_view opcode, std::int64_t by) {
  const auto has = [&](std::string_view name) { return opcode.find(name) != std::string_view::npos; };
  const bool wide = has("64");
  const std::int64_t ones = wide ? -1 : std::int64_t{UINT32_MAX};
  const std::int64_t least = wide ? INT64_MIN : INT32_MIN, most = wide ? INT64_MAX : INT32_MAX;
  if (has(".add.") || has(".or.") || has(".xor.")) return by == 0;
  if (has(".and.")) return by == -1 || by == ones;
  if (has(".max.u")) return by == 0;
  if (has(".min.u")) return by == -1 || by == ones;
  if (has(".max.s")) return by == least;
  return has(".min.s") && by == most;
}

}  // namespace

bool is_look(const ptx::Function& function, const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  const auto& operands = instruction.operands;
  if (!opcode.starts_with("atom.") || operands.size() < 3) return false;
  const std::optional<std::int64_t> by = constant_of(function, operands[2]);
  if (opcode.find(".cas.") == std::string_view::npos) return by && is_neutral(opcode, *by);
  if (operands.size() < 4) return false;
  if (by) return by == constant_of(function, operands[3]);
  return operands[2].reg >= 0 && operands[2].reg == operands[3].reg;
}

bool expects_what_was_found(const ptx::Function& function, const ptx::Instruction& instruction) {
  return instruction.operands.size() >= 4 && !constant_of(function, instruction.operands[2]);
}

namespace {

/// What a clock says goes from register to register, and decides a branch backwards.
bool waits_for_clock(const ptx::Function& function) {
  std::vector<bool> of_clock(function.registers.size());
  const auto is_of_clock = [&](const ptx::Operand& from) {
    if (from.kind == ptx::Operand::Kind::special)
      return from.name.starts_with("%clock") || from.name.starts_with("%globaltimer");
    return from.kind == ptx::Operand::Kind::reg && from.reg >= 0 && of_clock[static_cast<std::size_t>(from.reg)];
  };
  constexpr int most = 16;  // turns: code goes forwards, but for loops
  bool more = true;
  for (int turn = 0; more && turn < most; ++turn) {
    more = false;
    for (const ptx::Instruction& i : function.instructions) {
      if (i.operands.empty() || i.operands[0].kind != ptx::Operand::Kind::reg || i.operands[0].reg < 0) continue;
      const auto to = static_cast<std::size_t>(i.operands[0].reg);
      if (of_clock[to] || std::none_of(i.operands.begin() + 1, i.operands.end(), is_of_clock)) continue;
      of_clock[to] = more = true;
    }
  }
  for (std::size_t at = 0; at < function.instructions.size(); ++at) {
    const ptx::Instruction& i = function.instructions[at];
    if (i.guard_reg < 0 || !of_clock[static_cast<std::size_t>(i.guard_reg)] || !i.opcode.starts_with("bra")) continue;
    const bool back = std::ranges::any_of(function.labels, [&](const ptx::Label& label) {
      return label.name == i.operands[0].name && label.instruction <= at;
    });
    if (back) return true;
  }
  return false;
}

}  // namespace

bool waits_for_clock(const Program& program) {
  return std::ranges::any_of(program.functions,
                             [](const FunctionInfo& info) { return waits_for_clock(*info.function); });
}

namespace {

/// The meetings of a block that are its link of a chain: it polls, by `first.site`, a place a whole number of times
/// `apart` from another one's, and then stores `apart` behind what it polled. `elsewhere`: not at `first` itself.
/// Order::none: it has none.
Order find_link(const BlockTrace& block, const Meeting& first, std::int64_t apart, bool elsewhere, Link& link) {
  for (std::size_t i = 0; i < block.meetings.size(); ++i) {
    const Meeting& poll = block.meetings[i];
    if (!poll.polls || poll.site != first.site || (elsewhere && poll.address == first.address)) continue;
    if (static_cast<std::int64_t>(poll.address - first.address) % apart != 0) continue;
    const Order order = order_of(block, poll, apart);
    if (order == Order::none) continue;
    link.poll = i;
    link.pass = first_at(block, poll.address + static_cast<std::uint64_t>(apart), true);
    return order;
  }
  return Order::none;
}

/// The links of all blocks that poll, if they are a chain. `order`: stores_first, where one stores first.
std::vector<Link> links_by(std::span<const BlockTrace> blocks, std::span<const std::size_t> polling,
                           const Meeting& first, std::int64_t apart, Order& order) {
  std::vector<Link> links;
  for (const std::size_t block : polling) {
    Link link{.block = block};
    order = find_link(blocks[block], first, apart, !links.empty(), link);
    if (order != Order::polls_first) return {};
    links.push_back(link);
  }
  return links;
}

}  // namespace

Chain chained(std::span<const BlockTrace> blocks) {
  std::vector<std::size_t> polling;
  std::size_t working = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto& meetings = blocks[i].meetings;
    if (meetings.empty()) continue;  // it has nothing to do
    ++working;
    if (std::ranges::any_of(meetings, &Meeting::polls)) polling.push_back(i);
  }
  if (polling.size() < 2 || working > polling.size() + 1) return {};
  const auto& meetings = blocks[polling.front()].meetings;
  for (auto poll = meetings.begin(); poll != meetings.end(); ++poll)
    for (auto pass = poll + 1; poll->polls && pass != meetings.end(); ++pass) {
      const auto apart = static_cast<std::int64_t>(pass->address - poll->address);
      if (!pass->stores || apart == 0) continue;
      Order order = Order::none;
      std::vector<Link> links = links_by(blocks, polling, *poll, apart, order);
      if (order == Order::stores_first) return {};
      if (!links.empty()) return {static_cast<double>(working) / static_cast<double>(blocks.size()), std::move(links)};
    }
  return {};
}

void mark_handed(const Chain& chain, std::span<BlockTrace> blocks) {
  for (const Link& link : chain.links) {
    BlockTrace& block = blocks[link.block];
    for (const auto& events : block.warps) {
      bool behind = false;
      for (const TraceEvent& event : events) {
        if (!(event.what & TraceEvent::kAccess)) continue;
        TracedAccess& a = block.accesses[event.what & ~TraceEvent::kAccess];
        if (a.space != TracedAccess::Space::global) continue;
        if (a.meeting == link.pass + 1) break;
        behind |= a.meeting == link.poll + 1;
        a.handed |= behind && !a.atomic && a.stored_bytes == 0 && a.sectors == 1;
      }
    }
  }
}

void Tracer::choose_corner(const Dim3& grid) {
  corner_.clear();
  if (wanted_ >= blocks_) return;
  const std::uint64_t row = grid.x, plane = row * grid.y;
  // The last one before the middle: those before it fill the sectors that it ends, where eight rows fill one.
  const auto half = [](std::uint64_t blocks) { return blocks / 2 - (blocks > 3 ? 1 : 0); };
  const std::uint64_t middle = half(grid.x) + half(grid.y) * row + half(grid.z) * plane;
  if (grid.y > 1) corner_.push_back(middle - row);
  if (grid.z > 1) corner_.push_back(middle - plane);
  // Of a long row: what a block reads that the one so many before it has read, as threads do that go round an array in
  // steps of a line. Powers of two, as most arrays are long, from the nearest on: what neighbours share is no news.
  constexpr std::uint64_t long_row = 4096;
  if (corner_.empty() && grid.x >= long_row) {
    const std::uint64_t own = grid.x - grid.x / 4;
    for (std::uint64_t before = 1; before <= grid.x / 2; before *= 2) corner_.push_back(own - before);
    corner_.push_back(own);
    return;
  }
  if (corner_.empty()) return;
  if (grid.x > 1) corner_.push_back(middle - 1);
  corner_.push_back(middle);
}

/// Of a grid that is hardly more than a block for each SM one or two are traced, which say nothing of a chain.
bool Tracer::is_witness(std::uint64_t block) const {
  constexpr std::uint64_t few = 4;
  return polls_ && wanted_ < std::min(blocks_, few) && block + 1 >= blocks_ / 2 && block <= blocks_ / 2 + 1;
}

bool Tracer::is_of_corner(std::uint64_t block) const { return std::ranges::find(corner_, block) != corner_.end(); }

namespace {
constexpr double kFirstPrint = 6, kFirstMalloc = 14, kFirstFree = 9;  // its code comes from DRAM
}

/// An H100 by Nsight Compute (tests/timing/README.md). A warp prints in 20.5 us, whatever a lane prints of numbers,
/// 0.08 us more for a character and 0.09 for a lane; records of all SMs go to the host's memory one after another. A
/// warp's malloc takes 8.8 us, and each further lane 1.9 us; its free 7.4 and 0.5; and all wait for one lock.
void LibraryTime::add(const LibraryCalls& of_warp) {
  const auto [prints_, printing, mallocs, allocating, frees, freeing, bytes] = of_warp;
  if (printing > 0) {
    constexpr double call = 20.5, character = 0.081, lane = 0.09, record = 1.8, record_of_lane = 0.235, of_byte = 0.012;
    const double characters = static_cast<double>(bytes) / printing;
    longest_print = std::max(longest_print, prints_ * (call + character * characters) + lane * printing);
    prints += prints_ * record + printing * (record_of_lane + of_byte * std::min(characters, 16.0));
  }
  double of_heap = 0;
  if (allocating > 0) {
    constexpr double call = 8.8, lane = 1.9, turn = 2.2, turn_of_lane = 0.05;
    of_heap += mallocs * call + (allocating - std::min(mallocs, allocating)) * lane;
    heap += mallocs * turn + allocating * turn_of_lane;
  }
  if (freeing > 0) {
    constexpr double call = 7.4, lane = 0.5, turn = 6.9, turn_of_lane = 0.03;
    of_heap += frees * call + (freeing - std::min(frees, freeing)) * lane;
    heap += frees * turn + freeing * turn_of_lane;
  }
  longest_heap = std::max(longest_heap, of_heap + (allocating > 0 ? kFirstMalloc : 0) + (freeing > 0 ? kFirstFree : 0));
}

double LibraryTime::us() const {
  constexpr double ahead = 14;  // of a warp's print, until its records are written
  const double printing = longest_print > 0 ? std::max(longest_print + kFirstPrint, ahead + prints) : 0;
  return printing + longest_heap + (longest_heap > 0 ? heap : 0);
}

double retried_swaps(const GridTrace& trace, double scale, double resident, const GpuTiming& gpu) {
  struct Place {
    double swaps = 0, lanes = 0, warps = 0;  ///< lanes: Σ over the swaps
    std::uint64_t block = 0;
    const void* warp = nullptr;  ///< that came last
    bool shared = false;
  };
  std::unordered_map<std::uint64_t, Place> places;
  for (const BlockTrace& block : trace.blocks)
    for (const auto& events : block.warps)
      for (const TraceEvent& event : events) {
        if (!(event.what & TraceEvent::kAccess)) continue;
        const TracedAccess& a = block.accesses[event.what & ~TraceEvent::kAccess];
        if (!a.retried || a.space != TracedAccess::Space::global) continue;
        Place& place = places.try_emplace(a.hot_sector, Place{.block = block.linear}).first->second;
        place.swaps += 1;
        place.lanes += a.same_address;
        if (std::exchange(place.warp, &events) != &events) place.warps += 1;
        place.shared |= place.block != block.linear;
      }
  // From one success to the next so many times same_address_cycles go by, with so many lanes waiting: an H100 takes 880
  // cycles with 1056 warps of a lane each, 2600 with 4224; 3260 with 1056 of 4.5 on average, and 7000 with 1056
  // of 16.5. Far fewer lanes try in between than wait: SMs near the place are faster than others, again and again.
  constexpr double waited = 3.4, power = 0.76;
  double most = 0;
  for (const auto& [sector, place] : places) {
    const double of_all = place.shared || trace.blocks.size() == 1 ? scale : 1;
    const double warps = std::max(std::min(resident / kLanes, place.warps * of_all), 1.0), all = place.swaps * of_all;
    const double each = all / warps;  // who swaps once leaves the others alone then
    const double waiting = warps * each / (each + 1) * place.lanes / place.swaps;
    most = std::max(
        most, all * std::max(2 * gpu.atomic_latency, waited * gpu.same_address_cycles * std::pow(waiting, power)));
  }
  return most;
}

Swaps missed_swaps(const GridTrace& trace, std::size_t resident) {
  Swaps swaps;
  double bytes = 0;  // of a lane
  for (const BlockTrace& block : trace.blocks)
    for (const TracedAccess& a : block.accesses)
      if (a.swaps && a.space == TracedAccess::Space::global && a.same_address > 1 && bytes == 0) {
        swaps.sector = a.hot_sector;
        bytes = static_cast<double>(a.lane_bytes) / a.same_address;
      }
  if (bytes == 0) return {};
  constexpr double sector_bytes = 32;
  for (std::size_t b = 0; b < std::min(resident, trace.blocks.size()); ++b)
    for (const auto& events : trace.blocks[b].warps) {
      double looked = 0;
      for (const TraceEvent& event : events) {
        if (!(event.what & TraceEvent::kAccess)) continue;
        const TracedAccess& a = trace.blocks[b].accesses[event.what & ~TraceEvent::kAccess];
        if (a.space != TracedAccess::Space::global || a.sectors != 1) continue;
        const bool there = trace.blocks[b].sectors[a.first_sector] == swaps.sector;
        if (there && a.swaps) looked = -1;
        if (there && looked == 0 && !a.atomic && !a.stored_bytes && a.lane_bytes > sector_bytes)
          looked = a.lane_bytes / bytes;
      }
      swaps.lanes += std::max(looked, 0.0);
    }
  return swaps;
}

}  // namespace gpulab::simt
