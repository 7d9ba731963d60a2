// The reference: a chain for each thread, in a register from the first step to the last.
//! item {"name": "in_registers", "kind": "require", "points": 30, "require": ["global_store_sectors<=1.2*reference"]}
__global__ void chains(const unsigned* in, unsigned* out, int n, int steps, unsigned a, unsigned c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = i < n ? in[i] : 0;
  //! correct no_test: unsigned x = in[i];
  for (int k = 0; k < steps; ++k) x = a * x + c;
  //! correct one_step_more: for (int k = 0; k <= steps; ++k) x = a * x + c;
  //! correct the_other_way: for (int k = 0; k < steps; ++k) x = c * x + a;
  //! in_registers through_memory: for (int k = 0; k < steps; ++k) { x = a * x + c; if (i < n) *(volatile unsigned*)&out[i] = x; }
  if (i < n) out[i] = x;
}
