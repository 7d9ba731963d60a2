#include "common/simt/timing/trace/queues.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gpulab::simt {

namespace {

using ptx::Operand;

/// A longest block or warp that did so many times more than the average one is the simulator's doing.
constexpr std::uint64_t kUneven = 2;

/// Of a stranger's function so much is looked at and no more: instructions, counters and loops around each, and turns
/// in which values go on (code goes forwards, but for loops).
constexpr std::size_t kMostInstructions = 16'384, kMostCounters = 64, kMostLoops = 64;
constexpr int kMostTurns = 16;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// An atomic that counts: of integers in global memory, adding what is not zero.
bool counts(const ptx::Function& function, const ptx::Instruction& i) {
  if (!i.opcode.starts_with("atom.") || i.operands.size() < 3 || i.operands[0].kind != Operand::Kind::reg) return false;
  if (has(i.opcode, ".shared") || has(i.opcode, ".f") || has(i.opcode, ".bf")) return false;
  if (has(i.opcode, ".inc.") || has(i.opcode, ".dec.")) return true;
  return has(i.opcode, ".add.") && !is_look(function, i);
}

/// Where a value goes: from register to register, and through variables of shared memory, by which one thread tells its
/// block. What is loaded from an address that it is part of is another value.
class Flow {
 public:
  explicit Flow(const ptx::Function& function) : function_(function), reached_(function.registers.size()) {}

  void from(const Operand& result) {
    add(result);
    bool more = true;
    for (int turn = 0; more && turn < kMostTurns; ++turn) {
      more = false;
      for (const ptx::Instruction& i : function_.instructions) more |= step(i);
    }
  }
  [[nodiscard]] bool reaches(std::int32_t reg) const { return reg >= 0 && reached_[static_cast<std::size_t>(reg)]; }

 private:
  bool add(const Operand& to) {
    bool more = false;
    for (const std::int32_t reg : {to.reg, to.second_reg}) {
      if (to.kind != Operand::Kind::reg || reg < 0 || reaches(reg)) continue;
      reached_[static_cast<std::size_t>(reg)] = more = true;
    }
    return more;
  }
  bool step(const ptx::Instruction& i) {
    if (i.operands.size() < 2) return false;
    const Operand& first = i.operands[0];
    const bool named = has(i.opcode, ".shared") && first.kind == Operand::Kind::address && !first.is_reg;
    if (i.opcode.starts_with("st."))
      return named && reaches_any({&i.operands[1], 1}) && variables_.insert(first.name).second;
    const Operand& from = i.operands[1];
    if (i.opcode.starts_with("ld.")) {
      const bool known = has(i.opcode, ".shared") && from.kind == Operand::Kind::address && !from.is_reg;
      return known && variables_.contains(from.name) && add(first);
    }
    if (i.opcode.starts_with("atom.")) return false;
    return reaches_any({i.operands.data() + 1, i.operands.size() - 1}) && add(first);
  }
  [[nodiscard]] bool reaches_any(std::span<const Operand> operands) const {
    return std::ranges::any_of(operands, [&](const Operand& o) {
      return o.kind == Operand::Kind::reg ? reaches(o.reg) : o.kind == Operand::Kind::vector && reaches_any(o.elements);
    });
  }

  const ptx::Function& function_;
  std::vector<bool> reached_;
  std::unordered_set<std::string_view> variables_;
};

struct Loop {
  std::size_t first = 0, last = 0;  ///< its instructions, the branch back included
};

bool takes_numbers(const ptx::Function& function) {
  const auto& all = function.instructions;
  if (all.size() > kMostInstructions ||
      std::ranges::none_of(all, [&](const ptx::Instruction& i) { return counts(function, i); }))
    return false;
  std::unordered_map<std::string_view, std::size_t> labels;
  for (const ptx::Label& label : function.labels) labels[label.name] = label.instruction;
  const auto target = [&](const ptx::Instruction& i) {
    const auto found =
        i.opcode.starts_with("bra") && !i.operands.empty() ? labels.find(i.operands[0].name) : labels.end();
    return found == labels.end() ? all.size() : found->second;
  };
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const std::size_t to = target(all[i]); to <= i) loops.push_back({to, i});
  std::size_t counters = 0;
  for (std::size_t at = 0; at < all.size() && counters < kMostCounters; ++at) {
    if (!counts(function, all[at])) continue;
    ++counters;
    Flow flow(function);
    flow.from(all[at].operands[0]);
    std::size_t around = 0;
    for (const auto& [first, last] : loops) {
      if (at < first || at > last || ++around > kMostLoops) continue;
      for (std::size_t i = first; i <= last; ++i) {
        if (!flow.reaches(all[i].guard_reg)) continue;
        const bool ends = all[i].opcode.starts_with("ret") || all[i].opcode.starts_with("exit");
        const bool leaves = all[i].opcode.starts_with("bra") && (target(all[i]) < first || target(all[i]) > last);
        if (ends || leaves || i == last) return true;
      }
    }
  }
  return false;
}

/// Some of a warp's events.
struct Piece {
  const BlockTrace* block = nullptr;
  std::span<const TraceEvent> events;
};

/// `parts` pieces of a warp's events, of as many instructions each. A piece begins with a basic block.
void cut(const BlockTrace& block, std::size_t warp, std::uint64_t parts, const Program& program,
         std::vector<Piece>& pieces) {
  const std::vector<TraceEvent>& events = block.warps[warp];
  const std::uint64_t all = block.warp_instructions[warp];
  std::size_t begin = 0, at = 0;
  std::uint64_t done = 0;
  for (std::uint64_t part = 1; part <= parts; ++part) {
    while (at < events.size() && (done * parts < all * part || (events[at].what & TraceEvent::kAccess))) {
      if (!(events[at].what & TraceEvent::kAccess)) done += program.blocks[events[at].what].instructions;
      ++at;
    }
    pieces.push_back({&block, std::span(events).subspan(begin, at - begin)});
    begin = at;
  }
}

/// A warp of a block that does what the piece says, of about `most` instructions.
void add_warp(BlockTrace& block, const Piece& piece, std::uint64_t most, const Program& program) {
  std::unordered_map<std::uint32_t, std::uint32_t> kept;  // accesses, by where they were
  auto& events = block.warps.emplace_back();
  std::uint64_t instructions = 0;
  for (TraceEvent event : piece.events) {
    if (!(event.what & TraceEvent::kAccess)) {
      if (instructions >= most) break;
      instructions += program.blocks[event.what].instructions;
      events.push_back(event);
      continue;
    }
    ++block.accessed;
    const std::uint32_t old = event.what & ~TraceEvent::kAccess;
    const auto [place, fresh] = kept.try_emplace(old, static_cast<std::uint32_t>(block.accesses.size()));
    if (fresh) {
      TracedAccess access = piece.block->accesses[old];
      const auto first = piece.block->sectors.begin() + access.first_sector;
      access.first_sector = static_cast<std::uint32_t>(block.sectors.size());
      access.times = 0;
      access.meeting = 0;
      block.sectors.insert(block.sectors.end(), first, first + access.sectors);
      block.accesses.push_back(access);
    }
    ++block.accesses[place->second].times;
    events.push_back({TraceEvent::kAccess | place->second});
  }
  block.warp_instructions.push_back(instructions);
  block.instructions += instructions;
}

/// The pieces of each warp's work, `blocks` of each; where one warp has taken what others of its block could have, so
/// many for each warp of its block of all work.
std::vector<Piece> pieces_of(const BlockTrace& block, std::uint64_t blocks, bool by_warp, const Program& program) {
  std::vector<Piece> pieces;
  const std::uint64_t warps = block.warps.size();
  for (std::size_t warp = 0; warp < warps; ++warp) {
    const std::uint64_t own = block.warp_instructions[warp];
    const std::uint64_t share = own * blocks * warps / std::max<std::uint64_t>(block.instructions, 1);
    if (by_warp || own > 0) cut(block, warp, by_warp ? blocks : std::max<std::uint64_t>(share, 1), program, pieces);
  }
  return pieces;
}

}  // namespace

bool takes_numbers(const Program& program) {
  return std::ranges::any_of(program.functions, [](const FunctionInfo& info) { return takes_numbers(*info.function); });
}

std::optional<GridTrace> shared_out(const GridTrace& trace, const Sharers& among, const Program& program) {
  if (!trace.queue || trace.blocks.empty()) return std::nullopt;
  const std::uint64_t all = kUneven * trace.executed;
  if (trace.most_executed * among.blocks <= all && trace.most_of_warp * among.blocks * among.warps <= all)
    return std::nullopt;
  const BlockTrace& longest = *std::ranges::max_element(trace.blocks, {}, &BlockTrace::instructions);
  if (longest.executed < trace.executed / among.blocks) return std::nullopt;
  const std::uint64_t blocks = std::min(among.resident, (among.blocks + among.sms - 1) / among.sms);
  const std::uint64_t warps = longest.warps.size();
  const bool by_warp = *std::ranges::max_element(longest.warp_instructions) * warps <= kUneven * longest.instructions;
  const std::uint64_t most = trace.executed / (among.sms * blocks * warps) + 1;
  const std::vector<Piece> pieces = pieces_of(longest, blocks, by_warp, program);
  GridTrace shared;
  shared.executed = trace.executed;
  shared.queue = true;
  shared.polls = trace.polls;
  shared.clock = trace.clock;
  shared.managed = trace.managed;
  shared.library = trace.library;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    BlockTrace block;
    block.linear = b;
    for (std::uint64_t w = 0; w < warps; ++w)
      if (const std::uint64_t place = by_warp ? w * blocks + b : b * warps + w; place < pieces.size())
        add_warp(block, pieces[place], most, program);
    block.executed = block.instructions;
    if (!block.warps.empty()) shared.blocks.push_back(std::move(block));
  }
  return shared;
}

}  // namespace gpulab::simt
