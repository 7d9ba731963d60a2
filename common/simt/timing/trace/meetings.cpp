#include <algorithm>
#include <unordered_map>

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

bool is_look(const Site& site) {
  const std::string_view opcode = site.instruction->opcode;
  if (!opcode.starts_with("atom.") || site.instruction->operands.size() < 3) return false;
  const bool keeps_by_zero = opcode.find(".add.") != std::string_view::npos ||
                             opcode.find(".or.") != std::string_view::npos ||
                             opcode.find(".xor.") != std::string_view::npos;
  const ptx::Operand& by = site.instruction->operands[2];
  return keeps_by_zero && by.kind == ptx::Operand::Kind::integer && by.integer == 0;
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

double chained(const GridTrace& trace) {
  const BlockTrace* one = nullptr;
  double links = 0;
  for (const BlockTrace& other : trace.blocks) {
    if (other.meetings.empty()) continue;  // it has nothing to do
    bool linked = false;
    for (const Meeting& poll : one ? one->meetings : other.meetings)
      for (const Meeting& later : other.meetings) {
        if (!one || !poll.polls || later.site != poll.site) continue;
        const auto blocks = static_cast<std::int64_t>(other.linear - one->linear);
        const auto apart = static_cast<std::int64_t>(later.address - poll.address);
        if (apart == 0 || apart % blocks != 0) continue;
        const Order order = order_of(*one, poll, apart / blocks);
        if (order == Order::stores_first) return 0;
        linked |= order == Order::polls_first && order_of(other, later, apart / blocks) == Order::polls_first;
      }
    if (one && !linked) return 0;
    one = &other;
    ++links;
  }
  return links > 1 ? links / static_cast<double>(trace.blocks.size()) : 0;
}

void Tracer::choose_corner(const Dim3& grid) {
  corner_.clear();
  if (wanted_ >= blocks_) return;
  const std::uint64_t row = grid.x, plane = row * grid.y;
  const std::uint64_t middle = grid.x / 2 + grid.y / 2 * row + grid.z / 2 * plane;
  if (grid.y > 1) corner_.push_back(middle - row);
  if (grid.z > 1) corner_.push_back(middle - plane);
  if (corner_.empty()) return;
  if (grid.x > 1) corner_.push_back(middle - 1);
  corner_.push_back(middle);
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
    double swaps = 0;
    std::uint64_t block = 0;
    bool shared = false;
  };
  std::unordered_map<std::uint64_t, Place> places;
  for (const BlockTrace& block : trace.blocks)
    for (const TracedAccess& a : block.accesses) {
      if (!a.retried || a.space != TracedAccess::Space::global) continue;
      Place& place = places.try_emplace(a.hot_sector, Place{0, block.linear, false}).first->second;
      place.swaps += 1;
      place.shared |= place.block != block.linear;
    }
  double most = 0;
  for (const auto& [sector, place] : places) {
    const double all = place.swaps * (place.shared || trace.blocks.size() == 1 ? scale : 1);
    const double waiting = all <= resident ? all / 2 : resident * (1 - resident / (2 * all));
    most = std::max(most, all * std::max(2 * gpu.atomic_latency, waiting * gpu.same_address_cycles / 2));
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
