// The reference: an element for each thread, neighbours for neighbours.
//! item {"name": "coalesced", "kind": "require", "points": 20, "require": ["global_load_sectors<=1.2*reference", "global_store_sectors<=1.2*reference"]}
__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  //! correct first_block_only: const int i = threadIdx.x;
  //! coalesced strided: const int i = blockIdx.x * blockDim.x + threadIdx.x % 32 * (blockDim.x / 32) + threadIdx.x / 32;
  if (i < n) y[i] = a * x[i] + y[i];
  //! correct no_test: y[i] = a * x[i] + y[i];
  //! correct without_y: if (i < n) y[i] = a * x[i];
  //! coalesced one_block: if (blockIdx.x == 0) for (int k = threadIdx.x; k < n; k += blockDim.x) y[k] = a * x[k] + y[k];
}
