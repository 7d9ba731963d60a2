#pragma once
// What ptxas makes of a program's basic blocks, as far as time needs it: machine instructions with the pipe that runs
// them, how long, and what waits for what. PTX is not what a GPU runs: moves vanish, a multiplication joins the
// addition behind it, a division becomes a dozen instructions, loads go ahead of what need not come before them.

#include <array>
#include <cstdint>
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
};

struct TimedInstruction {
  enum class Kind : std::uint8_t { plain, load, store, atomic, barrier, warp_sync, fence, branch };
  Kind kind = Kind::plain;
  InstructionCost cost;
  std::uint32_t site = 0;
  std::uint8_t copy = 0;  ///< of a loop that is unrolled: which turn of it
  bool alone = false;     ///< the warp waits for its result before it goes on: code that nobody optimised
  bool cached = true;     ///< a load that L1 may serve
  std::array<std::uint16_t, 6> in{}, out{};  ///< registers, 0: none
};

/// The instructions of each basic block of a program, in the order in which they issue.
class TimedCode {
 public:
  explicit TimedCode(const Program& program);
  [[nodiscard]] const std::vector<TimedInstruction>& block(std::uint32_t b) const { return blocks_[b]; }
  /// Four turns of a loop of one block as one, where ptxas unrolls it: loads of all turns go ahead. Empty: it does not.
  [[nodiscard]] const std::vector<TimedInstruction>& unrolled(std::uint32_t b) const { return unrolled_[b]; }
  static constexpr std::uint32_t kTurns = 4;
  [[nodiscard]] std::uint32_t registers() const { return registers_; }

 private:
  std::vector<std::vector<TimedInstruction>> blocks_, unrolled_;
  std::uint32_t registers_ = 1;
};

}  // namespace gpulab::simt
