#pragma once
// What warps of one launch did, step by step: plain data of `gpulab trace`. A step is one PTX instruction of one warp,
// or a barrier that is complete. Recorded by the simulator (common/simt/observers/trace), shown by runner/report/trace.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/dim3.h"
#include "common/enum_text.h"

namespace gpulab {

struct StepRegister {
  std::string name;        ///< "%r5"
  std::string type;        ///< "s32", "pred"
  std::string variable{};  ///< of the source, that it holds: "i"; empty: none is known
};

/// A PTX instruction that a step can be of.
struct StepSite {
  std::uint32_t line = 0;  ///< of the source, 0: none is known
  std::uint32_t ptx_line = 0;
  std::vector<StepRegister> results{};  ///< that it writes
  std::vector<StepRegister> stored{};   ///< values that a store or an atomic takes to memory
};

/// Where a warp's lanes access memory, relative to the first active one; many steps share one.
struct StepAccess {
  enum class Space : std::uint8_t { global, shared, local };
  Space space = Space::global;
  bool load = false, store = false, atomic = false;
  std::uint32_t width = 0;  ///< bytes per lane
  std::uint32_t mask = 0;   ///< lanes that access
  std::array<std::int64_t, 32> relative{};
  // What the simulator's counters have counted for one such request.
  std::uint32_t sectors = 0, distinct_bytes = 0;       ///< global and local memory
  std::uint32_t wavefronts = 0, ideal_wavefronts = 0;  ///< shared memory
  bool operator==(const StepAccess&) const = default;
};
constexpr std::array<std::string_view, 3> words_of(StepAccess::Space) { return {"global", "shared", "local"}; }

/// Why a warp waited before it issued, in the model's terms (SiteTime, common/simt/timing/site_time.h).
enum class Stall : std::uint8_t { none, issue, memory, shared, barrier, result };
constexpr std::array<std::string_view, 6> words_of(Stall) {
  return {"none", "issue", "memory", "shared", "barrier", "result"};
}

inline constexpr std::uint32_t no_step_part = UINT32_MAX;

struct TraceStep {
  std::uint32_t site = no_step_part;              ///< none: the barrier of the warp's block is complete
  std::uint32_t warp = 0;                         ///< of StepTrace::warps
  std::uint32_t active = 0;                       ///< lanes that come to the instruction together
  std::uint32_t off = 0;                          ///< of them, those that its guard switches off
  std::uint32_t live = 0;                         ///< lanes that have not exited
  std::uint32_t waiting = 0;                      ///< of them: at a barrier, a collective, or where branches meet
  std::uint32_t then_live = 0, then_waiting = 0;  ///< the same behind the instruction
  std::uint32_t text = 0;                         ///< of StepTrace::texts: what happens
  std::uint32_t first_arg = 0;
  std::uint32_t access = no_step_part;  ///< of StepTrace::accesses
  std::uint64_t address = 0;            ///< of its first lane
  std::uint32_t values = no_step_part;  ///< in StepTrace::values
  double issued = -1;                   ///< modelled: cycle of the SM; less than 0: not modelled
  float waited = 0;                     ///< cycles before that
  Stall stall = Stall::none;
};

struct StepWarp {
  std::uint64_t block = 0;
  Dim3 index{0, 0, 0};      ///< of the block
  std::uint32_t warp = 0;   ///< of the block
  std::uint32_t lanes = 0;  ///< that it has
};

/// A stretch of memory that has a name.
struct StepArray {
  std::string name;
  bool shared = false;
  std::uint64_t address = 0, bytes = 0;
};

struct StepTrace {
  std::string kernel;  ///< C++ name
  std::string file;    ///< whose lines StepSite::line counts
  std::uint32_t launch = 0, launches = 0;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  bool debug = false;  ///< built with -G
  std::uint64_t from = 0;
  std::uint64_t seen = 0;       ///< steps that the chosen warps took in all, those that are kept among them
  std::uint64_t all_warps = 0;  ///< of the launch
  std::string ended;            ///< why the launch failed, empty: it did not
  std::vector<StepWarp> warps;
  std::vector<StepSite> sites;
  std::vector<StepArray> arrays;
  std::vector<TraceStep> steps;
  std::vector<StepAccess> accesses;
  std::vector<std::string> texts;  ///< sentences without their subject; "{}" stands for the next of `args`
  std::vector<std::int64_t> args;
  std::string values;     ///< common/simt/observers/trace/value_code.h
  std::string not_timed;  ///< why there are no cycles, where there are none
};

}  // namespace gpulab
