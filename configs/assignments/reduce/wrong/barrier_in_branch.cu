// Right, but threads that are done go round a barrier of those that work on.
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  __shared__ T s[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) {
      s[t] += s[t + d];
      __syncthreads();
    }
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}
