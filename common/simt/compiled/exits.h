#pragma once
// How a warp gets into compiled code, and out of it at any operation: what is called from there, and what it leaves
// behind. C++ exceptions never pass through compiled code: what a handler throws waits in Exit::error.

#include <cstdint>
#include <deque>
#include <exception>
#include <vector>

#include "common/simt/machine/warp.h"

namespace gpulab::simt::compiled {

/// Why compiled code has returned.
struct Exit {
  enum class Kind : std::uint32_t {
    next,         ///< the interpreter goes on at what was returned; nullptr: a handler has ended the warp's turn
    diverged,     ///< at a branch (`op`), of which some lanes are taken: `value`
    slice_ended,  ///< before block `value`
    failed        ///< `error`
  };
  const MicroOp* op = nullptr;
  Kind kind = Kind::next;
  std::uint32_t value = 0;
  std::exception_ptr error;
};

using Code = const MicroOp* (*)(Warp*, std::uint32_t entry, Exit*);

/// A micro-op that goes on in compiled code, where the warp is whole and nobody watches it.
struct EntryPoint {
  MicroOp op;  ///< the first member: handlers get its address
  const Code* code = nullptr;
  std::uint32_t number = 0;           ///< which of the code's entries
  const MicroOp* original = nullptr;  ///< where the interpreter goes on instead
};
/// An operation that may end the warp's turn, and where it goes on.
struct ThroughPoint {
  MicroOp op;
  EntryPoint behind;  ///< next to it: handlers go on at op + 1
};
static_assert(offsetof(ThroughPoint, behind) == sizeof(MicroOp));

[[nodiscard]] EntryPoint entry_point(const MicroOp* original, const Code& code, std::uint32_t number);

/// Copies of a few handlers' micro-ops, ended by one that returns.
[[nodiscard]] std::vector<MicroOp> callable(const MicroOp* first, std::uint32_t count);

// ---- called by compiled code ----

/// Runs what callable() gave. 0: it ended as it should; else Exit says how not.
std::uint32_t call_handlers(Warp* warp, const MicroOp* first, Exit* exit);
/// The same for some lanes of the warp alone, which is whole again behind it.
std::uint32_t call_handlers_of_some(Warp* warp, const MicroOp* first, Exit* exit, std::uint32_t lanes);
/// Runs one operation; where it goes on, or nullptr: the turn ends.
const MicroOp* call_through(Warp* warp, const MicroOp* op, Exit* exit);

}  // namespace gpulab::simt::compiled
