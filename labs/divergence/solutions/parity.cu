// The reference: factor and summand are chosen once, and all lanes take the same steps.
//! item {"name": "one_way", "kind": "require", "points": 30, "require": ["warp_instructions<=1.4*reference"]}
__global__ void parity(const unsigned* in, unsigned* out, int n, int work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned factor = i % 2 == 0 ? 3 : 5, summand = i % 2 == 0 ? 1 : 2;
  //! correct all_odd: const unsigned factor = 5, summand = 2;
  unsigned x = i < n ? in[i] : 0;
  //! correct no_test: unsigned x = in[i];
  for (int k = 0; k < work; ++k) x = factor * x + summand;
  //! correct one_step_more: for (int k = 0; k <= work; ++k) x = factor * x + summand;
  //! one_way branches: for (int k = 0; k < work; ++k) { if (i % 2 == 0) { x = 3 * x + 1; if (x == unsigned(work)) __nanosleep(0); } else { x = 5 * x + 2; if (x == unsigned(n)) __nanosleep(1); } }
  if (i < n) out[i] = x;
}
