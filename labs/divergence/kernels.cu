// Divergence: 32 lanes of a warp share one instruction stream. Where a branch sends some of them one way and the rest
// another, the warp goes both ways, one after the other, and on each the lanes of the other side wait.
//
// Element i becomes in[i] after `work` steps of one of eight recurrences, its path; the rungs differ in who takes which
// path. Every result is stored: a kernel whose work nobody reads is deleted by the compiler, and a profiler then
// measures nothing. Each path is a loop, because an `if` that only assigns becomes a select, which is no branch.

// One step of a path. Which one is known when this is compiled: eight paths are eight pieces of code.
template <unsigned path>
__device__ unsigned step(unsigned x) {
  return (2 * path + 3) * x + path + 1;
}

// `work` steps. Not unrolled, so that a counted iteration is an iteration.
template <unsigned path>
__device__ unsigned walk(unsigned x, int work) {
#pragma unroll 1
  for (int k = 0; k < work; ++k) x = step<path>(x);
  return x;
}

// --- 1: the path by thread -------------------------------------------------------------------------------------------
// Even threads one way, odd threads the other: both sides in every warp. Each side costs the warp as much as if all 32
// lanes had gone there, so the work of two warps is issued, and half of the lanes are off throughout.
__global__ void divergence_by_thread(const unsigned* in, unsigned* out, int n, int work) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  if (i % 2 == 0) {
    x = walk<0>(x, work);
  } else {
    x = walk<1>(x, work);
  }
  out[i] = x;
}

// --- 2: no branch, both results --------------------------------------------------------------------------------------
// Every lane takes both steps and keeps the one that is its own: an `if` so short becomes a select. Nothing diverges
// any more, branch efficiency is 100%, and still half of the arithmetic is thrown away; what is saved is the second
// loop's counter and branch. Worth it for short paths only. (Built with -G the `if` stays a branch.)
__global__ void divergence_by_thread_predicated(const unsigned* in, unsigned* out, int n, int work) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
#pragma unroll 1
  for (int k = 0; k < work; ++k) {
    if (i % 2 == 0) {
      x = step<0>(x);
    } else {
      x = step<1>(x);
    }
  }
  out[i] = x;
}

// --- 3: the path by warp ---------------------------------------------------------------------------------------------
// As many elements on either path, but 32 neighbours agree: the same branch in the source, and no warp diverges. The
// work of one warp is issued, all lanes on. This is what the others are measured against.
__global__ void divergence_by_warp(const unsigned* in, unsigned* out, int n, int work) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  if (i / 32 % 2 == 0) {
    x = walk<0>(x, work);
  } else {
    x = walk<1>(x, work);
  }
  out[i] = x;
}

// --- 4: many ways ----------------------------------------------------------------------------------------------------
// A switch of up to eight cases, neighbours all on different ones: the warp goes `paths` ways, one after the other,
// with 32 / paths lanes on each. Time grows with the number of paths, not with the work of a lane.
__global__ void divergence_multiway(const unsigned* in, unsigned* out, int n, int work, int paths) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  switch (i % paths) {
    case 0:
      x = walk<0>(x, work);
      break;
    case 1:
      x = walk<1>(x, work);
      break;
    case 2:
      x = walk<2>(x, work);
      break;
    case 3:
      x = walk<3>(x, work);
      break;
    case 4:
      x = walk<4>(x, work);
      break;
    case 5:
      x = walk<5>(x, work);
      break;
    case 6:
      x = walk<6>(x, work);
      break;
    default:
      x = walk<7>(x, work);
  }
  out[i] = x;
}

// --- 5: loops of different lengths -----------------------------------------------------------------------------------
// One path, but each element has a number of steps of its own. A warp loops until its last lane is done: it pays for
// the longest of 32, and the lanes that are done wait.
__global__ void divergence_loop_lengths(const unsigned* in, const int* lengths, unsigned* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = walk<0>(in[i], lengths[i]);
}

// --- 6: sorted by length ---------------------------------------------------------------------------------------------
// Thread t takes the t-th shortest element: the 32 of a warp are about equally long, and hardly a lane waits. The price
// is in memory: neighbours in `order` are anywhere in the arrays, each lane touches a sector of its own.
__global__ void divergence_loop_lengths_sorted(const unsigned* in, const int* lengths, const int* order, unsigned* out,
                                               int n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const int i = order[t];
  out[i] = walk<0>(in[i], lengths[i]);
}
