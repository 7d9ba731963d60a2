// reduce: How do thousands of threads come to one answer?
//
//   adds the sum of all elements to out[0], which holds 0
//   T: a template is made for int, float; without a template one of these or long, double, unsigned
//       int
//   launch: a thread for each element, in x; the last block may have threads to spare
//   blocks of 256, 128, 512, 1024, 64, 32; it is right with 256, and with 128 on usual, odd, blocks;
//       a kernel that is made for others says so in a comment, 'gpulab: block 512'
//   shared: dynamic shared memory for two T for each thread
//   before: out[0] is 0; in may be overwritten
//   numbers: integers wrap modulo 2^32 (or 2^64); floats are such that their sums are exact in any
//       order
//   classes: usual, empty, one, warps, blocks, odd, powers, large, extreme
//
// Write the kernel, then: gpulab check reduce starter.cu --contract total
// Other names of parameters, helper functions, printf and host code beside it are fine.

template <typename T>
__global__ void total(const T* in, T* out, int n) {
  // your code
}
