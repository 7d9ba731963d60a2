// The reference: each thread adds eight elements that lie a block apart, and a tree in shared memory the threads' sums.
//! item {"name": "coalesced", "kind": "require", "points": 30, "require": ["global_load_sectors<=1.2*reference"]}
//! item {"name": "clean", "kind": "sanitize", "points": 10, "tools": ["memcheck", "initcheck", "synccheck"]}
__global__ void partials(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x, first = blockIdx.x * blockDim.x * 8;
  int sum = 0;
  for (int k = 0; k < 8; ++k) {
    //! correct seven_each: for (int k = 0; k < 7; ++k) {
    const int i = first + k * blockDim.x + t;
    //! coalesced neighbours: const int i = first + 8 * t + k;
    if (i < n) sum += in[i];
    //! correct no_test: sum += in[i];
  }
  s[t] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    //! clean barrier_in_branch: if (t < step) { s[t] += s[t + step]; __syncthreads(); }
    __syncthreads();
    //! correct no_barrier:
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
