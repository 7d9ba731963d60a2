#pragma once
// What one launch counted, by line of the source and by phase of its blocks: plain data of `gpulab explain`.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/counters.h"
#include "common/dim3.h"

namespace gpulab {

/// Phase 0 is what blocks do before their first barrier of all threads, phase 1 up to the second … Blocks with more
/// barriers count the rest in the last of these.
inline constexpr std::uint32_t most_phases = 64;

/// One line in one phase. Sums over lines and phases are the launch's counters (footprints and warps excepted, which
/// have no line).
struct LineCounts {
  std::uint32_t line = 0;  ///< 0: instructions that come from no line of the user's
  std::uint32_t phase = 0;
  /// How often warps came here: of the line's instructions, the one that most warps executed.
  std::uint64_t executions = 0;
  Counters counters;
};

/// One request of one memory instruction: of those that it showed lately, the one that costs most beyond the ideal.
struct LineAccess {
  std::uint32_t line = 0, ptx_line = 0;
  std::string instruction;  ///< "ld.shared.f32"
  bool shared = false, load = false, store = false, atomic = false;
  std::uint32_t width = 0;  ///< bytes per lane
  std::uint32_t mask = 0;   ///< active lanes
  /// Of active lanes. Shared: offsets in the block's shared memory; global: distances from the first active lane.
  std::array<std::int64_t, 32> addresses{};
  std::uint32_t sectors = 0, distinct_bytes = 0;       ///< global
  std::uint32_t wavefronts = 0, ideal_wavefronts = 0;  ///< shared
  std::uint32_t max_same_address = 0;
};

/// Lane slots of a line that idle, 32 to an instruction of a warp, for one reason.
struct IdleLanes {
  std::uint32_t line = 0;
  /// Of the branch whose lanes disagreed, so that some did not come here; 0: no branch of the user's, but a guard, a
  /// warp that is not full, lanes that have exited.
  std::uint32_t branch = 0;
  std::uint64_t slots = 0, warps = 0;  ///< idle; instructions of warps
};

/// Of one launch, what its warps spend their time on: milliseconds that add up to the time that the kernel runs.
struct LineTime {
  std::uint32_t line = 0;  ///< 0: of no line of the user's
  double issue = 0;        ///< instructions issue, or wait for a pipe
  double memory = 0;       ///< warps wait for what the line loads from global or local memory, or for its atomics
  double shared = 0;       ///< the same of shared memory
  double barrier = 0;      ///< at a barrier
  double result = 0;       ///< for what the line computes
  [[nodiscard]] double total() const { return issue + memory + shared + barrier + result; }
};
/// How long the launch would take if one thing that a line costs were gone, or one of the whole launch.
struct WhatIf {
  std::uint32_t line = 0;  ///< 0: of the launch
  std::string kind;        ///< "bank_conflict", "uncoalesced", "same_address", "queue"; of the launch: "idle_sms"
  double ms = 0;
};
struct LaunchTime {
  double ms = 0;         ///< with an empty launch's time
  double kernel_ms = 0;  ///< without
  std::vector<LineTime> lines;
  std::vector<WhatIf> what_ifs;  ///< that make it faster, the most first
  // As `ms`; absent: the launch is not so.
  std::optional<double> in_float_ms{};       ///< if its doubles for floats (LaunchLines::doubles) were floats
  std::optional<double> more_resident_ms{};  ///< if an SM, of which it fills a part, held as many blocks as threads fit
};

/// Double arithmetic of a line in code that has nothing but floats to work on.
struct LineDoubles {
  std::uint32_t line = 0;
  std::uint64_t instructions = 0;  ///< of warps, conversions included
};

struct LaunchLines {
  std::string kernel;     ///< C++ name
  std::string file;       ///< whose lines these are
  std::string_view text;  ///< of that file; may be empty; lives as long as the module
  bool ptx = false;       ///< lines of the PTX text: the instructions name no line of a source that is at hand
  Dim3 grid, block;
  std::uint32_t phases = 0;            ///< that anything ran in
  Counters counters;                   ///< of the launch
  std::vector<LineCounts> lines;       ///< by line, then phase; lines that no warp came to have phase 0 and zeros
  std::vector<LineAccess> accesses;    ///< by line, then PTX line
  std::vector<IdleLanes> idle;         ///< by line, then branch
  std::vector<LineDoubles> doubles{};  ///< by line
  bool leaves_nothing = false;         ///< the kernel has no instruction whose effect outlives it
  std::optional<LaunchTime> time;      ///< as modelled
};

}  // namespace gpulab
