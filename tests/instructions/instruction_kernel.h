#pragma once
// Instruction cases as PTX kernels, so that a device runs them: the simulator through its decoder, or a GPU, which
// shows that the cases tell the truth. Lane l of a warp runs case l of a batch, under a guard.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "common/device/device.h"
#include "tests/instructions/instruction_case.h"

namespace gpulab::simt {

enum class Operands { registers, immediates };

/// Modules of one kernel for each batch (at most 32 cases), c0, c1, … With immediates, a kernel runs its first case
/// alone; its operands that may be immediates are.
[[nodiscard]] std::deque<std::string> instruction_modules(const std::vector<Batch>& all, Operands operands);

/// Registers have no type but a width: any instruction type of that width takes them. Bytes sit in 16 bits, but where
/// they take a register of their own width.
[[nodiscard]] std::string register_type(const CaseSlot& slot);
/// Operand r in an instruction: %p0, %b1, %h1, %w2, %d3.
[[nodiscard]] std::string register_name(const CaseSlot& slot);
/// The instruction as a line of a kernel, behind `guard` ("@%on " or nothing).
[[nodiscard]] std::string instruction_text(const InstructionCase& one, const std::string& guard, Operands operands);

/// addc, subc, madc: their result depends on what ran before.
[[nodiscard]] bool reads_carry(std::string_view opcode);

/// Who makes machine code of the modules.
enum class CompiledBy { simulator, ptxas };
/// ptxas 13.0 loses the guard of testp, at -O0 as at -O3: of "@%on testp.infinite.f32 %p, %w" it makes LOP3, ISETP.NE
/// and SEL for sm_90, in which %on does not occur (setp keeps its guard). An H200 then writes the predicate in every
/// lane. So it does with two of the video instructions.
[[nodiscard]] bool loses_guard(std::string_view opcode);

/// Runs every batch on a device that has loaded the modules; says which cases went wrong.
[[nodiscard]] std::vector<std::string> wrong_cases(Device& device, const std::vector<Batch>& all, Operands operands,
                                                   CompiledBy compiler);

}  // namespace gpulab::simt
