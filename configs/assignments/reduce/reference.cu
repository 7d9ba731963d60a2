// The reference: each warp adds its 32 values by shuffles, the first warp the warps' sums, and one thread of the block
// gives the block's sum to all. Every element is read once, and a block needs one barrier and one atomic.
template <typename T>
__device__ T sum_of_lanes(T value) {
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
  return value;
}

template <typename T>
__global__ void total(const T* in, T* out, int n) {
  __shared__ T of_warps[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T value = sum_of_lanes(i < n ? in[i] : T(0));
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  if (warp != 0) return;
  value = sum_of_lanes(lane < blockDim.x / 32 ? of_warps[lane] : T(0));
  if (lane == 0) atomicAdd(out, value);
}
