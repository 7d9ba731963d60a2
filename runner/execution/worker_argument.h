#pragma once

namespace gpulab {

/// `gpulab --serve-cases DEVICE REQUEST`: hidden, how a process starts its own worker; the request as wire.h writes it.
inline constexpr const char* worker_argument = "--serve-cases";

}  // namespace gpulab
