// The reference: neighbouring threads move neighbouring elements.
//! item {"name": "coalesced", "kind": "require", "points": 30, "require": ["global_load_efficiency>=0.9", "global_store_efficiency>=0.9"]}
__global__ void copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  //! correct first_block_only: const int i = threadIdx.x;
  //! coalesced strided: const int i = blockIdx.x * blockDim.x + threadIdx.x % 32 * (blockDim.x / 32) + threadIdx.x / 32;
  if (i < n) out[i] = in[i];
  //! correct no_test: out[i] = in[i];
  //! correct adds_zero: if (i < n) out[i] = in[i] + 0.0f;
  //! coalesced one_block: if (blockIdx.x == 0) for (int k = threadIdx.x; k < n; k += blockDim.x) out[k] = in[k];
}
