// Each block stores its sum in out[0]: the last one wins.
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  extern __shared__ char memory[];
  T* s = reinterpret_cast<T*>(memory);
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}
