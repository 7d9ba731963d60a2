// The reference: a tree in shared memory, whose threads at work stay side by side.
//! item {"name": "frugal", "kind": "require", "points": 20, "require": ["warp_instructions<=1.3*reference"]}
//! item {"name": "no_conflicts", "kind": "require", "points": 10, "require": ["shared_load_bank_conflicts==0"]}
//! item {"name": "clean", "kind": "sanitize", "points": 10, "tools": ["memcheck", "initcheck", "synccheck"]}
template <typename T>
__global__ void partials(const T* in, T* out, int n) {
  __shared__ T s[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : T(0);
  //! correct no_test: s[t] = in[i];
  __syncthreads();
  //! correct no_barrier:
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    //! correct leaves_the_last: for (int step = blockDim.x / 2; step > 1; step /= 2) {
    if (t < step) s[t] += s[t + step];
    //! clean barrier_in_branch: if (t < step) { s[t] += s[t + step]; __syncthreads(); }
    //! frugal interleaved: const int width = blockDim.x / step; if (t % width == 0) s[t] += s[t + width / 2];
    //! no_conflicts strided: const int width = blockDim.x / step; if (t < step) s[t * width] += s[t * width + width / 2];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
