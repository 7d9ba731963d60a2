#include "common/simt/timing/code/instruction_costs.h"

#include <algorithm>

namespace gpulab::simt {

namespace {

/// The first row that fits an opcode holds.
struct CostRow {
  std::string_view name, type;  ///< the first part of the opcode; its last part, or any where empty
  InstructionCost cost;
  std::string_view with{};  ///< a modifier that it has
};

using enum Pipe;

/// Measured on an H200 by scripts/calibrate.py (chain_…: latency, full_…: cycles of the pipe, four times the cycles per
/// instruction of a full SM). How many instructions one becomes was counted in what ptxas 13.0 makes for sm_90. Of what
/// branches to a subroutine (`kCalls`) these are the instructions of the way without it; a thread of those probes took
/// the way with it in one of four, so that the latency is what is left of full_… of 128 threads without chain_…'s part,
/// and the pipe's cycles are those of its instructions: 8 of MUFU, 2 of DFMA and DMUL. Not measured but estimated:
/// 64-bit shifts, comparisons, minima, counts of bits, high halves of products, match, and the units' below. What has
/// no row costs what its unit does.
constexpr bool kCalls = true;
constexpr CostRow rows[] = {
    {"mov", "", {none, 0, 0, 0}},
    {"cvta", "", {none, 0, 0, 0}},
    {"fma", "f64", {fp64, 1, 2, 8}},
    {"div", "f64", {fp64, 17, 22, 127, kCalls}},
    {"rcp", "f64", {special, 2, 8, 40}, "approx"},
    {"rcp", "f64", {fp64, 12, 15, 76, kCalls}},
    {"sqrt", "f64", {fp64, 20, 30, 95, kCalls}},
    {"rsqrt", "f64", {special, 2, 8, 40}, "ftz"},
    {"rsqrt", "f64", {fp64, 13, 12, 85, kCalls}},
    {"min", "f64", {fp64, 7, 2, 23}},
    {"max", "f64", {fp64, 7, 2, 23}},
    {"div", "f32", {special, 8, 9, 45}, "full"},
    {"div", "f32", {special, 2, 8, 22}, "ftz"},
    {"div", "f32", {special, 5, 8, 35}, "approx"},
    {"div", "f32", {special, 10, 17, 61, kCalls}},
    {"rcp", "f32", {special, 1, 8, 18}, "approx.ftz"},
    {"rcp", "f32", {special, 6, 8, 40}, "approx"},
    {"rcp", "f32", {special, 10, 11, 83, kCalls}},
    {"sqrt", "f32", {special, 1, 8, 18}, "approx.ftz"},
    {"sqrt", "f32", {special, 4, 8, 31}, "approx"},
    {"sqrt", "f32", {special, 10, 10, 63, kCalls}},
    {"rsqrt", "f32", {special, 1, 8, 18}, "ftz"},
    {"rsqrt", "f32", {special, 4, 8, 31}},
    {"ex2", "f32", {special, 1, 8, 18}, "ftz"},
    {"ex2", "f32", {special, 4, 8, 24}},
    {"lg2", "f32", {special, 1, 8, 18}, "ftz"},
    {"lg2", "f32", {special, 4, 8, 40}},
    {"abs", "f32", {none, 0, 0, 0}},  // of an operand: |R4|, -R4
    {"neg", "f32", {none, 0, 0, 0}},
    {"abs", "f64", {none, 0, 0, 0}},
    {"neg", "f64", {none, 0, 0, 0}},
    {"div", "u64", {alu, 70, 134, 318, kCalls}},
    {"div", "s64", {alu, 76, 144, 340, kCalls}},
    {"rem", "u64", {alu, 70, 134, 318, kCalls}},
    {"rem", "s64", {alu, 76, 144, 340, kCalls}},
    {"div", "s32", {alu, 24, 33, 140}},
    {"div", "", {alu, 18, 30, 134}},
    {"rem", "s32", {alu, 22, 33, 140}},
    {"rem", "", {alu, 17, 30, 134}},
    {"mul", "u64", {heavy, 7, 17, 37}, ".hi"},
    {"mad", "u64", {heavy, 7, 17, 37}, ".hi"},
    {"madc", "u64", {heavy, 7, 17, 37}, ".hi"},
    {"mul", "s64", {heavy, 17, 20, 40}, ".hi"},
    {"madc", "u64", {heavy, 4, 8, 18}},
    {"madc", "", {heavy, 1, 2, 5}},
    {"addc", "u64", {alu, 2, 4, 8}},
    {"subc", "u64", {alu, 2, 4, 8}},
    {"min", "u64", {alu, 4, 8, 12}},
    {"min", "s64", {alu, 4, 8, 12}},
    {"max", "u64", {alu, 4, 8, 12}},
    {"max", "s64", {alu, 4, 8, 12}},
    {"abs", "s64", {alu, 5, 8, 15}},
    {"selp", "b64", {alu, 2, 4, 5}},
    {"selp", "f64", {alu, 2, 4, 5}},
    {"selp", "u64", {alu, 2, 4, 5}},
    {"selp", "s64", {alu, 2, 4, 5}},
    {"popc", "b64", {special, 3, 16, 26}},
    {"clz", "b64", {special, 7, 8, 36}},
    {"brev", "b64", {special, 2, 16, 22}},
    {"bfe", "u64", {alu, 3, 6, 12}},
    {"bfe", "s64", {alu, 3, 6, 12}},
    {"bfe", "", {alu, 2, 4, 9}},
    {"bfi", "b32", {alu, 2, 4, 9}},
    {"mad", "", {heavy, 1, 4, 6}, "wide"},
    {"mul", "", {heavy, 1, 4, 6}, "wide"},
    {"mad", "u64", {heavy, 4, 8, 18}},
    {"mad", "s64", {heavy, 4, 8, 18}},
    {"mul", "u64", {heavy, 4, 8, 18}},
    {"mul", "s64", {heavy, 4, 8, 18}},
    {"mad", "", {heavy, 1, 2, 4}},
    {"mul", "u32", {heavy, 1, 2, 4}},
    {"mul", "s32", {heavy, 1, 2, 4}},
    {"fma", "f32", {fp32, 1, 2, 4}},
    {"add", "f32", {fp32, 1, 2, 4}},
    {"sub", "f32", {fp32, 1, 2, 4}},
    {"mul", "f32", {fp32, 1, 2, 4}},
    {"add", "u64", {add, 2, 2, 6}},
    {"add", "s64", {add, 2, 2, 6}},
    {"sub", "u64", {add, 2, 2, 6}},
    {"sub", "s64", {add, 2, 2, 6}},
    {"add", "u32", {add, 1, 2, 5}},
    {"add", "s32", {add, 1, 2, 5}},
    {"sub", "u32", {add, 1, 2, 5}},
    {"sub", "s32", {add, 1, 2, 5}},
    {"shl", "b32", {add, 1, 2, 5}},
    {"shl", "b64", {add, 2, 2, 6}},
    {"and", "b64", {alu, 2, 4, 5}},
    {"or", "b64", {alu, 2, 4, 5}},
    {"xor", "b64", {alu, 2, 4, 5}},
    {"shr", "", {alu, 2, 4, 8}, "u64"},
    {"shr", "", {alu, 2, 4, 8}, "s64"},
    {"setp", "u64", {alu, 2, 4, 8}},
    {"setp", "s64", {alu, 2, 4, 8}},
    {"sin", "", {special, 2, 9, 23}},
    {"cos", "", {special, 2, 9, 23}},
    {"popc", "", {special, 1, 8, 18}},
    {"clz", "", {special, 1, 8, 22}},
    {"brev", "", {special, 1, 8, 18}},
    {"shfl", "", {memory, 1, 4, 23}},
    {"redux", "", {alu, 1, 8, 39}},
    {"vote", "", {alu, 1, 2, 12}},
    {"match", "", {memory, 1, 128, 100}},  // match_…: 2 cycles of the SM for each value that lanes hold, 16 are assumed
    {"wmma", "", {memory, 4, 4, 0}, "load"},
    {"wmma", "", {memory, 8, 8, 0}, "store"},
    // Bytes at twice the rate of bfloat16, as NVIDIA's data sheet of the H100 has it; no probe has asked.
    {"wmma", "", {tensor, 2, 6, 48}, ".u8"},
    {"wmma", "", {tensor, 2, 6, 48}, ".s8"},
    {"wmma", "", {tensor, 4, 12, 48}},  // two of full_mma_tf32 and full_mma_bf16, behind one another
    {"activemask", "", {alu, 1, 2, 12}},
};

/// Between integers: the lower half of a pair of registers and a pair with nothing above are no instructions, all else
/// is a mask (LOP3) or a choice of bytes (PRMT), as ptxas makes of each pair of types. -1: a type of another kind.
int bits_of_integer(std::string_view type) {
  if (type.empty() || (type[0] != 'u' && type[0] != 's')) return -1;
  return type == "u64" || type == "s64" ? 64 : type == "u32" || type == "s32" ? 32 : 16;
}

InstructionCost between_integers(int to, int from) {
  const bool of_registers = to >= 32 && from >= 32;
  return of_registers ? InstructionCost{none, 0, 0, 0} : InstructionCost{alu, 1, 2, 5};
}

constexpr bool is_half(std::string_view type) {
  return type == "f16" || type == "bf16" || type == "f16x2" || type == "bf16x2";
}

/// Of halves, on an H100 (full_fma_f16, full_fma_f16x2 …). ptxas shares pairs out between two pipes: HFMA2, and
/// HFMA2.MMA, whose results take longer.
InstructionCost of_halves(std::string_view name, std::string_view type) {
  if (name == "min" || name == "max" || name == "setp") return {alu, 1, 2, 7};
  return type.ends_with("x2") ? InstructionCost{fp32, 1, 3, 10} : InstructionCost{heavy, 1, 2, 5};
}

/// Between floating point and what else there is, by what ptxas 13.0 makes of it for sm_90. Measured on an H100
/// (chain_cvt_…, full_cvt_…): HADD2.F32 of a half, F2FP to halves, I2FP of a word; I2F of narrower integers and F2I
/// are the special unit's, 16 lanes a cycle of an SM. A bfloat16 is the upper half of a float. Not measured:
/// FRND, F2IP, and the four instructions of a tf32.
InstructionCost with_floats(std::string_view to, std::string_view from, bool saturates) {
  const auto one_of = [](std::string_view type, std::initializer_list<std::string_view> types) {
    return std::ranges::find(types, type) != types.end();
  };
  if (one_of(to, {"u64", "s64", "f64"}) || one_of(from, {"u64", "s64", "f64"})) return {special, 1, 8, 18};
  if (to == "f32" && from == "f16") return {heavy, 1, 2, 5};
  if (to == "f32" && from == "bf16") return {alu, 1, 2, 5};
  if (to == "f32" && from == "f32" && saturates) return {fp32, 1, 2, 4};
  if (to == "f32" && one_of(from, {"s32", "u32"})) return {alu, 1, 2, 6};
  if (to == "tf32") return {alu, 4, 4, 15};
  if (from == "f32" && one_of(to, {"s8", "u8"})) return {special, 1, 4, 12};
  const bool packs = !one_of(to, {"f32", "s8", "u8", "s16", "u16", "s32", "u32"});
  if ((from == "f32" && packs) || from.ends_with("x2")) return {alu, 1, 2, 5};
  return {special, 1, 8, 17};
}

}  // namespace

InstructionCost cost_of(std::string_view opcode, Unit unit) {
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  const std::string_view type = opcode.substr(opcode.rfind('.') + 1);
  if (unit == Unit::conversion) {
    const std::string_view before = opcode.substr(0, opcode.rfind('.'));
    const std::string_view result = before.substr(before.rfind('.') + 1);
    const bool saturates = opcode.find(".sat.") != std::string_view::npos;
    const int from = bits_of_integer(type), to = bits_of_integer(result);
    if (from > 0 && to > 0) return saturates ? InstructionCost{special, 1, 4, 12} : between_integers(to, from);
    if (name == "cvt") return with_floats(result, type, saturates);
  }
  constexpr std::string_view of_either[] = {"add", "sub", "mul", "fma", "min", "max", "setp"};
  if (is_half(type) && std::ranges::find(of_either, name) != std::end(of_either)) return of_halves(name, type);
  for (const CostRow& row : rows) {
    if (row.name != name || (!row.type.empty() && row.type != type)) continue;
    if (!row.with.empty() && opcode.find(row.with) == std::string_view::npos) continue;
    return row.cost;
  }
  switch (unit) {
    case Unit::fp32:
      return {fp32, 1, 2, 4};
    case Unit::fp64:
      return {fp64, 1, 2, 8};
    case Unit::sfu:
      return {special, 1, 8, 18};
    case Unit::conversion:
      return {special, 1, 8, 18};
    case Unit::matrix:
      return {tensor, 1, 6, 24};
    case Unit::param:
    case Unit::constant:
      return {none, 0, 0, 0};
    case Unit::global:
    case Unit::shared:
    case Unit::local:
    case Unit::generic:
    case Unit::atomic:
    case Unit::async:
      return {memory, 1, 1, 0};
    default:
      return {alu, 1, 2, 5};
  }
}

}  // namespace gpulab::simt
