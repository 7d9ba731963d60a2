#pragma once

namespace gpulab {

/// `gpulab --serve-gpu-cases INDEX`: hidden, how a process starts its own worker.
inline constexpr const char* worker_argument = "--serve-gpu-cases";

}  // namespace gpulab
