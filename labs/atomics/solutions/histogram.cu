// The reference: each block counts in shared memory, and adds its counts to those of all at the end.
//! item {"name": "apart", "kind": "require", "points": 30, "require": ["global_atomic_max_lanes<=2"]}
__global__ void histogram(const int* in, int* counts, int n, int bins) {
  extern __shared__ int mine[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  //! correct a_bin_each: if (threadIdx.x < bins) mine[threadIdx.x] = 0;
  __syncthreads();
  //! correct no_barrier:
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&mine[in[i]], 1);
  //! correct no_test: atomicAdd(&mine[in[i]], 1);
  //! correct no_atomic: if (i < n) mine[in[i]] += 1;
  //! apart an_atomic_each: if (i < n) atomicAdd(&counts[in[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (mine[b] > 0) atomicAdd(&counts[b], mine[b]);
}
