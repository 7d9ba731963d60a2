// The reference: warps scan their 32 values by shuffles, the first warp the sums of the warps, and each thread adds
// what comes before its warp. Two barriers, and one word of shared memory for each warp.
__device__ int scan_lanes(int value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(0xffffffff, value, d);
    if (lane >= d) value += left;
  }
  return value;
}

__global__ void tile(const int* in, int* out, int n) {
  __shared__ int of_warps[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int value = scan_lanes(t < n ? in[t] : 0);
  if (lane == 31) of_warps[warp] = value;
  __syncthreads();
  if (warp == 0) of_warps[lane] = scan_lanes(of_warps[lane]);
  __syncthreads();
  if (t < n) out[t] = value + (warp > 0 ? of_warps[warp - 1] : 0);
}
