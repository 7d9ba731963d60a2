#pragma once
// What a plan knows, and which plans there are.

#include <cufft.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::cufft {

using namespace gpulab::libraries;
using i64 = std::int64_t;

/// One side of a transform: where element (batch, x0, x1, x2) lies, in elements.
struct Side {
  std::vector<i64> embed;  ///< as the program gave it; empty: without gaps
  i64 stride = 1, distance = 0;
};

struct Plan {
  bool made = false;
  std::vector<i64> n;
  Side in, out;
  cufftType type = CUFFT_C2C;
  bool half = false, bfloat = false;  ///< C2C, R2C, C2R of numbers of 16 bits
  i64 batch = 1;
  cudaStream_t stream = nullptr;
  std::vector<int> gpus;  ///< several, in their order; none: the calling thread's one

  [[nodiscard]] i64 points() const {
    i64 all = 1;
    for (const i64 one : n) all *= one;
    return all;
  }
  [[nodiscard]] bool real_in() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  [[nodiscard]] bool real_out() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
  [[nodiscard]] bool wide() const { return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D; }
  [[nodiscard]] Type of(bool real) const {
    if (half) return real ? CUDA_R_16F : CUDA_C_16F;
    if (bfloat) return real ? CUDA_R_16BF : CUDA_C_16BF;
    if (wide()) return real ? CUDA_R_64F : CUDA_C_64F;
    return real ? CUDA_R_32F : CUDA_C_32F;
  }
};

extern std::mutex plans_mutex;
/// Which a handle names, or none. `plans_mutex` is held.
[[nodiscard]] Plan* plan_of(cufftHandle handle);
void add_plan(cufftHandle handle);
[[nodiscard]] bool remove_plan(cufftHandle handle);

}  // namespace gpulab::cufft
