#include "common/simt/observers/values/value_step.h"

#include <algorithm>
#include <bit>

#include "common/simt/isa/facts.h"
#include "common/simt/observers/locator.h"

namespace gpulab::simt {

namespace {

bool has_modifier(std::string_view opcode, std::string_view modifier) {
  for (auto at = opcode.find(modifier); at != std::string_view::npos; at = opcode.find(modifier, at + 1))
    if (at + modifier.size() == opcode.size() || opcode[at + modifier.size()] == '.') return true;
  return false;
}

/// The type at the end of an opcode, or the one before: "cvt.rn.f32.u16" -> "u16", "f32".
std::string_view type_at(std::string_view opcode, int before_last) {
  for (; before_last > 0; --before_last) opcode = opcode.substr(0, opcode.rfind('.'));
  return opcode.substr(std::min(opcode.rfind('.'), opcode.size() - 1) + 1);
}
/// "u16", "f16": 2. 0: of none of 8 to 64 bits.
std::uint32_t width_of_type(std::string_view type) {
  const std::string_view bits = type.empty() ? type : type.substr(1);
  return bits == "8" ? 1 : bits == "16" ? 2 : bits == "32" ? 4 : bits == "64" ? 8 : 0;
}
/// 0, too, of what is no integer and no bits.
std::uint32_t bytes_of_type(std::string_view type) {
  const bool is_integer = !type.empty() && (type[0] == 'u' || type[0] == 's' || type[0] == 'b');
  return is_integer ? width_of_type(type) : 0;
}

constexpr std::uint64_t kAllBits = ~std::uint64_t{0};
std::uint64_t lowest(std::uint64_t bits) { return bits >= 64 ? kAllBits : (std::uint64_t{1} << bits) - 1; }

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
  kind = flows ? kind_of(name) : Kind::ordinary;
  if (kind != Kind::ordinary) {
    const auto add = [&](const ptx::Operand& operand) {
      sources.push_back(operand.kind == ptx::Operand::Kind::reg ? cell_of(operand.reg) : kNoOperand);
    };
    for (std::size_t k = 1; k < given.size(); ++k)
      if (given[k].kind == ptx::Operand::Kind::vector)
        std::for_each(given[k].elements.begin(), given[k].elements.end(), add);
      else
        add(given[k]);
    set_type(type_at(opcode, 0));
    if (kind == Kind::convert) to_ = type_at(opcode, 1);
    if (kind != Kind::compare) return;
    type_ = {};
    for (const std::string_view one : {".eq", ".ne", ".lt", ".le", ".gt", ".ge", ".lo", ".ls", ".hi", ".hs"})
      if (has_modifier(opcode, one)) comparison_ = one;
    for (const std::string_view one : {".s16", ".s32", ".s64", ".u16", ".u32", ".u64", ".b16", ".b32", ".b64"})
      if (has_modifier(opcode, one)) type_ = one;
    return;
  }
  if (meaning.traits & kLoad) set_type(type_at(opcode, 0));
  const bool stores = name == "st";
  if (stores) add_stored(given.back(), 8 * width_of_type(type_at(opcode, 0)));
  for (std::size_t k = first; k + stores < given.size(); ++k) add_registers(given[k], flows ? sources : uses);
  if (instruction.call >= 0)
    add_registers(site_.function->calls[static_cast<std::size_t>(instruction.call)].target, uses);
}

/// `bits`: of one element; 0: of all that its register has.
void ValueStep::add_stored(const ptx::Operand& value, std::uint32_t bits) {
  const auto add = [&](const ptx::Operand& one) {
    stored.push_back(one.kind == ptx::Operand::Kind::reg ? cell_of(one.reg) : kNoOperand);
  };
  if (value.kind == ptx::Operand::Kind::vector)
    std::for_each(value.elements.begin(), value.elements.end(), add);
  else
    add(value);
  stored_bits = bits == 0 ? kAllBits : lowest(bits);
  is_located = memory_use_of(site_).space != MemoryUse::Space::none;
}

void ValueStep::set_type(std::string_view type) {
  type_ = type;
  size_ = bytes_of_type(type);
  is_signed_ = size_ != 0 && type[0] == 's';
}

ValueStep::Kind ValueStep::kind_of(std::string_view name) const {
  const std::string_view opcode = site_.instruction->opcode;
  const bool is_plain = bytes_of_type(type_at(opcode, 0)) != 0 && !has_modifier(opcode, ".sat") &&
                        !has_modifier(opcode, ".cc") && !has_modifier(opcode, ".hi");
  if (opcode.ends_with("16x2")) return Kind::halves;
  switch (site_.instruction->operands.size()) {
    case 2:
      return name == "mov"                ? Kind::move
             : name == "cvt"              ? Kind::convert
             : name == "not"              ? Kind::inversion
             : name == "neg" && is_plain  ? Kind::negation
             : name == "brev" && is_plain ? Kind::reversal
                                          : Kind::ordinary;
    case 3:
      return name == "and"    ? Kind::conjunction
             : name == "or"   ? Kind::disjunction
             : name == "xor"  ? Kind::exclusive
             : name == "shl"  ? Kind::shift_left
             : name == "shr"  ? Kind::shift_right
             : name == "setp" ? Kind::compare
             : !is_plain      ? Kind::ordinary
             : name == "add"  ? Kind::sum
             : name == "sub"  ? Kind::difference
             : name == "mul"  ? Kind::product
                              : Kind::ordinary;
    case 4:
      return name == "selp"              ? Kind::select
             : name == "setp"            ? Kind::compare
             : name == "bfe"             ? Kind::extract
             : opcode == "prmt.b32"      ? Kind::permute
             : name == "mad" && is_plain ? Kind::product
             : name == "shf"             ? Kind::funnel
                                         : Kind::ordinary;
    case 5:
      return name == "bfi" ? Kind::insert : name == "lop3" ? Kind::lookup : Kind::ordinary;
    default:
      return Kind::ordinary;
  }
}

/// Of a register; of a predicate, and of what is none, 8.
std::uint32_t ValueStep::bytes_of(const ptx::Operand& operand) const {
  if (operand.reg < 0) return 8;
  const ptx::Type& type = site_.function->registers[static_cast<std::size_t>(operand.reg)].type;
  return type.name == "pred" ? 8 : std::min(type.size, 8u);
}

std::pair<std::uint32_t, std::uint64_t> ValueStep::place_in_results(std::size_t i) const {
  const ptx::Operand& to = site_.instruction->operands[0];
  if (to.kind != ptx::Operand::Kind::vector) return {0, lowest(8 * bytes_of(to))};
  const std::uint32_t bits = 8 * bytes_of(to.elements[i]);
  return {kind == Kind::move ? static_cast<std::uint32_t>(i) * bits : 0, lowest(bits)};
}

bool ValueStep::keeps_places(const Warp& w, int lane, std::size_t k, const Undefineds& undefined) const {
  switch (kind) {
    case Kind::sum:  // something is added to defined bits alone, and no carry reaches the undefined ones
      return undefined[1 - k] == 0 && summed(w, lane, undefined) == undefined[k] &&
             (value_of(w, site_.instruction->operands[2 - k], lane) & undefined[k]) == 0;
    case Kind::conjunction:
    case Kind::disjunction:
    case Kind::exclusive:
    case Kind::inversion:
    case Kind::lookup:
      return true;
    case Kind::convert:
      return converts_integers();
    case Kind::select:
      return k < 2;
    case Kind::insert:
      return k == 1;
    case Kind::move:
      return k == 0 && results.size() == 1;
    default:
      return false;
  }
}

bool ValueStep::masks(std::size_t k) const {
  return kind == Kind::conjunction || kind == Kind::lookup || (kind == Kind::insert && k == 1);
}

bool ValueStep::converts_integers() const {
  return size_ != 0 && bytes_of_type(to_) != 0 && !has_modifier(site_.instruction->opcode, ".sat");
}

std::uint64_t ValueStep::extended(std::uint64_t bits) const {
  const bool sign_is_undefined = is_signed_ && bits >> (8 * size_ - 1) & 1;
  return sign_is_undefined ? bits | ~lowest(8 * size_) : bits;
}

/// Of the least and the largest numbers that operands can be, which bits of their sum differ (Seward, Nethercote,
/// 2005).
std::uint64_t ValueStep::summed(const Warp& w, int lane, const Undefineds& undefined) const {
  const auto& given = site_.instruction->operands;
  const bool negated = kind == Kind::negation;
  const std::uint64_t ua = negated ? 0 : undefined[0], ub = negated ? undefined[0] : undefined[1];
  const std::uint64_t a = negated ? 0 : value_of(w, given[1], lane) & ~ua;
  const std::uint64_t b = value_of(w, given[negated ? 1 : 2], lane) & ~ub;
  const std::uint64_t differ = kind == Kind::sum ? (a + b) ^ ((a | ua) + (b | ub)) : (a - (b | ub)) ^ ((a | ua) - b);
  return differ | ua | ub;
}

/// setp: whether the comparison of integers has one answer, whatever the undefined bits are.
bool ValueStep::is_decided(const Warp& w, int lane, const Undefineds& undefined) const {
  if (comparison_.empty() || type_.empty()) return false;
  const auto& given = site_.instruction->operands;
  const int shift = type_.back() == '6' ? 48 : type_.back() == '2' ? 32 : 0;  // to the top of 64 bits
  const std::uint64_t ua = undefined[0] << shift, ub = undefined[1] << shift;
  const std::uint64_t a = value_of(w, given[1], lane) << shift, b = value_of(w, given[2], lane) << shift;
  if (comparison_ == ".eq" || comparison_ == ".ne") return ((a ^ b) & ~(ua | ub)) != 0;
  // Orders: by the least and the largest that each can be, in the order of unsigned numbers.
  const std::uint64_t flip = compares_signed() ? std::uint64_t{1} << 63 : 0;
  const std::uint64_t low_a = (a ^ flip) & ~ua, high_a = (a ^ flip) | ua, low_b = (b ^ flip) & ~ub,
                      high_b = (b ^ flip) | ub;
  const bool or_equal = comparison_ == ".le" || comparison_ == ".ls" || comparison_ == ".gt" || comparison_ == ".hi";
  return or_equal ? high_a <= low_b || low_a > high_b : high_a < low_b || low_a >= high_b;
}

/// shl, shr: of a shift by the register's bits and more nothing is left but the sign.
std::uint64_t ValueStep::shifted(const Warp& w, int lane, std::size_t k, const Undefineds& undefined) const {
  if (k == 1 || undefined[1]) return kAllBits;
  const std::uint64_t amount =
      std::min<std::uint64_t>(value_of(w, site_.instruction->operands[2], lane) & 0xffffffff, 63);
  if (kind == Kind::shift_left) return undefined[0] << amount;
  const std::uint64_t bits = extended(undefined[0]);
  return is_signed_ ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> amount) : bits >> amount;
}

/// bfi f, a, b, position, length; bfe d, a, position, length (PTX ISA: both clamp to 255, and to the register).
std::uint64_t ValueStep::in_field(const Warp& w, int lane, std::size_t k, const Undefineds& undefined) const {
  const auto& given = site_.instruction->operands;
  const std::size_t at = kind == Kind::insert ? 2 : 1;
  if (k >= at || undefined[at] || undefined[at + 1]) return kAllBits;
  const std::uint64_t position = value_of(w, given[at + 1], lane) & 0xff,
                      length = value_of(w, given[at + 2], lane) & 0xff;
  const std::uint64_t all = lowest(8 * size_), first = position < 64 ? undefined[0] >> position : 0;
  if (kind == Kind::insert) {
    const std::uint64_t field = position < 64 ? lowest(length) << position : 0;
    return all & (k == 1 ? undefined[1] & ~field : position < 64 ? undefined[0] << position & field : 0);
  }
  if (!is_signed_ || length == 0) return first & lowest(length);
  // The sign of the field, or of the register where that ends before, stands in all bits above.
  const std::uint64_t size = 8 * size_, sign = std::min(position + length - 1, size - 1);
  const std::uint64_t field = lowest(std::min(length, size - std::min(position, size)));
  return (first & field) | (undefined[0] >> sign & 1 ? all & ~field : 0);
}

/// prmt: byte i of the result is the byte of {b, a} that nibble i of the selector names, or eight times its sign.
std::uint64_t ValueStep::permuted(const Warp& w, int lane, std::size_t k, const Undefineds& undefined) const {
  if (k == 2 || undefined[2]) return kAllBits;
  const std::uint64_t selector = value_of(w, site_.instruction->operands[3], lane);
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned chosen = selector >> 4 * i & 15;
    if ((chosen >> 2 & 1) != k) continue;
    const std::uint64_t byte = undefined[k] >> 8 * (chosen & 3) & 0xff;
    bits |= (chosen & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << 8 * i;
  }
  return bits;
}

/// mul, mad: from the lowest bit on that an undefined one can reach. Factors of powers of two move it up.
std::uint64_t ValueStep::multiplied(const Warp& w, int lane, std::size_t k, const Undefineds& undefined) const {
  int lowest_bit = std::countr_zero(undefined[k]);
  if (k < 2) {
    const std::uint64_t factor = value_of(w, site_.instruction->operands[2 - k], lane) | undefined[1 - k];
    lowest_bit += std::countr_zero(factor);
  }
  return lowest_bit < 64 ? kAllBits << lowest_bit : 0;
}

/// shf d, a, b, amount: of {b, a}, shifted, the upper half (.l) or the lower one (.r).
std::uint64_t ValueStep::funnelled(const Warp& w, int lane, std::size_t k, const Undefineds& undefined) const {
  if (k == 2 || undefined[2]) return kAllBits;
  const std::string_view opcode = site_.instruction->opcode;
  const std::uint64_t given = value_of(w, site_.instruction->operands[3], lane) & 0xffffffff;
  const std::uint64_t amount = has_modifier(opcode, ".wrap") ? given & 31 : std::min<std::uint64_t>(given, 32);
  const std::uint64_t bits = k == 1 ? undefined[1] << 32 : undefined[0] & 0xffffffff;
  return has_modifier(opcode, ".l") ? bits << amount >> 32 : bits >> amount & 0xffffffff;
}

/// lop3: bit by bit, whether the table's answer differs with the undefined bits.
std::uint64_t ValueStep::looked_up(const Warp& w, int lane, std::size_t k, const Undefineds& undefined) const {
  const auto& given = site_.instruction->operands;
  const std::uint64_t table = value_of(w, given[4], lane);
  std::uint64_t one = 0, zero = 0;  // results that can be
  for (unsigned guess = 0; guess < 8; ++guess) {
    std::uint64_t possible = kAllBits;  // bits whose operands may be these three
    for (unsigned source = 0; source < 3; ++source) {
      const std::uint64_t value = value_of(w, given[source + 1], lane);
      possible &= undefined[source] | (guess >> (2 - source) & 1 ? value : ~value);
    }
    (table >> guess & 1 ? one : zero) |= possible;
  }
  return undefined[k] & one & zero;
}

std::uint64_t ValueStep::through(const Warp& w, int lane, std::size_t k, const Undefineds& undefined) const {
  const auto& given = site_.instruction->operands;
  const std::uint64_t bits = undefined[k];
  switch (kind) {
    case Kind::shuffle:
    case Kind::exclusive:
    case Kind::inversion:
      return bits;
    case Kind::halves:
      return (bits & 0xffff ? 0xffff : 0) | (bits & 0xffff0000 ? 0xffff0000 : 0);
    case Kind::select:
      return k < 2 ? bits : kAllBits;
    case Kind::convert:
      return converts_integers() ? extended(bits & lowest(8 * size_)) : kAllBits;
    case Kind::move:
      return given[1].kind == ptx::Operand::Kind::vector ? bits << k * 8 * bytes_of(given[1].elements[k]) : bits;
    case Kind::conjunction:
    case Kind::disjunction: {
      if (size_ == 0) return bits;  // predicates: keep_what_counts
      const std::uint64_t other = value_of(w, given[2 - k], lane);
      return bits & (undefined[1 - k] | (kind == Kind::conjunction ? other : ~other));
    }
    case Kind::sum:
    case Kind::difference:
    case Kind::negation:
      return summed(w, lane, undefined);
    case Kind::product:
      return multiplied(w, lane, k, undefined);
    case Kind::compare:
      return k < 2 && is_decided(w, lane, undefined) ? 0 : kAllBits;
    case Kind::shift_left:
    case Kind::shift_right:
      return shifted(w, lane, k, undefined);
    case Kind::insert:
    case Kind::extract:
      return in_field(w, lane, k, undefined);
    case Kind::permute:
      return permuted(w, lane, k, undefined);
    case Kind::reversal: {
      std::uint64_t reversed = 0;
      for (std::uint32_t i = 0; i < 8 * size_; ++i) reversed |= (bits >> i & 1) << (8 * size_ - 1 - i);
      return reversed;
    }
    case Kind::funnel:
      return funnelled(w, lane, k, undefined);
    case Kind::lookup:
      return looked_up(w, lane, k, undefined);
    default:
      return kAllBits;
  }
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

std::uint32_t ValueStep::lanes_with(const Warp& w, const ptx::Operand& predicate, bool ones) const {
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    lanes |= static_cast<std::uint32_t>(is_true(w, predicate, lane) == ones) << lane;
  return lanes;
}

bool ValueStep::compares_signed() const {
  return type_[1] == 's' && comparison_ != ".lo" && comparison_ != ".ls" && comparison_ != ".hi" &&
         comparison_ != ".hs";
}

bool ValueStep::compares(const Warp& w, int lane, bool& known) const {
  const auto& given = site_.instruction->operands;
  known = !comparison_.empty() && !type_.empty();
  if (!known) return false;
  const int bits = type_.back() == '6' ? 16 : type_.back() == '2' ? 32 : 64;
  std::uint64_t a = value_of(w, given[1], lane) << (64 - bits), b = value_of(w, given[2], lane) << (64 - bits);
  if (compares_signed()) {  // in the order of unsigned numbers
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
    if (size_ != 0) return;  // of registers, bit by bit: through()
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
