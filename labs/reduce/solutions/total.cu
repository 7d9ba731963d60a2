// The reference: a tree in shared memory, whose threads at work stay side by side, and an atomic for each block.
//! item {"name": "few_atomics", "kind": "require", "points": 15, "require": ["global_atomic_requests<=2*reference"]}
//! item {"name": "frugal", "kind": "require", "points": 15, "require": ["warp_instructions<=1.3*reference"], "zero_at": 2}
//! item {"name": "clean", "kind": "sanitize", "points": 10, "tools": ["memcheck", "initcheck", "synccheck"]}
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  __shared__ T s[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : T(0);
  //! correct no_test: s[t] = in[i];
  //! few_atomics an_atomic_each: if (i < n) atomicAdd(out, in[i]); return;
  //! frugal one_block: s[t] = 0; if (blockIdx.x == 0) for (int k = t; k < n; k += blockDim.x) s[t] += in[k];
  __syncthreads();
  //! correct no_barrier:
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    //! correct leaves_the_last: for (int step = blockDim.x / 2; step > 1; step /= 2) {
    if (t < step) s[t] += s[t + step];
    //! clean barrier_in_branch: if (t < step) { s[t] += s[t + step]; __syncthreads(); }
    //! frugal interleaved: const int width = blockDim.x / step; if (t % width == 0) s[t] += s[t + width / 2];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
  //! correct overwrites: if (t == 0) *out = s[0];
}
