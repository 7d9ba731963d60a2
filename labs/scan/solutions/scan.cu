// The reference: a block scans its part in shared memory, and adds up all that is before it by itself.
//! item {"name": "frugal", "kind": "require", "points": 30, "require": ["warp_instructions<=1.5*reference"]}
__global__ void scan(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x, size = blockDim.x, first = blockIdx.x * size;
  int before = 0;
  for (int k = t; k < first; k += size) before += in[k];
  //! correct blocks_apart: for (int k = t; k < 0; k += size) before += in[k];
  //! frugal one_alone: for (int k = 0; k < first && t == 0; ++k) before += in[k];
  s[t] = first + t < n ? in[first + t] : 0;
  //! correct no_test: s[t] = in[first + t];
  s[size + t] = before;
  __syncthreads();
  //! correct no_barrier:
  for (int d = 1; d < size; d *= 2) {
    const int left = t >= d ? s[t - d] : 0, other = t >= d ? s[size + t - d] : 0;
    __syncthreads();
    s[t] += left;
    s[size + t] += other;
    __syncthreads();
  }
  if (first + t < n) out[first + t] = s[2 * size - 1] + s[t];
  //! correct exclusive: if (first + t < n) out[first + t] = s[2 * size - 1] + (t > 0 ? s[t - 1] : 0);
}
