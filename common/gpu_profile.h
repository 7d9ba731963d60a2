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
/// The ids alone, without reading the files (a hundred times as fast).
[[nodiscard]] std::vector<std::string> gpu_profile_ids();
/// Results of double arithmetic in a cycle, by compute capability (CUDA C++ Programming Guide, arithmetic
/// instructions).
[[nodiscard]] int fp64_lanes_per_sm(const GpuProfile& gpu);
/// Throws usage_error with a did-you-mean hint.
[[nodiscard]] const GpuProfile& gpu_profile(std::string_view id);

/// A GPU of the user's own, of a file as `gpulab calibrate` writes it: known from now on by the file's name, with its
/// ".json", which none of the build's has. Throws usage_error.
const GpuProfile& add_gpu_profile(std::string_view file, std::string_view text);
/// The text of such a file; empty for what the build itself has.
[[nodiscard]] std::string_view text_of_added(std::string_view id);
/// For a process that knows nothing of it: a profile's id and, behind a line feed, the text of one that was added.
[[nodiscard]] std::string carried_profile(std::string_view id);
/// There. Throws usage_error.
[[nodiscard]] const GpuProfile& profile_carried(std::string_view carried);

}  // namespace gpulab
