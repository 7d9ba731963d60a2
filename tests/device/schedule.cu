// Kernels whose results are the order in which blocks, warps and splits of a warp ran
// (tests/unit/common/simt/machine/schedule_test.cpp).

extern "C" __global__ void blocks_by_ticket(int* ticket, int* order) {
  if (threadIdx.x == 0) order[atomicAdd(ticket, 1)] = blockIdx.x;
}

/// Two tickets of each block, the second after some work.
extern "C" __global__ void starts_and_ends(int* ticket, int* start, int* end, int work) {
  if (threadIdx.x) return;
  start[blockIdx.x] = atomicAdd(ticket, 1);
  for (int k = 0; k < work; ++k) asm volatile("" ::: "memory");
  end[blockIdx.x] = atomicAdd(ticket, 1);
}

extern "C" __global__ void warps_by_ticket(int* order) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) order[blockIdx.x * blockDim.x / 32 + atomicAdd(&ticket, 1)] = threadIdx.x / 32;
}

/// A warp in four parts, each at instructions of its own.
extern "C" __global__ void splits_by_ticket(int* order) {
  __shared__ int ticket;
  const int t = threadIdx.x;
  if (t == 0) ticket = 0;
  __syncwarp();
  switch (t % 4) {
    case 0:
      if (t / 4 == 0) order[atomicAdd(&ticket, 1)] = 0;
      break;
    case 1:
      if (t / 4 == 1) order[atomicAdd(&ticket, 1)] = 1;
      break;
    case 2:
      if (t / 4 == 2) order[atomicAdd(&ticket, 1)] = 2;
      break;
    default:
      if (t / 4 == 3) order[atomicAdd(&ticket, 1)] = 3;
  }
}

/// No order is meant, and the sum depends on it: floating-point addition is not associative.
extern "C" __global__ void sum_by_atomics(float* sum, int* last) {
  if (threadIdx.x) return;
  atomicAdd(sum, 1.0f / static_cast<float>(3 * blockIdx.x + 1));
  *last = blockIdx.x;
}

/// A load, an addition, a store: what others add between the two is lost.
extern "C" __global__ void plain_increments(int* count) {
  if (threadIdx.x % 32 == 0) ++*count;
}

/// All blocks that fit meet; `most` counts how many were there at once.
extern "C" __global__ void blocks_meet(volatile int* started, int* now, int* most, int meeting) {
  if (threadIdx.x) return;
  atomicMax(most, atomicAdd(now, 1) + 1);
  atomicAdd(const_cast<int*>(started), 1);
  while (*started < meeting) {
  }
  atomicAdd(now, -1);
}
