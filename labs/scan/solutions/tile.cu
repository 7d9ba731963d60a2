// The reference: warps scan their 32 values by shuffles, the first warp the sums of the warps, and each thread adds
// what comes before its warp.
//! item {"name": "frugal", "kind": "require", "points": 30, "require": ["warp_instructions<=1.5*reference"], "zero_at": 4}
//! item {"name": "clean", "kind": "sanitize", "points": 10, "tools": ["memcheck", "initcheck", "synccheck"]}
__device__ int scan_lanes(int value) {
  const int lane = threadIdx.x % 32;
  for (int d = 1; d < 32; d *= 2) {
    //! correct half_a_warp: for (int d = 1; d < 16; d *= 2) {
    const int left = __shfl_up_sync(0xffffffff, value, d);
    if (lane >= d) value += left;
  }
  return value;
}

__global__ void tile(const int* in, int* out, int n) {
  __shared__ int of_warps[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int value = scan_lanes(t < n ? in[t] : 0);
  //! correct no_test: const int value = scan_lanes(in[t]);
  //! frugal everyone_alone: int value = 0; for (int k = 32 * warp; k <= t && k < n; ++k) value += in[k];
  if (lane == 31) of_warps[warp] = value;
  __syncthreads();
  //! correct no_barrier:
  if (warp == 0) of_warps[lane] = scan_lanes(of_warps[lane]);
  //! clean barrier_in_branch: if (warp == 0) { of_warps[lane] = scan_lanes(of_warps[lane]); __syncthreads(); }
  __syncthreads();
  if (t < n) out[t] = value + (warp > 0 ? of_warps[warp - 1] : 0);
  //! correct within_warps: if (t < n) out[t] = value;
}
