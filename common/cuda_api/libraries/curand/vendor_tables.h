#pragma once
// Numbers of Sobol's sequences that are NVIDIA's own: scrambled ones, and plain ones of more dimensions than ours. They
// are not shipped: the user's libcurand has functions that give them, on machines without a GPU, too.

#include <curand.h>

namespace gpulab::curand {

struct VendorTables {
  curandDirectionVectors32_t* plain32 = nullptr;
  curandDirectionVectors64_t* plain64 = nullptr;
  curandDirectionVectors32_t* scrambled32 = nullptr;
  curandDirectionVectors64_t* scrambled64 = nullptr;
  unsigned* constants32 = nullptr;
  unsigned long long* constants64 = nullptr;
};

/// Of the library that GPULAB_CURAND names (`exec` sets it to that beside nvcc and lets the program read it), or of
/// $CUDA_HOME, $CUDA_PATH, /usr/local/cuda; null: there is none, or it lacks one.
[[nodiscard]] const VendorTables* vendor_tables();

/// What to do where there is none.
inline constexpr const char* kNoVendorTables =
    "the numbers are NVIDIA's own, and its libcurand.so.10 was not found: set CUDA_HOME to the toolkit, or "
    "GPULAB_CURAND to "
    "that file";

}  // namespace gpulab::curand
