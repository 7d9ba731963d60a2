// Barriers in shared memory (mbarrier): who finds a phase over knows what those who arrived in it had done. README.md
// says how the comments are read.

#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

// One warp fills slots, the other empties them; each waits for the other.
// innocent <<<2, 64>>> in[256] out[256]
extern "C" __global__ void full_and_empty_slots(const int* in, int* out) {
  __shared__ Barrier full[2], empty[2];
  __shared__ int s[2][32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 2) init(&full[threadIdx.x], 64), init(&empty[threadIdx.x], 64);
  __syncthreads();
  for (int step = 0; step < 4; ++step) {
    const int slot = step % 2, at = (blockIdx.x * 4 + step) * 32;
    if (threadIdx.x < 32) {
      if (step >= 2) empty[slot].arrive_and_wait();
      s[slot][lane] = in[at + lane];
      (void)full[slot].arrive();
    } else {
      full[slot].arrive_and_wait();
      out[at + lane] = s[slot][31 - lane];
      if (step < 2) (void)empty[slot].arrive();
    }
  }
}

// The same without a wait for slots that are still read.
// guilty <<<1, 64>>> in[128] out[128]
extern "C" __global__ void slots_filled_while_they_are_read(const int* in, int* out) {
  __shared__ Barrier full[4];
  __shared__ int s[2][32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 4) init(&full[threadIdx.x], 64);
  __syncthreads();
  for (int step = 0; step < 4; ++step) {
    if (threadIdx.x < 32) {
      s[step % 2][lane] = in[step * 32 + lane];  // guilty: racecheck write
      (void)full[step].arrive();
    } else {
      full[step].arrive_and_wait();
      out[step * 32 + lane] = s[step % 2][31 - lane];  // guilty: racecheck read
    }
  }
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void work_between_arrival_and_wait(const int* in, int* out) {
  __shared__ Barrier barrier;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, 64);
  __syncthreads();
  s[t] = in[t];
  auto token = barrier.arrive();
  const int own = in[63 - t] * 3;
  barrier.wait(std::move(token));
  out[t] = s[63 - t] + own;
}

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void written_behind_the_arrival(const int* in, int* out) {
  __shared__ Barrier barrier;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, 64);
  __syncthreads();
  auto token = barrier.arrive();
  s[t] = in[t];  // guilty: racecheck write
  barrier.wait(std::move(token));
  out[t] = s[63 - t];  // guilty: racecheck read
}

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void arrived_and_not_waited(const int* in, int* out) {
  __shared__ Barrier barrier;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, 64);
  __syncthreads();
  s[t] = in[t];  // guilty: racecheck write
  (void)barrier.arrive();
  out[t] = s[63 - t];  // guilty: racecheck read
}

// Only half of the block is waited for.
// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void barrier_of_another_half(const int* in, int* out) {
  __shared__ Barrier halves[2];
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 2) init(&halves[t], 32);
  __syncthreads();
  s[t] = in[t];  // guilty: racecheck write
  halves[t / 32].arrive_and_wait();
  out[t] = s[63 - t];  // guilty: racecheck read
}

// A thread that drops out has told what it did.
// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void half_drops_out(const int* in, int* out) {
  __shared__ Barrier barrier;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, 64);
  __syncthreads();
  s[t] = in[t];
  if (t >= 32) return barrier.arrive_and_drop();
  barrier.arrive_and_wait();
  out[t] = s[63 - t] + s[t];
  barrier.arrive_and_wait();
  s[t] = 0;
}

// innocent <<<1, 64>>> in[256] out[256]
extern "C" __global__ void pipeline_of_two_stages(const int* in, int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int s[2][64];
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int t = threadIdx.x;
  const auto copy = [&](int step) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[step % 2][t], &in[step * 64 + t], sizeof(int), pipe);
    pipe.producer_commit();
  };
  copy(0);
  for (int step = 0; step < 4; ++step) {
    if (step < 3) copy(step + 1);
    pipe.consumer_wait();
    out[step * 64 + t] = s[step % 2][63 - t];
    pipe.consumer_release();
  }
}

// What one barrier's threads have learned by another they hand on.
// innocent <<<1, 96>>> in[32] out[32]
extern "C" __global__ void handed_on(const int* in, int* out) {
  __shared__ Barrier first, second;
  __shared__ int s[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) init(&first, 64), init(&second, 64);
  __syncthreads();
  if (warp == 0) s[lane] = in[lane], (void)first.arrive();
  if (warp == 1) first.arrive_and_wait(), (void)second.arrive();
  if (warp == 2) second.arrive_and_wait(), out[lane] = s[31 - lane];
}
