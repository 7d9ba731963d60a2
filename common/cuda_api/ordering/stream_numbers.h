#pragma once
// Streams by number, of all GPUs of a program: a stream's GPU is part of it, so that handles are the same numbers and
// those of the first GPU are small.

#include <cstdint>

namespace gpulab::cuda_api {

constexpr int kGpuShift = 40;  ///< bits below are the stream's among those of its GPU
constexpr std::uint64_t kMostGpus = 64;

[[nodiscard]] constexpr int gpu_of_stream(std::uint64_t stream) {
  return static_cast<int>((stream >> kGpuShift) % kMostGpus);
}
/// The legacy default stream of a GPU.
[[nodiscard]] constexpr std::uint64_t default_stream_of(int gpu) {
  return static_cast<std::uint64_t>(gpu) << kGpuShift;
}
/// The same stream's number on its GPU.
[[nodiscard]] constexpr std::uint64_t number_on_gpu(std::uint64_t stream) {
  return stream - default_stream_of(gpu_of_stream(stream));
}

}  // namespace gpulab::cuda_api
