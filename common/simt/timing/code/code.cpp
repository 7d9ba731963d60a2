#include "common/simt/timing/code/code.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "common/fnv.h"
#include "common/simt/counting/statistics.h"
#include "common/simt/timing/code/branches.h"
#include "common/simt/timing/code/instruction_costs.h"
#include "common/simt/timing/code/joins.h"
#include "common/simt/timing/code/repeats.h"
#include "common/simt/timing/code/schedule.h"
#include "common/simt/timing/code/vectors.h"

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

bool is_indexed(const Site& site) {
  return std::any_of(site.instruction->operands.begin(), site.instruction->operands.end(),
                     [](const ptx::Operand& o) { return o.kind == ptx::Operand::Kind::address && o.is_reg; });
}

bool is_indexed_apart(const Site& site, Uniformity& uniformity) {
  return std::ranges::any_of(site.instruction->operands, [&](const ptx::Operand& o) {
    return o.kind == ptx::Operand::Kind::address && o.is_reg && !uniformity.of(o.reg);
  });
}

Kind kind_of(const Site& site) {
  const Meaning& meaning = site.row->meaning;
  if (site.row->unit == Unit::param) return Kind::plain;
  // c[bank][offset] is an operand of other instructions; with an index it is a load of its own, LDC.
  if (site.row->unit == Unit::constant) return is_indexed(site) ? Kind::load : Kind::plain;
  if (meaning.traits & kBarrier) return Kind::barrier;
  if (site.facts & kFence) return Kind::fence;
  if (site.facts & kNap) return Kind::nap;
  if (site.facts & kWarpBarrier) return Kind::warp_sync;
  if (meaning.traits & kAtomic) return Kind::atomic;
  if (meaning.traits & kLoad) return Kind::load;
  if (meaning.traits & kStore) return Kind::store;
  if (meaning.traits & kEndsBlock) return Kind::branch;
  return Kind::plain;
}

/// What ptxas knows of an address: a register and a distance; of the register, that it is another one and a distance.
void add_place(const Site& site, std::uint32_t base, TimedInstruction& t) {
  const auto& operands = site.instruction->operands;
  const auto number = [&](std::int32_t reg) -> std::uint16_t {
    const std::uint64_t all = std::uint64_t{base} + static_cast<std::uint64_t>(reg) + 1;
    return reg < 0 || all > UINT16_MAX ? 0 : static_cast<std::uint16_t>(all);
  };
  if (t.kind == Kind::load || t.kind == Kind::store) {
    for (const ptx::Operand& operand : operands) {
      if (operand.kind != ptx::Operand::Kind::address || !operand.is_reg) continue;
      t.base = number(operand.reg);
      t.offset = operand.integer;
      t.bytes = static_cast<std::uint8_t>(bytes_per_lane(site.row->meaning));
    }
    return;
  }
  const std::string_view opcode = site.instruction->opcode;
  const bool adds = opcode == "add.s64" || opcode == "add.u64" || opcode == "add.s32" || opcode == "add.u32";
  if (!adds || site.instruction->guard_reg >= 0 || operands.size() != 3 ||
      operands[1].kind != ptx::Operand::Kind::reg || operands[2].kind != ptx::Operand::Kind::integer)
    return;
  t.steps = number(operands[1].reg) != 0 && number(operands[0].reg) != 0;
  t.offset = operands[2].integer;
}

/// The line of a `__constant__` variable, or of a kernel's parameters, that an instruction names with its place; 0: it
/// names none, or one that the launch has brought. Where a variable lies the linker decides: here each has 64 KB.
std::uint32_t constant_line_of(const Site& site) {
  const bool parameter = site.instruction->opcode.starts_with("ld.param");
  if ((site.row->unit != Unit::constant && !parameter) || is_indexed(site)) return 0;
  constexpr std::int64_t with_launch = 256;
  for (const ptx::Operand& operand : site.instruction->operands) {
    if (operand.kind != ptx::Operand::Kind::address || operand.name.empty()) continue;
    if (parameter && operand.integer < with_launch) return 0;
    constexpr std::uint32_t lines = 1024, variables = 0xffff;
    const auto variable = static_cast<std::uint32_t>(fnv1a64(operand.name)) & variables;
    return lines + variable * lines + (static_cast<std::uint32_t>(operand.integer) / 64 & (lines - 1));
  }
  return 0;
}

/// Instructions that bring a double in front of one that takes it: 32 bits fit into an instruction, the upper ones of a
/// double, and where the lower ones are not 0, it is two of UMOV or IMAD.MOV (exp and cos of doubles are half that).
std::uint32_t wide_constants(const Site& site) {
  std::uint32_t moves = 0;
  for (const ptx::Operand& operand : site.instruction->operands)
    if (operand.kind == ptx::Operand::Kind::f64 && (operand.bits & UINT32_MAX) != 0) moves += 2;
  return moves;
}

/// BSSY, BRA and BSYNC where lanes may part. A warp takes 30 cycles for one, a comparison and an addition
/// (open_branches), and eight warps of a partition take four issue slots each beside these two.
constexpr InstructionCost kParting{Pipe::none, 5, 0, 17};

/// Of an integer's atomic in global memory which a warp's lanes all do at one address ptxas makes VOTEU, UFLO, POPC,
/// ISETP and one lane's RED (with a value of each lane REDUX in place of POPC); of one whose result is used S2R, SHFL
/// and an addition more. 32 warps of an SM take 35 ns for one of each, a warp alone 5 (8 of a loop in a row; an H100).
std::uint16_t atomic_instructions(const Site& site, Uniformity& uniformity) {
  const std::string_view opcode = site.instruction->opcode;
  const bool word = opcode.ends_with(".u32") || opcode.ends_with(".s32") || opcode.ends_with(".b32");
  const auto has = [&](std::string_view name) { return opcode.find(name) != std::string_view::npos; };
  const bool joins = has(".add") || has(".min") || has(".max") || has(".and") || has(".or") || has(".xor");
  if (!word || !joins || !has(".global") || !is_at_one_place(site, uniformity)) return 1;
  return opcode.starts_with("red") ? 4 : 7;
}

TimedInstruction timed(const Site& site, std::uint32_t index, std::uint32_t base) {
  TimedInstruction t;
  t.site = index;
  t.kind = kind_of(site);
  const std::string_view opcode = site.instruction->opcode;
  t.cost = cost_of(opcode, site.row->unit);
  t.alone = t.cost.calls;
  t.constant_line = constant_line_of(site);
  if (t.kind == Kind::branch) t.cost = {Pipe::none, 1, 0, 5};
  if (t.cost.issue == 0 && opcode.starts_with("mov") && site.instruction->operands.size() > 1 &&
      site.instruction->operands[1].kind == ptx::Operand::Kind::special)
    t.cost = {Pipe::none, 1, 0, 20};                                    // S2R
  if (opcode.starts_with("ld.param")) t.cost = {Pipe::none, 1, 0, 20};  // LDC, ULDC
  // By half a pair of registers and more: the shift of one of them.
  if (opcode.starts_with("shr.") && opcode.ends_with("64") && site.instruction->operands.size() == 3 &&
      site.instruction->operands[2].kind == ptx::Operand::Kind::integer && site.instruction->operands[2].integer >= 32)
    t.cost = {Pipe::alu, 1, 2, 5};
  t.cost.issue = static_cast<std::uint16_t>(t.cost.issue + wide_constants(site));
  if (t.kind == Kind::fence || t.kind == Kind::warp_sync || t.kind == Kind::barrier || t.kind == Kind::nap)
    t.cost = {Pipe::none, 1, 0, 1};
  const auto has = [&](std::string_view word) { return opcode.find(word) != std::string_view::npos; };
  t.of_block = t.kind == Kind::fence && has(".cta");
  t.cached = !(site.facts & (kVolatile | kStrong)) && !has(".cg") && !has(".cv");
  using Space = TimedInstruction::Space;
  t.space = has(".global")   ? Space::global
            : has(".shared") ? Space::shared
            : has(".local")  ? Space::local
            : has(".const")  ? Space::constant
                             : Space::any;
  t.loop = t.kind == Kind::atomic && t.space == Space::shared && ((has(".f") && has(".add")) || is_loop_of_64(opcode));
  t.of_half = t.kind == Kind::atomic && is_of_half(opcode);
  // Atomics of cuda_fp16.h have generic addresses. Of a pair of halves ptxas makes an ATOM that also says whether the
  // address was one of shared memory, and the warp waits for that.
  t.loop |= t.kind == Kind::atomic && t.space != Space::shared && has("f16");
  t.read_only = has(".nc") || t.space == Space::constant;
  if (t.kind == Kind::load && t.space == Space::constant) t.cost = {Pipe::memory, 1, 1, 0};
  const auto& operands = site.instruction->operands;
  const auto& types = site.row->meaning.operands;
  std::vector<const ptx::Operand*> read, written;
  std::size_t type = 0;
  for (std::size_t i = 0; i < operands.size(); ++i, ++type) {
    // `p|q`, a comparison's or a shuffle's, is one operand with two types.
    if (type > 0 && type < types.size() && types[type].role == Role::optional_out) ++type;
    const bool out = type < types.size() && (types[type].role == Role::out || types[type].role == Role::optional_out);
    (out ? written : read).push_back(&operands[i]);
  }
  for (const ptx::Operand* operand : written) add_operand(t.out, base, *operand);
  add(t.in, base, site.instruction->guard_reg);
  // Of a matrix instruction's vectors there is room for the first registers of each: one instruction made the others,
  // too, and a sum is not left out behind its factors.
  std::size_t most = 0;
  for (const ptx::Operand* operand : read) most = std::max(most, operand->elements.size());
  for (const ptx::Operand* operand : read)
    if (operand->kind != ptx::Operand::Kind::vector) add_operand(t.in, base, *operand);
  for (std::size_t k = 0; k < most; ++k)
    for (const ptx::Operand* operand : read)
      if (k < operand->elements.size()) add(t.in, base, operand->elements[k].reg);
  add_place(site, base, t);
  return t;
}

/// Of the special unit's and of what has a subroutine, on a GPU that takes so many times as long: never less than a
/// plain instruction.
void slow_down(InstructionCost& cost, double times) {
  if (cost.pipe != Pipe::special && !cost.calls) return;
  const auto scaled = [&](std::uint16_t value, double least) {
    return static_cast<std::uint16_t>(std::clamp(value * times, least, 1e4));
  };
  cost.issue = scaled(cost.issue, 1);
  cost.cycles = scaled(cost.cycles, 2);
  cost.latency = scaled(cost.latency, 4);
}

/// What a double instruction would take if all around it were floats: conversions would not be there.
InstructionCost cost_in_float(const Site& site) {
  return site.row->unit == Unit::conversion ? InstructionCost{Pipe::none, 0, 0, 0}
                                            : InstructionCost{Pipe::fp32, 1, 2, 4};
}

/// Code for a debugger: each PTX instruction becomes at least one of the GPU's, which the next one waits for. What
/// moves a value, sets a predicate or leaves a block becomes two (MOV MOV, ISETP PLOP3, BRA BRA), a call four.
void leave_unoptimised(const Program& program, std::vector<TimedInstruction>& code) {
  for (TimedInstruction& t : code) {
    const std::string_view opcode = program.sites[t.site].instruction->opcode;
    const bool call = opcode.starts_with("call");
    if (t.cost.issue == 0 || t.kind == Kind::branch || call || opcode.starts_with("setp") || opcode.starts_with("ret"))
      t.cost = {Pipe::alu, static_cast<std::uint16_t>(call ? 4 : 2), 4, static_cast<std::uint16_t>(call ? 20 : 10)};
    t.alone = true;
  }
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

constexpr std::size_t kMostPredicated = 16;  ///< instructions that ptxas rather predicates than branches around

/// Whether ptxas would predicate a block: it is short, does nothing but compute, load and store, and then falls through
/// or jumps without a condition.
bool may_predicate(const std::vector<TimedInstruction>& code, const Program& program) {
  if (code.empty() || code.size() > kMostPredicated) return false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const ptx::Instruction& instruction = *program.sites[code[i].site].instruction;
    const bool last_jump = i + 1 == code.size() && instruction.opcode.starts_with("bra") && instruction.guard_reg < 0;
    if (code[i].kind == Kind::branch && !last_jump) return false;
    if (instruction.opcode.starts_with("call") || code[i].cost.calls) return false;
    if (code[i].kind != Kind::plain && code[i].kind != Kind::load && code[i].kind != Kind::store && !last_jump)
      return false;
  }
  return true;
}

void append(std::vector<TimedInstruction>& to, const std::vector<TimedInstruction>& code, std::uint16_t guard) {
  for (TimedInstruction t : code) {
    if (t.kind == Kind::branch && guard) continue;
    if (guard) {
      const auto place = std::find(t.in.begin(), t.in.end(), 0);
      if (place != t.in.end()) *place = guard;
      t.steps = false;  // or the old value stays
    }
    to.push_back(t);
  }
}

/// The register that the branch at the end of a block is guarded by, taken off with the branch; 0: it has none.
std::uint16_t take_branch(std::vector<TimedInstruction>& code, const Program& program) {
  if (code.empty() || code.back().kind != Kind::branch) return 0;
  const ptx::Instruction& branch = *program.sites[code.back().site].instruction;
  if (branch.guard_reg < 0 || !branch.opcode.starts_with("bra")) return 0;
  const std::uint16_t guard = code.back().in[0];
  code.pop_back();
  return guard;
}

}  // namespace

bool is_loop_of_64(std::string_view opcode) {
  const auto has = [&](std::string_view word) { return opcode.find(word) != std::string_view::npos; };
  return (opcode.ends_with(".u64") || opcode.ends_with(".s64") || opcode.ends_with(".b64")) && !has(".cas") &&
         !has(".exch");
}

/// Joins a block with the short ones that its branch goes around, one or two ways, and with the block behind them; and
/// so on from there.
void TimedCode::merge_from(const Program& program, std::uint32_t head) {
  constexpr std::size_t most = 400;
  TimedRegion region;
  region.code = blocks_[head].code;
  std::uint32_t at = head;
  const auto ends_at = [&](std::uint32_t b, std::uint32_t join) {
    return b < blocks_.size() && program.blocks[b].post_dominator == join && may_predicate(blocks_[b].code, program);
  };
  while (region.code.size() < most) {
    std::uint32_t join = program.blocks[at].post_dominator;
    if (join >= blocks_.size() || (join != at + 2 && join != at + 3)) break;
    std::vector<std::uint32_t> ways;
    for (std::uint32_t b = at + 1; b < join; ++b)
      if (ends_at(b, join)) ways.push_back(b);
    if (ways.size() != join - at - 1 || region.code.size() + blocks_[join].code.size() > most) break;
    std::vector<TimedInstruction> code = region.code;
    const std::uint16_t guard = take_branch(code, program);
    if (!guard) break;
    for (const std::uint32_t b : ways) append(code, blocks_[b].code, guard);
    append(code, blocks_[join].code, 0);
    region.code = std::move(code);
    region.steps.push_back({std::move(ways), join});
    at = join;
  }
  if (region.steps.empty()) return;
  merged_[head] = std::make_unique<TimedRegion>(std::move(region));
}

void TimedCode::finish(const Program& program, TimedRegion& region, Alignments& alignments) {
  auto& code = region.code;
  const bool may_unroll = !code.empty() && code.back().kind == TimedInstruction::Kind::branch &&
                          !starts_no_unroll(program, code.front()) && counts_by_constant(program, code);
  join_pairs(program, code);
  join_words(program, code, readers_);
  for (const auto [site, bytes] : join_neighbours(program, code, alignments))
    joined_[site] = std::max(joined_[site], bytes);
  schedule(code, of_thread_);
  if (may_unroll) region.unrolled = unroll(code, registers_, of_thread_);
}

/// Loads and stores of spilled registers lie evenly over the longest block: in a loop that is where most of them are.
/// They take room in L1 and on the way to L2; that something waits for them is left out.
void TimedCode::add_spills(std::uint32_t spilled) {
  const auto longest = std::max_element(blocks_.begin(), blocks_.end(), [](const TimedRegion& a, const TimedRegion& b) {
    return a.code.size() < b.code.size();
  });
  constexpr std::uint32_t most = 255;  // registers of a thread
  spilled = std::min(spilled, most);
  if (longest == blocks_.end() || spilled == 0) return;
  std::vector<TimedInstruction> code;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < longest->code.size(); ++i) {
    for (; next * longest->code.size() < (i + 1) * spilled && next < spilled; ++next) {
      TimedInstruction t;
      t.spill = true;
      t.space = TimedInstruction::Space::local;
      t.cost = {Pipe::memory, 1, 1, 0};
      t.word = static_cast<std::uint8_t>(next);
      t.site = longest->code[i].site;  // what it stands before, so that its time is told of a line
      t.kind = TimedInstruction::Kind::load;
      code.push_back(t);
      t.kind = TimedInstruction::Kind::store;
      code.push_back(t);
    }
    code.push_back(longest->code[i]);
  }
  longest->code = std::move(code);
}

TimedCode::TimedCode(const Program& program, ThreadRegisters of_thread, double special_slower,
                     const std::vector<bool>& in_float)
    : of_thread_(of_thread.used), blocks_(program.blocks.size()), merged_(blocks_.size()) {
  std::map<const ptx::Function*, std::uint32_t> bases;
  for (const FunctionInfo& info : program.functions) {
    bases[info.function] = registers_ - 1;
    registers_ += static_cast<std::uint32_t>(info.function->registers.size());
  }
  std::map<const ptx::Function*, Uniformity> uniform;
  joined_.resize(program.sites.size());
  for (std::uint32_t s = 0; s < program.sites.size(); ++s) {
    const Site& site = program.sites[s];
    if (!site.instruction || site.block == kNoBlock || site.block >= blocks_.size()) continue;
    auto& added = blocks_[site.block].code.emplace_back(timed(site, s, bases[site.function]));
    if (added.kind == TimedInstruction::Kind::branch &&
        may_part(site, uniform.try_emplace(site.function, *site.function).first->second))
      added.cost = kParting;
    if (added.kind == TimedInstruction::Kind::load && added.space == TimedInstruction::Space::constant)
      added.apart = is_indexed_apart(site, uniform.try_emplace(site.function, *site.function).first->second);
    if (added.kind == TimedInstruction::Kind::atomic)
      added.cost.issue = atomic_instructions(site, uniform.try_emplace(site.function, *site.function).first->second);
    if (special_slower != 1) slow_down(added.cost, special_slower);
    if (s < in_float.size() && in_float[s]) added.cost = cost_in_float(site);
  }
  readers_.resize(registers_ + 1);
  for (const TimedRegion& block : blocks_)
    for (const TimedInstruction& t : block.code)
      for (const std::uint16_t r : t.in)
        if (r) ++readers_[r];
  if (program.module->debug) {
    for (TimedRegion& block : blocks_) leave_unoptimised(program, block.code);
    count_places(program);
    return;
  }
  for (TimedRegion& block : blocks_) leave_out_repeats(program, block.code, readers_);
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) merge_from(program, b);
  Alignments alignments;
  for (TimedRegion& block : blocks_) finish(program, block, alignments);
  for (const auto& region : merged_)
    if (region) finish(program, *region, alignments);
  count_places(program);
  add_spills(of_thread.spilled);
}

/// What became a part of others takes no room in the instruction caches: of 9300 instructions of PTX whose loads of
/// shared memory ptxas joins by four, 6400.
void TimedCode::count_places(const Program& program) {
  places_.assign(program.sites.size(), 0);
  for (const TimedRegion& block : blocks_)
    for (const TimedInstruction& t : block.code) places_[t.site] += t.cost.issue;
  for (std::uint32_t& place : places_) instructions_ += std::exchange(place, instructions_);
}

}  // namespace gpulab::simt
