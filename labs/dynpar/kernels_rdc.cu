// Dynamic parallelism: kernels that launch kernels (version 2, of CUDA 12 and later). Built with -rdc=true.
//
// A kernel can no longer wait for its children: cudaDeviceSynchronize is gone from device code since CUDA 12. Instead a
// launch says when the child may start. In the tail launch stream: when the launching grid has ended, with all that it
// launched otherwise. In the fire-and-forget stream: at once, beside its parent.
#include <cstdio>

#include "launch_log.h"

// Called by the thread that launches. The child gets its place in the log, to name itself as its children's parent.
__device__ int note_launch(LaunchLog* log, int parent, int depth, int blocks, int threads) {
  const int place = atomicAdd(&log->made, 1);
  if (place < LaunchLog::most) log->launches[place] = {parent, depth, blocks, threads};
  return place;
}

// --- 1: who launches whom --------------------------------------------------------------------------------------------
// Each grid of `threads` threads launches one of half as many, until one thread is left. threads_at counts the threads
// of each depth. Tail launches: a grid prints all of its lines before its child starts.
template <bool print>
__global__ void depth_print(int* threads_at, LaunchLog* log, int self, int depth) {
  if (blockIdx.x > 0) return;
  if (print) printf("depth %d, grid %d: thread %d of %d\n", depth, self, int(threadIdx.x), int(blockDim.x));
  atomicAdd(&threads_at[depth], 1);
  if (threadIdx.x > 0 || blockDim.x == 1) return;
  const int child = note_launch(log, self, depth + 1, 1, blockDim.x / 2);
  depth_print<print><<<1, blockDim.x / 2, 0, cudaStreamTailLaunch>>>(threads_at, log, child, depth + 1);
}

// Halves the elements of a block's part, two per thread: thread t adds element t + threads to element t.
__device__ int halve(int* part, int count) {
  const int threads = blockDim.x, t = threadIdx.x;
  if (t + threads < count) part[t] += part[t + threads];
  __syncthreads();
  return min(count, threads);  // elements that are left
}

// --- 2: a reduction that launches itself -----------------------------------------------------------------------------
// Every block halves its part of the data; its first thread launches the next step, for this part alone: a grid of one
// block, half as large. No thread idles in it and no loop remains: recursion, as one would write it on paper. The last
// thread adds the part's sum to the answer (storing it would lose all parts but one). Each step of each part is a
// launch, though: log2(2 * threads) grids per block of the first, the last of them of one thread.
__global__ void nested_reduce(int* data, int* out, int n, LaunchLog* log, int self, int depth) {
  const int threads = blockDim.x;
  int* part = data + 2 * threads * blockIdx.x;
  const int left = halve(part, n - 2 * threads * int(blockIdx.x));
  if (threadIdx.x > 0 || left <= 0) return;
  if (threads == 1) {
    atomicAdd(out, part[0]);
    return;
  }
  const int child = note_launch(log, self, depth + 1, 1, threads / 2);
  nested_reduce<<<1, threads / 2, 0, cudaStreamTailLaunch>>>(part, out, left, log, child, depth + 1);
}

// --- 3: children that do not wait ------------------------------------------------------------------------------------
// The same with fire and forget: a part's next step starts as soon as it is launched, it need not wait for all other
// blocks of its parent, and the parts run side by side. It may: behind the barrier, its block is done with the part,
// and a child sees what its launching thread could see. But now the grids are nested, 24 deep at most.
__global__ void nested_reduce_fire_and_forget(int* data, int* out, int n, LaunchLog* log, int self, int depth) {
  const int threads = blockDim.x;
  int* part = data + 2 * threads * blockIdx.x;
  const int left = halve(part, n - 2 * threads * int(blockIdx.x));
  if (threadIdx.x > 0 || left <= 0) return;
  if (threads == 1) {
    atomicAdd(out, part[0]);
    return;
  }
  const int child = note_launch(log, self, depth + 1, 1, threads / 2);
  nested_reduce_fire_and_forget<<<1, threads / 2, 0, cudaStreamFireAndForget>>>(part, out, left, log, child, depth + 1);
}

// --- 4: one child per grid -------------------------------------------------------------------------------------------
// One thread of the whole grid launches the next step, for all parts: as many blocks, half as large. A tail launch
// waits for all blocks of its parent, so their halves are there. Launches per step fall from one per part to one. Parts
// keep their place, `pitch` elements apart.
__global__ void nested_reduce_fewer(int* data, int* out, int n, int pitch, LaunchLog* log, int self, int depth) {
  const int threads = blockDim.x;
  int* part = data + pitch * blockIdx.x;
  const int left = halve(part, min(n - pitch * int(blockIdx.x), 2 * threads));
  if (threadIdx.x > 0) return;
  if (threads == 1 && left > 0) atomicAdd(out, part[0]);
  if (threads == 1 || blockIdx.x > 0) return;
  const int child = note_launch(log, self, depth + 1, gridDim.x, threads / 2);
  nested_reduce_fewer<<<gridDim.x, threads / 2, 0, cudaStreamTailLaunch>>>(data, out, n, pitch, log, child, depth + 1);
}

// --- 5: no nesting ---------------------------------------------------------------------------------------------------
// The recursion as a loop: what separates two steps of a part is a barrier of its block, and that is some 20 cycles,
// not a launch. Threads that have no pair left wait instead of being launched away: dearer in lanes, and cheaper by
// far.
__global__ void flat_reduce(int* data, int* out, int n) {
  int* part = data + 2 * blockDim.x * blockIdx.x;
  int count = n - 2 * int(blockDim.x * blockIdx.x);
  for (int threads = blockDim.x; threads > 0; threads /= 2) {
    const int t = threadIdx.x;
    if (t < threads && t + threads < count) part[t] += part[t + threads];
    count = min(count, threads);
    __syncthreads();
  }
  if (threadIdx.x == 0 && count > 0) atomicAdd(out, part[0]);
}

// Hands each lane that asks for one a place of its own, the next ones of `taken`: one atomic for the whole warp.
__device__ int place(int* taken, bool wanted) {
  const unsigned lane = threadIdx.x % 32, all = __ballot_sync(0xffffffff, wanted);
  int first = 0;
  if (lane == 0 && all != 0) first = atomicAdd(taken, __popc(all));
  return __shfl_sync(0xffffffff, first, 0) + __popc(all & ((1u << lane) - 1));
}

// Each element's place is the number of those that belong before it. n^2 comparisons: for parts that are small.
__device__ void sort_by_rank(const int* data, int* sorted, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    int rank = 0;
    for (int j = 0; j < count; ++j) rank += data[j] < data[i] || (data[j] == data[i] && j < i);
    sorted[rank] = data[i];
  }
}

// --- 6: quicksort ----------------------------------------------------------------------------------------------------
// What nesting is for: how the work divides is known only when the pivot has divided it. One block parts its elements
// into smaller ones (from the front of `spare`), larger ones (from its back), and equals, and launches a child for
// either side, of as many threads as that side deserves. They touch different elements: fire and forget, both at once.
// Parts that a block sorts at once, and those at the limit of nesting, are sorted by rank.
constexpr int small_part = 256, deepest = 20;

__global__ void quicksort(int* data, int* spare, int count, LaunchLog* log, int self, int depth) {
  __shared__ int smaller, larger;
  if (blockIdx.x > 0) return;

  if (count <= small_part || depth == deepest) {
    sort_by_rank(data, spare, count);
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) data[i] = spare[i];
    return;
  }

  const int a = data[0], b = data[count / 2], c = data[count - 1];
  const int pivot = max(min(a, b), min(max(a, b), c));  // the median of three: sorted input is no worst case
  if (threadIdx.x == 0) smaller = larger = 0;
  __syncthreads();
  for (int first = 0; first < count; first += blockDim.x) {
    const int i = first + threadIdx.x;
    const int value = i < count ? data[i] : pivot;
    const int low = place(&smaller, value < pivot), high = place(&larger, value > pivot);
    if (value < pivot) spare[low] = value;
    if (value > pivot) spare[count - 1 - high] = value;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    data[i] = i < smaller || i >= count - larger ? spare[i] : pivot;
  }
  __syncthreads();

  if (threadIdx.x > 0) return;
  const int starts[2] = {0, count - larger}, counts[2] = {smaller, larger};
  for (int side = 0; side < 2; ++side) {
    if (counts[side] < 2) continue;
    const int start = starts[side];
    const int threads = min(int(blockDim.x), (counts[side] + 31) / 32 * 32);
    const int child = note_launch(log, self, depth + 1, 1, threads);
    quicksort<<<1, threads, 0, cudaStreamFireAndForget>>>(data + start, spare + start, counts[side], log, child,
                                                          depth + 1);
  }
}

template __global__ void depth_print<false>(int*, LaunchLog*, int, int);
template __global__ void depth_print<true>(int*, LaunchLog*, int, int);
