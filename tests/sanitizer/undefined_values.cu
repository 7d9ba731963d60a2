// Values that nobody has given: guilty is who uses one, innocent who throws it away. Compilers load ahead and then
// choose; here the loads are written out, so that every compiler does. README.md says how the comments are read.

#define LOAD_AHEAD(v, pointer) \
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)__cvta_generic_to_shared(pointer)) : "memory")

// guilty <<<1, 64>>> out[64]=0
extern "C" __global__ void as_an_index(int* out) {
  __shared__ int s[64];
  if (threadIdx.x < 32) s[threadIdx.x] = 1;
  int i;
  LOAD_AHEAD(i, &s[threadIdx.x]);  // guilty: initcheck read
  atomicAdd(&out[i & 63], 1);
}

// guilty <<<1, 64>>> out[64]=0
extern "C" __global__ void by_a_branch(int* out) {
  __shared__ int s[64];
  if (threadIdx.x < 32) s[threadIdx.x] = 1;
  int v;
  LOAD_AHEAD(v, &s[threadIdx.x]);  // guilty: initcheck read
  if (v > 3) atomicAdd(&out[threadIdx.x], 1);
}

// guilty <<<1, 32>>> out[32]
extern "C" __global__ void computed_with_and_passed_on(int* out) {
  __shared__ int s[32];
  if (threadIdx.x != 7) s[threadIdx.x] = 1;
  int v;
  LOAD_AHEAD(v, &s[threadIdx.x]);  // guilty: initcheck read
  v = 2 * v + 1;
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, v, 1);
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void chosen_by_one_lane(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 16) s[t] = 1;
  int v;
  LOAD_AHEAD(v, &s[t]);  // guilty: initcheck read
  out[t] = t < 17 ? v : in[t];
}

// guilty <<<1, 32>>> out[32]
extern "C" __global__ void in_a_vote(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 16) s[t] = 1;
  int v;
  LOAD_AHEAD(v, &s[t]);  // guilty: initcheck read
  out[t] = __any_sync(0xffffffffu, v == 5);
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void shuffled_from_no_member_and_added(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  if (t >= 16) return;
  int other = __shfl_down_sync(0x0000ffffu, v, 4);  // guilty: synccheck
  other = 3 * other + 1;
  if (t < 13) out[t] = v + other;
}

// guilty <<<1, 32>>> in[32] out[32]=0
extern "C" __global__ void shuffled_from_who_has_left_and_compared(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  if (t >= 20) return;
  const int other = __shfl_xor_sync(0x000fffffu, v, 16);  // guilty: synccheck
  if (other > v) out[t] = 1;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void loaded_and_not_chosen(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 16) s[t] = 1;
  int v;
  LOAD_AHEAD(v, &s[t]);
  out[t] = t < 16 ? v : in[t];
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void computed_with_and_not_chosen(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 16) s[t] = 1;
  int bits;
  LOAD_AHEAD(bits, &s[t]);
  float v = __int_as_float(bits);
  v = sqrtf(v * v + 1.0f) / 3.0f;
  const int w = min(__float_as_int(v) >> 3, 12345);
  out[t] = t < 16 ? w : in[t];
}

// innocent <<<1, 64>>> in[64] out[64]=0
extern "C" __global__ void and_of_two_conditions(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 40) s[t] = in[t];
  int v;
  LOAD_AHEAD(v, &s[t]);
  if ((t < 40) & (v > 3)) out[t] = 1;
  if ((v > 5) & (in[t] >= 0) & (t < 40)) out[t] = 2;
}

// innocent <<<1, 64>>> in[64] out[64]=0
extern "C" __global__ void or_of_two_conditions(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 40) s[t] = in[t];
  int v;
  LOAD_AHEAD(v, &s[t]);
  if ((t >= 40) | (v > 3)) out[t] = 1;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void masked_with_zero(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 16) s[t] = 1;
  int v;
  LOAD_AHEAD(v, &s[t]);
  int mask = t < 16 ? -1 : 0;
  asm volatile("" : "+r"(mask));
  out[t] = (v & mask) + in[t];
}

// innocent <<<1, 32>>> in[128] out[32]
extern "C" __global__ void loaded_one_round_ahead(const int* in, int* out) {
  __shared__ int s[5 * 32];
  const int t = threadIdx.x;
  int next, sum = 0;
  LOAD_AHEAD(next, &s[t]);
  for (int k = 0; k < 4; ++k) s[32 * k + t] = in[32 * k + t];
  LOAD_AHEAD(next, &s[t]);
  for (int k = 1; k <= 4; ++k) {
    sum += next;
    LOAD_AHEAD(next, &s[32 * k + t]);
  }
  out[t] = sum;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void shuffled_from_no_member_and_thrown_away(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  int other = 0;
  if (t < 16) other = __shfl_down_sync(0x0000ffffu, v, 8);
  out[t] = t < 8 ? v + other : v;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void shuffled_from_who_has_left_and_thrown_away(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  if (t >= 20) return;
  int sum = v;
  for (int step = 1; step < 20; step *= 2) {
    const int other = __shfl_down_sync(0x000fffffu, sum, step);
    if (t + step < 20) sum += other;
  }
  out[t] = sum;
}

// Lanes behind the last one carry nothing on through the shuffles, and nobody takes it.
// innocent <<<1, 32>>> in[32] out[32] 20
extern "C" __global__ void lanes_without_a_value_in_a_scan(const int* in, int* out, int n) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < n) s[t] = in[t];
  int sum;
  LOAD_AHEAD(sum, &s[t]);
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, sum, step);
    sum += t >= step ? other : 0;
  }
  if (t < n) out[t] = sum;
}

// The lanes that have left leave at their leisure: some others may have come to the shuffle before.
// guilty <<<1, 64>>> in[64] sum[1]=0 50
extern "C" __global__ void sum_of_a_warp_whose_last_lanes_have_left(const int* in, int* sum, int n) {
  const int t = threadIdx.x;
  if (t >= n) return;
  int v = in[t];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);  // guilty: synccheck
  if (t % 32 == 0) atomicAdd(sum, v);
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void stored_from_lanes_that_went_another_way(const int* in, int* out) {
  const int t = threadIdx.x;
  int v = in[t];
  if (t < 8) v = __shfl_xor_sync(0xffffffffu, v, 16);  // guilty: synccheck
  out[t] = v;
}

// guilty <<<1, 48>>> in[48] out[48]
extern "C" __global__ void index_from_a_lane_that_never_was(const int* in, int* out) {
  const int t = threadIdx.x;
  int at = t;
  at = __shfl_xor_sync(0xffffffffu, at, 16);  // guilty: synccheck
  out[t] = in[at & 15];
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void branch_on_a_lane_that_has_left(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  if (t >= 20) return;
  const int other = __shfl_down_sync(0xffffffffu, v, 12);  // guilty: synccheck
  if (other > 7) out[t] = v;
}

// innocent <<<1, 64>>> in[64] sum[1]=0 50
extern "C" __global__ void sum_that_takes_only_those_who_are_there(const int* in, int* sum, int n) {
  const int t = threadIdx.x;
  if (t >= n) return;
  int v = in[t];
  for (int d = 16; d > 0; d /= 2) {
    const int other = __shfl_down_sync(0xffffffffu, v, d);
    v += (t % 32) + d < 32 && t + d < n ? other : 0;
  }
  if (t % 32 == 0) atomicAdd(sum, v);
}

// Votes, matches and sums of those that are there are defined.
// innocent <<<1, 64>>> in[64] out[192] 50
extern "C" __global__ void votes_of_those_who_are_there(const int* in, int* out, int n) {
  const int t = threadIdx.x;
  if (t >= n) return;
  const int v = in[t] & 3;
  out[t] = __ballot_sync(0xffffffffu, v == 1);
  out[64 + t] = __match_any_sync(0xffffffffu, v);
  out[128 + t] = __any_sync(0xffffffffu, v == 2) + 2 * __all_sync(0xffffffffu, v < 4);
}
