// Shapes of divergence. What is compared are the accesses that each path makes: they follow from the lanes on it,
// whatever ptxas makes of the branches (selects, predicates, unrolled loops). The sides of a branch use what they load
// in different ways, or nvcc would join their loads into one.

using Words = const unsigned int*;

__device__ int thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void if_else(Words in, unsigned int* out, int mask) {
  const int i = thread_of_grid();
  unsigned int sum = 0;
  if (mask >> i % 32 & 1)
    sum += in[i];
  else
    sum -= in[i * 2 + 1];
  out[i] = sum;
}

extern "C" __global__ void nested_if(Words in, unsigned int* out) {
  const int i = thread_of_grid();
  unsigned int sum = in[i];
  if (i % 2) {
    sum += in[i * 3];
    if (i % 4 == 1)
      sum += in[i / 4];
    else
      sum -= in[i + 64];
  }
  out[i] = sum;
}

// Lane l runs l % turns times: the mask thins out.
extern "C" __global__ void loop_by_lane(Words in, unsigned int* out, int turns, int stride) {
  const int i = thread_of_grid();
  unsigned int sum = 0;
#pragma unroll 1
  for (int k = 0; k < i % turns; ++k) sum += in[i + k * stride];
  out[i] = sum;
}

extern "C" __global__ void loop_with_break(Words in, unsigned int* out, int turns) {
  const int i = thread_of_grid();
  unsigned int sum = 0;
#pragma unroll 1
  for (int k = 0; k < turns; ++k) {
    sum += in[i + k];
    if (k == i % 7) break;
    sum += in[(i + k) * 2];
  }
  out[i] = sum;
}

extern "C" __global__ void loop_with_continue(Words in, unsigned int* out, int turns) {
  const int i = thread_of_grid();
  unsigned int sum = 0;
#pragma unroll 1
  for (int k = 0; k < turns; ++k) {
    if ((i + k) % 3 == 0) continue;
    sum += in[i * 2 + k];
  }
  out[i] = sum;
}

extern "C" __global__ void nested_loops(Words in, unsigned int* out, int turns) {
  const int i = thread_of_grid();
  unsigned int sum = 0;
#pragma unroll 1
  for (int j = 0; j < turns; ++j)
#pragma unroll 1
    for (int k = 0; k < i % (j + 2); ++k) sum += in[i + j * 8 + k];
  out[i] = sum;
}

extern "C" __global__ void switch_of_four(Words in, unsigned int* out, int shift) {
  const int i = thread_of_grid();
  unsigned int sum = 0;
  switch (i >> shift & 3) {
    case 0:
      sum += in[i];
      break;
    case 1:
      sum -= in[i * 2];
      break;
    case 2:
      sum = ~in[i * 4];
      break;
    default:
      sum = in[7] / 3;
  }
  out[i] = sum;
}

extern "C" __global__ void early_return(Words in, unsigned int* out, int n) {
  const int i = thread_of_grid();
  if (i >= n) return;
  out[i] = in[i];
}

extern "C" __global__ void return_in_loop(Words in, unsigned int* out, int turns) {
  const int i = thread_of_grid();
  unsigned int sum = 0;
#pragma unroll 1
  for (int k = 0; k < turns; ++k) {
    if (k > i % 5) return;
    sum += in[i + 32 * k];
    out[i] = sum;
  }
}

// Warps as a whole take one side: no divergence.
extern "C" __global__ void if_by_warp(Words in, unsigned int* out) {
  const int i = thread_of_grid();
  unsigned int sum = 0;
  if (i / 32 % 2)
    sum += in[i];
  else
    sum -= in[i * 2];
  out[i] = sum;
}
