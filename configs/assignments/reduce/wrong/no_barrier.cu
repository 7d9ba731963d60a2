// No barrier between the steps of the tree.
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  extern __shared__ char memory[];
  T* s = reinterpret_cast<T*>(memory);
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : T(0);
  for (int d = blockDim.x / 2; d > 0; d /= 2)
    if (t < d) s[t] += s[t + d];
  if (t == 0) atomicAdd(out, s[0]);
}
