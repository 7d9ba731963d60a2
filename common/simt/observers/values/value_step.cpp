#include "common/simt/observers/values/value_step.h"

#include <algorithm>

#include "common/simt/isa/facts.h"

namespace gpulab::simt {

namespace {

bool has_modifier(std::string_view opcode, std::string_view modifier) {
  for (auto at = opcode.find(modifier); at != std::string_view::npos; at = opcode.find(modifier, at + 1))
    if (at + modifier.size() == opcode.size() || opcode[at + modifier.size()] == '.') return true;
  return false;
}

}  // namespace

int shuffle_source(std::uint32_t facts, int lane, std::uint32_t b, std::uint32_t c) {
  const int amount = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31),
            segment = static_cast<int>(c >> 8 & 31);
  const int most = (lane & segment) | (clamp & ~segment);
  if (facts & kShuffleUp) return lane - amount >= most ? lane - amount : lane;
  const int from = facts & kShuffleDown  ? lane + amount
                   : facts & kShuffleXor ? lane ^ amount
                                         : (lane & segment) | (amount & ~segment);
  return from <= most ? from : lane;
}

ValueStep::ValueStep(const Program& program, const Site& site) : program_(program), site_(site) {
  for (const FunctionInfo& info : program.functions)
    if (info.function == site.function) function_ = &info;
  guard = cell_of(site.instruction->guard_reg);
  find_flow();
  if (sources.size() > kMostSources) {  // of whatever has so many, any may count
    uses.insert(uses.end(), sources.begin(), sources.end());
    sources.clear();
  }
}

std::uint16_t ValueStep::place_of(std::int32_t reg) const {
  const bool known = reg >= 0 && static_cast<std::size_t>(reg) < function_->places.size();
  return known ? function_->places[static_cast<std::size_t>(reg)].at : kNoOperand;
}

std::uint16_t ValueStep::cell_of(std::int32_t reg) const {
  const std::uint16_t place = place_of(reg);
  if (place == kNoOperand || !function_->places[static_cast<std::size_t>(reg)].from_afar) return kNoOperand;
  const bool predicate = site_.function->registers[static_cast<std::size_t>(reg)].type.name == "pred";
  return static_cast<std::uint16_t>(predicate ? program_.slots + place : place);
}

void ValueStep::add_registers(const ptx::Operand& operand, std::vector<std::uint16_t>& to) const {
  using Kind = ptx::Operand::Kind;
  const auto add = [&](std::int32_t reg) {
    if (const std::uint16_t cell = cell_of(reg); cell != kNoOperand) to.push_back(cell);
  };
  if (operand.kind == Kind::reg || operand.kind == Kind::address) add(operand.reg);
  add(operand.second_reg);
  for (const ptx::Operand& element : operand.elements) add_registers(element, to);
}

/// Sorts the operands into what is used, and what flows into the results.
void ValueStep::find_flow() {
  const ptx::Instruction& instruction = *site_.instruction;
  const Meaning& meaning = site_.row->meaning;
  const std::string_view opcode = instruction.opcode, name = opcode.substr(0, opcode.find('.'));
  const auto& given = instruction.operands;
  if (name.starts_with("prefetch") || name == "discard" || name == "applypriority") return;
  const bool writes = meaning.operands[0].role == Role::out || meaning.operands[0].role == Role::optional_out;
  const std::size_t first = writes && instruction.call < 0 ? 1 : 0;
  if (first == 1) {
    if (given[0].kind == ptx::Operand::Kind::vector)
      for (const ptx::Operand& element : given[0].elements) results.push_back(cell_of(element.reg));
    else
      results.push_back(cell_of(given[0].reg));
    if (given[0].second_reg >= 0) results.push_back(cell_of(given[0].second_reg));
  }
  constexpr std::uint16_t uses_all = kLoad | kStore | kAtomic | kCollective | kBarrier | kEndsBlock | kSideEffect;
  const bool shuffles = site_.facts & kShuffle;
  const bool flows = first == 1 && !(meaning.traits & (uses_all | kOperandTable));
  if (shuffles) {
    kind = Kind::shuffle;
    sources.push_back(cell_of(given[1].kind == ptx::Operand::Kind::reg ? given[1].reg : -1));
    for (std::size_t k = 2; k < given.size(); ++k) add_registers(given[k], uses);
    results.resize(1);  // whether the source is in range depends on no value
    return;
  }
  // One cell for each operand, where the kind asks which is which.
  const auto kinds = given.size() == 3                     ? (name == "and"  ? Kind::conjunction
                                                              : name == "or" ? Kind::disjunction
                                                                             : Kind::ordinary)
                     : given.size() == 4 && name == "selp" ? Kind::select
                     : given.size() == 4 && name == "setp" ? Kind::compare
                                                           : Kind::ordinary;
  if (flows && kinds != Kind::ordinary) {
    kind = kinds;
    for (std::size_t k = 1; k < given.size(); ++k)
      sources.push_back(given[k].kind == ptx::Operand::Kind::reg ? cell_of(given[k].reg) : kNoOperand);
    for (const std::string_view one : {".eq", ".ne", ".lt", ".le", ".gt", ".ge", ".lo", ".ls", ".hi", ".hs"})
      if (has_modifier(opcode, one)) comparison_ = one;
    for (const std::string_view one : {".s16", ".s32", ".s64", ".u16", ".u32", ".u64", ".b16", ".b32", ".b64"})
      if (has_modifier(opcode, one)) type_ = one;
    return;
  }
  for (std::size_t k = first; k < given.size(); ++k) add_registers(given[k], flows ? sources : uses);
  if (instruction.call >= 0)
    add_registers(site_.function->calls[static_cast<std::size_t>(instruction.call)].target, uses);
}

std::uint64_t ValueStep::value_of(const Warp& w, const ptx::Operand& operand, int lane) const {
  if (operand.kind != ptx::Operand::Kind::reg) return static_cast<std::uint64_t>(operand.integer);
  const std::uint16_t slot = place_of(operand.reg);
  if (slot == kNoOperand) return 0;
  const bool wide = site_.function->registers[static_cast<std::size_t>(operand.reg)].type.size == 8;
  return wide ? reinterpret_cast<const std::uint64_t*>(w.regs + slot)[lane]
              : reinterpret_cast<const std::uint32_t*>(w.regs + slot)[lane];
}

bool ValueStep::is_true(const Warp& w, const ptx::Operand& operand, int lane) const {
  if (operand.kind != ptx::Operand::Kind::reg) return operand.integer != 0;
  const std::uint16_t place = place_of(operand.reg);
  return place != kNoOperand && ((w.preds[place] >> lane & 1) != 0) != operand.negated;
}

std::uint32_t ValueStep::lanes_with(const Warp& w, const ptx::Operand& operand, bool ones) const {
  const bool predicate = operand.kind == ptx::Operand::Kind::reg && operand.reg >= 0 &&
                         site_.function->registers[static_cast<std::size_t>(operand.reg)].type.name == "pred";
  const std::size_t bytes = operand.kind == ptx::Operand::Kind::reg && operand.reg >= 0
                                ? site_.function->registers[static_cast<std::size_t>(operand.reg)].type.size
                                : 8;
  const std::uint64_t all = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool equal =
        predicate ? is_true(w, operand, lane) == ones : (value_of(w, operand, lane) & all) == (ones ? all : 0);
    lanes |= static_cast<std::uint32_t>(equal) << lane;
  }
  return lanes;
}

bool ValueStep::compares(const Warp& w, int lane, bool& known) const {
  const auto& given = site_.instruction->operands;
  known = !comparison_.empty() && !type_.empty();
  if (!known) return false;
  const int bits = type_.back() == '6' ? 16 : type_.back() == '2' ? 32 : 64;
  std::uint64_t a = value_of(w, given[1], lane) << (64 - bits), b = value_of(w, given[2], lane) << (64 - bits);
  const bool is_signed =
      type_[1] == 's' && comparison_ != ".lo" && comparison_ != ".ls" && comparison_ != ".hi" && comparison_ != ".hs";
  if (is_signed) {  // in the order of unsigned numbers
    a ^= std::uint64_t{1} << 63;
    b ^= std::uint64_t{1} << 63;
  }
  if (comparison_ == ".eq") return a == b;
  if (comparison_ == ".ne") return a != b;
  if (comparison_ == ".lt" || comparison_ == ".lo") return a < b;
  if (comparison_ == ".le" || comparison_ == ".ls") return a <= b;
  if (comparison_ == ".gt" || comparison_ == ".hi") return a > b;
  return a >= b;
}

int ValueStep::source_lane(const Warp& w, int lane) const {
  const auto& given = site_.instruction->operands;
  return shuffle_source(site_.facts, lane, static_cast<std::uint32_t>(value_of(w, given[2], lane)),
                        static_cast<std::uint32_t>(value_of(w, given[3], lane)));
}

void ValueStep::keep_what_counts(const Warp& w, std::uint32_t lanes,
                                 std::array<std::uint32_t, kMostSources>& bad) const {
  if (kind == Kind::ordinary || (bad[0] | bad[1] | bad[2]) == 0) return;
  const auto& given = site_.instruction->operands;
  if (kind == Kind::conjunction || kind == Kind::disjunction) {
    const bool ones = kind == Kind::disjunction;
    const std::uint32_t by_a = lanes_with(w, given[1], ones) & ~bad[0], by_b = lanes_with(w, given[2], ones) & ~bad[1];
    bad[0] &= ~by_b;
    bad[1] &= ~by_a;
    return;
  }
  if (kind == Kind::select) {
    const std::uint32_t first = lanes_with(w, given[3], true);
    bad[0] &= first | bad[2];
    bad[1] &= ~first | bad[2];
    return;
  }
  // setp.lt.and p, a, b, c
  const bool conjunction = has_modifier(site_.instruction->opcode, ".and");
  if (!conjunction && !has_modifier(site_.instruction->opcode, ".or")) return;
  const std::uint32_t decided_by_c = lanes_with(w, given[3], !conjunction) & ~bad[2];
  bad[0] &= ~decided_by_c;
  bad[1] &= ~decided_by_c;
  for (std::uint32_t left = bad[2] & ~bad[0] & ~bad[1] & lanes; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    bool known = false;
    const bool holds = compares(w, lane, known);
    // `p|q`: q has the opposite of the comparison, which the same value of c may decide.
    if (known && holds != conjunction && site_.instruction->operands[0].second_reg < 0) bad[2] &= ~(1u << lane);
  }
}

}  // namespace gpulab::simt
