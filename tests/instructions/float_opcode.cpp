#include "tests/instructions/float_opcode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "common/simt/isa/form.h"
#include "tests/instructions/instruction_kernel.h"
#include "tests/instructions/lane_machine.h"

namespace gpulab::simt {
namespace {

using u64 = std::uint64_t;

constexpr const char* float_types[] = {"f16", "bf16", "f16x2", "bf16x2", "f32", "f64", "tf32", "e4m3x2", "e5m2x2"};

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= name.size();) {
    const auto dot = std::min(name.find('.', at), name.size());
    parts.push_back(name.substr(at, dot - at));
    at = dot + 1;
  }
  return parts;
}

bool is_variation(std::string_view modifier) {
  for (const char* one : {".rn", ".rz", ".rm", ".rp", ".ftz", ".sat"})
    if (modifier == one) return true;
  return false;
}

bool can_be_ieee(const Row& row) {
  switch (row.unit) {
    case Unit::fp32:
    case Unit::fp64:
    case Unit::conversion:
      return row.form[0] != '%';
    case Unit::alu:
      return std::string_view(row.form).substr(0, 3) == "set";  // setp too
    default:
      return false;
  }
}

bool is_ieee(const FloatOpcode& opcode) {
  if (opcode.has("approx") || opcode.has("full")) return false;
  const auto is_type = [](const std::string& part) {
    return std::find(std::begin(float_types), std::end(float_types), part) != std::end(float_types);
  };
  if (opcode.parts.front() == "set") return is_type(opcode.parts.back());  // what it compares
  return std::any_of(opcode.parts.begin(), opcode.parts.end(), is_type);
}

InstructionCase shape_of(const Row& row, const std::string& name) {
  InstructionCase shape;
  shape.opcode = name;
  shape.row = &row;
  int r = 0;
  for (const auto& operand : row.meaning.operands) {
    if (operand.role == Role::out || operand.role == Role::optional_out)
      shape.outputs.push_back({r, operand.kind, {}, false});
    if (operand.role == Role::in) shape.inputs.push_back({r, operand.kind, {}, false});
    r += operand.vector;
  }
  const bool byte_to_bfloat16 =
      name.find(".bf16.u8") != std::string::npos || name.find(".bf16.s8") != std::string::npos;
  if (byte_to_bfloat16) shape.inputs.front().own_width = true;
  return shape;
}

// ---- operands ----

/// splitmix64: the same numbers everywhere.
struct Random {
  u64 state;
  u64 operator()() {
    u64 x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
};

/// Values where rounding, ranges and NaNs turn, most telling first.
constexpr u64 edges16[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7fff, 0x0001, 0x7bff, 0x03ff,
                           0x0400, 0x3c01, 0x8001, 0xfbff, 0x7c01, 0xfe00, 0x3bff, 0x1000, 0x1001, 0x0200,
                           0x3800, 0x3e00, 0x4100, 0x5bf8, 0x5c00, 0x7800, 0x83ff, 0xb800};
constexpr u64 edges_brain16[] = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fff, 0x0001, 0x7f7f, 0x007f,
                                 0x0080, 0x3f81, 0x8001, 0xff7f, 0x7f81, 0xffc0, 0x3f7f, 0x3b80, 0x3b81, 0x0040,
                                 0x3f00, 0x3fc0, 0x4020, 0x437f, 0x4380, 0x7f00, 0x4f00, 0xcf00, 0x5f00, 0xdf00};
constexpr u64 edges32[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fffffff,
                           0x00000001, 0x7f7fffff, 0x007fffff, 0x00800000, 0x3f800001, 0x80000001, 0xff7fffff,
                           0x7f800001, 0xffc01234, 0x3f7fffff, 0x00ffffff, 0x3f000000, 0x33800000, 0x33800001,
                           0x3fc00000, 0x40200000, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000,
                           0x5f000000, 0xdf000000, 0x5f800000, 0x477fe000, 0x477ff000, 0x33000000, 0x387fc000,
                           0x43e00000, 0x43e80000, 0x1f800000, 0x20000000, 0xbf000000};
constexpr u64 edges64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7fffffffffffffff, 0x0000000000000001, 0x7fefffffffffffff, 0x000fffffffffffff,
    0x0010000000000000, 0x3ff0000000000001, 0x8000000000000001, 0xffefffffffffffff, 0x7ff0000000000001,
    0xfff8000000001234, 0x3fefffffffffffff, 0x001fffffffffffff, 0x3fe0000000000000, 0x3ca0000000000000,
    0x3ca0000000000001, 0x3ff8000000000000, 0x4004000000000000, 0x4330000000000001, 0x41dfffffffc00000,
    0x41e0000000000000, 0xc1e0000000000000, 0x41efffffffe00000, 0x43e0000000000000, 0xc3e0000000000000,
    0x43f0000000000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x36a0000000000000,
    0x3690000000000000, 0x3690000000000001, 0x380fffffe0000000, 0x40effc0000000000, 0xbfe0000000000000};
constexpr u64 edges_integer[] = {0,
                                 1,
                                 ~u64{0},
                                 0x8000000000000000,
                                 0x7fffffffffffffff,
                                 0x80,
                                 0x7f,
                                 0xff,
                                 0x8000,
                                 0x7fff,
                                 0xffff,
                                 0x80000000,
                                 0x7fffffff,
                                 0xffffffff,
                                 0x1000001,
                                 0x101,
                                 0x8080,
                                 0x80000080,
                                 0x800000000000000f,
                                 0x8000000000000400,
                                 0x8000000000000401,
                                 0x8080000000000000,
                                 0x8080000000000001,
                                 0x20000000000001,
                                 0xffffffffffffff7f,
                                 0x7fffff80,
                                 0x7fffff00000000};

std::span<const u64> edges_of(const FloatOpcode& opcode, Kind kind) {
  const bool brain = opcode.has("bf16x2");
  if (kind == Kind::bf16 || (kind == Kind::u32 && brain)) return edges_brain16;
  if (kind == Kind::f16 || (kind == Kind::u32 && (opcode.has("f16x2") || opcode.has("f16")))) return edges16;
  if (kind == Kind::f32) return edges32;
  if (kind == Kind::f64) return edges64;
  return edges_integer;
}
/// Pairs of 16-bit values in a word.
bool is_packed(const FloatOpcode& opcode, Kind kind) {
  return kind == Kind::u32 && (opcode.has("f16x2") || opcode.has("bf16x2"));
}

u64 exponent_unit(const FloatOpcode& opcode, Kind kind) {
  if (kind == Kind::f64) return u64{1} << 52;
  if (kind == Kind::f32) return u64{1} << 23;
  return kind == Kind::bf16 || opcode.has("bf16x2") ? u64{1} << 7 : u64{1} << 10;
}

/// One element: any bits, an edge value, a number near another one, a number of few bits.
u64 random_value(const FloatOpcode& opcode, Kind kind, Random& random, u64 near) {
  const auto edges = edges_of(opcode, kind);
  const u64 any = random(), choice = random();
  const u64 unit = exponent_unit(opcode, kind);
  switch (choice % 8) {
    case 0:
      return edges[any % edges.size()];
    case 1:  // the exponent within some of the other's: sums and fused products that round
      return near + unit * (any % 64) - unit * 32;
    case 2:  // ties
      return any & ~(unit / 4 - 1);
    case 3:  // the neighbour of an edge
      return edges[any % edges.size()] + (choice >> 8) % 5 - 2;
    default:
      return any;
  }
}

std::size_t edge_count(const FloatOpcode& opcode, Kind kind) {
  constexpr std::size_t of_three = 12;
  const std::size_t all = edges_of(opcode, kind).size();
  return opcode.shape.inputs.size() >= 3 ? std::min(all, of_three) : all;
}

}  // namespace

bool FloatOpcode::has(std::string_view part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

FloatOpcode float_opcode(const Row& row, const std::string& name) {
  return {name, parts_of(name), &row, match(row.form, name).value_or(0), shape_of(row, name)};
}

std::vector<FloatOpcode> ieee_opcodes(const InstructionSet& set) {
  std::vector<FloatOpcode> all;
  std::set<std::string> seen;
  for (const auto& table : set.tables())
    for (const Row& row : table) {
      if (!can_be_ieee(row)) continue;
      for (const auto& name : spellings(row.form, is_variation)) {
        auto opcode = float_opcode(row, name);
        if (is_ieee(opcode) && seen.insert(name).second) all.push_back(std::move(opcode));
      }
    }
  return all;
}

Columns edge_operands(const FloatOpcode& opcode) {
  const auto& inputs = opcode.shape.inputs;
  std::size_t count = 1;
  for (const auto& slot : inputs) count *= edge_count(opcode, slot.kind);
  Columns columns(inputs.size(), std::vector<u64>(count));
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t left = i;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const Kind kind = inputs[k].kind;
      const auto edges = edges_of(opcode, kind);
      const std::size_t at = left % edge_count(opcode, kind);
      left /= edge_count(opcode, kind);
      const u64 upper = is_packed(opcode, kind) ? edges[(at + i / 7) % edges.size()] << 16 : 0;
      columns[k][i] = (edges[at] | upper) & width_mask(kind);
    }
  }
  return columns;
}

Columns random_operands(const FloatOpcode& opcode, std::size_t count, u64 seed) {
  const auto& inputs = opcode.shape.inputs;
  Columns columns(inputs.size(), std::vector<u64>(count));
  Random random{seed};
  for (std::size_t i = 0; i < count; ++i) {
    u64 near = random(), near_upper = random();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const Kind kind = inputs[k].kind;
      u64 value = random_value(opcode, kind, random, near);
      near = value;
      if (is_packed(opcode, kind)) {
        near_upper = random_value(opcode, kind, random, near_upper);
        value = (value & 0xffff) | near_upper << 16;
      }
      columns[k][i] = value & width_mask(kind);
    }
  }
  return columns;
}

Results simulate(const FloatOpcode& opcode, const Columns& columns) {
  const auto& shape = opcode.shape;
  const std::size_t count = columns.front().size(), outputs = shape.outputs.size();
  Results results(count * outputs);
  LaneMachine machine;
  machine.place(shape);
  machine.op.mods = opcode.mods;
  machine.op.extra = opcode.row->meaning.extra;
  const Handler handler = handler_of(*opcode.row, opcode.mods);
  for (std::size_t base = 0; base < count; base += kLanes) {
    const int lanes = static_cast<int>(std::min<std::size_t>(kLanes, count - base));
    for (int lane = 0; lane < lanes; ++lane)
      for (std::size_t k = 0; k < columns.size(); ++k)
        machine.set(shape.inputs[k].r, shape.inputs[k].kind, lane, columns[k][base + static_cast<std::size_t>(lane)]);
    machine.run(handler, kFullMask);
    for (int lane = 0; lane < lanes; ++lane)
      for (std::size_t j = 0; j < outputs; ++j) {
        const auto& slot = shape.outputs[j];
        results[(base + static_cast<std::size_t>(lane)) * outputs + j] =
            machine.get(slot.r, slot.kind, lane) & width_mask(slot.kind);
      }
  }
  return results;
}

std::string shown_try(const FloatOpcode& opcode, const Columns& columns, std::size_t i) {
  std::string text = opcode.name;
  for (std::size_t k = 0; k < columns.size(); ++k) text += " " + shown(columns[k][i], opcode.shape.inputs[k].kind);
  return text;
}

}  // namespace gpulab::simt
