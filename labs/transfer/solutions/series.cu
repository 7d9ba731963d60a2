// The reference: Horner's scheme, a multiplication and an addition for each term.
//! item {"name": "frugal", "kind": "require", "points": 30, "require": ["warp_instructions<=1.5*reference"]}
__global__ void series(const float* in, float* out, int n, int work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = i < n ? in[i] : 0;
  //! correct no_test: const float x = in[i];
  float sum = 1;
  //! correct starts_with_0: float sum = 0;
  for (int k = 0; k < work; ++k) sum = sum * x + 1;
  //! correct one_term_more: for (int k = 0; k <= work; ++k) sum = sum * x + 1;
  //! frugal powers_anew: for (int k = 1; k <= work; ++k) { float power = 1; for (int j = 0; j < k; ++j) power *= x; sum += power; }
  if (i < n) out[i] = sum;
}
