#pragma once
// A kernel ready to run: micro-ops in basic blocks, the layout of a warp's registers, and what to fill them with.
// Made by decode.h from one PTX entry and the functions it calls.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "common/ptx/module.h"
#include "common/simt/isa/facts.h"
#include "common/simt/isa/op.h"
#include "common/simt/isa/special_registers.h"
#include "common/simt/machine/memory/windows.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

struct ConstantSlot {
  std::uint16_t slot;
  bool wide;  ///< 64-bit slots
  std::uint64_t bits;
};
struct SpecialSlot {
  std::uint16_t slot;
  bool wide;
  const SpecialRegister* which;  ///< of isa/special_registers.h
};
/// A kernel parameter read at a constant offset: the same in every lane, set at launch.
struct ParameterSlot {
  std::uint16_t slot;
  bool wide;  ///< extended to 64 bits
  Kind kind;
  std::uint32_t offset;  ///< bytes into the parameter block
};

/// A register that some path reads before it writes it: a variable that nobody gave a value.
struct UnsetRegister {
  std::uint16_t at;    ///< slot or predicate, as in MicroOp::r
  std::uint8_t bytes;  ///< 8: a 64-bit slot; 0: a predicate
};

inline constexpr std::uint32_t kNoSite = 0xffffffffu;

/// One PTX instruction, for statistics and messages.
struct Site {
  const ptx::Function* function = nullptr;
  const ptx::Instruction* instruction = nullptr;
  const Row* row = nullptr;
  std::uint32_t facts = 0;         ///< of its opcode: bits of Fact
  std::uint32_t block = kNoBlock;  ///< basic block that holds it
  std::uint32_t leader = kNoSite;  ///< the access whose counts hold for this one, too (fuse.h)
};

struct CallInfo {
  const ptx::CallSite* site = nullptr;
  std::int32_t callee = -1;  ///< index into Program::functions; -1: indirect or built in
  std::uint32_t return_block = kNoBlock;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arguments;  ///< (frame offset, bytes) of the caller's parameters
  std::vector<std::pair<std::uint32_t, std::uint32_t>> results;
  const struct Builtin* builtin = nullptr;  ///< vprintf, malloc … where the callee is not in the module, if it is known
  std::uint32_t caller = 0;                 ///< index into Program::functions
};

struct RegisterPlace {
  std::uint16_t at = kNoOperand;  ///< slot or predicate, as in MicroOp::r; kNoOperand: the register is never alive
  bool from_afar = false;         ///< may hold what comes from memory or from another lane, or what nobody gave
};

struct FunctionInfo {
  const ptx::Function* function = nullptr;
  std::uint32_t entry_block = kNoBlock;
  std::uint32_t first_slot = 0, slot_end = 0;  ///< its own registers, units of 64 bytes
  std::uint32_t wide_slot = 0;                 ///< where its 64-bit registers start
  std::uint32_t first_pred = 0, pred_end = 0;
  std::uint32_t frame_bytes = 0;     ///< local variables and call parameters, in multiples of 16
  std::uint32_t variable_bytes = 0;  ///< up to the end of the last of them
  std::vector<std::pair<std::string_view, std::uint32_t>> locals;   ///< .local variables, and where in the frame
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parameters;  ///< (frame offset, bytes)
  std::vector<std::pair<std::uint32_t, std::uint32_t>> results;
  bool recursive = false;             ///< may be active twice: its registers are saved by calls
  std::vector<RegisterPlace> places;  ///< of each register of the function, where an observer asks (kWatchRegisters)
};

/// A way around a barrier of the whole block: lanes branch, some go to the barrier (or to a call that leads to one),
/// and where the ways meet again there is more to do than to leave.
struct Detour {
  std::uint32_t site = kNoSite;  ///< of the barrier or the call
  std::uint32_t way = 0;         ///< number of the branch
};

/// Where a shared variable lies, for messages and bounds.
struct SharedVariable {
  std::string_view name;  ///< mangled
  std::uint64_t offset = 0, bytes = 0;
  bool dynamic = false;  ///< up to the end of what the launch asks for
};

struct Program {
  std::shared_ptr<const ptx::Module> module;
  std::string name;                              ///< demangled kernel name, for messages
  std::deque<ptx::Instruction> implied_returns;  ///< of functions without an instruction of their own
  std::vector<MicroOp> ops;
  std::vector<BasicBlock> blocks;
  std::vector<Site> sites;
  std::vector<FunctionInfo> functions;         ///< [0]: the entry
  std::vector<std::int32_t> function_numbers;  ///< of the module's functions: their place in `functions`, or -1
  std::vector<CallInfo> calls;
  std::vector<std::uint16_t> operand_table;               ///< operands of kOperandTable instructions: slots, predicates
  std::vector<std::vector<std::uint32_t>> branch_tables;  ///< of brx.idx: basic blocks
  std::vector<ConstantSlot> constants;
  std::vector<SpecialSlot> specials;
  std::vector<ParameterSlot> parameters;
  std::vector<UnsetRegister> unset;  ///< of all functions; a block starts with the same arbitrary bytes there
  std::vector<Detour> detours;       ///< found where an observer asks for them (kWatchWays)
  std::uint32_t ways = 0;            ///< branches that detours have
  std::uint32_t slots = 0;           ///< register file of one warp, units of 64 bytes
  std::uint32_t preds = 0;
  int true_pred = -1;  ///< the predicate that always holds, -1: none is needed
  std::uint32_t parameter_bytes = 0;
  std::vector<std::uint32_t> parameter_offsets;  ///< of the kernel's, in their order
  std::uint64_t parameter_address = 0;           ///< where a copy of the parameters lies in memory; 0: it has none
  std::vector<SharedVariable> shared_variables;  ///< by offset
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t reserved_shared_offset = 0;  ///< of the system's own shared memory, where the program asks for it
  std::uint32_t dynamic_shared_offset = 0;   ///< where `extern __shared__` arrays start
  std::uint32_t local_bytes = 0;             ///< per lane, all frames of the deepest non-recursive call chain
  bool recursive = false;
  bool communicates = false;   ///< blocks may wait for each other: run in one fixed interleaving
  bool uses_textures = false;  ///< or surfaces
};

/// What a pointer to the i-th function of a module holds: the same for all its kernels.
[[nodiscard]] constexpr std::uint64_t code_address(std::size_t i) { return kCodeWindow + 16 * (i + 1); }
/// Which function of a module is at `address`, as an index that may be beyond the last one; none is at most addresses.
[[nodiscard]] constexpr std::size_t function_of_address(std::uint64_t address) {
  const std::uint64_t offset = address - kCodeWindow;
  return offset % 16 == 0 && offset != 0 ? offset / 16 - 1 : SIZE_MAX;
}

/// "reduce_warp<float, Sum> (kernels.cu:41)": the instruction's kernel and the user's CUDA line, or the PTX line.
[[nodiscard]] std::string place_of(const Program& program, std::uint32_t site);

}  // namespace gpulab::simt
