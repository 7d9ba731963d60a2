// What it is depends on what it is compiled with. The header is in a folder that -I names.
#include "scale_by.h"

#ifndef OFFSET
#define OFFSET 0
#endif

namespace cub {
/// As <thrust/…> brings along.
template <class T>
__global__ void EmptyKernel() {}
template __global__ void EmptyKernel<void>();
}  // namespace cub

__global__ void flags(int* x) { x[threadIdx.x] = SCALE * x[threadIdx.x] + OFFSET; }
