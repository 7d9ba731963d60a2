#pragma once
// The floating-point instructions that have one right result, found from the instruction set itself; operands to try
// them on; what each must give (float_oracle.cpp); and kernels that run them on a device.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/device/device.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/instructions/instruction_case.h"

namespace gpulab::simt {

/// "fma.rn.ftz.f32": one spelling of a row.
struct FloatOpcode {
  std::string name;
  std::vector<std::string> parts;  ///< of the name, between its dots
  const Row* row = nullptr;
  std::uint16_t mods = 0;
  InstructionCase shape;  ///< operands, without values
  [[nodiscard]] bool has(std::string_view part) const;
};

/// The row's opcode of that name.
[[nodiscard]] FloatOpcode float_opcode(const Row& row, const std::string& name);
/// Every opcode of the set that rounds, compares or converts floating-point values as IEEE 754 says, in all spellings
/// of its rounding, .ftz, .sat and .relu; not the approximations.
[[nodiscard]] std::vector<FloatOpcode> ieee_opcodes(const InstructionSet& set);

/// Values of each input: columns[k][i] is the k-th operand of the i-th try.
using Columns = std::vector<std::vector<std::uint64_t>>;
/// All combinations of the edge values of the operands' types (fewer values where there are three operands).
[[nodiscard]] Columns edge_operands(const FloatOpcode& opcode);
/// `count` tries: bits at random, numbers near each other, edges. The same on every machine.
[[nodiscard]] Columns random_operands(const FloatOpcode& opcode, std::size_t count, std::uint64_t seed);

/// What a try gives, one value for each output: results[i * outputs + j].
using Results = std::vector<std::uint64_t>;
[[nodiscard]] Results simulate(const FloatOpcode& opcode, const Columns& columns);

/// A result worked out by exact_float.h.
struct Expected {
  std::uint64_t bits = 0;
  bool any_nan = false;  ///< the manual leaves the NaN open
};
/// Results of one try; nothing for an instruction that the oracle does not know.
[[nodiscard]] std::optional<std::vector<Expected>> expected_of(const FloatOpcode& opcode,
                                                               std::span<const std::uint64_t> inputs);
/// Whether a result is a NaN.
[[nodiscard]] bool is_nan_of(const FloatOpcode& opcode, std::uint64_t bits);
/// Whether the manual leaves its NaNs open: double precision, signs of single precision changed.
[[nodiscard]] bool has_open_nan(const FloatOpcode& opcode);
/// The result, an open NaN made the canonical one: what two devices must agree on.
[[nodiscard]] std::uint64_t settled(const FloatOpcode& opcode, std::uint64_t bits);

/// Kernels f<first>, f<first + 1>, …, one for each opcode: thread i takes try i.
[[nodiscard]] std::string float_module(std::span<const FloatOpcode> opcodes, std::size_t first);
/// Runs kernel f<number> of a module that the device has loaded.
[[nodiscard]] Results run_on(Device& device, const FloatOpcode& opcode, std::size_t number, const Columns& columns);

/// "add.rn.f32 0x3f800000 (1) …: 0x40000000 (2)", for messages.
[[nodiscard]] std::string shown_try(const FloatOpcode& opcode, const Columns& columns, std::size_t i);

}  // namespace gpulab::simt
