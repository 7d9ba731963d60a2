#pragma once
// What ptxas makes of a program's basic blocks, as far as time needs it: machine instructions with the pipe that runs
// them, how long, and what waits for what. PTX is not what a GPU runs: moves vanish, a multiplication joins the
// addition behind it, a division becomes a dozen instructions, loads go ahead of what need not come before them.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// Of one of an SM's four partitions, but for those that the whole SM shares: memory, barriers. FP32 arithmetic goes to
/// either half of the FMA pipe, multiplications of integers to the heavy one; ptxas shares additions of integers out
/// between the ALU and the heavy half (IADD3, IMAD.IADD), wherever there is room.
enum class Pipe : std::uint8_t { none, alu, heavy, lite, fp64, special, tensor, memory, fp32, add };
constexpr std::size_t kPipes = static_cast<std::size_t>(Pipe::memory) + 1;  ///< that there are; fp32, add: one of two

/// What an instruction takes: of the GPU's instructions it becomes, of its pipe, and until its result is there.
struct InstructionCost {
  Pipe pipe = Pipe::alu;
  std::uint16_t issue = 1;    ///< instructions
  std::uint16_t cycles = 2;   ///< that they keep the pipe of a partition busy; of `add` each
  std::uint16_t latency = 5;  ///< cycles; of memory: GpuTiming's
  /// What ptxas makes of it branches to a subroutine for operands that are rare (a denormal divisor): nothing moves
  /// across the branch, and the warp waits for what decides it.
  bool calls = false;
};

struct TimedInstruction {
  enum class Kind : std::uint8_t { plain, load, store, atomic, barrier, warp_sync, fence, nap, branch };
  enum class Space : std::uint8_t { any, global, shared, local, constant };
  Kind kind = Kind::plain;
  Space space = Space::any;  ///< of memory
  bool read_only = false;    ///< a load of what nobody writes (.nc)
  InstructionCost cost;
  std::uint32_t site = 0;
  std::uint8_t copy = 0;  ///< of a loop that is unrolled: which turn of it
  bool alone = false;     ///< the warp waits for its result before it goes on: code that nobody optimised
  bool spill = false;     ///< of a register that ptxas keeps in local memory
  std::uint8_t word = 0;  ///< which of these registers
  bool cached = true;     ///< a load that L1 may serve
  bool apart = false;     ///< a load of constant memory whose index may differ from lane to lane
  bool loop = false;      ///< an atomic that the warp itself has to try until it succeeds
  bool of_half = false;   ///< one on a half alone: ptxas writes that loop, of a load and a compare-and-swap of the word
  bool of_block = false;  ///< a fence that orders for the block alone
  std::array<std::uint16_t, 6> in{}, out{};  ///< registers, 0: none
  /// Of a load or store: `bytes` at register `base` + `offset`; 0: ptxas cannot compare the address with another.
  std::uint16_t base = 0;
  std::uint8_t bytes = 0;
  bool steps = false;  ///< out[0] = in[0] + offset
  /// Of what is in the constant cache at a place that the instruction has: its line of 64 bytes; 0: none.
  std::uint32_t constant_line = 0;
  std::int64_t offset = 0;
};

/// Basic blocks that ptxas makes one of: a block, short ones that it predicates, the block where their ways meet …
struct TimedRegion {
  struct Step {
    std::vector<std::uint32_t> ways;  ///< blocks that a warp may come by, in any order
    std::uint32_t join = 0;           ///< and the one that it comes to then
  };
  std::vector<Step> steps{};             ///< behind the first block; none: the region is this block
  std::vector<TimedInstruction> code{};  ///< in the order in which they issue
  /// TimedCode::kTurns turns of a loop as one, where ptxas unrolls it: loads of all turns go ahead. Empty: it does not.
  std::vector<TimedInstruction> unrolled{};
};

/// What ptxas gives a thread of a kernel.
struct ThreadRegisters {
  std::uint32_t used = 0;     ///< 0: nobody knows
  std::uint32_t spilled = 0;  ///< kept in local memory
};

/// Whether an atomic is on 64-bit integers of which shared memory has no instruction: sums, minima, bit operations.
/// There ptxas writes a loop of a load and a compare-and-swap (LDS.64, ATOMS.CAST.SPIN.64), as for floats.
[[nodiscard]] bool is_loop_of_64(std::string_view opcode);

/// Whether an opcode is of one half or bfloat16, not of two: global memory adds two at once, and of one it has nothing.
[[nodiscard]] inline bool is_of_half(std::string_view opcode) {
  return opcode.ends_with(".f16") || opcode.ends_with(".bf16");
}

/// The instructions of each basic block of a program, and of the regions that start with it.
class TimedCode {
 public:
  /// The longest block loads and stores each of the spilled registers. `in_float`: sites whose double arithmetic is
  /// timed as if it were of floats; empty: none. `special_slower`: GpuTiming's.
  TimedCode(const Program& program, ThreadRegisters of_thread, double special_slower,
            const std::vector<bool>& in_float = {});
  [[nodiscard]] const TimedRegion& block(std::uint32_t b) const { return blocks_[b]; }
  /// nullptr: ptxas merges nothing with this block.
  [[nodiscard]] const TimedRegion* merged(std::uint32_t b) const { return merged_[b].get(); }
  static constexpr std::uint32_t kTurns = 4;
  /// Of a site's first instruction: how many come before it.
  [[nodiscard]] std::uint32_t place(std::uint32_t site) const { return places_[site]; }
  [[nodiscard]] std::uint32_t instructions() const { return instructions_; }
  [[nodiscard]] std::uint32_t registers() const { return registers_; }
  /// By site: bytes of a lane that an access of shared memory brings or stores with those that it is joined with; 0: it
  /// is joined with none.
  [[nodiscard]] std::span<const std::uint8_t> joined() const { return joined_; }

 private:
  void merge_from(const Program& program, std::uint32_t head);
  void count_places(const Program& program);
  void add_spills(std::uint32_t spilled);
  void finish(const Program& program, TimedRegion& region, std::map<const ptx::Function*, class Alignment>& alignments);

  std::uint32_t of_thread_;  ///< ThreadRegisters::used
  std::vector<TimedRegion> blocks_;
  std::vector<std::unique_ptr<TimedRegion>> merged_;
  std::uint32_t registers_ = 1;
  std::uint32_t instructions_ = 0;
  std::vector<std::uint32_t> places_;  ///< by site
  std::vector<std::uint8_t> joined_;
  std::vector<std::uint32_t> readers_;  ///< by register: instructions that take it
};

}  // namespace gpulab::simt
