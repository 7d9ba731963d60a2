#pragma once
// How long launches would take on a GPU, as the timing model has it. Never measured.

#include <cstdint>
#include <string>

namespace gpulab {

/// What resident warps spend their time on, as shares that add up to 1; all 0 where nothing ran.
struct WarpTime {
  double issue = 0;    ///< they issue, or wait for a pipe or a slot that others have
  double memory = 0;   ///< they wait for what global or local memory brings; profilers: long scoreboard
  double shared = 0;   ///< for shared memory; profilers: short scoreboard
  double barrier = 0;  ///< at a barrier for the other warps of their block
  double result = 0;   ///< for a result of arithmetic, a branch, a fence
};

struct ModelledTime {
  std::string gpu;                 ///< the profile's id
  bool validated = false;          ///< this GPU has been measured, and the model compared with it
  double ms = 0;                   ///< of all launches of a run, the first with a cold L2
  double kernel_ms = 0;            ///< of these, that kernels run: no launches
  double low_ms = 0, high_ms = 0;  ///< where nine of ten measured times lay when the model was compared
  std::string bound;               ///< what takes the time: "issue", "fp32", "dram_bandwidth", "latency" …
  std::string no_ground{};         ///< why the model has never been compared with such a kernel; empty: it has been
  /// Shares of the time in which each works, 0 to 1.
  double issue = 0, fp32 = 0, shared = 0, l1 = 0, l2 = 0, dram = 0, atomics = 0;
  int sms_used = 0;
  double waves = 0, tail = 0;  ///< of the launch that takes the most time
  double sm_efficiency = 0, achieved_occupancy = 0;
  WarpTime warps{};
};

}  // namespace gpulab
