// Right, read once and with few instructions, but one block does the work of all.
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  if (blockIdx.x != 0) return;
  T value = T(0);
  for (int i = threadIdx.x; i < n; i += blockDim.x) value += in[i];
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}
