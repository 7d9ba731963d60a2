// Right, but lanes are a block's warps apart: each warp touches a sector for each element.
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int i = blockIdx.x * blockDim.x + lane * warps + warp;
  T value = i < n ? in[i] : T(0);
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
  if (lane == 0) atomicAdd(out, value);
}
