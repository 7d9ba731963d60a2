// Templates in several styles, each the only one of its signature that is meant.
#include <type_traits>

template <typename Real, Real (*Combine)(Real, Real)>
__device__ Real fold_warp(Real x) {
  for (int d = warpSize / 2; d > 0; d /= 2) x = Combine(x, __shfl_down_sync(0xffffffffu, x, d));
  return x;
}
template <typename Real>
__device__ Real plus(Real a, Real b) {
  return a + b;
}

// right: reduce total sum_all
template <class T>
__global__ void sum_all(T const* in, T* out, int n) {
  static_assert(std::is_arithmetic<T>::value, "numbers");
  T mine{};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
  mine = fold_warp<T, plus<T>>(mine);
  if (threadIdx.x % 32 == 0) atomicAdd(out, mine);
}

// right: reduce partials blockwise
template <typename T>
__global__ void blockwise(const T* in, T* out, int n) {
  __shared__ T s[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (int d = blockDim.x >> 1; d; d >>= 1) {
    if (t < d) s[t] = plus(s[t], s[t + d]);
    __syncthreads();
  }
  if (!t) out[blockIdx.x] = s[0];
}
