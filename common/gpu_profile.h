#pragma once
// Data sheet facts of GPUs (configs/gpus/*.json): what the simulator models for occupancy and residency.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct GpuProfile {
  std::string id;    ///< file name without .json: "h200"
  std::string name;  ///< "NVIDIA H200"
  int compute_major = 0, compute_minor = 0;
  int sm_count = 0;
  int fp32_lanes_per_sm = 0;  ///< "CUDA cores" per SM
  int max_threads_per_sm = 0, max_threads_per_block = 1024, max_blocks_per_sm = 0;
  int registers_per_sm = 0, registers_per_block = 0;
  std::size_t shared_bytes_per_sm = 0, shared_bytes_per_block = 0, shared_bytes_per_block_optin = 0;
  std::size_t reserved_shared_bytes_per_block = 0;
  double memory_bandwidth_gbs = 0;  ///< peak, GB/s (10^9)
  double nvlink_gbs = 0;            ///< peak, to the other GPUs of its machine, in each direction; 0: it has none
  double fp32_tflops = 0;           ///< peak, dense
  std::size_t memory_bytes = 0, l2_bytes = 0;
  std::string source;  ///< where the values come from
};

[[nodiscard]] const std::vector<GpuProfile>& gpu_profiles();  ///< sorted by id
/// Results of double arithmetic in a cycle, by compute capability (CUDA C++ Programming Guide, arithmetic
/// instructions).
[[nodiscard]] int fp64_lanes_per_sm(const GpuProfile& gpu);
/// Throws usage_error with a did-you-mean hint.
[[nodiscard]] const GpuProfile& gpu_profile(std::string_view id);

}  // namespace gpulab
