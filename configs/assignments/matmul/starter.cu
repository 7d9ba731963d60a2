// matmul: Every element is needed hundreds of times: how few times can it be loaded?
//
//   writes the product of a, m x k, and b, k x n, to c, m x n; all row-major
//   launch: a thread for each element of c, x along its columns, y along its rows; or a block for
//       each tile of 32x32, 64x64 or 128x128 elements
//   blocks of 32x32, 16x16, 8x8, 32x8, 256 for 128x128, 512 for 64x64, 256 for 64x64, 16x16 for
//       64x64, 16x16 for 32x32, 16x16 for 128x128, 8x8 for 32x32; the first with which it is right
//       counts; a kernel that is made for others says so in a comment, 'gpulab: block 16x16'
//   shared: no dynamic shared memory
//   before: outputs hold nothing that was ever written; inputs stay as they are
//   numbers: float: sums in any order, fused or not; half, bfloat16 and TF32 are too short
//   classes: usual, rectangle, empty, one, odd, large, fine
//
// Write the kernel, then: gpulab check matmul starter.cu
// Other names of parameters, helper functions, printf and host code beside it are fine.

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  // your code
}
