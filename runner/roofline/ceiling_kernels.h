#pragma once
// The plainest kernels that reach what a GPU can do of one thing, as PTX: what a roofline's ceilings are measured with.

#include <string>
#include <vector>

#include "common/dim3.h"

namespace gpulab {

struct CeilingKernel {
  std::string ceiling;  ///< as Ceiling::name
  std::string unit;     ///< "GB/s", "GFLOP/s"; "us": of one launch
  std::string what;     ///< "reads 512 MiB, 16 bytes a thread"
  std::string ptx, entry;
  std::vector<std::string> arguments;  ///< as --arg has them
  Dim3 grid, block;
  double work = 0;  ///< bytes or operations of one launch
};

/// Those that a GPU of this compute capability (90: 9.0) and so many SMs can run.
[[nodiscard]] std::vector<CeilingKernel> ceiling_kernels(int compute_capability, int sm_count);

}  // namespace gpulab
