#include "tests/differential/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/instructions/lane_machine.h"

namespace gpulab::differential {
namespace {

using simt::Kind;
using simt::Role;
using u64 = std::uint64_t;
using s128 = __int128;
using u128 = unsigned __int128;
using Parts = std::vector<std::string_view>;

Parts parts_of(std::string_view opcode) {
  Parts parts;
  while (true) {
    const auto dot = opcode.find('.');
    parts.push_back(opcode.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    opcode.remove_prefix(dot + 1);
  }
}
bool has(const Parts& parts, std::string_view part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

/// u32, s16, b64, f32, pred.
struct Type {
  char letter = 0;
  int bits = 0;
};
std::optional<Type> type_of(std::string_view text) {
  if (text == "pred") return Type{'b', 1};
  for (const char letter : {'u', 's', 'b', 'f'})
    for (const auto& [name, bits] : {std::pair{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}})
      if (text.size() > 1 && text[0] == letter && text.substr(1) == name) return Type{letter, bits};
  return std::nullopt;
}

u64 truncated(u64 x, int bits) { return bits == 64 ? x : x & ((u64{1} << bits) - 1); }
/// The value that an operand's bits stand for.
s128 value(u64 x, Type type) {
  x = truncated(x, type.bits);
  if (type.letter != 's' || !(x >> (type.bits - 1) & 1)) return static_cast<s128>(x);
  return static_cast<s128>(x) - (s128{1} << type.bits);
}

std::optional<u64> quotient(s128 a, s128 b, bool remainder, Type type) {
  if (b == 0) return truncated(~u64{0}, type.bits);
  return truncated(static_cast<u64>(remainder ? a % b : a / b), type.bits);
}

std::optional<u64> shifted(const Parts& parts, u64 a, u64 amount, Type type) {
  amount = truncated(amount, 32);
  const bool all_out = amount >= static_cast<u64>(type.bits);
  if (parts[0] == "shl") return all_out ? 0 : truncated(a << amount, type.bits);
  if (type.letter != 's') return all_out ? 0 : truncated(a, type.bits) >> amount;
  return truncated(static_cast<u64>(value(a, type) >> (all_out ? type.bits - 1 : static_cast<int>(amount))), type.bits);
}

/// Two operands, or one, of an integer type; parts are family[.modifier].type.
std::optional<u64> integer(const Parts& parts, const Values& in, Type type) {
  const auto& f = parts[0];
  const s128 a = value(in.bits[0], type), b = value(in.bits[1], type);
  const auto narrow = [&](s128 x) { return truncated(static_cast<u64>(x), type.bits); };
  if (parts.size() == 3 && (f == "mul" || f == "mad")) {
    const bool wide = parts[1] == "wide";
    const int bits = wide ? 2 * type.bits : type.bits;
    u128 product = static_cast<u128>(a) * static_cast<u128>(b);
    if (parts[1] == "hi") {
      // 64 bits unsigned fill the product to its top bit.
      product = type.letter == 'u' ? product >> type.bits : static_cast<u128>(static_cast<s128>(product) >> type.bits);
    } else if (parts[1] != "lo" && !wide) {
      return std::nullopt;
    }
    return truncated(static_cast<u64>(product) + (f == "mad" ? in.bits[2] : 0), bits);
  }
  if (f == "sad" && parts.size() == 2) return narrow((a < b ? b - a : a - b) + value(in.bits[2], type));
  if (f == "shl" || f == "shr") return shifted(parts, in.bits[0], in.bits[1], type);
  if (parts.size() != 2) return std::nullopt;
  if (f == "add") return narrow(a + b);
  if (f == "sub") return narrow(a - b);
  if (f == "div") return quotient(a, b, false, type);
  if (f == "rem") return quotient(a, b, true, type);
  if (f == "min") return narrow(std::min(a, b));
  if (f == "max") return narrow(std::max(a, b));
  if (f == "abs") return narrow(a < 0 ? -a : a);
  if (f == "neg") return narrow(-a);
  if (f == "and") return narrow(a & b);
  if (f == "or") return narrow(a | b);
  if (f == "xor") return narrow(a ^ b);
  if (f == "not") return narrow(~a);
  if (f == "cnot") return static_cast<u64>(a == 0);
  if (f == "popc") return static_cast<u64>(std::popcount(static_cast<u64>(a)));
  if (f == "clz") return static_cast<u64>(std::countl_zero(static_cast<u64>(a)) - (64 - type.bits));
  if (f == "brev") {
    u64 reversed = 0;
    for (int i = 0; i < type.bits; ++i) reversed |= (static_cast<u64>(a) >> i & 1) << (type.bits - 1 - i);
    return reversed;
  }
  return std::nullopt;
}

/// lop3, by its definition: bit by bit the table's entry.
u64 three_inputs(const Values& in, std::uint32_t table) {
  u64 result = 0;
  for (int i = 0; i < 32; ++i) {
    const u64 row = (in.bits[0] >> i & 1) * 4 + (in.bits[1] >> i & 1) * 2 + (in.bits[2] >> i & 1);
    result |= (u64{table} >> row & 1) << i;
  }
  return result;
}

double number(u64 bits, Type type) {
  return type.bits == 32 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
}

std::optional<bool> compared(std::string_view how, const Values& in, Type type) {
  int order = 0;  // -1, 0, 1; 2: unordered
  if (type.letter == 'f') {
    if (type.bits == 16) return std::nullopt;
    const double a = number(in.bits[0], type), b = number(in.bits[1], type);
    order = a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
  } else {
    const s128 a = value(in.bits[0], type), b = value(in.bits[1], type);
    order = a < b ? -1 : a > b ? 1 : 0;
  }
  if (how == "num") return order != 2;
  if (how == "nan") return order == 2;
  const bool unordered = type.letter == 'f' && how.size() == 3 && how.back() == 'u';
  if (unordered) how.remove_suffix(1);
  if (order == 2) return unordered;
  if (how == "eq") return order == 0;
  if (how == "ne") return order != 0;
  if (how == "lt" || how == "lo") return order < 0;
  if (how == "le" || how == "ls") return order <= 0;
  if (how == "gt" || how == "hi") return order > 0;
  if (how == "ge" || how == "hs") return order >= 0;
  return std::nullopt;
}

bool combined(const Parts& parts, bool comparison, bool c) {
  return has(parts, "and")   ? comparison && c
         : has(parts, "or")  ? comparison || c
         : has(parts, "xor") ? comparison != c
                             : comparison;
}

bool compare(const Parts& parts, const Values& in, Values& out, Type type) {
  const auto comparison = compared(parts[1], in, type);
  if (!comparison || has(parts, "ftz")) return false;
  const bool c = in.bits[2] & 1;
  const bool p = combined(parts, *comparison, c);
  if (parts[0] == "setp") {
    out.bits[0] = p;
    out.bits[1] = combined(parts, !*comparison, c);
  } else {
    const bool to_float = parts[parts.size() - 2] == "f32";
    out.bits[0] = !p ? 0 : to_float ? 0x3f800000 : 0xffffffff;
  }
  return true;
}

template <typename F>
u64 bits_of_float(F x) {
  if constexpr (sizeof(F) == 4)
    return std::isnan(x) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(x);
  else
    return std::isnan(x) ? 0x7ff8000000000000u : std::bit_cast<u64>(x);
}
template <typename F>
std::optional<u64> floating(std::string_view family, const Values& in) {
  const auto at = [&](int i) {
    if constexpr (sizeof(F) == 4)
      return std::bit_cast<float>(static_cast<std::uint32_t>(in.bits[static_cast<std::size_t>(i)]));
    else
      return std::bit_cast<double>(in.bits[static_cast<std::size_t>(i)]);
  };
  // volatile: at run time, as the kernel does.
  volatile F a = at(0), b = at(1), c = at(2);
  if (family == "add") return bits_of_float<F>(a + b);
  if (family == "sub") return bits_of_float<F>(a - b);
  if (family == "mul") return bits_of_float<F>(a * b);
  if (family == "fma") return bits_of_float<F>(std::fma(a, b, c));
  if (family == "div") return bits_of_float<F>(a / b);
  if (family == "sqrt") return bits_of_float<F>(std::sqrt(a));
  return std::nullopt;
}

bool round_to_nearest_only(const Parts& parts) { return parts.size() == 2 || (parts.size() == 3 && parts[1] == "rn"); }

bool store(std::optional<u64> result, Values& out) {
  if (result) out.bits[0] = *result;
  return result.has_value();
}

}  // namespace

void compute_by_row(const PooledInstruction& one, std::uint32_t immediate, const Values& in, Values& out) {
  simt::InstructionCase place;
  place.row = one.row;
  std::size_t read = 0, written = 0;
  int r = 0;
  std::vector<std::pair<std::size_t, std::size_t>> inputs, outputs;  // (slot, operand)
  for (const auto& operand : one.row->meaning.operands)
    for (int k = 0; k < operand.vector && operand.role != Role::none; ++k) {
      if (operand.role == Role::immediate) break;
      const bool is_out = operand.role == Role::out || operand.role == Role::optional_out;
      const std::size_t index = is_out ? written++ : read++;
      if ((is_out ? out : in).present[index])
        (is_out ? place.outputs : place.inputs).push_back({r, operand.kind, {}, false}),
            (is_out ? outputs : inputs).emplace_back((is_out ? place.outputs : place.inputs).size() - 1, index);
      ++r;
    }
  simt::LaneMachine machine;
  machine.place(place);
  machine.op.mods = one.mods;
  machine.op.extra = one.row->meaning.extra;
  machine.op.imm = static_cast<std::int32_t>(immediate);
  for (const auto& [slot, index] : inputs)
    machine.set(place.inputs[slot].r, place.inputs[slot].kind, 0, in.bits[index]);
  machine.run(simt::handler_of(*one.row, one.mods), 1);
  for (const auto& [slot, index] : outputs)
    out.bits[index] = machine.get(place.outputs[slot].r, place.outputs[slot].kind, 0);
}

namespace {

void make_canonical(Kind kind, u64& bits) {
  if (kind == Kind::f64 && (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u) bits = 0x7ff8000000000000u;
  if (kind == Kind::f32 && (bits & 0x7fffffffu) > 0x7f800000u) bits = 0x7fffffffu;
  if (kind == Kind::bf16 && (bits & 0x7fffu) > 0x7f80u) bits = 0x7fffu;
  if (kind == Kind::f16 && (bits & 0x7fffu) > 0x7c00u) bits = 0x7fffu;
}

}  // namespace

bool compute_ourselves(const PooledInstruction& one, std::uint32_t immediate, const Values& in, Values& out) {
  const Parts parts = parts_of(one.opcode);
  for (const auto& operand : one.row->meaning.operands)
    if (operand.vector > 1) return false;
  if (one.opcode == "lop3.b32") return store(three_inputs(in, immediate), out);
  const auto type = type_of(parts.back());
  if (!type) return false;
  if ((one.family == "setp" || one.family == "set")) return compare(parts, in, out, *type);
  if (one.family == "selp") return store(in.bits[2] & 1 ? in.bits[0] : in.bits[1], out);
  if (one.family == "slct" && type->letter == 's')
    return store(value(in.bits[2], *type) >= 0 ? in.bits[0] : in.bits[1], out);
  if (one.family == "mov" && type->letter != 0) return store(truncated(in.bits[0], type->bits), out);
  if (one.family == "cvt") {
    const auto to = parts.size() == 3 ? type_of(parts[1]) : std::nullopt;
    if (!to || to->letter == 'f' || type->letter == 'f') return false;
    // Narrow results are extended to the register, whatever its width.
    return store(static_cast<u64>(value(static_cast<u64>(value(in.bits[0], *type)), *to)), out);
  }
  if (type->letter != 'f') return store(integer(parts, in, *type), out);
  if (type->bits == 16 || !round_to_nearest_only(parts)) return false;
  return store(type->bits == 32 ? floating<float>(one.family, in) : floating<double>(one.family, in), out);
}

void compute(const PooledInstruction& one, std::uint32_t immediate, const Values& in, Values& out) {
  if (!compute_ourselves(one, immediate, in, out)) compute_by_row(one, immediate, in, out);
  if (one.canonical_nan) make_canonical(one.row->meaning.operands[0].kind, out.bits[0]);
}

}  // namespace gpulab::differential
