// Right, but all elements meet in one atomic each.
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
