#pragma once
// What the timing model knows of a GPU: latencies, throughputs and bandwidths, measured by microbenchmarks
// (scripts/calibrate.py), kept in configs/timing/*.json with units and where each number comes from.

#include <span>
#include <string>
#include <string_view>

#include "common/gpu_profile.h"

namespace gpulab::simt {

/// Cycles are those of the SM's clock.
struct GpuTiming {
  std::string gpu;         ///< the profile's id: "h200"
  bool validated = false;  ///< compared with this very GPU, and the errors are below the marks (tests/timing/README.md)
  double clock_ghz = 0;
  // Launches.
  double launch_us = 0;         ///< an empty kernel of one block, between two events
  double next_launch_us = 0;    ///< from the end of a kernel to the next one of the same stream
  double next_in_graph_us = 0;  ///< the same in a graph
  double host_launch_us = 0;    ///< what the host takes to queue a kernel: it may be what all wait for
  // What a profiler's timeline (CUPTI's) has beside the work itself.
  double profiled_launch_us = 5;         ///< from one launch's call to the next call
  double profiled_copy_us = 5.7;         ///< the same of a copy or a fill
  double profiled_wait_us = 3.3;         ///< from the end of what the host waits for to its next call
  double profiled_load_us = 220;         ///< what a program's first kernel takes the host to load
  double profiled_load_behind_us = 100;  ///< from what ran before in its stream to that kernel
  double profiled_next_load_us = 50;     ///< what each further kernel takes the host to load
  double profiled_in_graph_us = 1.6;     ///< in a graph, from a kernel to the next, beside next_in_graph_us
  double block_cycles = 0;               ///< from one block to the next, the whole GPU's
  double block_gap_cycles = 0;           ///< from the end of a block to the start of the one that takes its place
  // Memory: latencies of a load whose warp has nothing else to do.
  double shared_latency = 0, l1_latency = 0, l2_latency = 0, dram_latency = 0;
  double l2_spread = 0, dram_spread = 0;  ///< how much nearer and farther lines lie than these latencies
  double atomic_latency = 0;              ///< of a global atomic with a used result
  double same_address_cycles = 0;         ///< from one global atomic to the next at one address
  double atomic_round_cycles = 0;  ///< of one SM: each sector of an atomic, and each further lane at an address of it
  double slice_round_cycles = 0;   ///< the same of a slice of L2, which two neighbouring lines share
  double same_address_float_cycles = 0;  ///< the same for each lane of a floating-point one: they go lane by lane
  double shared_atomic_latency = 0;      ///< of a shared atomic, added for each further lane at its address
  double shared_atomic_cycles = 0;       ///< how long each of these lanes keeps shared memory busy
  double shared_float_latency = 0;  ///< of a shared floating-point atomic, for each lane at its address: it is a loop
  double shared_float_cycles = 0;   ///< how long each of these lanes keeps shared memory busy
  double shared_float_contended_cycles = 0;  ///< from lane to lane where many warps meet at one address
  double l1_bytes_per_cycle = 0;             ///< of one SM
  double l2_bytes_per_cycle = 0;             ///< one SM's way to L2
  double store_bytes_per_cycle = 0;          ///< of one SM's stores
  double l2_total_bytes_per_cycle = 0;
  double l2_written_bytes_per_cycle = 0;  ///< of whole sectors that all SMs store
  double l2_scattered = 1;  ///< the part of it that loads at random addresses get, a sector of a line each
  double dram_gbs = 0;
  double dram_mixed = 1;      ///< the part of it that equal reads and writes get: it turns from the ones to the others
  double dram_queue = 0;      ///< added to the latency where DRAM is busy all the time
  double dram_scattered = 1;  ///< the part of it that loads at random addresses get
  double l2_partial_sectors = 0;        ///< a cycle, of all stores that write part of a sector
  double l2_partial_sectors_alone = 0;  ///< where each is the only one of its line
  double dirty_l2_bytes = 0;            ///< lines that the flush before a cold run leaves to be written back
  double l2_bytes = 0;                  ///< of reads: lines that both halves ask for lie in both
  double barrier_latency = 0, barrier_warp_cycles = 0;  ///< of bar.sync: with one warp, and for each more
  double fence_latency = 0;                             ///< membar.gl
  // Pipes, beside those of Hopper, which instruction_costs.cpp is of.
  /// Cycles of an FP32 instruction, by an H100's. A partition has two halves of 16 lanes; where there is one (2 times
  /// as long), integers have a pipe of their own.
  double fp32_slower = 1;
  [[nodiscard]] int fp32_halves() const { return fp32_slower > 1.5 ? 1 : 2; }
  double fp64_slower = 1;  ///< cycles of an FP64 instruction, by an H100's
  /// The same of divisions, roots, exponentials, sines: of their cycles, their latency and the instructions that they
  /// become, of which one stays.
  double special_slower = 1;
};

/// A number of a file of configs/timing.
struct TimingField {
  std::string_view name, unit;  ///< "l2_latency", "cycles"
  double GpuTiming::*value;
};
/// All that such a file must have, in its order.
[[nodiscard]] std::span<const TimingField> timing_fields();
/// Those that it may have, too: an H100's are 1.
[[nodiscard]] std::span<const TimingField> further_timing_fields();

/// nullptr: nobody has measured this GPU (estimated_timing()).
[[nodiscard]] const GpuTiming* gpu_timing(std::string_view profile);

/// The microbenchmarks of an H100, or of another that was measured (configs/timing), carried over to a GPU by its data
/// sheet; `validated` is false. On-chip latencies stay as many cycles, those of L2 and DRAM as many nanoseconds; what
/// all SMs share grows with their number, DRAM with its bandwidth, L2 with its size. Rates of pipes are those of the
/// CUDA C++ Programming Guide's table of arithmetic instructions.
[[nodiscard]] GpuTiming estimated_timing(const GpuProfile& profile, std::string_view measured_gpu = "h100");

/// Of a file of that form that this build knows nothing of, and that nobody has compared with a GPU. Throws
/// usage_error.
[[nodiscard]] GpuTiming timing_of(std::string_view profile, const std::string& text, const std::string& file);

}  // namespace gpulab::simt
