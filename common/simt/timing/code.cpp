#include "common/simt/timing/code.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "common/simt/timing/instruction_costs.h"

namespace gpulab::simt {

namespace {

using Kind = TimedInstruction::Kind;

/// Adds a register to those of an instruction; what is more than there is room for is left out.
void add(std::array<std::uint16_t, 6>& registers, std::uint32_t base, std::int32_t reg) {
  if (reg < 0) return;
  const std::uint32_t number = base + static_cast<std::uint32_t>(reg) + 1;
  if (number > UINT16_MAX) return;
  for (auto& place : registers) {
    if (place == number) return;
    if (place != 0) continue;
    place = static_cast<std::uint16_t>(number);
    return;
  }
}

void add_operand(std::array<std::uint16_t, 6>& registers, std::uint32_t base, const ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::vector)
    for (const ptx::Operand& element : operand.elements) add(registers, base, element.reg);
  else
    add(registers, base, operand.reg);
  add(registers, base, operand.second_reg);
}

Kind kind_of(const Site& site) {
  const Meaning& meaning = site.row->meaning;
  if (site.row->unit == Unit::param || site.row->unit == Unit::constant) return Kind::plain;
  if (meaning.traits & kBarrier) return Kind::barrier;
  if (site.facts & kFence) return Kind::fence;
  if (site.facts & kWarpBarrier) return Kind::warp_sync;
  if (meaning.traits & kAtomic) return Kind::atomic;
  if (meaning.traits & kLoad) return Kind::load;
  if (meaning.traits & kStore) return Kind::store;
  if (meaning.traits & kEndsBlock) return Kind::branch;
  return Kind::plain;
}

TimedInstruction timed(const Site& site, std::uint32_t index, std::uint32_t base) {
  TimedInstruction t;
  t.site = index;
  t.kind = kind_of(site);
  const std::string_view opcode = site.instruction->opcode;
  t.cost = cost_of(opcode, site.row->unit);
  if (t.kind == Kind::branch) t.cost = {Pipe::alu, 1, 2, 5};
  if (t.cost.issue == 0 && opcode.starts_with("mov") && site.instruction->operands.size() > 1 &&
      site.instruction->operands[1].kind == ptx::Operand::Kind::special)
    t.cost = {Pipe::alu, 1, 2, 20};  // S2R
  if (t.kind == Kind::fence || t.kind == Kind::warp_sync || t.kind == Kind::barrier) t.cost = {Pipe::alu, 1, 2, 1};
  const auto has = [&](std::string_view word) { return opcode.find(word) != std::string_view::npos; };
  t.cached = !(site.facts & (kVolatile | kStrong)) && !has(".cg") && !has(".cv");
  const auto& operands = site.instruction->operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool out =
        i < site.row->meaning.operands.size() &&
        (site.row->meaning.operands[i].role == Role::out || site.row->meaning.operands[i].role == Role::optional_out);
    add_operand(out ? t.out : t.in, base, operands[i]);
    for (const ptx::Operand& element : operands[i].elements)
      if (!out) add(t.in, base, element.reg);
  }
  add(t.in, base, site.instruction->guard_reg);
  return t;
}

bool is_one_of(std::uint16_t reg, const std::array<std::uint16_t, 6>& registers) {
  return reg != 0 && std::find(registers.begin(), registers.end(), reg) != registers.end();
}

/// A multiplication or a shift whose result an addition takes becomes one instruction with it (IMAD, LEA).
void join_pairs(const Program& program, std::vector<TimedInstruction>& code) {
  const auto starts = [&](const TimedInstruction& t, std::string_view word) {
    return program.sites[t.site].instruction->opcode.starts_with(word);
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!starts(code[i], "add.") || code[i].cost.pipe != Pipe::add) continue;
    for (std::size_t k = i; k-- > 0 && k + 16 > i;) {
      if (!is_one_of(code[k].out[0], code[i].in)) continue;
      if ((starts(code[k], "mul.wide") || starts(code[k], "mul.lo") || starts(code[k], "shl.")) && code[k].cost.issue) {
        code[i].cost = code[k].cost.pipe == Pipe::heavy ? code[k].cost : InstructionCost{Pipe::alu, 1, 2, 5};
        code[k].cost = {Pipe::none, 0, 0, 0};
      }
      break;
    }
  }
}

/// Code for a debugger: each PTX instruction becomes at least one of the GPU's, which the next one waits for.
void leave_unoptimised(std::vector<TimedInstruction>& code) {
  for (TimedInstruction& t : code) {
    if (t.cost.issue == 0) t.cost = {Pipe::alu, 1, 2, 5};
    t.alone = true;
  }
}

bool is_memory(Kind kind) { return kind == Kind::load || kind == Kind::store || kind == Kind::atomic; }
bool stands_still(Kind kind) { return kind != Kind::plain && !is_memory(kind); }

/// Loads go as far up as what they need allows, but not across a store, an atomic, or anything that orders memory: what
/// ptxas does, so that a warp waits for several loads at once.
void hoist_loads(std::vector<TimedInstruction>& code) {
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (code[i].kind != Kind::load) continue;
    // The load goes up with the arithmetic that makes its address: one slot at a time, as far as registers allow.
    std::size_t at = i;
    constexpr std::size_t furthest = 256;
    while (at > 0 && i - at < furthest) {
      const TimedInstruction& before = code[at - 1];
      const bool needs =
          std::any_of(before.out.begin(), before.out.end(),
                      [&](std::uint16_t r) { return is_one_of(r, code[at].in) || is_one_of(r, code[at].out); }) ||
          std::any_of(code[at].out.begin(), code[at].out.end(),
                      [&](std::uint16_t r) { return is_one_of(r, before.in); });
      if (needs || before.kind != Kind::plain) break;
      std::swap(code[at - 1], code[at]);
      --at;
    }
  }
}

/// Arithmetic that does not wait for a load goes before arithmetic that does, within the stretches between instructions
/// that stand still: a stable list schedule by the number of loads that an instruction waits for, directly or not.
void sink_users(std::vector<TimedInstruction>& code) {
  std::size_t begin = 0;
  while (begin < code.size()) {
    std::size_t end = begin;
    bool stores = false;
    while (end < code.size() && !stands_still(code[end].kind) && !stores) {
      stores = code[end].kind == Kind::store || code[end].kind == Kind::atomic;
      ++end;
    }
    std::map<std::uint16_t, int> depth, used;  // loads on the way to a register; the deepest that reads or writes it
    std::vector<std::pair<int, TimedInstruction>> stretch;
    for (std::size_t i = begin; i < end; ++i) {
      const TimedInstruction& t = code[i];
      int most = 0;
      for (const std::uint16_t r : t.in)
        if (const auto found = depth.find(r); r && found != depth.end()) most = std::max(most, found->second);
      // A register that is written again must not overtake who reads its old value.
      for (const std::uint16_t r : t.out)
        if (const auto found = used.find(r); r && found != used.end()) most = std::max(most, found->second);
      if (stores && i + 1 == end) most = INT32_MAX;
      for (const auto* registers : {&t.in, &t.out})
        for (const std::uint16_t r : *registers)
          if (r) used[r] = std::max(used[r], most);
      for (const std::uint16_t r : t.out)
        if (r) depth[r] = most == INT32_MAX ? most : most + (t.kind == Kind::load ? 1 : 0);
      stretch.emplace_back(most, t);
    }
    std::stable_sort(stretch.begin(), stretch.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = begin; i < end; ++i) code[i] = stretch[i - begin].second;
    begin = std::max(end, begin + 1);
  }
}

/// A loop of one block that loads, and neither stores nor waits: ptxas unrolls it four times, and the loads of all
/// turns go ahead of what needs them. Registers of the turns are told apart, so that only real needs remain.
std::vector<TimedInstruction> unroll(const std::vector<TimedInstruction>& code, std::uint32_t& registers) {
  constexpr std::size_t most = 200;
  const bool loads = std::any_of(code.begin(), code.end(), [](const auto& t) { return t.kind == Kind::load; });
  const bool waits = std::any_of(code.begin(), code.end(), [](const auto& t) {
    return t.kind != Kind::plain && t.kind != Kind::load && t.kind != Kind::branch;
  });
  if (!loads || waits || code.size() > most || registers + TimedCode::kTurns * code.size() * 2 > UINT16_MAX) return {};
  std::vector<TimedInstruction> all;
  std::map<std::uint16_t, std::uint16_t> name;  // of a register now
  for (std::uint32_t turn = 0; turn < TimedCode::kTurns; ++turn)
    for (TimedInstruction t : code) {
      const bool last = turn + 1 == TimedCode::kTurns;
      if (t.kind == Kind::branch && !last) continue;
      t.copy = static_cast<std::uint8_t>(turn);
      for (auto& r : t.in)
        if (const auto found = name.find(r); r && found != name.end()) r = found->second;
      for (auto& r : t.out) {
        if (!r) continue;
        const std::uint16_t old = r;
        r = static_cast<std::uint16_t>(registers++);
        name[old] = r;
      }
      all.push_back(t);
    }
  // What the loop leaves is in its own registers again.
  TimedInstruction leave;
  leave.cost = {Pipe::none, 0, 0, 0};
  leave.copy = TimedCode::kTurns;
  std::vector<TimedInstruction> leaving;
  for (const auto& [old, now] : name) {
    leave.in = {now};
    leave.out = {old};
    leaving.push_back(leave);
  }
  const TimedInstruction branch = all.back();
  all.pop_back();
  hoist_loads(all);
  sink_users(all);
  all.insert(all.end(), leaving.begin(), leaving.end());
  all.push_back(branch);
  return all;
}

/// Whether a loop of one block counts by a constant: only then does ptxas know how many turns are left, and unrolls.
bool counts_by_constant(const Program& program, const std::vector<TimedInstruction>& code) {
  const auto instruction = [&](const TimedInstruction& t) -> const ptx::Instruction& {
    return *program.sites[t.site].instruction;
  };
  const ptx::Instruction& branch = instruction(code.back());
  const auto writer_of = [&](std::int32_t reg) -> const ptx::Instruction* {
    for (std::size_t i = code.size(); i-- > 0;) {
      const auto& operands = instruction(code[i]).operands;
      if (!operands.empty() && (operands[0].reg == reg || operands[0].second_reg == reg) &&
          &instruction(code[i]) != &branch)
        return &instruction(code[i]);
    }
    return nullptr;
  };
  const ptx::Instruction* test = branch.guard_reg >= 0 ? writer_of(branch.guard_reg) : nullptr;
  if (!test || !test->opcode.starts_with("setp")) return false;
  for (std::size_t i = 1; i < test->operands.size(); ++i) {
    const ptx::Instruction* step = test->operands[i].reg >= 0 ? writer_of(test->operands[i].reg) : nullptr;
    if (!step || step->operands.size() < 3 || !(step->opcode.starts_with("add") || step->opcode.starts_with("sub")))
      continue;
    return step->operands[2].kind == ptx::Operand::Kind::integer ||
           step->operands[1].kind == ptx::Operand::Kind::integer;
  }
  return false;
}

/// Whether `.pragma "nounroll"` stands before the block: NVVM, which has unrolled what it wanted to, leaves it.
bool starts_no_unroll(const Program& program, const TimedInstruction& first) {
  const Site& site = program.sites[first.site];
  const auto index = static_cast<std::uint32_t>(site.instruction - site.function->instructions.data());
  const auto& marks = site.function->no_unroll;
  return std::binary_search(marks.begin(), marks.end(), index);
}

}  // namespace

TimedCode::TimedCode(const Program& program) : blocks_(program.blocks.size()), unrolled_(blocks_.size()) {
  std::map<const ptx::Function*, std::uint32_t> bases;
  for (const FunctionInfo& info : program.functions) {
    bases[info.function] = registers_ - 1;
    registers_ += static_cast<std::uint32_t>(info.function->registers.size());
  }
  for (std::uint32_t s = 0; s < program.sites.size(); ++s) {
    const Site& site = program.sites[s];
    if (!site.instruction || site.block == kNoBlock || site.block >= blocks_.size()) continue;
    blocks_[site.block].push_back(timed(site, s, bases[site.function]));
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    auto& code = blocks_[b];
    if (program.module->debug) {
      leave_unoptimised(code);
      continue;
    }
    const bool may_unroll = !code.empty() && code.back().kind == TimedInstruction::Kind::branch &&
                            !starts_no_unroll(program, code.front()) && counts_by_constant(program, code);
    join_pairs(program, code);
    hoist_loads(code);
    sink_users(code);
    if (may_unroll) unrolled_[b] = unroll(code, registers_);
  }
}

}  // namespace gpulab::simt
