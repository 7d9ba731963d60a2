// The reference: an element per thread; `other` is another GPU's memory, and a load of it like any other.
//! item {"name": "coalesced", "kind": "require", "points": 30, "require": ["global_load_efficiency>=0.9"]}
__global__ void allreduce_add(const float* mine, const float* other, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  //! correct off_by_one: const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i < n) out[i] = mine[i] + other[i];
  //! correct forgets_mine: if (i < n) out[i] = other[i];
  //! coalesced apart: for (int k = i * 8; k < n && k < i * 8 + 8; ++k) out[k] = mine[k] + other[k];
}
