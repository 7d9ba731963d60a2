#include "common/cuda_api/runtime/libraries/estimates.h"

#include <algorithm>

#include "common/simt/timing/gpu_timing.h"

namespace gpulab::cuda_api {
namespace {

/// Multiply-adds of a tensor core pipe in a cycle of an SM, dense (NVIDIA's architecture white papers). 0: there is
/// none, and the type's ordinary pipe works.
struct TensorRates {
  int capability;
  double fp64, tf32, half, byte;
};
constexpr TensorRates kTensorRates[] = {
    {90, 128, 1024, 2048, 4096}, {89, 0, 256, 512, 1024}, {86, 0, 128, 256, 1024}, {80, 64, 512, 1024, 2048},
    {75, 0, 0, 512, 1024},       {70, 0, 0, 512, 0},      {0, 0, 0, 0, 0}};

/// What a library reaches of a pipe's rate where the operation is large.
constexpr double kReached = 0.8;

/// What NCCL takes from GPU to GPU until the next step may follow, and what it reaches of a link's peak: two H100 with
/// 18 links of NVLink sum 2^8 floats in 9.7 us and 2^27 at 316 GB/s, of 450 (labs/allreduce). Vectors in between are
/// slower than that by up to 1.7 times.
constexpr double kHopUs = 3.3, kLinkReached = 0.7;
/// Of PCIe 5.0 x16 between GPUs without NVLink, GB/s: assumed.
constexpr double kPcie = 50;

double multiply_adds_per_cycle(const GpuProfile& gpu, LibraryUnit unit) {
  const int capability = gpu.compute_major * 10 + gpu.compute_minor;
  const auto& tensor = *std::ranges::find_if(kTensorRates, [&](const auto& r) { return r.capability <= capability; });
  const double fp32 = gpu.fp32_lanes_per_sm, fp64 = fp64_lanes_per_sm(gpu);
  switch (unit) {
    case LibraryUnit::memory:
    case LibraryUnit::fp32:
      return fp32;
    case LibraryUnit::fp64:
      return fp64;
    case LibraryUnit::fp64_tensor:
      return std::max(tensor.fp64, fp64);
    case LibraryUnit::tf32_tensor:
      return std::max(tensor.tf32, fp32);
    case LibraryUnit::half_tensor:
      return std::max(tensor.half, fp32);
    case LibraryUnit::byte_tensor:
      return std::max(tensor.byte, fp32);
  }
  return fp32;
}

}  // namespace

double estimated_ms(const GpuProfile& gpu, const LibraryOperation& operation, double bytes) {
  const simt::GpuTiming* measured = simt::gpu_timing(gpu.id);
  const simt::GpuTiming timing = measured != nullptr ? *measured : simt::estimated_timing(gpu);
  const double rate = multiply_adds_per_cycle(gpu, operation.unit) * 2 * gpu.sm_count * timing.clock_ghz * 1e9;
  const double arithmetic_ms = operation.operations / (rate * kReached) * 1e3;
  const double memory_ms = bytes / (timing.dram_gbs * 1e9) * 1e3;
  const double start_ms = timing.launch_us * 1e-3 + (operation.kernels - 1) * timing.next_launch_us * 1e-3;
  const double link_gbs = gpu.nvlink_gbs > 0 ? gpu.nvlink_gbs : kPcie;
  const double link_ms = operation.link_bytes / (link_gbs * kLinkReached * 1e9) * 1e3 + operation.hops * kHopUs * 1e-3;
  return start_ms + std::max({arithmetic_ms, memory_ms, link_ms});
}

}  // namespace gpulab::cuda_api
