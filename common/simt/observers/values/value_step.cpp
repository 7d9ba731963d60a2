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

/// A bit for each byte -> each bit of these bytes, and back: any bit of them.
constexpr auto kBitsOf = [] {
  std::array<std::uint64_t, 256> all{};
  for (std::size_t bytes = 0; bytes < all.size(); ++bytes)
    for (unsigned k = 0; k < 8; ++k)
      if (bytes >> k & 1) all[bytes] |= std::uint64_t{0xff} << 8 * k;
  return all;
}();
std::uint64_t bits_of(std::uint8_t bytes) { return kBitsOf[bytes]; }
std::uint8_t bytes_with(std::uint64_t bits) {
  for (int shift = 4; shift > 0; shift /= 2) bits |= bits >> shift;  // each byte's bit 0: any of its bits
  return static_cast<std::uint8_t>((bits & 0x0101010101010101) * 0x0102040810204080 >> 56);
}
std::uint8_t lowest(std::uint32_t bytes) { return static_cast<std::uint8_t>(bytes >= 8 ? 0xffu : (1u << bytes) - 1); }

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
  if (stores) stored_bytes = lowest(width_of_type(type_at(opcode, 0)));
  if (stores && stored_bytes == 0) stored_bytes = 0xff;
  for (std::size_t k = first; k < given.size(); ++k)
    add_registers(given[k], flows ? sources : stores && k + 1 == given.size() ? stored : uses);
  if (instruction.call >= 0)
    add_registers(site_.function->calls[static_cast<std::size_t>(instruction.call)].target, uses);
}

void ValueStep::set_type(std::string_view type) {
  type_ = type;
  size_ = bytes_of_type(type);
  is_signed_ = size_ != 0 && type[0] == 's';
}

ValueStep::Kind ValueStep::kind_of(std::string_view name) const {
  switch (site_.instruction->operands.size()) {
    case 2:
      return name == "mov" ? Kind::move : name == "cvt" ? Kind::convert : Kind::ordinary;
    case 3:
      return name == "and"   ? Kind::conjunction
             : name == "or"  ? Kind::disjunction
             : name == "shl" ? Kind::shift_left
             : name == "shr" ? Kind::shift_right
                             : Kind::ordinary;
    case 4:
      return name == "selp" ? Kind::select : name == "setp" ? Kind::compare : Kind::ordinary;
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

std::pair<std::uint32_t, std::uint8_t> ValueStep::place_in_results(std::size_t i) const {
  const ptx::Operand& to = site_.instruction->operands[0];
  if (to.kind != ptx::Operand::Kind::vector) return {0, lowest(bytes_of(to))};
  const std::uint32_t bytes = bytes_of(to.elements[i]);
  return {kind == Kind::move ? static_cast<std::uint32_t>(i) * bytes : 0, lowest(bytes)};
}

std::uint8_t ValueStep::converted(std::uint8_t bytes) const {
  if (size_ == 0 || bytes_of_type(to_) == 0 || has_modifier(site_.instruction->opcode, ".sat")) return 0xff;
  return extended(bytes & lowest(size_));
}

std::uint8_t ValueStep::extended(std::uint8_t bytes) const {
  const bool sign_is_undefined = is_signed_ && bytes >> (size_ - 1) & 1;
  return sign_is_undefined ? static_cast<std::uint8_t>(bytes | 0xff << size_) : bytes;
}

std::uint8_t ValueStep::through(const Warp& w, int lane, std::size_t k, std::uint8_t bytes,
                                const std::array<std::uint32_t, kMostSources>& bad) const {
  const auto& given = site_.instruction->operands;
  const auto is_known = [&](std::size_t source) { return (bad[source] >> lane & 1) == 0; };
  switch (kind) {
    case Kind::shuffle:
      return bytes;
    case Kind::select:
      return k < 2 ? bytes : 0xff;
    case Kind::convert:
      return converted(bytes);
    case Kind::move:
      if (given[1].kind != ptx::Operand::Kind::vector) return bytes;
      return static_cast<std::uint8_t>(bytes << k * bytes_of(given[1].elements[k]));
    case Kind::conjunction:
    case Kind::disjunction: {
      if (size_ == 0 || !is_known(1 - k)) return bytes;  // predicates: keep_what_counts
      const std::uint64_t other = value_of(w, given[2 - k], lane);
      return bytes_with(bits_of(bytes) & (kind == Kind::conjunction ? other : ~other));
    }
    case Kind::shift_left:
    case Kind::shift_right: {
      if (k == 1 || !is_known(1)) return 0xff;
      // Of a shift by the register's bits and more nothing is left but the sign.
      const std::uint64_t amount = std::min<std::uint64_t>(value_of(w, given[2], lane) & 0xffffffff, 63);
      if (kind == Kind::shift_left) return bytes_with(bits_of(bytes) << amount);
      const std::uint64_t bits = bits_of(extended(bytes));
      return bytes_with(is_signed_ ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> amount)
                                   : bits >> amount);
    }
    default:
      return 0xff;
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
    if (size_ != 0) return;  // of registers, byte by byte: through()
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
