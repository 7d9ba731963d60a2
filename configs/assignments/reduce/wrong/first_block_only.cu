// The sum of the first block, which is all that there is of small inputs.
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  extern __shared__ char memory[];
  T* s = reinterpret_cast<T*>(memory);
  const int t = threadIdx.x;
  s[t] = t < n ? in[t] : T(0);
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (blockIdx.x == 0 && t == 0) out[0] = s[0];
}
