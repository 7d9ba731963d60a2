#pragma once
// How a warp gets into compiled code, and out of it at any operation: what is called from there, and what it leaves
// behind. C++ exceptions never pass through compiled code: what a handler throws waits until it has returned.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "common/simt/machine/warp.h"

namespace gpulab::simt::compiled {

/// A register whose lanes differ from lane 0's by constants: code keeps that one word.
struct LineRegister {
  std::uint32_t number = 0;  ///< Warp::regs or, of predicates, which are all or none, Warp::preds
  bool predicate = false, wide = false;
  std::array<std::uint32_t, kLanes> narrow{};  ///< each lane's value less lane 0's
  std::array<std::uint64_t, kLanes> lanes{};
};
using LineRegisters = std::vector<LineRegister>;

struct MachineCode;

/// Why compiled code has returned.
struct Exit {
  enum class Kind : std::uint32_t {
    next,         ///< the interpreter goes on at what was returned; nullptr: a handler has ended the warp's turn
    diverged,     ///< at a branch (`op`), of which some lanes are taken: `value`
    slice_ended,  ///< before block `value`
    reconverged,  ///< before block `value`, where the lanes meet others
    enters,       ///< block `value`, which has no code
    failed        ///< pending_error
  };
  const MicroOp* op = nullptr;
  Kind kind = Kind::next;
  std::uint32_t value = 0;
  bool hopped = false;                ///< code has gone on with other warps (hop_on): BlockContext::hop
  std::uint32_t alone = 0;            ///< kept for the code: no other lanes of the warp can run
  const MachineCode* code = nullptr;  ///< this one
  /// Registers that have to be written still, of which code left lane 0's words here; nullptr: none.
  const LineRegisters* left = nullptr;
  static constexpr std::size_t kMostLeft = 48;
  std::uint64_t words[kMostLeft];
};

/// `addresses`: all that code points to, of this process. It has none of its own, so that it can be made by the build
/// of gpulab, too (ahead/).
using Code = const MicroOp* (*)(Warp*, std::uint32_t entry, Exit*, const void* const* addresses);
struct MachineCode {
  Code run = nullptr;
  const void* const* addresses = nullptr;
};

/// What is added to the number of an entry where some lanes of a warp enter, or those that wait for others.
inline constexpr std::uint32_t kMasked = 1u << 20;

/// A micro-op that goes on in compiled code, where nobody watches the warp.
struct EntryPoint {
  MicroOp op;  ///< the first member: handlers get its address
  const MachineCode* code = nullptr;
  std::uint32_t number = 0;                       ///< which of the code's entries
  bool has_masked = false;                        ///< number + kMasked is one, too
  const MicroOp* original = nullptr;              ///< where the interpreter goes on instead
  std::uint32_t instructions = 0;                 ///< of the basic block
  const LineRegisters* kept = nullptr;            ///< behind a barrier: registers whose lane 0 alone is in memory
  std::atomic<std::uint64_t>* refused = nullptr;  ///< counts these where lanes go on there because has_masked is false
};
/// An operation that may end the warp's turn, and where it goes on.
struct ThroughPoint {
  MicroOp op;
  EntryPoint behind;  ///< next to it: handlers go on at op + 1
};
static_assert(offsetof(ThroughPoint, behind) == sizeof(MicroOp));

[[nodiscard]] EntryPoint entry_point(const MicroOp* original, const MachineCode& code, std::uint32_t number,
                                     bool has_masked);

/// Copies of a few handlers' micro-ops, ended by one that returns.
[[nodiscard]] std::vector<MicroOp> callable(const MicroOp* first, std::uint32_t count);

// ---- called by compiled code ----

/// Runs what callable() gave. 0: it ended as it should; else Exit says how not.
std::uint32_t call_handlers(Warp* warp, const MicroOp* first, Exit* exit);
/// Of these two, code sets Warp::lanes. At a branch of which some lanes are taken; the block that those that run now
/// enter; kNoBlock: Exit says what failed.
std::uint32_t part_in_code(Warp* warp, const MicroOp* op, Exit* exit, std::uint32_t taken);
/// Where the lanes wait for others; the block that lanes enter now, or kNoBlock: the scheduler knows who goes on.
std::uint32_t meet_in_code(Warp* warp, Exit* exit);
/// Whether registers in memory are as code takes them for: 1, or 0.
std::uint32_t registers_are(const Warp* warp, const LineRegisters* all);
/// A whole warp has come to a barrier, with its registers in memory. The warp that has the next turn and enters this
/// very code, whole, at Exit::value; or nullptr: code returns.
Warp* hop_on(Warp* warp, Exit* exit, const EntryPoint* behind, std::uint32_t barrier);
/// All lanes of a whole warp leave the kernel, as `op` says. As hop_on().
Warp* end_on(Warp* warp, Exit* exit, const MicroOp* op);
/// Runs one operation; where it goes on, or nullptr: the turn ends.
const MicroOp* call_through(Warp* warp, const MicroOp* op, Exit* exit);

}  // namespace gpulab::simt::compiled
